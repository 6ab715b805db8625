"""Whether the parts of a world fit each other: people, places, things, signals, words and scheduled acts.

A world says everything itself, so one written by hand can speak of a place that it does not have. Whoever
plays worlds relies on the parts to fit; where a world comes from outside, this is asked once, when it is read.
"""

from __future__ import annotations

from collections.abc import Collection

from normgym_agents.errors import BadInput
from normgym_agents.norms.enumeration import Vocabulary
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.layout import LONGEST_DAY
from normgym_agents.worlds.scripts import Script
from normgym_agents.worlds.stage import Stage
from normgym_agents.worlds.transition import Yard
from normgym_agents.worlds.world import WatchDay, WorkDay, World

_WATCHED = ("watch", "replay", "choices")
"""Fields that hold watched days."""


def check_coherent(world: World, checked: World | None = None) -> None:
    """Refuse a world whose parts do not fit each other.

    Args:
        world: The world.
        checked: One that was found right: days that both hold are not gone through again.

    Raises:
        BadInput: The first misfit, with the field and what would fit.
    """
    if world.schema_version != 1:
        raise BadInput(f"{world.schema_version} is not known", field="schema_version", expected="1")
    _check_words(world.vocabulary, world)
    _check_cast(world)
    for phase in (Phase.PRACTISE, Phase.PROBE):
        day = world.day(phase)
        if not _alike(world, checked, phase):
            _check_stage(world, f"{phase}.stage", day.stage)
        _check_work_day(world, phase, day)
    for name in _WATCHED:
        if not _alike(world, checked, name):
            _check_watch_days(world, name)


def _alike(world: World, checked: World | None, field: str) -> bool:
    common = ("setting", "vocabulary", "cast", field)
    return checked is not None and all(getattr(world, name) == getattr(checked, name) for name in common)


def _check_words(words: Vocabulary, world: World) -> None:
    _known("vocabulary.overseer", "role", words.overseer, words.roles)
    for i, entry in enumerate(words.verbs):
        _known(f"vocabulary.verbs.{i}.verb", "verb", entry.verb, world.setting.verbs)
        for slot in entry.slots:
            _known(f"vocabulary.verbs.{i}.slots", "slot", slot, words.values)
    for name, patterns in (("precursors", words.precursors), ("duties", words.duties)):
        for i, pattern in enumerate(patterns):
            _known(f"vocabulary.{name}.{i}.verb", "verb", pattern.verb, world.setting.verbs)
    for name, values in (*words.values.items(), *words.signals.items()):
        if not values:
            raise BadInput(f"{name!r} has no value", field="vocabulary", expected="a word or more for each")


def _check_cast(world: World) -> None:
    names = [*(member.name for member in world.cast.members), world.cast.newcomer]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"two people are called {name!r}", field="cast", expected="a name for each")
    for role in (*(member.role for member in world.cast.members), world.cast.role):
        _known("cast", "role", role, world.vocabulary.roles)
    if world.peer is None:
        return
    peers = [i for i, member in enumerate(world.cast.members) if member.role == world.cast.role]
    if world.peer not in peers:
        raise BadInput(
            f"{world.peer} is no member of the newcomer's role",
            field="peer",
            expected=" | ".join(map(str, peers)) or "null",
        )


def _check_stage(world: World, name: str, stage: Stage) -> None:
    for place in stage.places:
        if stage.places.count(place) > 1:
            raise BadInput(f"{place!r} stands twice", field=f"{name}.places", expected="each place once")
    _known(f"{name}.workplace", "place", stage.workplace, stage.places)
    for i, path in enumerate(stage.paths):
        for place in path:
            _known(f"{name}.paths.{i}", "place", place, stage.places)
    people = [*((member.name, member.role) for member in world.cast.members)]
    people.append((world.cast.newcomer, world.cast.role))
    if [(person.name, person.role) for person in stage.people] != people:
        said = ", ".join(f"{person} ({role})" for person, role in people)
        raise BadInput("they are not the people of the cast", field=f"{name}.people", expected=said)
    for i, person in enumerate(stage.people):
        _known(f"{name}.people.{i}.place", "place", person.place, stage.places)
        if person.topic is not None:
            _known(f"{name}.people.{i}.topic", "topic", person.topic, stage.topics)
    _check_things(world, name, stage)
    _check_signals(world.vocabulary, name, stage)


