"""`normgym check`: what it prints, and how it ends."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import normgym

AGENTS = Path(__file__).parents[1] / "agents"


def test_an_agent_that_can_take_part(inline):
    done = inline("check", f"{AGENTS}/langchain_agent.py:graph")
    assert done.returncode == 0 and "Traceback" not in done.stderr
    first, *rows = done.stdout.splitlines()
    assert first == "langchain_agent.py:graph  langgraph, on a scripted model, nothing spent"
    assert sum(row.startswith("✓") for row in rows) == 11
    assert rows[-1] == "It can take part."
    assert re.search(r"about \d+ model calls, [\d,]+ tokens in", " ".join(done.stdout.split()))
    assert not list(Path.cwd().iterdir())


def test_an_agent_that_lacks_something(inline):
    done = inline("check", f"{AGENTS}/langgraph_custom_state.py:graph")
    assert done.returncode == 1
    said = " ".join(done.stdout.split())
    assert "✗ loads" in said and "→ Add --mapping input=research_topic,output=running_summary." in said
    assert "1 thing to fix before it can take part." in said
    mapping = "input=research_topic,output=running_summary"
    assert inline("check", f"{AGENTS}/langgraph_custom_state.py:graph", "--mapping", mapping).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nothing.py:graph",), "nothing.py: there is no such file"),
        (("reference:nobody",), "there is no reference newcomer 'nobody'"),
        (("reference:random", "--suite", "nowhere"), "nowhere"),
        (("reference:random", "--conditions", "alive"), "there is no condition 'alive'"),
        (("reference:random", "--mapping", "nonsense"), "nonsense: cannot be read"),
        (("reference:random", "--deadline", "0"), "deadline"),
        ((), "Missing argument"),
    ],
)
def test_bad_input_is_one_line(inline, arguments, says):
    done = inline("check", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr and len(done.stderr.splitlines()) == 1


def test_as_json(inline):
    done = inline("check", "reference:norm-blind", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert {one["status"] for one in found["findings"]} <= {"passed", "unseen"}
    assert found["estimate"]["episodes"] == 48


def test_a_module_that_fails_is_shown_as_python_shows_it(inline, tmp_path):
    (tmp_path / "mine.py").write_text("import nothing_of_the_kind\n")
    done = inline("check", "mine.py:graph")
    assert done.returncode == 1 and "✗  loads" in done.stdout
    assert "Traceback" in done.stderr and "ModuleNotFoundError" in done.stderr


def test_what_an_agent_prints_stays_out_of_the_result(inline, tmp_path):
    (tmp_path / "mine.py").write_text(
        "print('loading')\ndef graph(text):\n    print('here')\n    return 'wait'\n"
    )
    done = inline("check", "mine.py:graph", "--json")
    assert json.loads(done.stdout) and "here" in done.stderr


def test_protocol_is_that_of_a_run(inline):
    run = inline("run", "reference:random", "--protocol")
    assert inline("check", "reference:random", "--protocol").stdout == run.stdout != ""


def test_live_uses_the_model_of_the_environment(scripted_endpoint, inline):
    from normgym_agents.testing import Say

    endpoint = scripted_endpoint(Say("wait"))
    done = inline("check", f"{AGENTS}/langchain_agent.py:graph", "--live")
    assert done.returncode == 0 and endpoint.requests
    assert "on its own model" in done.stdout


def test_as_a_process_of_its_own_it_needs_no_key(tmp_path):
    done = normgym("check", f"{AGENTS}/langchain_agent.py:graph", "--worlds", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "quick: 8 episodes" in done.stdout
