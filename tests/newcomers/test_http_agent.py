"""Agents of other processes, over the real server on the loopback."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from normgym_agents.errors import BadInput, ModelError, NewcomerError, NotConnected
from normgym_agents.newcomers import http_agent, load_newcomer
from normgym_agents.newcomers.http_agent import TOKEN, desk, newcomer
from normgym_agents.newcomers.http_agent.__main__ import document
from normgym_agents.newcomers.http_agent.contract import MOST_BYTES
from normgym_agents.newcomers.http_agent.server import Server
from normgym_agents.newcomers.spending import Account, Budget
from normgym_agents.worlds.asking import Question, ReportedNorm
from normgym_agents.worlds.public import NewcomerView
from tests.newcomers.taking_part import TAKE, WAIT

ROOT = Path(__file__).parents[2]
SECRET = "0123456789abcdef"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(autouse=True)
def token(monkeypatch):
    monkeypatch.setenv(TOKEN, SECRET)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


class Table:
    """A loaded newcomer, and a client of the server that it listens on."""

    def __init__(self) -> None:
        self.port = free_port()
        self.loaded = load_newcomer(f"http-agent:{self.port}")
        self.client = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{self.port}/v1",
            headers={"Authorization": f"Bearer {SECRET}"},
            transport=httpx.AsyncHTTPTransport(retries=4),
            timeout=10,
        )

    async def join(self) -> tuple[Any, str]:
        """An episode with its client; the newcomer, and the episode's address."""
        one = self.loaded.factory(1)
        joining = asyncio.create_task(one.join("Tam"))
        came = await self.client.post("/episodes")
        assert came.json()["name"] == "Tam"
        address = f"/episodes/{came.json()['episode']}"
        assert (await self.client.get(address, params={"wait": 0})).status_code == 204
        await joining
        return one, address

    async def turn(
        self, one: Any, address: str, observation: Any
    ) -> tuple[asyncio.Task[Any], dict[str, Any]]:
        """A turn that has begun; what it asks."""
        turn = asyncio.create_task(one.turn(observation))
        return turn, (await self.client.get(address)).json()

    async def reply(self, address: str, **body: Any) -> tuple[int, str]:
        """A reply; how it was received."""
        got = await self.client.post(f"{address}/replies", json=body)
        return got.status_code, "" if got.status_code == 204 else got.json()["detail"]


@pytest.fixture
async def table(monkeypatch):
    monkeypatch.setattr("normgym_agents.newcomers.http_agent.server.LINGER", 0.0)
    table = Table()
    yield table
    await table.client.aclose()
    table.loaded.close()
    table.loaded.close()  # more than once is harmless


async def test_an_episode(table, observe):
    assert table.loaded.kind == "http_agent"
    one, address = await table.join()
    turn, asked = await table.turn(one, address, observe("You are new."))
    assert asked == {"number": 1, "kind": "turn", "text": "You are new."}
    assert await table.reply(address, number=1, text="I'll take the sarn ringed cup.") == (204, "")
    assert ((await turn).act, (await turn).channel) == (TAKE, "text")
    again = observe("That was no act.").model_copy(update={"retry": "That was no act."})
    turn, asked = await table.turn(one, address, again)
    assert (asked["number"], asked["kind"]) == (2, "again")
    told = {"act": {"verb": "wait"}, "model_calls": 3, "input_tokens": 40, "output_tokens": 2}
    assert (await table.reply(address, number=2, text="Hm.", **told))[0] == 204
    reply = await turn
    assert (reply.act, reply.channel, reply.words, reply.model_calls) == (WAIT, "structured", "Hm.", 3)
    report = asyncio.create_task(one.report(Question(text="What must one not do?", view=observe().view)))
    asked = (await table.client.get(address)).json()
    assert asked["kind"] == "question"
    norms = [{"norm": "forbid take(glaze=iron)", "confidence": 0.5}]
    assert (await table.reply(address, number=3, norms=norms))[0] == 204
    assert await report == [ReportedNorm(norm="forbid take(glaze=iron)", confidence=0.5)]
    await one.leave()
    assert (await table.client.get(address)).json()["kind"] == "end"
    assert await table.reply(address, number=4, text="wait") == (410, "the episode is over")


async def test_the_view(table, observe):
    one, address = await table.join()
    turn, _ = await table.turn(one, address, observe())
    asked = (await table.client.get(address, params={"view": True})).json()
    assert NewcomerView.model_validate(asked["view"]) == observe().view
    await table.reply(address, number=1, text="wait")
    await turn


async def test_two_clients_get_an_episode_each(table, observe):
    (one, first), (two, second) = await table.join(), await table.join()
    assert first != second
    (turn, _), (other, _) = await table.turn(one, first, observe()), await table.turn(two, second, observe())
    await table.reply(second, number=1, text="wait")
    assert (await other).act == WAIT and not turn.done()
    await table.reply(first, number=1, act={"verb": "wait"})
    assert (await turn).act == WAIT
    assert (await table.client.post("/episodes", params={"wait": 0.01})).status_code == 204


