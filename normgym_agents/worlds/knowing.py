"""What the minds of reference newcomers say is in force, asked once they have acted.

Each says what it acted on and no more: who infers nothing reports nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.hypotheses import Table
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.worlds.asking import MOST_REPORTED, ReportedNorm
from normgym_agents.worlds.minds import Minded, told_units
from normgym_agents.worlds.policies import (
    IdealObserverPolicy,
    IndependentBayes,
    Policy,
    ToldOracle,
    columns_of,
    space_of,
)
from normgym_agents.worlds.public import NewcomerView

_SETS = 2_000
"""How many of the most probable sets the ideal observer goes through; the others count as contradicting."""


def known(policy: Policy, view: NewcomerView) -> tuple[ReportedNorm, ...]:
    """What a policy holds to be in force, and how surely.

    Args:
        policy: A mind that has acted.
        view: What it saw at its last turn.
    """
    if isinstance(policy, Minded):
        return tuple(ReportedNorm.of(unit) for unit in policy.mind.kept)[:MOST_REPORTED]
    if not isinstance(policy, ToldOracle):
        return ()
    if view.told:
        return tuple(ReportedNorm.of(unit) for unit in told_units(view.told))
    if isinstance(policy, IdealObserverPolicy):
        return _ideal(policy, view)
    return _independent(policy, view) if isinstance(policy, IndependentBayes) else ()


def _ideal(policy: IdealObserverPolicy, view: NewcomerView) -> tuple[ReportedNorm, ...]:
    """The most probable set; of each norm, how surely all that it forbids today is forbidden."""
    observer, space = policy.learn(view), space_of(view.vocabulary)
    table, _ = columns_of(policy.planner(view), space)
    return tuple(
        ReportedNorm.of(space.norms[i], contained_probability(observer, table, table[i]))
        for i in observer.most_probable()
    )


def contained_probability(observer: IdealObserver, table: Table, forbidden: NDArray[np.bool_]) -> float:
    """Posterior of the likely sets that forbid all that a norm forbids.

    Different norms may forbid the same acts of a day, so this is what a norm is worth there, and not how
    probable it is by itself.

    Args:
        observer: Beliefs.
        table: Shape (norms, moments), rows as the observer's norms.
        forbidden: Shape (moments,), what the norm forbids.
    """
    cells, mass = observer.likeliest(_SETS)
    covers = np.concatenate([np.zeros((1, int(forbidden.sum())), dtype=np.bool_), table[:, forbidden]])
    either: Table = covers[cells[0]] | covers[cells[1]]
    return float(mass[either.all(axis=1)].sum())


def _independent(policy: IndependentBayes, view: NewcomerView) -> tuple[ReportedNorm, ...]:
    observer, space = policy.learn(view), space_of(view.vocabulary)
    chances = observer.probabilities()
    likeliest: Sequence[int] = sorted(observer.most_probable(), key=lambda i: -chances[i])[:MOST_REPORTED]
    return tuple(ReportedNorm.of(space.norms[i], float(chances[i])) for i in likeliest)
