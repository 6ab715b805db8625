"""One attempt at a pair of worlds, drawn top down: words, people, probe and twins, practice, evidence.

It is certified or rejected, and says why; who tries again is `sampling`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from normgym_agents.errors import NormgymError
from normgym_agents.norms.hypotheses import HypothesisSpace, Table, enumerate_norms
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.rules import RuleSet, texts
from normgym_agents.norms.units import Unit
from normgym_agents.worlds.certificate import (
    DayFacts,
    NotCertified,
    certify,
    check_day,
    check_met,
    check_tempting,
    day_facts,
    prove,
)
from normgym_agents.worlds.channels import differences
from normgym_agents.worlds.distances import acts_left, bare
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.enrichment import enrich
from normgym_agents.worlds.evidence import gather
from normgym_agents.worlds.families import CHANGES_AFTER, Cell, in_turn
from normgym_agents.worlds.layout import Cast, draw_cast, draw_work_day
from normgym_agents.worlds.lexicon import Facet, Lexicon, draw_lexicon
from normgym_agents.worlds.memory import memory_of
from normgym_agents.worlds.planner import DayPlanner, planner_for
from normgym_agents.worlds.recipes import Recipe, coins_of, family_at
from normgym_agents.worlds.stage import Stage
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.transition import Yard
from normgym_agents.worlds.twins import Twins, find_twins
from normgym_agents.worlds.unseen import contexts_of
from normgym_agents.worlds.world import WatchDay, WorkDay, World

SHORTEST, LONGEST = 6, 11
"""Bounds, in acts, on the cheapest plan of a day that ignores norms."""

SLACK = 4
"""How much longer than that a budget may be."""

WATCH_TRIES = 3
"""Sets of watched days tried for the norm of a cell, whose candidates are dear."""

PRACTISE_TRIES, QUOTA_TRIES = 12, 60
"""Days of practice tried; where quotas are to tempt, which they do on few days, more of them."""


class Rejected(NormgymError):
    """This candidate will not do; the message is the reason."""


class Candidate:
    """One attempt at a pair.

    Args:
        recipe: What it is drawn from.
        index: Which pair of the suite it may become.
        attempt: Which attempt at that pair it is.
        draws: The attempt's draws.

    Raises:
        Rejected: Its words cannot say a norm of the cell.
    """

    def __init__(self, recipe: Recipe, index: int, attempt: int, draws: Draws) -> None:
        self.recipe, self.index, self.draws = recipe, index, draws
        self.coins = coins_of(recipe, index, attempt)
        facets = recipe.cell.facets if recipe.cell is not None else ()
        self.limits = Facet.LIMITS in facets
        self.lexicon: Lexicon = draw_lexicon(recipe.setting, draws, alike=self.limits)
        self.cast: Cast = draw_cast(recipe.personas, self.lexicon, draws)
        self.vocabulary = self.lexicon.vocabulary(recipe.setting, facets)
        self.space = HypothesisSpace(enumerate_norms(self.vocabulary))
        self.template = draws.pick(sorted(recipe.setting.tasks))
        cell = recipe.cell
        if cell is not None and not any(self._leads(cell, unit) for unit in self.space.norms):
            raise Rejected("words: no norm of that kind can be said with them")

    def twins(self) -> tuple[World, World]:
        """The certified pair.

        Raises:
            Rejected: The candidate will not do.
            NotCertified: It fails a point of the certificate.
        """
        probe_planner, twins = self._probe()
        sets = [self._rules(side) for side in (twins.one, twins.other)]
        probe = [day_facts(probe_planner, norms, twins.budget) for norms in sets]
        for rules, facts in zip(sets, probe, strict=True):
            check_day(facts, "probe")
            check_met(probe_planner, rules, twins.budget)
        stage, task, practise = self._practise(sets)
        watch = self._watch(probe_planner, twins)
        norms = [tuple(map(print_norm, rules.norms)) for rules in sets]
        if self._changes:
            announced = self.draws.uniform() < 0.5
            norms = [in_turn(now, before, announced=announced) for now, before in (norms, norms[::-1])]
        drafts = [
            self._world(
                letter,
                other,
                held,
                watch,
                _work_day(stage, task, practised),
                _work_day(probe_planner.stage, probe_planner.task, facts),
            )
            for letter, other, held, practised, facts in zip("ab", "ba", norms, practise, probe, strict=True)
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

    def _watch(self, planner: DayPlanner, twins: Twins) -> tuple[WatchDay, ...]:
        """Watched days that identify both twins."""
        cell = self.recipe.cell
        units = [self.space.norms[i] for i in (*twins.one, *twins.other)]
        contexts = contexts_of(self.recipe.setting, self.vocabulary, units)
        kept = contexts.all_of(planner.moments)
        for _ in range(1 if cell is None else WATCH_TRIES):
            watch, identified = gather(
                self.recipe.setting,
                self.lexicon,
                self.cast,
                self.space,
                (twins.one, twins.other),
                differences(planner, self.space),
                self.recipe.enforcement,
                self.coins,
                self.draws,
                until=CHANGES_AFTER if self._changes else 0,
                by_class=cell is not None,
                barred=lambda moment: contexts.of(moment) in kept,
            )
            if identified:
                return watch
        raise Rejected("identifiable: 20 watched rounds do not tell the norms")

    def _probe(self) -> tuple[DayPlanner, Twins]:
        stage, task, blind, planner = self._work_day(self.lexicon.unseen)
        if self.recipe.cell is not None:
            # Up to here the cells of a round share their draws; from here, norms first, each has its own.
            self.draws = self.draws.apart(self.index)
        table = self.space.table(planner.moments)
        for twins in self._twins(planner, table, blind):
            fitted = task.model_copy(update={"budget": twins.budget})
            exact = planner_for(stage, fitted, self.recipe.setting.verbs, self.vocabulary)
            if all(self._worthy(exact, side) for side in (twins.one, twins.other)):
                return exact, twins
        raise Rejected("twin: no norm sets of this day keep each other out")

    def _twins(self, planner: DayPlanner, table: Table, blind: int) -> Iterator[Twins]:
        """Twins of the size and family whose turn it is, or of the cell that is asked for."""
        cell, setting = self.recipe.cell, self.recipe.setting
        if cell is None:
            size, family = 1 + self.index % 2, family_at(self.recipe, self.index)
            return find_twins(planner, self.space, table, size, family, blind, self.draws)
        return find_twins(
            planner,
            self.space,
            table,
            1,
            cell.family,
            blind,
            self.draws,
            wanted=lambda unit: cell.holds(unit, setting),
            leading=lambda unit: self._leads(cell, unit),
        )

    def _leads(self, cell: Cell, unit: Unit) -> bool:
        setting = self.recipe.setting
        return cell.holds(unit, setting) and cell.leads(unit, setting, self.vocabulary)

    @property
    def _changes(self) -> bool:
        """Whether the twins' norms take turns in both worlds."""
        return self.recipe.cell is not None and self.recipe.cell.changes

    def _rules(self, side: tuple[int, ...]) -> RuleSet:
        """One twin's norms: the units of the space as a world holds them."""
        return RuleSet(map(parse_norm, texts(self.space.norms[i] for i in side)))

    def _worthy(self, planner: DayPlanner, side: tuple[int, ...]) -> bool:
        rules = self._rules(side)
        try:
            check_day(day_facts(planner, rules, planner.horizon), "probe")
            if self.recipe.cell is not None:
                check_met(planner, rules, planner.horizon)
        except NotCertified:
            return False
        return True

    def _practise(self, sets: Sequence[RuleSet]) -> tuple[Stage, Task, list[DayFacts]]:
        for _ in range(QUOTA_TRIES if self.limits else PRACTISE_TRIES):
            try:
                # What a quota is about may be kept for the probe in the first form, but not in the second.
                stage, task, blind, planner = self._work_day(self.lexicon.seen, int(self.limits))
                broken = np.array([norms.broken(planner.moments) for norms in sets])
                costs = planner.costs(broken)
                if costs.min() <= blind or costs.max() > planner.horizon:
                    continue
                budget = min(int(costs.max()) + 2, planner.horizon)
                fitted = task.model_copy(update={"budget": budget})
                exact = planner_for(stage, fitted, self.recipe.setting.verbs, self.vocabulary)
                facts = [day_facts(exact, norms, budget) for norms in sets]
                for one in facts:
                    check_tempting(one, "practise")
            except (Rejected, NotCertified):
                continue
            return stage, fitted, facts
        raise Rejected("practise: no day of practice tempts in both worlds")

    def _work_day(
        self, looks: Sequence[dict[str, str]], kind_of_thing: int = 0
    ) -> tuple[Stage, Task, int, DayPlanner]:
        stage, task = draw_work_day(
            self.recipe.setting,
            self.lexicon,
            self.cast,
            self.template,
            looks,
            self.draws,
            kind_of_thing=kind_of_thing,
        )
        yard = Yard(stage, self.recipe.setting.verbs)
        blind = acts_left(yard, task, LONGEST).get(bare(stage.morning()))
        if blind is None or blind < SHORTEST:
            raise Rejected("length: the task is too short or too long")
        return stage, task, blind, DayPlanner(yard, task, blind + SLACK, memory_of(self.vocabulary))

    def _world(
        self,
        letter: str,
        other: str,
        norms: tuple[str, ...],
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
            seed=None if isinstance(recipe.seed, str) else (recipe.seed, self.index),
            setting=recipe.setting,
            vocabulary=self.vocabulary,
            cast=self.cast,
            enforcement=recipe.enforcement,
            norms=norms,
            coins=self.coins,
            watch=watch,
            practise=practise,
            probe=probe,
            certificate=None,
        )


def _work_day(stage: Stage, task: Task, facts: DayFacts) -> WorkDay:
    return WorkDay(stage=stage, task=task, tempting=facts.tempting, near_misses=facts.near_misses)
