"""What a newcomer reads: short, concrete prose, the same for every agent.

It tells what can be seen and what can be done, in the setting's words. It never speaks of norms, rules,
sanctions or tests: finding out that there is something to find out is the newcomer's part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, product
from typing import NamedTuple

from normgym_agents.community.statements import with_article
from normgym_agents.norms.moments import Pairs
from normgym_agents.worlds.public import Answer, NewcomerView, PublicEvent, PublicSanction
from normgym_agents.worlds.settings import Need, Slot, Verb
from normgym_agents.worlds.stage import HOME, NOTHING, Stage, State
from normgym_agents.worlds.wording import looks_of, phrase_of

_ANSWERS = {Answer.GESTURE: "frowned at", Answer.REBUKE: "spoke sharply to"}
_LOOKING = {True: "Somebody is looking your way.", False: "Nobody is looking your way."}
_CHANGED = "From today things are done differently here."


class Morning(NamedTuple):
    """How a watched day began.

    Attributes:
        stage: Its set-up.
        changed: Whether it was said that things are done differently from then on.
    """

    stage: Stage
    changed: bool = False


def observation_text(
    view: NewcomerView,
    *,
    first: bool,
    title: str,
    watched: Sequence[Morning],
    statements: Sequence[str],
    replayed: bool = False,
    changed: bool = False,
) -> str:
    """The text of one turn.

    Args:
        view: What the newcomer may know.
        first: Whether it is the newcomer's first turn.
        title: How the setting is called.
        watched: The days that were watched, needed on the first turn only.
        statements: What the newcomer is told of how things are done, if anything.
        replayed: Whether those days are told without saying who watched whom.
        changed: Whether it is said this morning that things are done differently from today.
    """
    parts: list[str] = []
    morning = view.round == 1
    fresh = view.events[len(view.events) - view.new_events :]
    if first:
        parts += _welcome(view, title, watched, statements, replayed)
    elif fresh:
        parts += ["Since you last looked:", *(f"  {_told(event, view)}" for event in fresh)]
    if morning:
        parts += [_CHANGED] if changed else []
        parts += _day(view, first and not watched)
    parts += [_now(view), "You can: " + " · ".join(view.menu), *_left(view)]
    return "\n".join(parts)


def _welcome(
    view: NewcomerView, title: str, watched: Sequence[Morning], statements: Sequence[str], replayed: bool
) -> list[str]:
    lines = [f"You are new at {title}; people call you {view.name}. You are {with_article(view.role)} here."]
    if statements:
        lines += ["This is how things are done here:", *(f"  {statement}" for statement in statements)]
    if watched:
        lines.append("This is how it has been so far." if replayed else "So far you have only watched.")
    for number, (stage, changed) in enumerate(watched, start=1):
        begins = f"Day {number}. {_CHANGED}" if changed else f"Day {number}."
        lines += [f"{begins} In the morning: {_people(stage, stage.morning(), view.name)}."]
        events = [event for event in view.events if event.day == number]
        for round_number, of_round in groupby(events, key=lambda event: event.round):
            lines.append(f"  {_when(stage.configurations[round_number - 1])}:")
            lines += [f"    {_told(event, view, roles=True)}" for event in of_round]
    return lines


def _day(view: NewcomerView, only: bool) -> list[str]:
    stage = view.stage
    begins = "Now the work is yours." if only else "A new day; the work is yours."
    return [
        f"{begins} {view.task.sentence} You have {view.task.budget} acts.",
        *_ways(view),
        *_speaking(view),
        f"The paths: {'; '.join(_paths(stage))}.",
        f"Things: {'; '.join(_shelves(view))}.",
        f"People: {_people(stage, view.state, view.name)}.",
        *(_course(name, stage.signals[name][: view.task.budget]) for name in sorted(stage.signals)),
    ]


def _ways(view: NewcomerView) -> list[str]:
    """What of the verbs' needs the menu does not show in time for a plan."""
    needs = {need for verb in view.verbs.values() for need in verb.needs}
    facts = []
    if Need.HANDS_FREE in needs:
        facts.append("You can hold one thing at a time.")
    if Need.AT_WORKPLACE in needs:
        facts.append(f"Things are {view.worked_word} at the {view.stage.workplace}.")
    return [" ".join(facts)] if facts else []


def _speaking(view: NewcomerView) -> list[str]:
    """Of whom what can be asked, what people can be called, and what asking makes possible."""
    asking = next((verb for verb in view.verbs.values() if Slot.TOPIC in verb.slots), None)
    calling = next((verb for verb in view.verbs.values() if Slot.ADDRESS in verb.slots), None)
    people = [person for person in view.stage.people[: view.stage.newcomer] if person.topic is not None]
    facts = []
    if asking is not None and people:
        acts = [phrase_of(asking.menu, to=person.name, topic=person.topic) for person in people]
        facts.append(f"Where they are, you can {_list(acts)}.")
        opened = [verb for verb in view.verbs.values() if Need.OPENED in verb.needs]
        for verb, person in product(opened, [person for person in people if person.receives]):
            first = asking.past.format(to=person.name, topic=person.topic)
            then = phrase_of(verb.menu, to=person.name).replace("THING", "something")
            facts.append(f"Once you {first} that day, you can {then}.")
    if calling is not None:
        words = " or ".join(view.stage.addresses)
        facts.append(f"You can {phrase_of(calling.menu, to='anybody who is there', address=words)}.")
    return [" ".join(facts)] if facts else []


