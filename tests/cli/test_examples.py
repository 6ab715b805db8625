"""The example newcomers that ship, run by the command that each of them says to run it with."""

import ast
import json
import re
from pathlib import Path

import pytest

from normgym_agents.testing import CallTool, Say

ROOT = Path(__file__).parents[2]


def command(file):
    """The command in an example's docstring; None for one that has none, as it takes no model."""
    found = re.search(r"`normgym run ([^`]*)`", ast.get_docstring(ast.parse(file.read_text())) or "")
    return None if found is None else found[1].split()


COMMANDS = {file.stem: found for file in sorted((ROOT / "graphs").glob("*.py")) if (found := command(file))}


def answer(request):
    """Asks or notes where it can, at first; the one plan it has is to wait."""
    if request.turn == 0 and request.tools:
        tool, described = next(iter(request.tools.items()))
        return CallTool(tool, dict.fromkeys(described["parameters"]["properties"], "How are things?"))
    return Say("wait")


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_an_example_runs(scripted_endpoint, inline, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(ROOT)
    endpoint = scripted_endpoint(answer)
    out = str(tmp_path / "out")
    model = () if "--model" in arguments else ("--model", "openai:scripted-model")
    done = inline(
        "run", *arguments, *model, "--suite", "quick", "--worlds", "2", "--conditions", "live", "--out", out
    )
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in Path(out, "records.jsonl").read_text().splitlines()]
    assert [record["outcome"] for record in records] == ["completed"] * 2
    assert [record["scores"]["invalid"] for record in records] == [0, 0]
    assert endpoint.requests and "joint success" in done.stdout


def test_each_example_with_a_model_says_how_to_run_it():
    files = {file.stem for file in (ROOT / "graphs").glob("*.py")}
    assert files - set(COMMANDS) == {"__init__", "community", "learner"}
