"""Rule by rule: the Bayesian who judges every norm as if no other could hold.

It is what the joint observer is measured against. From the same prior and the same likelihoods it asks of
each norm only "this one or none", so an answer speaks for every norm that the act breaks, however well
another explains it, and nothing is ever explained away: where norms overlap it blames too many.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms import likelihood, prior
from normgym_agents.norms.hypotheses import Table
from normgym_agents.norms.likelihood import Choice, Enforcement, Evidence
from normgym_agents.norms.prior import SIZE_PRIOR, Hypothesis

LEAST = 1e-6
"""No event is held to be less probable than this: with several norms in force, and rates of 0 or 1, what is
seen may be impossible under every single norm and under none."""


class IndependentObserver:
    """A posterior per norm, updated event by event.

    Args:
        norms: The hypotheses, in the order of the rows of every table.
        enforcement: How surely acts are answered.
        choice: How people choose between acts.
    """

    def __init__(
        self, norms: Sequence[Hypothesis], enforcement: Enforcement, choice: Choice | None = None
    ) -> None:
        self.norms = tuple(norms)
        self.enforcement = enforcement
        self.choice = choice or Choice()
        # What the joint observer believes of the norm before any evidence, so that they differ in nothing else.
        held = np.clip(prior.inclusion(prior.shares(self.norms), SIZE_PRIOR), 0.0, 1.0 - LEAST)
        self._prior = np.asarray(np.log(held) - np.log1p(-held), dtype=np.float64)
        self._log_odds = self._prior.copy()

    def restart(self) -> None:
        """Forget all evidence: it was announced that other norms hold from now on."""
        self._log_odds = self._prior.copy()

    def observe(self, broken: NDArray[np.bool_], *, sanctioned: bool) -> None:
        """Take in one witnessed act.

        Args:
            broken: Shape (norms,), which norms the act breaks if they are in force.
            sanctioned: Whether somebody answered it.
        """
        self._update(likelihood.answer(broken, self.enforcement, sanctioned=sanctioned))

    def observe_choice(self, taken: NDArray[np.bool_], passed: NDArray[np.bool_], *, easier: bool) -> None:
        """Take in an act that was done while another was open and passed over.

        Args:
            taken: Shape (norms,), which norms the act breaks that was done.
            passed: Shape (norms,), which norms the act breaks that was passed over.
            easier: Whether the act passed over was the easier one.
        """
        self._update(likelihood.choice(taken, passed, self.choice, easier=easier))

    def _update(self, evidence: Evidence) -> None:
        speaks = np.log(np.maximum(evidence.likelihood, LEAST))
        self._log_odds += (speaks - speaks[0])[likelihood.patterns(evidence.bits)]

    def probabilities(self) -> NDArray[np.float64]:
        """P(the norm is in force) for each norm, shape (norms,)."""
        return np.exp(_log_p(self._log_odds))

    def violation_probability(self, table: Table, *, negligible: float = 0.0) -> NDArray[np.float64]:
        """P(the act breaks some norm) per moment: 1 − Π(1 − p) over the norms it would break.

        Args:
            table: Shape (norms, moments), from `HypothesisSpace.table` over the same norms.
            negligible: Norms less probable than this are left out.
        """
        alive = np.flatnonzero(self.probabilities() >= negligible)
        absent = _log_p(-self._log_odds[alive])
        return np.asarray(-np.expm1(absent @ table[alive]), dtype=np.float64)

    def most_probable(self) -> tuple[int, ...]:
        """Indices of the norms that are likelier in force than not: their most probable set."""
        return tuple(int(i) for i in np.flatnonzero(self._log_odds > 0.0))


def _log_p(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(-np.logaddexp(0.0, -log_odds), dtype=np.float64)
