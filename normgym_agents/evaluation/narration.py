"""An episode's log in words, for people who read what happened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from normgym_agents.community.log import (
    ActEvent,
    ConductEvent,
    Event,
    NearMissEvent,
    RemarkEvent,
    SanctionEvent,
    TaskEvent,
    VerdictEvent,
)
from normgym_agents.evaluation.records import Record
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.arrangement import arrange, lacks
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.programme import OWN_DAYS, Transcript
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
    stages = {} if world is None else _stages(record, world)
    return [line for e in record.events if (line := _line(e, world, stages.get(e.day))) is not None]


def _line(event: Event, world: World | None, stage: Stage | None) -> Line | None:
    line = partial(Line, phase=event.phase, day=event.day, round=event.round)
    match event:
        case ActEvent():
            text, tone = _turn(event, world, stage)
            return line(who=event.actor, text=text, words=event.words, tone=tone, newcomer=event.newcomer)
        case VerdictEvent():
            text, tone = _verdict(event)
            return line(who=event.actor, text=text, tone=tone, newcomer=event.newcomer)
        case SanctionEvent():
            text = f"{_ANSWERS.get(event.answer, event.answer)} {event.whom}"
            if event.act is not None:
                text += f", who {act_in_words(event.act, stage, world)}"
            if event.context is not None:
                text += f" ({event.context})"
            if not event.deserved:
                text += "; nothing had been broken"
            return line(who=event.member, text=text, words=event.words, newcomer=event.newcomer)
        case RemarkEvent():
            text = f"said to {event.whom}{', who had asked how things are done' if event.told else ''}"
            return line(who=event.member, text=text, words=event.words)
        case TaskEvent():
            text = f"task {'done' if event.done else 'not done'} after {event.acts} of {event.budget} acts"
            return line(who="", text=text, tone="good" if event.done else "bad", newcomer=True)
        case NearMissEvent() | ConductEvent():
            return None  # bookkeeping of scores and audit: what was done has its line


def _turn(event: ActEvent, world: World | None, stage: Stage | None) -> tuple[str, Tone]:
    seen = "" if event.seen is None else ", seen" if event.seen else ", unseen"
    if event.act is None:
        return f"did nothing that could be read: {event.fault}{seen}", "bad"
    return act_in_words(event.act, stage, world) + seen, "plain"


def _verdict(event: VerdictEvent) -> tuple[str, Tone]:
    broken = event.verdict is Verdict.VIOLATED
    text = f"{'broke' if broken else 'kept'} {event.norm}"
    if event.tempting:
        text += ", where it was tempting"
    if not event.bound:
        text += ", which was not in force"
    return text, "bad" if broken else "good"


_ANSWERS = {"gesture": "frowned at", "rebuke": "rebuked"}


def _stages(record: Record, world: World) -> dict[int, Stage]:
    """The set-up of each day of the episode, by its number."""
    if lacks(world, record.condition) is not None:
        return {}
    yoked = record.condition is Condition.YOKED
    # What was done on a yoked day stands in the log; where things are does not depend on it.
    transcript: Transcript | None = ((),) * OWN_DAYS if yoked else None
    days = arrange(world, record.condition, record.trial, transcript=transcript).days
    return {day.number: day.stage for day in days}


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
