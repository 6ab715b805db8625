"""Evidence packed into words, so that the likelihood of millions of norm sets is a few look-ups each.

Norms that do the same to every event are one extensional class. What a set of classes does is the bitwise
OR of what they do, and a word of that is an index into a table of log-likelihoods. Tables rather than
weighted counts of bits: a choice looks at two bits together, and impossible evidence is a plain −inf.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.likelihood import Evidence

WIDTH = 16
"""Bits of a word: a table of its log-likelihoods takes half a megabyte, which stays in a core's cache."""

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class Packed:
    """The classes of norms under some evidence, and the log-likelihoods of their sets.

    Args:
        norms: How many norms there are.
        evidence: The events, each over that many norms.

    Attributes:
        which: Shape (norms,), the class of every norm; classes are numbered by their first norm.
        count: How many classes there are.
    """

    def __init__(self, norms: int, evidence: Sequence[Evidence]) -> None:
        self._always = 0.0
        factors: dict[tuple[int, bytes], tuple[NDArray[np.bool_], Floats]] = {}
        for bits, likelihood in evidence:
            with np.errstate(divide="ignore"):
                logs = np.log(likelihood)
            if not bits.any():
                # It says the same of every set.
                self._always += float(logs[0])
                continue
            # Events that break the same norms are one factor: evidence comes again and again.
            key = len(bits), bits.tobytes()
            factors[key] = (bits, factors[key][1] + logs if key in factors else logs)
        words, self._tables = _words(norms, list(factors.values()))
        _, first, which = np.unique(words, axis=1, return_index=True, return_inverse=True)
        order = np.argsort(first)
        self.which: Indices = np.argsort(order)[which.reshape(-1)]
        self.count = len(first)
        self._codes = words[:, first[order]]

    def nothing(self) -> float:
        """Log-likelihood of the empty set."""
        return float(self._of(np.zeros((len(self._tables), 1), dtype=np.uint16))[0])

    def alone(self, classes: Indices) -> Floats:
        """Log-likelihoods of sets of one of the classes, shape (classes,)."""
        return self._of(self._codes[:, classes])

    def pairs(self, classes: Indices) -> Floats:
        """Log-likelihoods of sets of two of the classes, shape (classes, classes), symmetric."""
        codes = self._codes[:, classes]
        return self._of(codes[:, :, None] | codes[:, None, :])

    def triples(self, first: int, classes: Indices) -> Floats:
        """Log-likelihoods of sets of that class and two of the others, shape (classes, classes), symmetric."""
        codes = self._codes[:, classes] | self._codes[:, [first]]
        return self._of(codes[:, :, None] | codes[:, None, :])

    def _of(self, codes: NDArray[np.uint16]) -> Floats:
        found = np.full(codes.shape[1:], self._always)
        for word, table in zip(codes, self._tables, strict=True):
            found += table[word]
        return found


def _words(
    norms: int, factors: Sequence[tuple[NDArray[np.bool_], Floats]]
) -> tuple[NDArray[np.uint16], list[Floats]]:
    """Lay the factors out in words: shape (words, norms), and the table of every word."""
    words = [np.zeros(norms, dtype=np.uint16)]
    tables = [np.zeros(1)]
    used = 0
    for bits, logs in factors:
        if used + len(bits) > WIDTH:
            words.append(np.zeros(norms, dtype=np.uint16))
            tables.append(np.zeros(1))
            used = 0
        for bit in bits:
            words[-1] |= bit.astype(np.uint16) << np.uint16(used)
            used += 1
        # The new bits are the highest, so the table is repeated once for each of their patterns.
        tables[-1] = (logs[:, None] + tables[-1]).reshape(-1)
    return np.stack(words), tables
