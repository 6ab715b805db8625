"""What becomes of a model that was asked for, and where a newcomer came from."""

from typing import Any, TypedDict

import pytest
from langchain_core.language_models import FakeListChatModel
from langgraph.graph import START, MessagesState, StateGraph

from normgym_agents.newcomers import adapt, load_newcomer
from normgym_agents.newcomers.wiring import Wiring


class Context(TypedDict):
    model: str


def node(state: MessagesState) -> dict[str, Any]:
    return {"messages": [("ai", "wait")]}


def plain(text):
    return "wait"


def with_model(model="openai:own"):
    return plain


def without_model():
    return StateGraph(MessagesState).add_node(node).add_edge(START, "node")


class Ready:
    async def join(self, name): ...
    async def turn(self, observation): ...
    async def leave(self): ...


LOOKS_AT_CONTEXT = StateGraph(MessagesState, context_schema=Context).add_node(node).add_edge(START, "node")


@pytest.mark.parametrize(
    ("agent", "effect"),
    [
        (plain, "ignored"),
        (Ready(), "ignored"),
        (FakeListChatModel(responses=["wait"]), "ignored"),
        (with_model, "taken"),
        (without_model, "offered"),
        (without_model(), "offered"),
        (without_model().compile(), "offered"),
        (LOOKS_AT_CONTEXT, "taken"),
        (LOOKS_AT_CONTEXT.compile(), "taken"),
    ],
)
def test_what_becomes_of_a_model(agent, effect):
    assert adapt(agent, wiring=Wiring(model="openai:other")).model_effect == effect
    assert adapt(agent).model_effect == "none given"


@pytest.mark.parametrize(
    ("file", "effect"), [("langchain_agent.py:graph", "offered"), ("autogen_agent.py:agent", "ignored")]
)
def test_the_loaded_tell_it(scripted_endpoint, agents, file, effect):
    scripted_endpoint(lambda request: None)
    loaded = load_newcomer(file, model="openai:other", folder=agents)
    assert loaded.model_effect == effect
    assert loaded.source == (agents / file.partition(":")[0]).resolve()
    loaded.close()


def test_specs_without_a_file(scripted_endpoint):
    scripted_endpoint(lambda request: None)
    for spec, effect in (("reference:random", "ignored"), ("openai:m", "taken")):
        for model, expected in ((None, "none given"), ("openai:m", effect)):
            loaded = load_newcomer(spec, model=model)
            assert (loaded.model_effect, loaded.source) == (expected, None)


def test_modules_and_graph_files_have_a_source_too(tmp_path):
    (tmp_path / "an_agent_with_a_source.py").write_text("def agent(text): return 'wait'")
    (tmp_path / "langgraph.json").write_text('{"graphs": {"mine": "./an_agent_with_a_source.py:agent"}}')
    for spec in ("an_agent_with_a_source:agent", "mine", "langgraph.json:mine"):
        loaded = load_newcomer(spec, folder=tmp_path)
        assert loaded.source == (tmp_path / "an_agent_with_a_source.py").resolve()
        loaded.close()
