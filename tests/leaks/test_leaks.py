"""No newcomer-visible byte holds a card, a norm, a canary, the schedule, or which world it is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import get_args, get_type_hints

import pytest
from opentelemetry.sdk.trace import TracerProvider
from pydantic import BaseModel

from normgym_agents.community import observing
from normgym_agents.community.cards import canary_of, deal_cards
from normgym_agents.community.statements import statement_of
from normgym_agents.evaluation import deadline
from normgym_agents.evaluation.config import Limits
from normgym_agents.evaluation.episodes import people
from normgym_agents.telemetry import NO_SPANS, EpisodeSpans
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import BASE, Condition
from normgym_agents.worlds.public import Observation
from normgym_agents.worlds.suites import available_suites, load_suite
from normgym_agents.worlds.world import World
from tests.community.playing import Holding, Scripted, play, quick
from tests.leaks.scanning import Reader, Secrets, leaks, secrets_of
from tests.worlds.furnishing import furnished


async def read_by_newcomer(world: World, condition: Condition, *, driver="loop", spans=NO_SPANS) -> Reader:
    reader = Reader(key=f"{world.id}/{condition}")  # of a yoked episode it reads the days of its own, too
    await play(world, condition, lambda _: reader, driver=driver, spans=spans)
    return reader


def found(reader: Reader, secrets: Secrets, condition: Condition) -> list[str]:
    told = condition is Condition.TOLD
    return [
        *leaks("\n".join(reader.prose), secrets, told="statements" if told else ""),
        *leaks("\n".join(reader.data), secrets, told="rules" if told else ""),
        # An agent's span holds what it read, and so what it was told.
        *leaks("\n".join(reader.beside).replace("\\n", "\n"), secrets, told="statements" if told else ""),
    ]


@pytest.mark.parametrize("name", [name for name in available_suites() if name != "quick"])
async def test_nothing_leaks_in_any_world(name):
    suite = load_suite(name)
    worlds = {world.id: world for world in suite.worlds}
    for world in suite.worlds:
        secrets = secrets_of(world, worlds[world.twin], suite)
        for condition in BASE:
            reader = await read_by_newcomer(world, condition)
            assert found(reader, secrets, condition) == [], (world.id, condition)


@pytest.mark.parametrize("condition", Condition)
async def test_nothing_leaks_in_any_condition(condition):
    suite = quick()
    for world in suite.worlds:
        whole = furnished(world.id[-4:])
        secrets = secrets_of(whole, next(w for w in suite.worlds if w.id == world.twin), suite)
        reader = await read_by_newcomer(whole, condition)
        assert found(reader, secrets, condition) == [], (world.id, condition)


@pytest.mark.parametrize("condition", Condition)
async def test_nothing_leaks_through_the_graph_or_the_newcomers_span(condition):
    """The graph's own context holds the backstage, and the span is the newcomer's to read."""
    provider = TracerProvider()
    suite = quick()
    for world, twin in zip(suite.worlds[::6], suite.worlds[1::6], strict=True):
        world = furnished(world.id[-4:])
        reader = await read_by_newcomer(
            world, condition, driver="graph", spans=EpisodeSpans(provider.get_tracer("test"))
        )
        assert any("invoke_agent" in text for text in reader.beside)
        assert found(reader, secrets_of(world, twin, suite), condition) == []
    provider.shutdown()


async def test_without_containment_the_graph_would_show_its_backstage(monkeypatch):
    """The check of the context is not idle: LangGraph's ambient configuration leads to the cards."""

    async def direct(call, **_):
        return await call()

    monkeypatch.setattr(deadline, "contained", direct)
    world, twin = quick().worlds[:2]
    reader = await read_by_newcomer(world, Condition.NONE, driver="graph")
    assert any("canary" in name for name in found(reader, secrets_of(world, twin, quick()), Condition.NONE))


async def test_what_reaches_a_newcomer_that_is_stopped_says_nothing():
    stopped: list[str] = []

    class Hanging(Scripted):
        async def turn(self, observation: Observation):
            try:
                await asyncio.Event().wait()
            except BaseException as error:
                stopped.append(repr(error))
                raise

    world = quick().worlds[0]
    for driver in ("loop", "graph"):
        held = Holding(lambda _: Hanging(lambda *_: None))  # type: ignore[arg-type]  # never asked
        await play(world, Condition.NONE, held, driver=driver, limits=Limits(deadline=0.02))
    assert stopped == ["CancelledError()"] * 2


# -- the scanner finds what it looks for ---------------------------------------------------------------------


