"""Sampling: from (suite, version, seed, index) to a certified pair of twin worlds, and nothing else.

Candidates are drawn and rejected until one is certified. Every rejection is counted by its reason, so
that an author can see what a setting makes hard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from normgym_agents.errors import NormgymError
from normgym_agents.norms.hypotheses import HypothesisSpace, enumerate_norms
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.norm import BASE_FAMILIES
from normgym_agents.norms.rules import RuleSet, texts
from normgym_agents.worlds.certificate import (
    DayFacts,
    NotCertified,
    certify,
    check_day,
    check_tempting,
    day_facts,
    prove,
)
from normgym_agents.worlds.channels import differences
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.enrichment import enrich
from normgym_agents.worlds.evidence import gather
from normgym_agents.worlds.layout import Cast, draw_cast, draw_work_day
from normgym_agents.worlds.lexicon import Lexicon, draw_lexicon
from normgym_agents.worlds.planner import DayPlanner, planner_for
from normgym_agents.worlds.settings import Setting
from normgym_agents.worlds.stage import Stage
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.transition import Yard
from normgym_agents.worlds.twins import Twins, find_twins
from normgym_agents.worlds.world import WatchDay, WorkDay, World

SHORTEST, LONGEST = 6, 11
"""Bounds, in acts, on the cheapest plan of a day that ignores norms."""

SLACK = 4
"""How much longer than that a budget may be."""

ATTEMPTS = 2000
"""Candidates drawn before sampling gives up: about five times what the rarest pair of `core` took."""


class Recipe(NamedTuple):
    """What a pair of worlds is drawn from.

    Attributes:
        setting: The authored setting.
        personas: Id and name of each persona that may play a member.
        suite: Name and version of the suite, e.g. `core-1`.
        seed: The suite's seed.
        enforcement: How norms are enforced.
    """

    setting: Setting
    personas: tuple[tuple[str, str], ...]
    suite: str
    seed: int
    enforcement: Enforcement


class Sampled(NamedTuple):
    """A certified pair, and how many candidates were rejected for which reason."""

    twins: tuple[World, World]
    rejected: Counter[str]


class _Rejected(NormgymError):
    """This candidate will not do; the message is the reason."""


def sample_twins(recipe: Recipe, index: int) -> Sampled:
    """Draw the `index`-th pair of a suite: the same for the same recipe, on every machine.

    Raises:
        NormgymError: No candidate of this index could be certified.
    """
    rejected: Counter[str] = Counter()
    for attempt in range(ATTEMPTS):
        draws = Draws(recipe.suite, recipe.seed, index, attempt)
        try:
            return Sampled(_Candidate(recipe, index, attempt, draws).twins(), rejected)
        except (_Rejected, NotCertified) as fault:
            rejected[str(fault).partition(":")[0]] += 1
    reasons = ", ".join(f"{reason} ({count})" for reason, count in rejected.most_common())
    raise NormgymError(f"{recipe.suite}: no pair of worlds for index {index}; rejected for: {reasons}")


class _Candidate:
    """One attempt at a pair, drawn top down: words, people, probe and twins, practice, evidence."""

    def __init__(self, recipe: Recipe, index: int, attempt: int, draws: Draws) -> None:
        self.recipe, self.index, self.draws = recipe, index, draws
        self.coins = f"{recipe.suite}/{recipe.seed}/{index}/{attempt}"
        self.lexicon: Lexicon = draw_lexicon(recipe.setting, draws)
        self.cast: Cast = draw_cast(recipe.personas, self.lexicon, draws)
        self.space = HypothesisSpace(enumerate_norms(self.lexicon.vocabulary(recipe.setting)))
        self.template = draws.pick(sorted(recipe.setting.tasks))

    def twins(self) -> tuple[World, World]:
        probe_planner, twins = self._probe()
        sets = [self._rules(side) for side in (twins.one, twins.other)]
        probe = [day_facts(probe_planner, norms, twins.budget) for norms in sets]
        for facts in probe:
            check_day(facts, "probe")
        stage, task, practise = self._practise(sets)
        watch, identified = gather(
            self.recipe.setting,
            self.lexicon,
            self.cast,
            self.space,
            (twins.one, twins.other),
            differences(probe_planner, self.space),
            self.recipe.enforcement,
            self.coins,
            self.draws,
        )
        if not identified:
            raise _Rejected("identifiable: 20 watched rounds do not tell the norms")
        drafts = [
            self._world(
                letter,
                other,
                norms,
                watch,
                _work_day(stage, task, practised),
                _work_day(probe_planner.stage, probe_planner.task, facts),
            )
            for letter, other, norms, practised, facts in zip("ab", "ba", sets, practise, probe, strict=True)
        ]
        one, other = drafts
        for world, twin in ((one, other), (other, one)):
            prove(world, twin)
        one, other = enrich((one, other))
        certified = [
            world.model_copy(update={"certificate": certify(world, twin)})
            for world, twin in ((one, other), (other, one))
        ]
        return certified[0], certified[1]

    def _probe(self) -> tuple[DayPlanner, Twins]:
        stage, task, blind, planner = self._work_day(self.lexicon.unseen)
        size, family = 1 + self.index % 2, BASE_FAMILIES[self.index // 2 % len(BASE_FAMILIES)]
        table = self.space.table(planner.moments)
        for twins in find_twins(planner, self.space, table, size, family, blind, self.draws):
            fitted = task.model_copy(update={"budget": twins.budget})
            exact = planner_for(stage, fitted, self.recipe.setting.verbs)
            if all(self._worthy(exact, side) for side in (twins.one, twins.other)):
                return exact, twins
        raise _Rejected("twin: no norm sets of this day keep each other out")

    def _rules(self, side: tuple[int, ...]) -> RuleSet:
        """One twin's norms: the units of the space as a world holds them."""
        return RuleSet(map(parse_norm, texts(self.space.norms[i] for i in side)))

    def _worthy(self, planner: DayPlanner, side: tuple[int, ...]) -> bool:
        try:
            check_day(day_facts(planner, self._rules(side), planner.horizon), "probe")
        except NotCertified:
            return False
        return True

    def _practise(self, sets: Sequence[RuleSet]) -> tuple[Stage, Task, list[DayFacts]]:
        for _ in range(12):
            try:
                stage, task, blind, planner = self._work_day(self.lexicon.seen)
                broken = np.array([norms.broken(planner.moments) for norms in sets])
                costs = planner.costs(broken)
                if costs.min() <= blind or costs.max() > planner.horizon:
                    continue
                budget = min(int(costs.max()) + 2, planner.horizon)
                fitted = task.model_copy(update={"budget": budget})
                exact = planner_for(stage, fitted, self.recipe.setting.verbs)
                facts = [day_facts(exact, norms, budget) for norms in sets]
                for one in facts:
                    check_tempting(one, "practise")
            except (_Rejected, NotCertified):
                continue
            return stage, fitted, facts
        raise _Rejected("practise: no day of practice tempts in both worlds")

    def _work_day(self, looks: Sequence[dict[str, str]]) -> tuple[Stage, Task, int, DayPlanner]:
        stage, task = draw_work_day(
            self.recipe.setting, self.lexicon, self.cast, self.template, looks, self.draws
        )
        yard = Yard(stage, self.recipe.setting.verbs)
        short = DayPlanner(yard, task, LONGEST)
        blind = int(short.costs(np.zeros((1, len(short.moments)), dtype=np.bool_))[0])
        if not SHORTEST <= blind <= LONGEST:
            raise _Rejected("length: the task is too short or too long")
        return stage, task, blind, DayPlanner(yard, task, blind + SLACK)

    def _world(
        self,
        letter: str,
        other: str,
        norms: RuleSet,
        watch: tuple[WatchDay, ...],
        practise: WorkDay,
        probe: WorkDay,
    ) -> World:
        recipe = self.recipe
        pair = f"{recipe.suite}-{self.index:03d}"
        return World(
            id=pair + letter,
            suite=recipe.suite,
            pair=pair,
            twin=pair + other,
            seed=(recipe.seed, self.index),
            setting=recipe.setting,
            vocabulary=self.lexicon.vocabulary(recipe.setting),
            cast=self.cast,
            enforcement=recipe.enforcement,
            norms=tuple(map(print_norm, norms.norms)),
            coins=self.coins,
            watch=watch,
            practise=practise,
            probe=probe,
            certificate=None,
        )


def _work_day(stage: Stage, task: Task, facts: DayFacts) -> WorkDay:
    return WorkDay(stage=stage, task=task, tempting=facts.tempting, near_misses=facts.near_misses)