async def test_a_wrong_token_changes_nothing(table, observe):
    one, address = await table.join()
    turn, _ = await table.turn(one, address, observe())
    for wrong in ("Bearer another-token-of-16", "Basic x", "", "Bearer \u00e9".encode()):
        got = await table.client.post(
            f"{address}/replies", json={"number": 1, "text": "wait"}, headers={"Authorization": wrong}
        )
        assert (got.status_code, got.json()["detail"]) == (401, "The token is missing or wrong.")
    assert not turn.done()
    await table.reply(address, number=1, text="wait")
    await turn


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        (b"{", 422, "JSON decode error"),
        (b"[]", 422, "valid dictionary|object"),
        (b"{}", 422, "number: Field required"),
        (b'{"number": "first", "text": "wait"}', 422, "number: Input should be a valid integer"),
        (b'{"number": 1, "txet": "wait"}', 422, "txet: Extra inputs are not permitted"),
        (b'{"number": 1, "act": "wait"}', 422, "act: Input should be a valid dictionary"),
        (b'{"number": 1, "norms": [{"confidence": 2}]}', 422, "norms.0.norm: Field required"),
        (b'{"number": 1, "model_calls": -1}', 422, "model_calls: "),
        pytest.param(b"[" * 200_000, 400, "parsing the body", id="nested"),
        (b'{"number": 7, "text": "wait"}', 409, "7 is not asked now, but 1"),
        (b'{"number": 0, "text": "wait"}', 409, "0 is not asked now, but 1"),
        pytest.param(b"x" * (MOST_BYTES + 1), 413, "More than 4194304 bytes", id="long"),
    ],
)
async def test_what_does_not_fit_leaves_the_turn_open(table, observe, body, status, told):
    one, address = await table.join()
    turn, _ = await table.turn(one, address, observe())
    got = await table.client.post(
        f"{address}/replies", content=body, headers={"Content-Type": "application/json"}
    )
    assert got.status_code == status
    assert re.search(told, got.json()["detail"])
    assert not turn.done()
    assert (await table.reply(address, number=1, text="wait"))[0] == 204
    assert (await turn).act == WAIT


async def test_a_body_that_does_not_say_how_long_it_is(table, observe):
    one, address = await table.join()
    turn, _ = await table.turn(one, address, observe())

    async def parts():
        for _ in range(6):
            yield b" " * 1_000_000

    json = {"Content-Type": "application/json"}
    got = await table.client.post(f"{address}/replies", content=parts(), headers=json)
    assert got.status_code == 413
    await table.reply(address, number=1, text="wait")
    await turn


async def test_two_megabytes_of_text(table, observe):
    one, address = await table.join()
    turn, _ = await table.turn(one, address, observe())
    assert await table.reply(address, number=1, text="so " * 700_000 + "\nwait") == (204, "")
    assert (await turn).act == WAIT


async def test_lone_surrogates(table, observe):
    one, address = await table.join()
    turn, _ = await table.turn(one, address, observe())
    body = b'{"number": 1, "text": "wa\\ud800it"}'
    got = await table.client.post(
        f"{address}/replies", content=body, headers={"Content-Type": "application/json"}
    )
    assert got.status_code == 204
    assert (await turn).act == WAIT


async def test_a_reply_sent_twice(table, observe):
    one, address = await table.join()
    turn, _ = await table.turn(one, address, observe())
    assert await table.reply(address, number=1, text="wait") == (204, "")
    assert await table.reply(address, number=1, text="wait") == (204, "")  # it may not have heard
    status, told = await table.reply(address, number=1, text="take the sarn ringed cup")
    assert (status, "nothing is asked now" in told) == (409, True)
    assert (await turn).act == WAIT


async def test_a_client_that_is_late(table, observe):
    one, address = await table.join()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(one.turn(observe()), 0.05)
    status, told = await table.reply(address, number=1, text="wait")
    assert (status, "its time was over" in told) == (409, True)
    turn, asked = await table.turn(one, address, observe("Another."))
    assert (asked["number"], asked["text"]) == (2, "Another.")
    await table.reply(address, number=2, text="wait")
    assert (await turn).act == WAIT


async def test_a_client_that_leaves(table, observe):
    one, address = await table.join()
    turn, _ = await table.turn(one, address, observe())
    assert (await table.client.delete(address)).status_code == 204
    for _ in range(2):
        with pytest.raises(NewcomerError, match="the agent left"):
            await turn
        turn = asyncio.create_task(one.turn(observe()))
    turn.cancel()
    await one.leave()


@pytest.mark.parametrize(("kind", "error"), [("model", ModelError), ("agent", NewcomerError)])
async def test_a_client_that_has_failed(table, observe, kind, error):
    one, address = await table.join()
    turn, _ = await table.turn(one, address, observe())
    await table.reply(address, number=1, failed={"kind": kind, "message": "429\nno clay left"})
    with pytest.raises(error, match="429 no clay left"):
        await turn


