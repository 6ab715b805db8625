"""A day of an episode: what happens on it, and by which norms its acts are judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from normgym_agents.norms.norm import Family, Norm
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.scripts import Script
from normgym_agents.worlds.stage import Stage
from normgym_agents.worlds.transition import Yard
from normgym_agents.worlds.world import WorkDay


class Judged(NamedTuple):
    """Norms that acts of a day are judged by.

    Attributes:
        label: What the labels of its norms begin with: `N` for the world's norms, `P` for those that were
            in force before (its twin's), `W` for the world's norms made to bind another role.
        norms: The norms as cards and certificates hold them, changes included.
        rules: The same norms, as they stand on that day.
        families: Per norm its family in the setting; that of the whole norm where it changes.
        bound: Whether they are in force; else they are only measured, and nobody answers for them.
        tempting: Per norm, the acts of the cheapest norm-ignoring plan of the day that break it; may be empty.
    """

    label: str
    norms: tuple[Norm, ...]
    rules: RuleSet
    families: tuple[Family, ...]
    bound: bool
    tempting: tuple[tuple[Act, ...], ...] = ()


NOTHING_IN_FORCE: Final = Judged("N", (), RuleSet(()), (), True)


@dataclass(frozen=True, kw_only=True)
class Day:
    """One day of an episode.

    Attributes:
        number: Which, from 1.
        phase: Its phase.
        yard: Its transition model.
        script: What members do, where it is watched.
        work: The newcomer's task, where it acts.
        evidence: Which of the world's watched days it shows, from 1; None where it shows none.
        judged: The norms that acts are judged by; at most one set is in force.
        coins: What the coins of its answers begin with.
        turns: Per round the number that its coins are tossed under.
        stands_for: Whose coins are tossed for whom, where somebody acts in the newcomer's stead.
        announced: Whether it is said in the morning that things are done differently from today.
    """

    number: int
    phase: Phase
    yard: Yard
    script: Script | None = None
    work: WorkDay | None = None
    evidence: int | None = None
    judged: tuple[Judged, ...]
    coins: tuple[str | int, ...]
    turns: tuple[int, ...]
    stands_for: Mapping[int, int] = field(default_factory=dict)
    announced: bool = False

    @property
    def stage(self) -> Stage:
        """Its set-up."""
        return self.yard.stage

    @property
    def rounds(self) -> int:
        """How many rounds it has at most."""
        if self.script is not None:
            return len(self.script.rounds)
        return 0 if self.work is None else self.work.task.budget

    @cached_property
    def people(self) -> Mapping[str, int]:
        """Index of each person by name."""
        return {person.name: i for i, person in enumerate(self.stage.people)}

    @cached_property
    def in_force(self) -> Judged:
        """The norms in force."""
        return next((judged for judged in self.judged if judged.bound), NOTHING_IN_FORCE)

    @cached_property
    def own(self) -> Judged:
        """The world's own norms, in force or not."""
        return next(judged for judged in self.judged if judged.label == "N")

    def is_habit(self, round_number: int) -> bool:
        """Whether members only say what they always say in that round."""
        return self.script is not None and round_number in self.script.habits
