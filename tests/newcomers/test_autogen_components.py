"""AutoGen's agents and teams as data: which are made, and which are refused and why."""

import asyncio
import json
from typing import Any

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.newcomers import load_newcomer
from normgym_agents.testing import Answer, CallTool, Say, by_content
from tests.newcomers.taking_part import TAKE, TAKING, take_part

TEAM = {
    "provider": "autogen_agentchat.teams.Swarm",
    "component_type": "team",
    "label": "My team",
    "config": {},
}
ENDING = "autogen_agentchat.conditions.MaxMessageTermination"


def written(tmp_path, data):
    file = tmp_path / "agent.json"
    file.write_text(data if isinstance(data, str) else json.dumps(data))
    return file


@pytest.fixture
def team(agents) -> Any:
    """A team, as it was written out."""
    return json.loads((agents / "autogen_team.json").read_text())


async def test_a_team_that_was_written_out(scripted_endpoint, observe, agents):
    scripted_endpoint(lambda r: Say(TAKING if "writer" in r.system else "APPROVE"))
    loaded = load_newcomer("autogen_team.json", folder=agents)
    assert (loaded.kind, loaded.name, loaded.source) == (
        "autogen",
        "autogen_team.json",
        (agents / "autogen_team.json").resolve(),
    )
    episodes = [take_part(loaded, observe("You are new."), observe("You hold a cup.")) for _ in range(2)]
    for first, second in await asyncio.gather(*episodes):
        assert (first.act, first.model_calls, second.words) == (TAKE, 2, TAKING)
    loaded.close()


async def test_code_in_it_runs_for_whoever_is_trusted(scripted_endpoint, observe, agents):
    spec = str(agents / "autogen_with_code.json")
    with pytest.raises(BadInput) as caught:
        load_newcomer(spec)
    assert str(caught.value) == (
        f"{spec}: config.workbench[0].config.tools[0].provider: autogen_core.tools.FunctionTool runs code or "
        "reaches out (expected: --trust, if you trust whoever wrote the file)"
    )
    answers: dict[str, Answer] = {
        "Noted: bell": Say(TAKING),
        "You are new": CallTool("remember", {"note": "bell"}),
    }
    scripted_endpoint(by_content(answers))
    (reply,) = await take_part(load_newcomer(spec, trust=True), observe("You are new."))
    assert reply.act == TAKE


@pytest.mark.parametrize(
    ("provider", "told"),
    [
        ("subprocess.Popen", "participants.0..provider: subprocess.Popen is code of its owner's.*--trust"),
        ("mine.Agent", "mine.Agent is code of its owner's.*--trust"),
        ("autogen_agentchat.agents.CodeExecutorAgent", "CodeExecutorAgent runs code.*--trust"),
        ("autogen_ext.code_executors.local.LocalCommandLineCodeExecutor", "runs code.*--trust"),
        (
            "autogen_agentchat.agents.NoSuchAgent",
            "there is no component 'autogen_agentchat.agents.NoSuchAgent'",
        ),
        ("autogen_agentchat.nowhere.Agent", "there is no component"),
        ("AssistantAgent", "AssistantAgent is code of its owner's"),
        ("autogen_agentchat.agents.BaseChatAgent", "there is no component"),
        ("autogen.agentchat.ConversableAgent", "AutoGen 0.2.*migration guide"),
    ],
)
def test_who_may_be_in_it(scripted_endpoint, team, tmp_path, provider, told):
    scripted_endpoint(Say("wait"))
    team["config"]["participants"][0]["provider"] = provider
    with pytest.raises(BadInput, match=told):
        load_newcomer(str(written(tmp_path, team)))


def test_what_is_not_there_stays_refused_when_trusted(tmp_path, team):
    team["config"]["participants"][0]["provider"] = "mine.Agent"
    with pytest.raises(BadInput, match=r"there is no component 'mine\.Agent'"):
        load_newcomer(str(written(tmp_path, team)), trust=True)


@pytest.mark.parametrize(
    ("version", "told"), [(99, "is of version 99, and version 2"), (1, "is of version 1")]
)
def test_another_version(scripted_endpoint, team, tmp_path, version, told, monkeypatch):
    from autogen_agentchat.agents import AssistantAgent

    monkeypatch.setattr(AssistantAgent, "component_version", 2)
    scripted_endpoint(Say("wait"))
    team["config"]["participants"][0]["component_version"] = 2
    team["config"]["participants"][1]["component_version"] = version
    with pytest.raises(BadInput, match=rf"participants\[1\].component_version: .*AssistantAgent {told}"):
        load_newcomer(str(written(tmp_path, team)))


def test_what_does_not_fit_is_named(scripted_endpoint, team, tmp_path):
    scripted_endpoint(Say("wait"))
    del team["config"]["participants"][1]["config"]["name"]
    with pytest.raises(BadInput, match=r"config.participants\[1\].config: .*AssistantAgentConfig.name"):
        load_newcomer(str(written(tmp_path, team)))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"provider": ENDING, "config": {"max_messages": 3}}, "a MaxMessageTermination of AutoGen"),
        ({"provider": ENDING, "config": []}, "config"),
        ({"agents": []}, "provider: holds no component of AutoGen"),
        ([], "holds no component"),
        (
            {"name": "Gallery", "components": {"teams": [TEAM]}},
            "components.teams\\[0\\]: holds components of AutoGen inside of something else, 'My team'",
        ),
        ({"id": 7, "component": TEAM}, "component: holds components of AutoGen inside of something else"),
        ("{", ":1: is not JSON"),
        ({"type": "assistant", "llm_config": {"config_list": []}}, "AutoGen 0.2"),
    ],
)
def test_files_that_hold_no_agent(tmp_path, data, told):
    with pytest.raises(BadInput, match=told):
        load_newcomer(str(written(tmp_path, data)))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BadInput, match="No such file"):
        load_newcomer("agent.json", folder=tmp_path)


def test_a_key_that_is_not_set(team, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(BadInput, match="needs OPENAI_API_KEY, which is not set"):
        load_newcomer(str(written(tmp_path, team)))


# --- AutoGen 0.2 -------------------------------------------------------------------------------------------


def test_a_program_for_the_old_library(agents):
    with pytest.raises(BadInput, match=r"imports 'autogen', which is AutoGen 0.2.*autogen_agentchat"):
        load_newcomer(f"{agents / 'autogen_v02.py'}:assistant")


async def test_a_factory_that_needs_the_old_library(tmp_path, observe):
    file = tmp_path / "old.py"
    file.write_text("def make():\n    import pyautogen\n    return pyautogen.ConversableAgent('a')\n")
    loaded = load_newcomer(f"{file}:make")
    with pytest.raises(BadInput, match=r"imports 'pyautogen', which is AutoGen 0\.2"):
        await take_part(loaded, observe())
    loaded.close()


def test_an_object_of_the_old_library():
    from normgym_agents.newcomers import adapt

    old = type("ConversableAgent", (), {"__module__": "autogen.agentchat.conversable_agent"})
    with pytest.raises(BadInput, match=r"my agent is a ConversableAgent of AutoGen 0\.2"):
        adapt(old(), "my agent")
