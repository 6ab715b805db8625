"""What one more event would tell: expected nats about what the norms mean for one day.

Many norm sets forbid the same acts of a day, and telling these apart is worth nothing. So what counts is the
class of the true set on that day, and a little the set itself, as a class is found by way of sets. Exact
over the most probable sets; before there are any, the plain gain about the act itself takes its place.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.hypotheses import Table
from normgym_agents.norms.observer import IdealObserver

Kinds = NDArray[np.intp]
"""Shape (sets, events): index of what a set makes of an event."""

MOST_SETS: Final = 1500
"""Norm sets that are looked at one by one."""

LEAST_MASS: Final = 0.5
"""Posterior that these must hold together, or they say nothing of the others."""

FOR_SETS: Final = 0.05
"""Weight of what is told of the set beside what is told of its class."""


def entropy(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Entropy of a coin that falls one way with probability `p`, in nats; any shape."""
    inside = np.clip(p, 1e-12, 1.0 - 1e-12)
    found: NDArray[np.float64] = -inside * np.log(inside) - (1.0 - inside) * np.log1p(-inside)
    return found


class LikelySets:
    """The most probable norm sets of an observer, by their class on one day.

    Args:
        observer: The observer, as it believes now.
        differences: Shape (norms, moments): the moments of the day at which norm sets may differ.
    """

    def __init__(self, observer: IdealObserver, differences: Table) -> None:
        cells, mass = observer.likeliest(MOST_SETS)
        self.mass = float(mass.sum())
        packed = np.packbits(_with_empty(differences), axis=1)
        signatures = packed[cells[0]] | packed[cells[1]]
        keys = np.ascontiguousarray(signatures).view(np.dtype((np.void, signatures.shape[1]))).reshape(-1)
        _, which = np.unique(keys, return_inverse=True)
        order = np.argsort(which.reshape(-1), kind="stable")
        which = which.reshape(-1)[order]
        self._cells = cells[:, order]
        self._weights = mass[order] / self.mass
        self._starts = np.flatnonzero(np.r_[True, which[1:] != which[:-1]])
        self._classes = np.add.reduceat(self._weights, self._starts)

    @property
    def enough(self) -> bool:
        """Whether the sets hold enough of the posterior to speak for it."""
        return self.mass >= LEAST_MASS

    def broken(self, table: Table) -> Table:
        """Which set breaks which act, shape (sets, moments), from the table of the norms."""
        rows = _with_empty(table)
        found: Table = rows[self._cells[0]] | rows[self._cells[1]]
        return found

    def gain(self, chances: NDArray[np.float64], kinds: Kinds) -> NDArray[np.float64]:
        """Mutual information of each event and the class (Lindley 1956), and a little of it and the set.

        Args:
            chances: Shape (kinds,), P(the event ends one way rather than the other) for each kind of set.
            kinds: Shape (sets, events), of which kind each set is for each event.
        """
        weights = self._weights[:, None]
        by_class = np.add.reduceat(weights * chances[kinds], self._starts, axis=0) / self._classes[:, None]
        before = entropy(self._classes @ by_class)
        about_class = before - self._classes @ entropy(by_class)
        about_set = before - self._weights @ entropy(chances)[kinds]
        found: NDArray[np.float64] = about_class + FOR_SETS * about_set
        return found


def _with_empty(table: Table) -> Table:
    """The row of no norm, which no act breaks, before the rows of the norms."""
    return np.concatenate([np.zeros((1, table.shape[1]), dtype=np.bool_), table])
