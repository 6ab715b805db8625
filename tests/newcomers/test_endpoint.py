"""A model behind an OpenAI-compatible endpoint, over a real connection."""

import asyncio
from typing import Any

import pytest

from normgym_agents.errors import BadInput, ModelError, NewcomerError, NotConnected
from normgym_agents.newcomers import load_newcomer
from normgym_agents.newcomers.spending import Account, Budget
from normgym_agents.testing import CallTool, Drop, Fail, Garbage, Hang, Say, by_turn, fail_first, sequence
from normgym_agents.worlds.asking import Question
from tests.newcomers.taking_part import TAKE, WAIT, take_part


@pytest.fixture
def at(scripted_endpoint, monkeypatch):
    """A function that starts an endpoint, and gives it with its newcomer."""

    def at(script: Any, query: str = "", **options: Any) -> Any:
        endpoint = scripted_endpoint(script, **options)
        monkeypatch.setenv("NORMGYM_ENDPOINT_KEY", endpoint.api_key)
        return endpoint, load_newcomer(f"endpoint:{endpoint.base_url}#scripted-model{query}")

    return at


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """No test waits for seconds on end."""
    monkeypatch.setattr("normgym_agents.newcomers._completions._pause", lambda state: 0.01)


async def test_it_gets_what_a_chat_model_gets(at, scripted_endpoint, observe):
    script = by_turn(CallTool("take", {"thing": "sarn ringed cup"}), CallTool("look", {}), Say("Wait."))
    endpoint, loaded = at(script, "?temperature=0&max_tokens=99")
    first, second = await take_part(loaded, observe("You are new."), observe("More."))
    assert (loaded.kind, first.act, first.channel) == ("endpoint", TAKE, "tool")
    assert (second.act, second.channel, second.model_calls) == (WAIT, "text", 2)
    body = endpoint.requests[-1].body
    assert (body["temperature"], body["max_tokens"]) == (0, 99)
    assert [m["role"] for m in body["messages"]] == "system user assistant tool user assistant tool".split()
    assert body["messages"][-1]["content"] == "More."
    beside = scripted_endpoint(script)
    await take_part(load_newcomer("openai:scripted-model"), observe("You are new."), observe("More."))
    ours, theirs = endpoint.requests[0], beside.requests[0]
    assert (ours.system, ours.tools) == (theirs.system, theirs.tools)


async def test_usage_is_counted_and_limited(at, observe):
    _, loaded = at(Say("wait"))
    account = Account(Budget(calls=1), Budget())
    newcomer = loaded.factory(1)
    await newcomer.join("Tam")
    with account.turn() as spending:
        reply = await newcomer.turn(observe())
    await newcomer.leave()
    assert (account.calls, spending.over) == (1, None)
    assert account.tokens == reply.input_tokens + reply.output_tokens > 0


async def test_the_question_is_put_to_a_copy(at, observe):
    endpoint, loaded = at(Say("wait"))
    newcomer = loaded.factory(1)
    await newcomer.join("Tam")
    await newcomer.turn(observe())
    assert await newcomer.report(Question(text="What must one not do?", view=observe().view)) == "wait"
    await newcomer.turn(observe("More."))
    await newcomer.leave()
    assert [len(request.messages) for request in endpoint.requests] == [2, 4, 4]


async def test_an_endpoint_that_takes_no_tools(at, observe):
    def script(request):
        return Fail(400, "tools are not supported") if request.tools else Say("wait")

    endpoint, loaded = at(script)
    assert [reply.act for reply in await take_part(loaded, observe(), observe())] == [WAIT, WAIT]
    await take_part(loaded, observe())
    assert [bool(request.tools) for request in endpoint.requests] == [True, False, False, False]


