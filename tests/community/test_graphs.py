"""The graphs that Studio opens, loaded as the LangGraph command line loads them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel

from normgym_agents.community.authored import open_authored
from normgym_agents.community.episode import Backstage, opening
from normgym_agents.community.graph import community_graph
from normgym_agents.community.log import EVENTS
from normgym_agents.community.statements import statement_of
from normgym_agents.newcomers import load_newcomer
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.world import World
from tests.community.playing import backstage_of, named, play, quick, small_world

ROOT = Path(__file__).parents[2]
GRAPHS: dict[str, str] = json.loads((ROOT / "langgraph.json").read_text())["graphs"]


def loaded(name: str) -> ModuleType:
    """The module of a graph, by its path, as `langgraph dev` imports it."""
    path, _, _ = GRAPHS[name].rpartition(":")
    spec = importlib.util.spec_from_file_location(f"opened_{name}", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def graph_of(name: str) -> CompiledStateGraph[Any, Any, Any, Any]:
    attribute = getattr(loaded(name), GRAPHS[name].rpartition(":")[2])
    graph = attribute if isinstance(attribute, Pregel) else attribute()
    assert isinstance(graph, CompiledStateGraph)
    return graph


@pytest.fixture(scope="module")
def community() -> CompiledStateGraph[Any, Any, Any, Any]:
    return graph_of("community")


@pytest.mark.parametrize("name", ["community", "learner"])
def test_studio_can_draw_it_and_ask_for_its_input(name):
    graph = graph_of(name)
    assert graph.get_graph(xray=True).nodes
    assert graph.get_input_jsonschema()["properties"]
    assert graph.get_output_jsonschema()["properties"]
    assert graph.get_context_jsonschema() is None


def test_the_community_is_drawn_with_its_members_inside(community):
    nodes = set(community.get_graph(xray=True).nodes)
    assert {"open_round", "newcomer", "resolve", "referee", "sanction", "close_round"} <= nodes
    assert {"member:perceive", "member:decide", "member:speak"} <= nodes


async def test_it_plays_from_the_opening_and_from_nothing_alike(community):
    from_opening = await community.ainvoke(loaded("community").opening())
    from_nothing = await community.ainvoke({})
    assert from_opening["log"] == from_nothing["log"]
    assert from_opening["ended"] is True
    events = EVENTS.validate_python(from_opening["log"])
    assert {event.phase.value for event in events} == {"watch", "practise", "probe"}
    assert {event.kind for event in events} >= {"act", "verdict", "sanction", "task"}


async def test_an_ended_thread_plays_anew(community):
    """Pressing the button again in Studio, on the same thread."""
    graph = community.copy({"checkpointer": InMemorySaver()})
    config = {"configurable": {"thread_id": "studio"}, "recursion_limit": 1000}
    given: list[Any] = [opening(), opening(), {}]
    logs = [(await graph.ainvoke(one, config))["log"] for one in given]
    assert logs[0] == logs[1] == logs[2]


async def test_a_forked_run_gives_the_same_log(community):
    """Going back to any checkpoint and on again, with the backstage that has seen all the rest already."""
    graph = community.copy({"checkpointer": InMemorySaver()})
    config = {"configurable": {"thread_id": "fork"}, "recursion_limit": 1000}
    log = (await graph.ainvoke(opening(), config))["log"]
    history = [snapshot async for snapshot in graph.aget_state_history(config)]
    assert len(history) > 100
    for snapshot in history[10::59]:
        again = await graph.ainvoke(None, {**snapshot.config, "recursion_limit": 1000})
        assert again["log"] == log


def _secrets(backstage_world: World, canaries: list[str]) -> list[str]:
    verbs = backstage_world.setting.verbs
    return [
        *canaries,
        *backstage_world.norms,
        *(statement_of(norm, verbs) for norm in backstage_world.parsed),
        backstage_world.coins,
        backstage_world.digest,
        "forbid",
        "canary",
    ]


def _watching(backstage: Backstage) -> list[str]:
    return _secrets(backstage.world, [card.canary for card in backstage.cards])


@pytest.mark.parametrize("way", ["closure", "context"])
async def test_channels_hold_plain_json_and_nothing_secret_at_every_superstep(way):
    """Streamed in every mode, members' own graphs included, and checkpointed."""
    world = quick().worlds[1]
    mind = named("norm-blind")(0)._policy  # type: ignore[attr-defined]  # a policy newcomer's own
    backstage = backstage_of(world, Condition.OTHERS, mind.choose)
    saver = InMemorySaver()
    graph = community_graph(backstage if way == "closure" else None)
    graph = graph.copy({"checkpointer": saver})
    context = None if way == "closure" else backstage
    config: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 1000}
    secrets = _watching(backstage)
    assert len(secrets) > 10
    modes: Any = ["values", "updates", "checkpoints", "tasks"]
    seen = dict.fromkeys(modes, 0)
    async for _, mode, value in graph.astream(
        opening(), config, context=context, stream_mode=modes, subgraphs=True
    ):
        seen[mode] += 1
        if mode in ("values", "updates"):
            assert json.loads(json.dumps(value, allow_nan=False)) == value
        text = repr(value)
        assert not [secret for secret in secrets if secret in text]
    assert min(seen.values()) > 50
    kept = [repr(kept) async for kept in saver.alist(config)]
    assert len(kept) > 50
    assert not [secret for secret in secrets if any(secret in text for text in kept)]
    raw = repr(saver.storage) + repr(saver.writes) + repr(saver.blobs)
    assert not [secret for secret in secrets if secret in raw]


