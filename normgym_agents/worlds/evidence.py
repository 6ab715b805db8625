"""The evidence schedule: members' acts chosen for what their (non-)sanctions tell apart.

Random peer play needs many times more watching. Here every member in turn does the possible act that an
ideal observer of either twin would learn most from; both twins show the same acts, and only the answers
differ. Whether they suffice is measured by the exact posterior, not assumed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.hypotheses import HypothesisSpace, Table
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.observer import Enforcement as Rates
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.foresight import look_ahead
from normgym_agents.worlds.layout import Cast, draw_watch_day
from normgym_agents.worlds.lexicon import Lexicon
from normgym_agents.worlds.settings import Setting
from normgym_agents.worlds.stage import State
from normgym_agents.worlds.telling import LikelySets, entropy
from normgym_agents.worlds.transition import Ground, Yard
from normgym_agents.worlds.world import IDENTIFIED, ScriptedAct, WatchDay

DAYS, ROUNDS = 5, 4
"""At most this many watched days of this many rounds: 20 rounds in all."""

EARLIEST = 3
"""The first day on which it is asked whether the evidence is enough: two days never are."""

ENOUGH = 0.96
"""Posterior of the truth at which watching ends; the certificate asks for 0.95."""

MARGIN = 0.001
"""How much more than the certificate asks for will do once all rounds are over, where acts are chosen by class."""

LEAST_GAIN = 0.003
"""An act that tells less than this (in nats) is not worth a line to read."""

LEAST_CLASS_GAIN = 1e-6
"""The same where acts are chosen for what they tell of the probe, of which much can be told by little."""

HAZARD = 0.01
"""P(norms change from one day to the next), as an observer believes that allows for it."""

FORESIGHT = 0.7
"""How much the best act of the next round counts beside the act itself."""


class Side(NamedTuple):
    """One twin while its evidence is gathered."""

    truth: tuple[int, ...]
    observer: IdealObserver


def information_gain(broken: NDArray[np.float64], rates: Rates) -> NDArray[np.float64]:
    """Expected nats about whether an act breaks a norm, from seeing whether it is answered.

    The mutual information of a binary channel: H(answer) − E[H(answer | broken)] (Lindley 1956).

    Args:
        broken: Shape (acts,), P(the act breaks a norm), in [0, 1].
        rates: P(answer) when it does and when it does not.
    """
    answered = broken * rates.detection + (1.0 - broken) * rates.false_sanctions
    known = broken * entropy(np.array(rates.detection)) + (1.0 - broken) * entropy(
        np.array(rates.false_sanctions)
    )
    gain: NDArray[np.float64] = entropy(answered) - known
    return gain


def gather(
    setting: Setting,
    lexicon: Lexicon,
    cast: Cast,
    space: HypothesisSpace,
    truths: tuple[tuple[int, ...], tuple[int, ...]],
    differences: Table,
    enforcement: Enforcement,
    coins: str,
    draws: Draws,
    *,
    until: int = 0,
    by_class: bool = False,
    barred: Callable[[Moment], bool] = lambda _: False,
) -> tuple[tuple[WatchDay, ...], bool]:
    """Choose what members do while the newcomer watches.

    Args:
        setting: The authored setting.
        lexicon: The world's words.
        cast: The world's people.
        space: The hypothesis space.
        truths: Per twin the indices of its norms in the space.
        differences: Shape (norms, moments): the moments of the probe at which norm sets may differ.
        enforcement: How acts are answered.
        coins: Key of the world's coins.
        draws: Draws the set-ups.
        by_class: Whether acts are chosen for what they tell of the probe, and not of the acts themselves.
        barred: What may not be shown, since it is kept for the probe.
        until: Up to this day each twin's norms are in force in the other world; they are watched in addition.

    Returns:
        The watched days, and whether they identify both twins: 20 rounds may not.
    """
    first = IdealObserver(space.norms, enforcement.rates)
    sides = Side(truths[0], first), Side(truths[1], first.copy())
    schedule = _Schedule(space, sides, enforcement, coins, differences if by_class else None, barred)
    days: list[WatchDay] = []
    for day in range(1, until + DAYS + 1):
        schedule.begin(day, until)
        stage = draw_watch_day(lexicon, cast, ROUNDS, draws)
        yard, state = Yard(stage, setting.verbs), stage.morning()
        script: list[tuple[ScriptedAct, ...]] = []
        for round_number in range(1, ROUNDS + 1):
            acts, state = schedule.play_round(yard, state, day, round_number)
            script.append(acts)
            if day >= until + EARLIEST and schedule.identified(differences):
                days.append(WatchDay(stage=stage, script=tuple(script)))
                return tuple(days), True
        days.append(WatchDay(stage=stage, script=tuple(script)))
    return tuple(days), by_class and schedule.identified(differences, IDENTIFIED + MARGIN)


class _Schedule:
    """Plays watched rounds, choosing every member's act by what it tells."""

    def __init__(
        self,
        space: HypothesisSpace,
        sides: tuple[Side, Side],
        enforcement: Enforcement,
        coins: str,
        differences: Table | None,
        barred: Callable[[Moment], bool],
    ) -> None:
        self.space, self.sides, self.enforcement = space, sides, enforcement
        self.coins, self.differences, self.barred = coins, differences, barred
        self.in_force = (sides[0].truth, sides[1].truth)

    def begin(self, day: int, until: int) -> None:
        """Begin a day: up to `until` the norms of the other world are in force, which may change any morning."""
        truths = (self.sides[0].truth, self.sides[1].truth)
        self.in_force = truths[::-1] if day <= until else truths
        if until and day > 1:
            for side in self.sides:
                side.observer.renew(HAZARD)

    def identified(self, differences: Table, enough: float = ENOUGH) -> bool:
        """Whether the posterior of both truths is high enough."""
        return all(side.observer.class_probability(side.truth, differences) >= enough for side in self.sides)

    def play_round(
        self, yard: Yard, state: State, day: int, round_number: int
    ) -> tuple[tuple[ScriptedAct, ...], State]:
        acts: list[ScriptedAct] = []
        for member in range(yard.stage.newcomer):
            ground, broken = self._choose(yard, state, member, round_number)
            if ground is None:
                continue
            acts.append(ScriptedAct(person=member, act=ground.act))
            state = yard.step(state, member, ground)
            self._observe(broken, (Phase.WATCH, day, round_number, member))
        return tuple(acts), state

    def _choose(
        self, yard: Yard, state: State, member: int, round_number: int
    ) -> tuple[Ground | None, NDArray[np.bool_]]:
        """The act that tells most by itself and by what it makes possible in the next round."""
        outlook = look_ahead(yard, state, member, round_number, yard.stage.rounds, barred=self.barred)
        moments = outlook.moments
        distinct = {moment: i for i, moment in enumerate(dict.fromkeys(moments))}
        which = np.array([distinct[moment] for moment in moments])
        table = self.space.table(list(distinct))
        best = outlook.best(np.round(self._gains(table), 6)[which], FORESIGHT)
        least = LEAST_GAIN if self.differences is None else LEAST_CLASS_GAIN
        chosen = outlook.possible[best.place] if best.worth >= least else None
        return chosen, table[:, which[best.place]]

    def _gains(self, table: Table) -> NDArray[np.float64]:
        telling = np.flatnonzero(table.any(axis=0))
        gains = np.zeros(table.shape[1])
        for side in self.sides:
            gains[telling] += self._gain(side.observer, table[:, telling]) / len(self.sides)
        return gains

    def _gain(self, observer: IdealObserver, table: Table) -> NDArray[np.float64]:
        rates = self.enforcement.rates
        if self.differences is not None:
            likely = LikelySets(observer, self.differences)
            if likely.enough:
                chances = np.array([rates.false_sanctions, rates.detection])
                return likely.gain(chances, likely.broken(table).astype(np.intp))
        return information_gain(observer.violation_probability(table), rates)

    def _observe(self, broken: NDArray[np.bool_], coin: tuple[str | int, ...]) -> None:
        for side, truth in zip(self.sides, self.in_force, strict=True):
            breach = bool(broken[list(truth)].any())
            answered = self.enforcement.answered(breach, self.coins, *coin)
            side.observer.observe(broken, sanctioned=answered)