def _check_things(world: World, name: str, stage: Stage) -> None:
    ids = [thing.id for thing in stage.things]
    for i, thing in enumerate(stage.things):
        _known(f"{name}.things.{i}.home", "place", thing.home, stage.places)
        if ids.count(thing.id) > 1:
            raise BadInput(f"{thing.id!r} stands twice", field=f"{name}.things.{i}.id", expected="each once")
        if set(thing.attributes) != set(world.setting.attributes):
            raise BadInput(
                "the setting describes things by other attributes",
                field=f"{name}.things.{i}.attributes",
                expected=", ".join(sorted(world.setting.attributes)),
            )
        for attribute, value in thing.attributes.items():
            words = world.vocabulary.values.get(attribute, ())
            _known(f"{name}.things.{i}.attributes.{attribute}", f"value of {attribute!r}", value, words)


def _check_signals(words: Vocabulary, name: str, stage: Stage) -> None:
    if set(stage.signals) != set(words.signals):
        expected = ", ".join(sorted(words.signals))
        raise BadInput("the vocabulary has other signals", field=f"{name}.signals", expected=expected)
    for signal, course in stage.signals.items():
        if len(course) != stage.rounds:
            raise BadInput(
                f"it has {len(course)} values, the day {stage.rounds} rounds",
                field=f"{name}.signals.{signal}",
                expected="a value for each round",
            )
        for value in course:
            _known(f"{name}.signals.{signal}", f"value of {signal!r}", value, words.signals[signal])


def _check_work_day(world: World, phase: Phase, day: WorkDay) -> None:
    task, most = day.task, min(day.stage.rounds, LONGEST_DAY)
    if not 1 <= task.budget <= most:
        raise BadInput(
            f"{task.budget} acts are no day's work", field=f"{phase}.task.budget", expected=f"1 to {most}"
        )
    if task.count < 1:
        raise BadInput(f"{task.count} things are no task", field=f"{phase}.task.count", expected="1 or more")
    if len(day.tempting) != len(world.norms):
        raise BadInput(
            f"there are {len(day.tempting)} lists, and {len(world.norms)} norms",
            field=f"{phase}.tempting",
            expected="a list of acts for each norm",
        )
    yard = world.yard(phase)
    named: dict[str, tuple[Act, ...]] = {f"tempting.{i}": acts for i, acts in enumerate(day.tempting)}
    for name, acts in (*named.items(), ("near_misses", day.near_misses)):
        for i, act in enumerate(acts):
            if yard.ground(act) is None:
                raise BadInput(
                    "there is no such act on this day",
                    field=f"{phase}.{name}.{i}",
                    expected="a verb of the setting, with things, places and people of the day",
                )


def _check_watch_days(world: World, name: str) -> None:
    days: tuple[WatchDay, ...] = getattr(world, name)
    for i, day in enumerate(days):
        _check_stage(world, f"{name}.{i}.stage", day.stage)
        _check_turns(f"{name}.{i}.script", day)
        try:
            # Played and forgotten: to keep what was played of hundreds of worlds slows down everything.
            _ = Script(f"day {i + 1}", Yard(day.stage, world.setting.verbs), day.script).scenes
        except ValueError as fault:
            raise BadInput(
                str(fault),
                field=f"{name}.{i}.script",
                expected="acts that can be done when their turn comes",
            ) from fault


def _check_turns(name: str, day: WatchDay) -> None:
    if len(day.script) > day.stage.rounds:
        raise BadInput(
            f"it has {len(day.script)} rounds, the day {day.stage.rounds}",
            field=name,
            expected="no more rounds than the day has",
        )
    for i, acts in enumerate(day.script):
        for j, scripted in enumerate(acts):
            # Not below zero either: that would count the people from behind.
            if not 0 <= scripted.person < day.stage.newcomer:
                raise BadInput(
                    f"{scripted.person} is nobody's index",
                    field=f"{name}.{i}.{j}.person",
                    expected=f"a member, 0 to {day.stage.newcomer - 1}",
                )


def _known(field: str, kind: str, word: str, words: Collection[str]) -> None:
    if word not in words:
        raise BadInput(
            f"there is no {kind} {word!r}", field=field, expected=" | ".join(sorted(words)) or "none"
        )
