"""`normgym run --protocol`: what a newcomer would read, and nothing run."""

import json
from pathlib import Path

import pytest

from normgym_agents.testing import Say

AGENTS = Path(__file__).parents[1] / "agents"
QUICK = ("--worlds", "1", "--conditions", "live")


@pytest.mark.parametrize("spec", ["openai:gpt-4o-mini", f"{AGENTS}/langchain_agent.py:graph"])
def test_it_is_the_text_that_the_model_then_gets(scripted_endpoint, inline, spec):
    endpoint = scripted_endpoint(Say("wait"))
    shown = inline("run", spec, *QUICK, "--report", "--protocol", "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    protocol = json.loads(shown.stdout)
    assert not endpoint.requests and not list(Path.cwd().iterdir())
    assert inline("run", spec, *QUICK, "--report", "--quiet").returncode == 0
    first, second, *_, last = endpoint.requests
    assert first.last_text == protocol["observation"]
    assert second.last_text == protocol["later"] != protocol["observation"]
    assert last.last_text == protocol["question"]
    if spec.startswith("openai"):
        assert first.system == protocol["system"]
        assert first.body["tools"] == protocol["tools"]
    else:
        assert protocol["system"] is None and not protocol["tools"]


def test_in_words(scripted_endpoint, inline):
    scripted_endpoint(Say("wait"))
    told = inline("run", "openai:gpt-4o-mini", *QUICK, "--protocol").stdout
    for part in ("## System prompt\n\nYou are ", "## First observation\n\nYou are new at", "## Tools\n\n{"):
        assert part in told
    assert (
        "## Asked again, once, where there was no answer\n\nNothing came. Answer with one act. You can: "
        in told
    )

    assert "pauses" not in told and "when the acting is over" not in told


@pytest.mark.parametrize(
    ("policy", "answers"),
    [
        ("approve", ['told at once: "yes"', "told at once: true", '{"decisions": [{"type": "approve"}]}']),
        (
            "reply",
            [
                'its reply; at its next turn told: "{observation}"',
                '{"decisions": [{"type": "respond", "message": "{observation}"}]}',
            ],
        ),
    ],
)
def test_what_a_pausing_agent_is_told(scripted_endpoint, inline, policy, answers):
    scripted_endpoint(Say("wait"))
    graph = f"{AGENTS}/langchain_agent.py:graph"
    told = inline("run", graph, *QUICK, "--on-interrupt", policy, "--protocol").stdout
    _, _, pauses = told.partition("## Told where it pauses to ask, for example\n\n")
    assert all(answer in pauses for answer in answers), pauses


def test_a_factory_is_shown_what_its_parameter_gets(scripted_endpoint, inline):
    scripted_endpoint(Say("wait"))
    told = inline("run", f"{AGENTS}/tools_factory.py:make_graph", *QUICK, "--protocol", "--json")
    assert [tool["function"]["name"] for tool in json.loads(told.stdout)["tools"]] == [
        "act",
        "say",
        "wait",
        "look",
    ]


def test_what_is_wrong_is_told_as_ever(inline):
    refused = inline("run", "nothing.py:graph", "--protocol")
    assert refused.returncode == 2 and "nothing.py" in refused.stderr
