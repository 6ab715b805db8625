"""The exact joint posterior over sets of up to three norms, from all of the evidence at once.

`observer` carries its beliefs from event to event, which takes a matrix for pairs and would take a cube for
threes. Here the evidence is kept instead and summed over when something is asked: nothing is sampled, and
nothing left out unless asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from normgym_agents.errors import BadInput, NormgymError
from normgym_agents.norms import cube, prior
from normgym_agents.norms.hypotheses import Table, distinct_columns
from normgym_agents.norms.likelihood import Evidence
from normgym_agents.norms.packed import Floats, Packed
from normgym_agents.norms.prior import SIZE_PRIOR_OF_THREE, Hypothesis


class JointPosterior:
    """What is believed of sets of norms after some evidence.

    Args:
        norms: The hypotheses, in the order of the rows of every table.
        evidence: The events, from `likelihood.answer` and `likelihood.choice`.
        size_prior: Prior probability of a set of none, one, two and (if wanted) three norms; the mass of
            sizes for which there are too few norms goes to the others in proportion.

    Raises:
        BadInput: The prior over sizes is none, or of more sizes than can be summed over.
        NormgymError: No set of norms explains the evidence.

    Attributes:
        norms: The hypotheses.
        log_evidence: Log of the probability of all the evidence under the prior, in nats.
        sizes: Shape (sizes,), posterior probability of every size.
        included: Shape (norms,), posterior probability that the norm is in the set.
    """

    def __init__(
        self,
        norms: Sequence[Hypothesis],
        evidence: Sequence[Evidence],
        size_prior: Sequence[float] = SIZE_PRIOR_OF_THREE,
    ) -> None:
        _check(size_prior)
        self.norms = tuple(norms)
        self._evidence = tuple(evidence)
        self._single = prior.shares(self.norms)
        self._most = min(len(size_prior) - 1, len(self.norms))
        by_size = np.array(size_prior[: self._most + 1])
        self._factors = by_size / by_size.sum() / prior.symmetric(self._single, self._most)
        self._packed = Packed(len(self.norms), self._evidence)
        mass = self._masses(self._packed, np.ones((len(self.norms), 1), dtype=np.bool_))[:, :, 0]
        self._top, parts, slopes = cube.gradient(self._packed, mass, self._factors)
        self._total = float(parts.sum())
        if not self._total:
            raise NormgymError("no set of norms explains the evidence at these rates")
        self.log_evidence = self._top + float(np.log(self._total))
        self.sizes = parts / self._total
        self.included = self._inclusion(mass, slopes)

    def _inclusion(self, mass: Floats, slopes: Floats) -> Floats:
        """The sum is linear in the share of every norm: what it grows by with that are the sets that hold it.

        Within its class these are the norm with the sets of one norm less that do not hold it.
        """
        found = np.zeros(len(self.norms))
        without = np.ones(len(self.norms))
        for size, slope in enumerate(slopes, start=1):
            found += (slope[self._packed.which] * without) * self._single
            without = mass[size, self._packed.which] - self._single * without
        return np.asarray(np.clip(found / self._total, 0.0, 1.0), dtype=np.float64)

    def violation_probability(self, table: Table, *, negligible: float = 0.0) -> Floats:
        """P(the act breaks some norm of the set) per moment.

        Args:
            table: Shape (norms, moments), from `HypothesisSpace.table` over the same norms.
            negligible: Norms less probable than this are left out; the error is at most the sum of their
                probabilities. After some evidence it spares nearly all of the work.
        """
        alive = self.included >= negligible
        keeps = np.column_stack([~table, np.ones(len(self.norms), dtype=np.bool_)]) & alive[:, None]
        kept = self._sums(self._packed, keeps)
        # The last column is the mass of all sets that were not left out.
        return np.asarray(np.clip(kept[-1] - kept[:-1], 0.0, 1.0), dtype=np.float64)

    def class_probability(self, truth: Sequence[int], table: Table) -> float:
        """Posterior of all sets that break exactly the moments that the true set breaks.

        Args:
            truth: Indices of the norms in force.
            table: Shape (norms, moments): the moments at which sets may differ.
        """
        signature = table[list(truth)].any(axis=0)
        inside: NDArray[np.bool_] = ~np.asarray((table & ~signature).any(axis=1))
        # That a set breaks a moment of the signature is one more event, which only such sets explain.
        happened = np.array([0.0, 1.0])
        hardest = _hardest(table[:, signature] & inside[:, None])
        further = [Evidence(column[None, :], happened) for column in hardest.T]
        packed = Packed(len(self.norms), [*self._evidence, *further])
        return min(float(self._sums(packed, inside[:, None])[0]), 1.0)

    def most_probable(self) -> tuple[int, ...]:
        """Indices of the norms in the most probable set; of equally probable ones, in one of the smallest."""
        return cube.best(self._packed, self._single, self._factors, self.included * self._total, self._top)

    def _masses(self, packed: Packed, held: Table) -> Floats:
        return cube.masses(packed, self._single, held, self._most)

    def _sums(self, packed: Packed, held: Table) -> Floats:
        return cube.sums(packed, self._masses(packed, held), self._factors, self._top) / self._total


def _check(size_prior: Sequence[float]) -> None:
    good = 1 <= len(size_prior) <= cube.LARGEST + 1
    if not good or min(size_prior) <= 0.0 or not abs(sum(size_prior) - 1.0) < 1e-9:
        raise BadInput(
            f"{tuple(size_prior)} is no prior over sizes",
            field="size_prior",
            expected=f"at most {cube.LARGEST + 1} positive numbers that add up to 1, that of no norm first",
        )


def _hardest(table: Table) -> Table:
    """The columns that fewest norms break: where a set breaks these it breaks all others as well."""
    columns, _ = distinct_columns(table)
    count = columns.astype(np.float64)
    within = count.T @ count == count.sum(axis=0)[:, None]
    np.fill_diagonal(within, False)
    return columns[:, ~within.any(axis=0)]
