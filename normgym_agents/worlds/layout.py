"""Drawing the set-up of one day: paths, shelves, people and signals."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.lexicon import Lexicon, Looks
from normgym_agents.worlds.settings import Setting
from normgym_agents.worlds.stage import Person, Stage, Thing
from normgym_agents.worlds.tasks import Task

LONGEST_DAY = 20
"""Rounds for which signals are drawn: the largest budget that a task may have."""


class Member(BaseModel):
    """Who a member of a world is: the persona that plays it, its name and its role."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    persona: str
    name: str
    role: str


class Cast(BaseModel):
    """The people of a world: its members, and the newcomer with a role of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    members: tuple[Member, ...]
    newcomer: str
    role: str


def draw_cast(personas: Sequence[tuple[str, str]], lexicon: Lexicon, draws: Draws) -> Cast:
    """Give each persona (id, name) a role, every role at least once; the newcomer is no overseer."""
    order = draws.shuffled(list(personas))
    roles = [lexicon.roles[i % len(lexicon.roles)] for i in range(len(order))]
    members = [
        Member(persona=key, name=name, role=role) for (key, name), role in zip(order, roles, strict=True)
    ]
    taken = {member.name for member in members}
    newcomer = lexicon.newcomer if lexicon.newcomer not in taken else f"{lexicon.newcomer} Newcomer"
    return Cast(members=tuple(members), newcomer=newcomer, role=draws.pick(lexicon.roles[1:]))


def draw_work_day(
    setting: Setting,
    lexicon: Lexicon,
    cast: Cast,
    template: str,
    looks: Sequence[Looks],
    draws: Draws,
    *,
    kind_of_thing: int = 0,
) -> tuple[Stage, Task]:
    """Draw a day with a task of the template; its budget is still the longest possible.

    Fitting things lie on shelves at different distances, so that the cheap way and the dear way differ. They are
    of the lexicon's first form, or of another one of that index (`kind_of_thing`).
    """
    kind = setting.tasks[template]
    form = lexicon.attributes["form"][kind_of_thing]
    fitting = [one for one in looks if one["form"] == form]
    others = [one for one in looks if one["form"] != form]
    chosen = (
        draws.shuffled(fitting) + [draws.pick(fitting) for _ in range(kind.count - 1)] + [draws.pick(others)]
    )
    order = draws.shuffled(range(len(chosen)))
    things = tuple(
        Thing(
            id=f"t{number}",
            attributes=chosen[i],
            home=draws.pick(lexicon.places if not kind.worked else lexicon.places[:-1]),
            worked=kind.worked and draws.uniform() < 0.35,
        )
        for number, i in enumerate(order, start=1)
    )
    stage = Stage(
        places=lexicon.places,
        paths=_paths(lexicon.places, draws),
        workplace=lexicon.places[-1],
        things=things,
        people=_people(cast, lexicon.places, draws, receivers=draws.integer(1, 2)),
        signals=_signals(lexicon, LONGEST_DAY, draws),
        rounds=LONGEST_DAY,
        topics=lexicon.topics,
        addresses=lexicon.addresses,
    )
    stage = _with_topics(stage, draws)
    receivers = " or ".join(person.name for person in stage.people if person.receives)
    sentence = kind.sentence.format(count=_count(kind.count), things=f"{form}s", receivers=receivers)
    task = Task(
        template=template,
        count=kind.count,
        form=form,
        worked=kind.worked,
        budget=LONGEST_DAY,
        sentence=sentence,
    )
    return stage, task


def draw_watch_day(lexicon: Lexicon, cast: Cast, rounds: int, draws: Draws) -> Stage:
    """Draw a day on which every seen kind of thing lies somewhere, so that anything can be tried.

    People and things gather at the workplace and one other place: those who stand apart show little.
    """
    busy = (lexicon.places[-1], draws.pick(lexicon.places[:-1]))
    looks = draws.shuffled(lexicon.seen)
    things = tuple(
        Thing(id=f"t{i}", attributes=one, home=draws.pick(busy), worked=False)
        for i, one in enumerate(looks, start=1)
    )
    stage = Stage(
        places=lexicon.places,
        paths=_paths(lexicon.places, draws),
        workplace=lexicon.places[-1],
        things=things,
        people=_people(cast, busy, draws, receivers=len(cast.members)),
        signals=_signals(lexicon, rounds, draws),
        rounds=rounds,
        topics=lexicon.topics,
        addresses=lexicon.addresses,
    )
    return _with_topics(stage, draws)


def _paths(places: Sequence[str], draws: Draws) -> tuple[tuple[str, str], ...]:
    """A tree over the places, with one more path half of the time."""
    order = draws.shuffled(places)
    paths = [(order[draws.integer(0, i - 1)], order[i]) for i in range(1, len(order))]
    if draws.uniform() < 0.5:
        one, other = draws.shuffled(order)[:2]
        if (one, other) not in paths and (other, one) not in paths:
            paths.append((one, other))
    return tuple(paths)


def _people(cast: Cast, places: Sequence[str], draws: Draws, *, receivers: int) -> tuple[Person, ...]:
    receiving = set(draws.shuffled(range(len(cast.members)))[:receivers])
    members = tuple(
        Person(name=member.name, role=member.role, place=draws.pick(places), receives=i in receiving)
        for i, member in enumerate(cast.members)
    )
    return (*members, Person(name=cast.newcomer, role=cast.role, place=draws.pick(places)))


def _with_topics(stage: Stage, draws: Draws) -> Stage:
    """Members each want to be asked about something, receivers about different things as far as there are.

    So a task whose receivers must be asked first can be done, and where one topic is out of bounds there may
    be somebody else to go to. Where the setting has no topics nothing is drawn.
    """
    if not stage.topics:
        return stage
    topics = draws.shuffled(stage.topics)
    order = sorted(range(len(stage.people) - 1), key=lambda i: not stage.people[i].receives)
    wanted = {person: topics[i % len(topics)] for i, person in enumerate(order)}
    people = (
        person.model_copy(update={"topic": wanted[i]}) if i in wanted else person
        for i, person in enumerate(stage.people)
    )
    return stage.model_copy(update={"people": tuple(people)})


def _signals(lexicon: Lexicon, rounds: int, draws: Draws) -> dict[str, tuple[str, ...]]:
    """Each signal holds a value for two to four rounds, then turns."""
    signals = {}
    for name, values in lexicon.signals.items():
        at = draws.integer(0, 1)
        course: list[str] = []
        while len(course) < rounds:
            course += [values[at]] * draws.integer(2, 4)
            at = 1 - at
        signals[name] = tuple(course[:rounds])
    return signals


def _count(number: int) -> str:
    return ("no", "one", "two", "three", "four", "five")[number]