def test_the_schema_of_a_graph_that_needs_its_backstage_names_it():
    assert community_graph().context_schema is Backstage
    assert community_graph(backstage_of(small_world(), Condition.LIVE, lambda _: None)).context_schema is None  # type: ignore[arg-type, return-value]  # never asked


async def test_the_learner_that_ships_infers():
    newcomer = load_newcomer("learner", folder=ROOT)
    for world in quick().worlds[1::8]:
        record = await play(world, Condition.LIVE, newcomer.factory)
        assert record.error is None
        assert record.scores is not None
        assert record.scores.joint
        assert record.scores.invalid == 0
    newcomer.close()


# -- authored communities ------------------------------------------------------------------------------------


def test_an_authored_community_opens_the_same_every_time():
    one, cards = open_authored("pottery-yard")
    again, same = open_authored("pottery-yard")
    assert (one, cards) == (again, same)
    assert one.model_dump_json() == again.model_dump_json()
    assert one.digest == again.digest == one.computed_digest()
    other, _ = open_authored("pottery-yard", seed=1)
    assert other.watch != one.watch
    assert (other.norms, other.cast) == (one.norms, one.cast)


def test_its_cards_are_as_written_and_carry_marks():
    world, cards = open_authored("pottery-yard")
    assert world.certificate is None
    by_name = dict(zip([member.name for member in world.cast.members], cards, strict=True))
    assert [held.statement for held in by_name["Dalia"].norms] == [
        "Nobody hands anything over before greeting a keeper that day."
    ]
    assert len({card.canary for card in cards}) == 6
    assert all(card.canary.startswith("canary-") for card in cards)


async def test_in_it_only_those_answer_who_hold_the_norm():
    world, cards = open_authored("pottery-yard")
    backstage = backstage_of(world, Condition.LIVE, named("norm-blind")(0)._policy.choose)  # type: ignore[attr-defined]  # a policy newcomer's own
    graph = community_graph(
        Backstage(arrangement=arrange(world, Condition.LIVE), cards=cards, ask=backstage.ask)
    )
    log = (await graph.ainvoke(opening(), {"recursion_limit": 1000}))["log"]
    deserved = [e for e in log if e["kind"] == "sanction" and e["deserved"]]
    assert deserved
    for event in deserved:
        # Dalia does not hold the norm about sarn ware, and an act of taking breaks no other.
        assert event["act"]["verb"] != "take" or event["member"] != "Dalia"
        assert event["act"]["verb"] != "give" or event["member"] != "Sef"
