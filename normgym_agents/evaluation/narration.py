"""An episode's log in words, for people who read what happened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from normgym_agents.community.log import (
    ActEvent,
    Event,
    NearMissEvent,
    SanctionEvent,
    TaskEvent,
    VerdictEvent,
)
from normgym_agents.evaluation.records import Record
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.wording import looks_of

if TYPE_CHECKING:
    from normgym_agents.worlds.stage import Stage
    from normgym_agents.worlds.world import World

Tone = Literal["plain", "good", "bad", "dim"]


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a told episode.

    Attributes:
        phase: Part of the episode.
        day: Which day, from 1.
        round: Which round of the day, from 1.
        who: Who acts, judges or answers; empty where nobody does.
        text: What happened.
        words: What the newcomer wrote beside it.
        tone: How it is to be shown.
        newcomer: Whether it is about the newcomer.
    """

    phase: Phase
    day: int
    round: int
    who: str
    text: str
    words: str = ""
    tone: Tone = "plain"
    newcomer: bool = False


def tell(record: Record, world: World | None) -> list[Line]:
    """The log of an episode, line by line.

    Args:
        record: The episode.
        world: Its world, which knows how things look; without it they go by their ids.

    Returns:
        A line per event that a reader can use.
    """
    return [line for event in record.events if (line := _line(event, world)) is not None]


def _line(event: Event, world: World | None) -> Line | None:
    line = partial(Line, phase=event.phase, day=event.day, round=event.round)
    match event:
        case ActEvent():
            act = event.act
            if act is None:
                text = f"did nothing that could be read: {event.fault}"
            else:
                text = act_in_words(act, _stage(event, world), world)
            tone: Tone = "bad" if act is None else "plain"
            return line(who=event.actor, text=text, words=event.words, tone=tone, newcomer=event.newcomer)
        case VerdictEvent():
            broken = event.verdict is Verdict.VIOLATED
            text = f"{'broke' if broken else 'kept'} {event.norm}" + (
                ", where it was tempting" if event.tempting else ""
            )
            return line(who=event.actor, text=text, tone="bad" if broken else "good", newcomer=event.newcomer)
        case SanctionEvent():
            text = f"{_ANSWERS.get(event.answer, event.answer)} {event.whom}"
            if event.act is not None:
                text += f", who {act_in_words(event.act, _stage(event, world), world)}"
            if event.context is not None:
                text += f" ({event.context})"
            if not event.deserved:
                text += "; nothing had been broken"
            return line(who=event.member, text=text, newcomer=event.newcomer)
        case TaskEvent():
            text = f"task {'done' if event.done else 'not done'} after {event.acts} of {event.budget} acts"
            return line(who="", text=text, tone="good" if event.done else "bad", newcomer=True)
        case NearMissEvent():
            return None  # bookkeeping of the score: the act itself has its line


_ANSWERS = {"gesture": "frowned at", "rebuke": "rebuked"}


def _stage(event: Event, world: World | None) -> Stage | None:
    if world is None:
        return None
    if event.phase is Phase.WATCH:
        return world.watch[event.day - 1].stage if 0 < event.day <= len(world.watch) else None
    return world.day(event.phase).stage


def act_in_words(act: Act, stage: Stage | None, world: World | None) -> str:
    """An act as it is told afterwards; by its ids where the world is not at hand or does not know them."""
    verb = None if world is None else world.setting.verbs.get(act.verb)
    thing = None if stage is None else next((t for t in stage.things if t.id == act.thing), None)
    if world is None or verb is None or (thing is None and act.thing is not None):
        parts = (act.verb, act.thing, act.place, act.to, act.say, act.topic, act.address)
        return " ".join(part for part in parts if part)
    looks = None if thing is None else looks_of(thing, world.setting.looks, False, world.setting.worked)
    slots = {
        "thing": looks and f"the {looks}",
        "place": act.place,
        "to": act.to,
        "say": act.say and f'"{act.say}"',
        "topic": act.topic,
        "address": act.address,
    }
    return verb.past.format(**{name: value or "–" for name, value in slots.items()})
