"""The ideal observer: the exact joint posterior over sets of up to two norms, event by event.

Norms are judged together, never one at a time: a sanction is explained by any norm of the set that the
act broke, so evidence for one norm explains evidence for another away. Sets of up to two norms are kept
as a symmetric matrix, whose products answer every question without enumerating the sets in Python. Sets
of three, for which that would be a cube, are judged in one go by `joint`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from normgym_agents.errors import BadInput, NormgymError
from normgym_agents.norms import likelihood, prior
from normgym_agents.norms.hypotheses import Table
from normgym_agents.norms.likelihood import Choice, Enforcement
from normgym_agents.norms.prior import SIZE_PRIOR, Hypothesis

__all__ = ["SIZE_PRIOR", "Choice", "Enforcement", "IdealObserver"]


class IdealObserver:
    """A joint posterior over sets of at most two norms, updated event by event.

    Cell (0, 0) of the matrix is the empty set, (0, i) with (i, 0) the set of norm i-1 alone, (i, j) with
    (j, i) the set of norms i-1 and j-1; a set's probability is the sum of its cells.

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
        self._prior = _prior(self.norms)
        self._weights = self._prior.copy()

    def copy(self) -> IdealObserver:
        """An observer of its own with the same beliefs."""
        twin = object.__new__(IdealObserver)
        twin.norms, twin.enforcement, twin.choice = self.norms, self.enforcement, self.choice
        twin._prior, twin._weights = self._prior, self._weights.copy()
        return twin

    def restart(self) -> None:
        """Forget all evidence: it was announced that other norms hold from now on."""
        self._weights = self._prior.copy()

    def renew(self, hazard: float) -> None:
        """Allow for a silent change before the next event: the set may have been drawn anew.

        With probability `hazard` the set is redrawn from the prior (perhaps as it was), else it stays: the
        prediction step of the exact filter for a product partition model with geometric run lengths (Adams
        and MacKay 2007; Fearnhead and Liu 2007). They sum over run lengths because their parameters are
        continuous; a norm set is one of finitely many, so the sum is carried in the beliefs themselves.

        Args:
            hazard: In [0, 1]; 0 changes nothing, 1 is `restart`.

        Raises:
            BadInput: It is no probability.
        """
        if not 0.0 <= hazard <= 1.0:
            raise BadInput(f"{hazard} is no probability", field="hazard", expected="a number from 0 to 1")
        self._weights = (1.0 - hazard) * self._weights + hazard * self._prior

    def violation_probability(self, table: Table, *, negligible: float = 0.0) -> NDArray[np.float64]:
        """P(the act breaks some norm of the set) per moment.

        Args:
            table: Shape (norms, moments), from `HypothesisSpace.table` over the same norms.
            negligible: Norms whose row sums to less (a set has two cells, so norms less probable than
                twice this) are left out. The error is at most their number times twice this; after some
                evidence it spares nearly all of the work.
        """
        alive = np.flatnonzero(self._weights.sum(axis=1) >= negligible)
        keeps = _with_empty(~table, fill=True)[alive].astype(np.float64)
        weights, left_out = self._weights, 0.0
        if len(alive) < len(weights):
            weights = weights[np.ix_(alive, alive)]
            left_out = 1.0 - float(weights.sum())
        kept = np.einsum("im,im->m", keeps, weights @ keeps) + left_out
        return np.asarray(np.clip(1.0 - kept, 0.0, 1.0), dtype=np.float64)

    def pattern_probabilities(
        self, taken: Table, passed: Table, *, negligible: float = 0.0
    ) -> NDArray[np.float64]:
        """P(the set breaks neither act, only the taken, only the passed, both) of choices not yet seen.

        What a choice is expected to tell follows from these four alone, as the set acts on what is seen
        through them only.

        Args:
            taken: Shape (norms, choices), which norms the act breaks that is done.
            passed: Shape (norms, choices), which norms the act breaks that is passed over.
            negligible: As in `violation_probability`.

        Returns:
            Shape (4, choices); the columns sum to 1.
        """
        done, other, either = (
            self.violation_probability(table, negligible=negligible)
            for table in (taken, passed, taken | passed)
        )
        found = np.array([1.0 - either, either - other, either - done, done + other - either])
        # Differences of equal probabilities may fall a rounding error below none.
        return np.asarray(np.clip(found, 0.0, 1.0), dtype=np.float64)

    def observe(self, broken: NDArray[np.bool_], *, sanctioned: bool) -> None:
        """Take in one witnessed act.

        Args:
            broken: Shape (norms,), which norms the act breaks if they are in force.
            sanctioned: Whether somebody answered it.

        Raises:
            NormgymError: The rates are such that no set of norms explains what was seen; the beliefs stay
                as they were.
        """
        if_kept, if_broken = likelihood.answer_likelihood(self.enforcement, sanctioned=sanctioned)
        hit = np.flatnonzero(_with_empty(broken, fill=False))
        miss = np.ones(len(self.norms) + 1, dtype=np.bool_)
        miss[hit] = False
        # Evidence that some sets rule out may rule out all of them, and must then change nothing.
        weights = self._weights if if_broken and if_kept else self._weights.copy()
        if if_kept:
            # Only the ratio of the two likelihoods matters, so the larger block is left untouched.
            ratio = if_broken / if_kept
            weights[hit, :] *= ratio
            weights[np.ix_(miss, hit)] *= ratio
        else:
            weights[np.ix_(miss, miss)] = 0.0
            weights *= if_broken
        total = weights.sum()
        if not total:
            seen = "an act that was answered" if sanctioned else "an act that was not answered"
            detection, false = self.enforcement
            raise NormgymError(
                f"no set of norms explains {seen} at detection={detection:g}, false_sanctions={false:g}"
            )
        weights /= total
        self._weights = weights

    def observe_choice(self, taken: NDArray[np.bool_], passed: NDArray[np.bool_], *, easier: bool) -> None:
        """Take in an act that was done while another was open and passed over.

        Args:
            taken: Shape (norms,), which norms the act breaks that was done.
            passed: Shape (norms,), which norms the act breaks that was passed over.
            easier: Whether the act passed over was the easier one.

        Raises:
            NormgymError: The rates are such that no set of norms explains what was seen; the beliefs stay
                as they were.
        """
        evidence = likelihood.choice(taken, passed, self.choice, easier=easier)
        pattern = np.concatenate([[0], likelihood.patterns(evidence.bits)])
        weights = self._weights * evidence.likelihood[pattern[:, None] | pattern]
        total = weights.sum()
        if not total:
            way = "the dearer" if easier else "the easier"
            raise NormgymError(
                f"no set of norms explains that {way} act was taken at obedience={self.choice.obedience:g}, "
                f"temptation={self.choice.temptation:g}"
            )
        self._weights = weights / total

    def class_probability(self, truth: Sequence[int], table: Table) -> float:
        """Posterior of all sets that break exactly the moments that the true set breaks.

        Args:
            truth: Indices of the norms in force (none, one or two).
            table: Shape (norms, moments): the moments at which two sets may differ.
        """
        signature = table[list(truth)].any(axis=0)
        cells = np.flatnonzero(~(table & ~signature).any(axis=1))
        # Many norms break the same moments here, so sets are compared by their distinct rows.
        rows, which = np.unique(table[cells], axis=0, return_inverse=True)
        member = np.zeros((len(rows), len(self.norms) + 1))
        member[which.reshape(-1), cells + 1] = 1.0
        mass = member @ self._weights @ member.T
        same = ((rows[:, None, :] | rows[None, :, :]) == signature).all(axis=2)
        alone = (rows == signature).all(axis=1)
        total = float(mass[same].sum()) + 2.0 * float((member @ self._weights[0])[alone].sum())
        return total + (0.0 if signature.any() else float(self._weights[0, 0]))

    def likeliest(self, count: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The most probable sets, and some more where the last of them are equally probable.

        Args:
            count: How many at least, where there are so many.

        Returns:
            Shape (2, sets): for each set the cells of its norms, 0 for none and i for norm i - 1. Shape
            (sets,): their probabilities.
        """
        rows, columns = _triangle(len(self._weights))
        mass = self._weights[rows, columns] * np.where(rows == columns, 1.0, 2.0)
        if count < len(mass):
            # A hair below the last, so that equal sets stand or fall together on every machine.
            least = np.partition(mass, len(mass) - count)[len(mass) - count] * (1.0 - 1e-9)
            kept = np.flatnonzero(mass >= least)
            rows, columns, mass = rows[kept], columns[kept], mass[kept]
        return np.stack([rows, columns]), mass

    def most_probable(self) -> tuple[int, ...]:
        """Indices of the norms in the most probable set; ties go to the earlier indices."""
        weights = np.triu(self._weights * 2.0 - np.diag(np.diag(self._weights)))
        first, second = np.unravel_index(int(np.argmax(weights)), weights.shape)
        return tuple(int(i) - 1 for i in (first, second) if i > 0)


@lru_cache(maxsize=4)
def _triangle(size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.triu_indices(size)


def _prior(norms: Sequence[Hypothesis]) -> NDArray[np.float64]:
    single = prior.shares(norms)
    weights = np.zeros((len(norms) + 1, len(norms) + 1))
    weights[0, 1:] = weights[1:, 0] = SIZE_PRIOR[1] * single / 2.0
    weights[0, 0] = SIZE_PRIOR[0]
    if len(norms) < 2:
        # There are no pairs to hold the mass of pairs.
        return np.asarray(weights / weights.sum(), dtype=np.float64)
    pairs = np.outer(single, single)
    np.fill_diagonal(pairs, 0.0)
    weights[1:, 1:] = SIZE_PRIOR[2] * pairs / pairs.sum()
    return weights


def _with_empty(rows: NDArray[np.bool_], *, fill: bool) -> NDArray[np.bool_]:
    """Put the row of the absent norm, which no act breaks, before the rows of the norms."""
    head = np.full((1, *rows.shape[1:]), fill, dtype=np.bool_)
    return np.concatenate([head, rows])