@pytest.mark.parametrize(
    "script",
    [
        fail_first(2, 503, Say("wait")),
        fail_first(1, 429, Say("wait"), retry_after=0.01),
        sequence(Drop(), Say("wait")),
    ],
)
async def test_a_failure_that_passes(at, observe, script):
    _, loaded = at(script)
    assert (await take_part(loaded, observe()))[0].act == WAIT


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (Fail(503, "no clay left"), "HTTP 503: no clay left"),
        (Fail(429, "too fast"), "HTTP 429: too fast"),
        (Garbage(b"<html>proxy</html>"), "what came was no answer: HTTP 200: <html>proxy</html>"),
        (Garbage(b'{"choices": []}'), "no answer"),
        (Garbage(b'{"error": {"message": "upstream is away"}}'), "no answer: HTTP 200: upstream is away"),
        (Hang(30), "ReadTimeout"),
        (Drop("wai"), "RemoteProtocolError|ReadError"),
    ],
)
async def test_a_failure_of_the_endpoint(at, observe, script, told):
    _, loaded = at(script, "?timeout=0.2&max_retries=1")
    with pytest.raises(ModelError, match=told):
        await take_part(loaded, observe())


async def test_what_it_refuses_is_the_newcomers(at, observe):
    _, loaded = at(Fail(400, "the conversation is too long"))
    with pytest.raises(NewcomerError, match="HTTP 400: the conversation is too long"):
        await take_part(loaded, observe())


async def test_what_is_not_connected(at, observe, monkeypatch):
    endpoint, _ = at(Say("wait"))
    monkeypatch.setenv("NORMGYM_ENDPOINT_KEY", "another")
    for spec in (f"endpoint:{endpoint.base_url}#m", f"endpoint:{endpoint.base_url}/nothing#m"):
        with pytest.raises(NotConnected, match="NORMGYM_ENDPOINT_KEY"):
            await take_part(load_newcomer(spec), observe())


async def test_nobody_there(observe):
    with pytest.raises(ModelError, match="ConnectError"):
        await take_part(load_newcomer("endpoint:http://127.0.0.1:9/v1#m"), observe())


async def test_a_turn_that_is_cut_off_waits_for_the_model(at, observe):
    _, loaded = at(Hang(30))
    newcomer = loaded.factory(1)
    await newcomer.join("Tam")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(newcomer.turn(observe()), 0.1)
    assert newcomer.waiting_for_model
    await newcomer.leave()


async def test_odd_answers(at, observe):
    calls = '[{"function": {"name": "wait", "arguments": {}}}]'
    odd = Garbage(f'{{"choices": [{{"message": {{"content": null, "tool_calls": {calls}}}}}]}}'.encode())
    blocks = Garbage(b'{"choices": [{"message": {"content": [{"type": "text", "text": "wait \\ud800"}]}}]}')
    _, loaded = at(sequence(odd, blocks, Say("wait")), strict=False)
    assert [reply.act for reply in await take_part(loaded, observe(), observe(), observe())] == [WAIT] * 3


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("endpoint:http://127.0.0.1:1/v1", "names no model of an endpoint"),
        ("endpoint:127.0.0.1:1/v1#m", "names no model of an endpoint"),
        ("endpoint:http://127.0.0.1:1/v1?a=b#m", "names no model of an endpoint"),
        ("endpoint:http://u:secret@127.0.0.1:1/v1#m", "NORMGYM_ENDPOINT_KEY"),
        ("endpoint:http://127.0.0.1:1/v1#m?temprature=0", "no parameter 'temprature'"),
        ("endpoint:http://127.0.0.1:1/v1#m?base_url=http://x", "takes no base_url"),
        ("http://127.0.0.1:1/v1", "endpoint:http://127.0.0.1:1/v1#MODEL for a model | langgraph:"),
    ],
)
def test_addresses_that_will_not_do(spec, told):
    with pytest.raises(BadInput, match=told) as raised:
        load_newcomer(spec)
    assert "secret" not in str(raised.value)


def test_no_second_model():
    with pytest.raises(BadInput, match="takes no other"):
        load_newcomer("endpoint:http://127.0.0.1:1/v1#m", model="openai:gpt-4o-mini")