def planted() -> Iterator[tuple[str, str]]:
    world, twin = quick().worlds[:2]
    (card, *_) = deal_cards(arrange(world, Condition.LIVE), people(world.setting.name))
    yield "canary", canary_of(world, world.cast.members[3].name)
    yield "canary of the twin", canary_of(twin, twin.cast.members[0].name)
    yield "norm", world.norms[0]
    yield "norm of the twin", twin.norms[0]
    yield "any norm", "forbid fire(form=cup)"
    yield "statement", statement_of(world.parsed[0], world.setting.verbs)
    yield "card", repr(card)
    yield "card as data", card.model_dump_json()
    yield "id", world.id
    yield "pair", world.pair
    yield "digest", twin.digest
    yield "digest of the suite", quick().digest
    yield "suite", "of the quick suite"
    yield "coins", world.coins
    yield "world", world.model_dump_json()
    yield (
        "world without norms",
        world.model_dump_json(exclude={"norms", "id", "pair", "twin", "suite", "coins"}),
    )
    yield "schedule", world.watch[0].model_dump_json()
    yield "enforcement", world.enforcement.model_dump_json()
    yield "enforcement in words", repr(world.enforcement)
    yield "day", world.probe.model_dump_json()
    yield "event", json.dumps({"kind": "sanction", "deserved": True})


@pytest.mark.parametrize(("kind", "text"), [pytest.param(*one, id=one[0]) for one in planted()])
def test_the_scanner_finds(kind, text):
    world, twin = quick().worlds[:2]
    secrets = secrets_of(world, twin, quick())
    assert list(leaks(f"You are at the kiln. {text} You can: wait", secrets))


@pytest.mark.parametrize(("kind", "text"), [pytest.param(*one, id=one[0]) for one in planted()])
@pytest.mark.parametrize("where", ["text", "view", "re-ask"])
async def test_a_leak_planted_in_the_community_is_found(where, kind, text, monkeypatch):
    world, twin = quick().worlds[:2]
    real = observing.observe

    def leaking(backstage, state):
        seen = real(backstage, state)
        if where == "text":
            return seen.model_copy(update={"text": seen.text + text})
        if where == "view":
            view = seen.view.model_copy(update={"worked_word": text})
            return seen.model_copy(update={"view": view})
        # A fault names what can be done in the words of the view.
        verbs = {name: verb.model_copy(update={"menu": text}) for name, verb in seen.view.verbs.items()}
        return seen.model_copy(
            update={"view": seen.view.model_copy(update={"verbs": verbs, "menu": (text,)})}
        )

    monkeypatch.setattr("normgym_agents.community.steps.observe", leaking)
    reader = await read_by_newcomer(world, Condition.NONE)
    if where == "re-ask":
        reader.data = []
    assert found(reader, secrets_of(world, twin, quick()), Condition.NONE)


@pytest.mark.parametrize("told", ["statements", "rules"])
def test_being_told_allows_the_own_norms_in_one_form_and_nothing_else(told):
    world, twin = quick().worlds[:2]
    secrets = secrets_of(world, twin, quick())
    own = {"rules": f'["{world.norms[0]}"]', "statements": f"  {stated(world)}.\n"}
    other = {"rules": f'["{twin.norms[0]}"]', "statements": f"  {stated(twin)}.\n"}
    assert not list(leaks(own.pop(told), secrets, told=told))
    for text in (*own.values(), *other.values(), canary_of(world, world.cast.members[0].name)):
        assert list(leaks(text, secrets, told=told))


def stated(world: World) -> str:
    return statement_of(world.parsed[0], world.setting.verbs).removesuffix(".")


async def test_the_reader_reads_something():
    """A scanner over nothing finds nothing."""
    reader = await read_by_newcomer(quick().worlds[0], Condition.LIVE)
    assert len("".join(reader.prose)) > 10_000
    assert sum('"answers":[{' in text for text in reader.data) > 3
    assert any("One of" in text or "You can:" in text for text in reader.prose[2::2])
    assert any("You said" in text for text in reader.prose)
    assert any('"function"' in text for text in reader.beside)
    assert any("names no act" in text or "not clear" in text for text in reader.prose)


def _models(kind: object, seen: set[type]) -> set[type]:
    for argument in get_args(kind):
        _models(argument, seen)
    if isinstance(kind, type) and kind not in seen:
        seen.add(kind)
        if issubclass(kind, BaseModel):
            for name, info in kind.model_fields.items():
                _models(info.annotation, seen)
                assert name != "canary"
        elif hasattr(kind, "__annotations__") and issubclass(kind, tuple):
            for hint in get_type_hints(kind).values():
                _models(hint, seen)
    return seen


def test_the_types_that_a_newcomer_gets_are_a_whitelist():
    """Whoever adds a type here has looked whether it can hold a card, a norm or a schedule."""
    names = {
        kind.__name__ for kind in _models(Observation, set()) if kind.__module__.startswith("normgym_agents")
    }
    assert names == {
        "Observation", "NewcomerView", "PublicEvent", "PublicSanction", "PublicRemark", "Answer", "Act", "Moment", "Deed",
        "Stage", "State", "Thing", "Person", "Task", "Verb", "Slot", "Need", "Effect",
        "Vocabulary", "VerbSlots", "ActPattern", "SlotLiteral",
    }  # fmt: skip