async def test_an_episode_whose_client_dies_before_it_asks_is_given_to_another(table, observe, monkeypatch):
    monkeypatch.setattr(desk, "UNMET", 0.05)
    one = table.loaded.factory(1)
    joining = asyncio.create_task(one.join("Tam"))
    dead = (await table.client.post("/episodes")).json()["episode"]
    monkeypatch.setattr(desk, "UNMET", 30.0)
    other = (await table.client.post("/episodes")).json()["episode"]
    assert (await table.client.get(f"/episodes/{dead}")).status_code == 404
    await table.client.get(f"/episodes/{other}", params={"wait": 0})
    await joining


async def test_a_client_that_hangs_up_while_it_waits_takes_nothing(table, observe):
    one, address = await table.join()
    with pytest.raises(httpx.ReadTimeout):
        await table.client.post("/episodes", timeout=0.05)
    await asyncio.sleep(0.05)
    two, second = await table.join()
    assert second != address
    await one.leave()
    await two.leave()


async def test_nobody_comes(table, monkeypatch, caplog):
    monkeypatch.setattr(newcomer, "_SLICE", 0.02)
    monkeypatch.setattr(newcomer, "_QUIET", 0.01)
    server = Server("127.0.0.1", free_port(), SECRET)
    alone = newcomer.HttpNewcomer(server, patience=0.1)
    with Account(Budget(), Budget()).turn() as spending:
        with pytest.raises(NotConnected, match=r"no agent has come to http://127.0.0.1:\d+"):
            await alone.join("Tam")
    assert spending.waited > 0.05, "waiting is not the agent's time"
    assert [record.message for record in caplog.records if server.url in record.message]
    await alone.leave()
    server.close()


async def test_a_port_that_is_taken(table):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        loaded = load_newcomer(f"http-agent:127.0.0.1:{other.getsockname()[1]}")
        with pytest.raises(BadInput, match="cannot listen on 127"):
            await loaded.factory(1).join("Tam")


async def test_the_run_is_over(table):
    _, address = await table.join()
    waiting = asyncio.create_task(table.client.post("/episodes"))
    asking = asyncio.create_task(table.client.get(address))
    await asyncio.sleep(0.1)
    await asyncio.to_thread(table.loaded.close)
    assert (await waiting).status_code == 410
    assert (await asking).json()["kind"] == "end"


@pytest.mark.parametrize(
    "place", ["", "x", "0", "99999", "host:", "127.0.0.1:80/x", "u@h:80", "127.0.0.1:80?a=b"]
)
def test_places_that_are_none(place):
    with pytest.raises(BadInput, match="is no place to listen"):
        load_newcomer(f"http-agent:{place}")


@pytest.mark.parametrize(
    ("value", "told"), [(None, "is not set"), ("short", "is no token"), ("a b " * 9, "no token")]
)
def test_tokens_that_will_not_do(monkeypatch, value, told):
    monkeypatch.setenv(TOKEN, value) if value else monkeypatch.delenv(TOKEN)
    with pytest.raises(BadInput, match=rf"{told}.*export {TOKEN}=") as raised:
        load_newcomer("http-agent:8700")
    assert not value or value not in str(raised.value)


def test_what_to_install(monkeypatch):
    monkeypatch.setattr(http_agent, "find_spec", lambda name: None)
    with ExitStack() as held, pytest.raises(BadInput, match=r"pip install 'normgym-agents\[http-agent\]'"):
        http_agent.http_agents("8700", held)


async def test_the_published_document_is_in_step():
    assert (ROOT / "docs" / "http-agent.openapi.json").read_text(encoding="utf-8") == await document(), (
        "python -m normgym_agents.newcomers.http_agent > docs/http-agent.openapi.json"
    )


def test_the_example_of_the_docs_is_what_runs(agents):
    source = (agents / "http_agent.py").read_text(encoding="utf-8")
    assert source.partition('"""\n\n')[2] in (ROOT / "docs" / "http-agent.md").read_text(encoding="utf-8")


def test_a_run_with_an_agent_in_a_process_of_its_own(agents, tmp_path):
    port = free_port()
    agent = tmp_path / "agent.py"
    agent.write_text((agents / "http_agent.py").read_text().replace(":8700", f":{port}"))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    told = [sys.executable, "-m", "normgym_agents.cli", "run", f"http-agent:{port}", "--worlds", "1"]
    told += ["--conditions", "live,none", "--report", "--out", str(tmp_path / "run")]
    with ExitStack() as held:
        run = held.enter_context(subprocess.Popen(told, env=environment, text=True, stderr=subprocess.PIPE))
        held.callback(run.kill)
        while run.poll() is None and not listens(port):
            time.sleep(0.1)
        both = [subprocess.Popen([sys.executable, agent], env=environment) for _ in range(2)]
        for one in both:
            held.enter_context(one)
            held.callback(one.kill)
        _, errors = run.communicate(timeout=120)
        assert [one.wait(60) for one in both] == [0, 0]
    assert run.returncode == 0, errors
    assert (tmp_path / "run" / "records.jsonl").read_text().count('"outcome":"completed"') == 2
    assert SECRET not in "".join(p.read_text() for p in (tmp_path / "run").rglob("*") if p.is_file())
