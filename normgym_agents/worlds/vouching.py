"""Whether a world from outside can be measured in: its tasks can be done, and its certificate speaks of it.

A seal says only that a file is as somebody wrote it. What a certificate claims is asked of the planner here as
far as that takes hundredths of a second a world: the cheapest plans, the budgets, and what stands in the file
twice. That the evidence suffices and that policies fail is proved by `normgym world certify` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite

from normgym_agents.errors import BadInput
from normgym_agents.worlds.arrangement import lacks
from normgym_agents.worlds.certificate import NotCertified, check_twins
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.distances import acts_left, bare
from normgym_agents.worlds.policies import UNINFERRING
from normgym_agents.worlds.solving import keeping_cost
from normgym_agents.worlds.stage import State
from normgym_agents.worlds.world import CHANNELS, IDENTIFIED, Certificate, World


@contextmanager
def placed(world: World, file: str, line: int) -> Iterator[None]:
    """Let bad input within a world name the world, its file and its line."""
    try:
        yield
    except BadInput as fault:
        raise BadInput(
            f"world {world.id}: {fault.message}",
            file=file,
            line=line,
            field=fault.field,
            expected=fault.expected,
        ) from fault


def vouch(worlds: Sequence[World], file: str) -> None:
    """Refuse worlds that nothing can be measured in, and certificates that are not of their worlds.

    Args:
        worlds: The worlds of a file, twins next to each other, from its second line on.
        file: The file.

    Raises:
        BadInput: Names file, line, world and field.
    """
    checks = _Checks()
    for line, world in enumerate(worlds, start=2):
        with placed(world, file, line):
            checks.check(world)
    # After all, so that a task that cannot be done is called so, and not a day that its twin does not have.
    for line, world in enumerate(worlds, start=2):
        twin = worlds[line - 1 if line % 2 == 0 else line - 3]
        with placed(world, file, line):
            try:
                check_twins(world, twin)
            except NotCertified as fault:
                field, _, message = str(fault).partition(": ")
                expected = f"days, people and words like those of {twin.id}, and norms of one shape"
                raise BadInput(message, field=field, expected=expected) from fault


class _Checks:
    """Checks worlds one after the other; twins share their days, so what was found of one serves the other."""

    def __init__(self) -> None:
        self._left: dict[Phase, tuple[World, Mapping[State, int]]] = {}

    def check(self, world: World) -> None:
        """Refuse a world whose tasks cannot be done, or whose certificate is of another one.

        Args:
            world: The world, its parts fitting each other and its norms consistent and reachable.

        Raises:
            BadInput: With the field, and what would be right.
        """
        certificate = world.certificate
        if certificate is None:
            raise BadInput("it has no certificate", field="certificate", expected="what was proved of it")
        costs = {phase: self._costs(world, phase) for phase in (Phase.PROBE, Phase.PRACTISE)}
        blind, keeping = costs[Phase.PROBE]
        for name, stored, found in (
            ("blind", certificate.blind, blind),
            ("keeping", certificate.keeping, keeping),
            ("near_misses", certificate.near_misses, len(world.probe.near_misses)),
            ("observed", certificate.observed[0], _watched_acts(world)),
            ("opportunities", len(certificate.opportunities), len(world.norms)),
            ("fooled", certificate.fooled, tuple(UNINFERRING)),
        ):
            if stored != found:
                raise _differs(name, stored, found)
        for phase, (ignoring, kept) in costs.items():
            if kept <= ignoring:
                raise BadInput(
                    f"keeping the norms costs nothing: {kept} acts, as ignoring them",
                    field=str(phase),
                    expected="a day on which every cheapest plan breaks a norm",
                )
        _check_channels(world, certificate)

    def _costs(self, world: World, phase: Phase) -> tuple[int, int]:
        """Acts of the cheapest plans of a day: ignoring the norms, and keeping them."""
        day = world.day(phase)
        left = self._acts_left(world, phase)
        ignoring = left.get(bare(day.stage.morning()))
        field = f"{phase}.task.budget"
        if ignoring is None:
            raise BadInput(
                f"solvable: no plan of at most {day.task.budget} acts does the task, whatever is forbidden",
                field=field,
                expected="a task that can be done within its budget",
            )
        keeping = keeping_cost(world.yard(phase), day.task, left, world.rules.at(None))
        if keeping is None:
            raise BadInput(
                f"solvable: no plan of at most {day.task.budget} acts does the task and keeps the norms",
                field=field,
                expected=f"more than {ignoring} acts, or norms that leave a way to do the task",
            )
        return ignoring, keeping

    def _acts_left(self, world: World, phase: Phase) -> Mapping[State, int]:
        known = self._left.get(phase)
        if known is None or not _one_day(known[0], world, phase):
            task = world.day(phase).task
            known = self._left[phase] = world, acts_left(world.yard(phase), task, task.budget)
        return known[1]


def _one_day(one: World, other: World, phase: Phase) -> bool:
    days = one.day(phase), other.day(phase)
    return (one.setting, days[0].stage, days[0].task) == (other.setting, days[1].stage, days[1].task)


def _watched_acts(world: World) -> int:
    return sum(len(acts) for day in world.watch for acts in day.script)


def _check_channels(world: World, certificate: Certificate) -> None:
    played = {condition for condition in CHANNELS if lacks(world, condition) is None}
    if set(certificate.channels) != played:
        expected = " | ".join(condition.value for condition in CHANNELS if condition in played)
        raise BadInput(
            "these are not the conditions that its evidence is for",
            field="certificate.channels",
            expected=expected,
        )
    for condition, channel in certificate.channels.items():
        if not (0.0 <= channel.identified <= 1.0 and isfinite(channel.nats)):
            raise BadInput(
                "it holds no probability",
                field=f"certificate.channels.{condition.value}",
                expected="identified from 0 to 1, nats finite",
            )
    others = certificate.channels[Condition.OTHERS]
    if others.identified != certificate.identified:
        raise _differs("identified", certificate.identified, others.identified)
    if not certificate.channels[Condition.LIVE].passed:
        raise BadInput(
            "under the headline condition an ideal observer fails",
            field="certificate.channels.live.passed",
            expected="true",
        )
    if not others.certified:
        raise BadInput(
            "after watching the norms are not known, or knowing them does not help",
            field="certificate.channels.others",
            expected=f"identified {IDENTIFIED} or more, passed true",
        )


def _differs(name: str, stored: object, found: object) -> BadInput:
    return BadInput(f"{stored} does not fit the world", field=f"certificate.{name}", expected=str(found))
