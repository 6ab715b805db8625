"""The README's code blocks, run as a reader would run them.

Blocks that begin with a file's name are saved under it; `bash` blocks are run by a shell in the same folder;
other Python is executed. Models answer from a scripted endpoint over HTTP.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from normgym_agents import acting_tools, load_newcomer
from normgym_agents.community.personas import CardFile, Persona
from normgym_agents.files import read_yaml
from normgym_agents.testing import CallTool, ChatRequest, Say, ScriptedEndpoint
from tests.telemetry.receiver import running_receiver

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> list[str]:
    return [text for language, text in BLOCKS if language == kind]


def answer(request: ChatRequest) -> Say | CallTool:
    """A model that notes something down where it can, at first, and then waits for better days."""
    if request.turn == 0 and "note" in request.tools:
        return CallTool("note", {"text": "watch the others"})
    return Say("wait")


@pytest.fixture
def shell(tmp_path):
    """A folder with the README's files in it, where `normgym` is the command that is being tested."""
    for text in blocks("python"):
        if name := re.match(r"# (\S+\.py)\n", text):
            (tmp_path / name[1]).write_text(text)
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    command = bin_folder / "normgym"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m normgym_agents.cli "$@"\n')
    command.chmod(0o755)
    endpoint = ScriptedEndpoint(answer)
    endpoint.start()

    def run(script: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            **endpoint.env(),
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
        }
        return subprocess.run(
            ["sh", "-ec", script],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    yield run, endpoint
    endpoint.close()


def agent_blocks() -> list[str]:
    return [text for text in blocks("bash") if ".py:" in text]


@pytest.mark.parametrize("script", agent_blocks(), ids=lambda text: text.split()[2])
def test_an_agent_that_nobody_shaped_runs(shell, tmp_path, script):
    run, endpoint = shell
    done = run(script)
    assert done.returncode == 0, done.stdout + done.stderr
    assert endpoint.requests, "no model was asked"
    (records,) = tmp_path.glob("runs/*/records.jsonl")
    outcomes = {json.loads(line)["outcome"] for line in records.read_text().splitlines()}
    assert outcomes == {"completed"}
    assert "joint success" in done.stdout


def test_both_kinds_of_agent_are_shown():
    assert len(agent_blocks()) == 2


def test_traces_arrive_at_a_collector(shell):
    (script,) = [text for text in blocks("bash") if "--otlp" in text]
    with running_receiver() as receiver:
        address = receiver.url.removesuffix("/v1/traces")
        assert "http://127.0.0.1:4318" in script
        run, _ = shell
        done = run(script.replace("http://127.0.0.1:4318", address))
        assert done.returncode == 0, done.stdout + done.stderr
        names = {span.name for span in receiver.spans()}
    assert any(name.startswith("invoke_agent") for name in names)


def test_every_shell_block_is_run_here():
    assert len(blocks("bash")) == len(agent_blocks()) + 1


def test_python_example(capsys):
    (text,) = [text for text in blocks("python") if not re.match(r"# \S+\.py\n", text)]
    exec(compile(text, "README.md", "exec"), {})
    assert capsys.readouterr().out == "0% of 4 worlds\n"


@pytest.mark.parametrize(("number", "model"), [(0, Persona), (1, CardFile)])
def test_yaml_examples_are_read(tmp_path, number, model):
    file = tmp_path / "example.yaml"
    file.write_text(blocks("yaml")[number])
    read_yaml(file, model)


def test_commands_of_the_readme_are_the_ones_of_ci():
    for command in blocks("console"):
        assert command.strip() in (ROOT / ".ci" / "run").read_text()


def test_the_wiring_it_names_connects_agents(scripted_endpoint):
    agents = ROOT / "tests" / "agents"
    scripted_endpoint(Say("wait"))
    (mapping,) = re.findall(r"--mapping (\S+)`", README)
    (policy,) = re.findall(r"--on-interrupt (\w+)`", README)
    (served,) = re.findall(r"`(langgraph:\S+)`", README)
    kinds = [
        load_newcomer("langgraph_custom_state.py:graph", mapping=mapping, folder=agents).kind,
        load_newcomer("langgraph_pauses.py:words", on_interrupt=policy, folder=agents).kind,
        load_newcomer(served).kind,
    ]
    assert kinds == ["langgraph", "langgraph", "factory"]
    assert "from normgym_agents import acting_tools" in README and acting_tools()


def test_files_it_names_exist():
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / link).is_file(), link
    benchmarks = sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / "benchmarks").glob("*.py"))
    assert benchmarks
    for name in ("graphs/community.py", "docs/report.png", *benchmarks):
        assert name in README
        assert (ROOT / name).is_file()
    assert shutil.which("sh")