def _now(view: NewcomerView) -> str:
    stage, state, me = view.stage, view.state, view.stage.newcomer
    place = stage.places[state.places[me]]
    held = state.hands[me]
    holding = "nothing" if held == NOTHING else f"the {_looks(view, held)}"
    here = [f"the {_looks(view, i)}" for i in _lying(stage, state, place)]
    here += [p.name for i, p in enumerate(stage.people) if i != me and state.places[i] == state.places[me]]
    signals = ", ".join(f"the {name} is {value}" for name, value in stage.configurations[view.round - 1])
    there = f"Here: {', '.join(here)}." if here else "Nothing and nobody else is here."
    looked = "" if view.seen is None else f" {_LOOKING[view.seen]}"
    return f"You are at the {place}, holding {holding}. {signals[0].upper()}{signals[1:]}. {there}{looked}"


def _left(view: NewcomerView) -> list[str]:
    acts = "1 act" if view.acts_left == 1 else f"{view.acts_left} acts"
    return [f"This is act {view.round}; you have {acts} left. Answer with one act."]


def _told(event: PublicEvent, view: NewcomerView, *, roles: bool = False) -> str:
    """An event in a sentence; with `roles`, the newcomer's own role is named as anybody's is."""
    mine = event.actor == view.name
    actor = "You" if mine else event.actor
    if roles or not mine:
        actor += f", {with_article(event.role)},"
    text = f"{actor} {_past(event, view.verbs[event.act.verb], view.name)}{_instead(event, view)}."
    said = [f"“{event.words}”"] if event.words else []
    back = (f"{remark.member} said{' to you' if mine else ''}: “{remark.words}”" for remark in event.remarks)
    return " ".join([text, *said, *(_answer(answer, mine) for answer in event.answers), *back])


def _instead(event: PublicEvent, view: NewcomerView) -> str:
    """What was passed over for the act, if that could be seen."""
    if event.passed is None:
        return ""
    other, slots = event.passed, dict(event.passed.slots)
    has_thing = Slot.THING in view.verbs[other.verb].slots
    role = slots.get("role")
    act = phrase_of(
        view.verbs[other.verb].menu,
        thing=view.looks.format(**slots) if has_thing else None,
        place=slots.get("place"),
        to=None if role is None else with_article(role),
        topic=slots.get("topic"),
        address=slots.get("address"),
    )
    return f", though it was easier to {act}" if event.easier else f", where it was as easy to {act}"


def _past(event: PublicEvent, verb: Verb, me: str) -> str:
    act = event.act
    to = "you" if act.to == me else act.to
    return verb.past.format(
        thing=f"the {event.thing}",
        place=act.place,
        to=to,
        say=act.say or "nothing",
        topic=act.topic,
        address=act.address,
    )


def _answer(answer: PublicSanction, mine: bool) -> str:
    text = f"{answer.member} {_ANSWERS[answer.answer]} {'you' if mine else answer.whom}"
    if answer.act is not None:
        text += " over that"
    if answer.context is not None:
        text += f", because {answer.context}"
    return f"{text}: “{answer.words}”" if answer.words else f"{text}."


def _when(configuration: Pairs) -> str:
    return "While " + " and ".join(f"the {name} was {value}" for name, value in configuration)


def _looks(view: NewcomerView, thing: int) -> str:
    worked = bool(view.state.worked >> thing & 1)
    return looks_of(view.stage.things[thing], view.looks, worked, view.worked_word)


def _lying(stage: Stage, state: State, place: str) -> list[int]:
    return [i for i, thing in enumerate(stage.things) if thing.home == place and state.things[i] == HOME]


def _people(stage: Stage, state: State, me: str) -> str:
    groups = []
    for i, place in enumerate(stage.places):
        here = [
            person.name if person.name == me else f"{person.name} ({person.role})"
            for person, where in zip(stage.people, state.places, strict=True)
            if where == i
        ]
        here = ["you" if name == me else name for name in here]
        if here:
            groups.append(f"at the {place} {_list(here)}")
    return "; ".join(groups)


def _paths(stage: Stage) -> list[str]:
    near = {
        place: [stage.places[i] for i in sorted(stage.neighbours[index])]
        for index, place in enumerate(stage.places)
    }
    return [f"from the {place} to the {_list(others)}" for place, others in near.items()]


def _shelves(view: NewcomerView) -> list[str]:
    shelves = []
    for place in view.stage.places:
        lying = [f"{with_article(_looks(view, i))}" for i in _lying(view.stage, view.state, place)]
        if lying:
            shelves.append(f"at the {place} {_list(lying)}")
    return shelves


def _course(signal: str, values: Sequence[str]) -> str:
    """When a signal has which value today, e.g. ringing at acts 1–3 and 7–9, else still."""
    first = values[0]
    spans, number = [], 1
    for value, run in groupby(values):
        length = len(list(run))
        if value == first:
            spans.append(str(number) if length == 1 else f"{number}–{number + length - 1}")
        number += length
    rest = next((value for value in values if value != first), None)
    tail = "" if rest is None else f", else {rest}"
    return f"Today the {signal} is {first} at acts {_list(spans)}{tail}."


def _list(items: Iterable[str]) -> str:
    *head, last = items
    return f"{', '.join(head)} and {last}" if head else last
