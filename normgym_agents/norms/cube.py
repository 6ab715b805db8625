"""Sums over all sets of up to three norms, one slice of the cube of their classes at a time.

A set of norms is known to evidence by its distinct classes only, and the prior mass of all sets with the
same numbers of norms in the same classes is a product of elementary symmetric polynomials. Their sums are
therefore matrix products over slices, and no set is ever listed. Likelihoods are taken relative to that of
the best set (`top`), so that long evidence cannot underflow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.packed import Floats, Indices, Packed

LARGEST = 3
"""Most norms of a set."""


def masses(packed: Packed, single: Floats, held: NDArray[np.bool_], most: int) -> Floats:
    """What the sets within one class weigh, by how many norms they hold.

    Args:
        packed: Tells the class of every norm.
        single: Shape (norms,), the shares of the norms.
        held: Shape (norms, columns): which norms may be in a set; every column is a question of its own.
        most: Most norms of a set.

    Returns:
        Shape (most + 1, classes, columns): the elementary symmetric polynomials of each class.
    """
    found = np.zeros((most + 1, packed.count, held.shape[1]))
    found[0] = 1.0
    for which, share, columns in zip(packed.which, single, held, strict=True):
        found[1:, which] += share * columns * found[:-1, which]
    return found


class Gradient(NamedTuple):
    """The sums over all sets, and how they grow with the masses of the classes.

    Attributes:
        top: Log-likelihood that all others are relative to, in nats; −inf if no set explains the evidence.
        parts: Shape (sizes,), posterior mass of the sets of every size, relative to `top`.
        slopes: Shape (sizes - 1, classes), derivative of the sum of the parts by the masses of each class of
            one norm, two, three: what one more set within the class would bring.
    """

    top: float
    parts: Floats
    slopes: Floats


def gradient(packed: Packed, mass: Floats, factors: Floats) -> Gradient:
    """Sum over all sets once, for all that can be said of the posterior without a further question.

    Args:
        packed: The evidence.
        mass: Shape (sizes, classes), from `masses`.
        factors: Shape (sizes,), what the prior of a set is beside the product of its norms' shares.
    """
    most, every = len(mass) - 1, np.arange(packed.count)
    cube, by_class, top = 0.0, np.zeros(packed.count), packed.nothing()
    if most >= 1:
        top = max(top, float(packed.alone(every).max()))
    if most >= 2:
        top = max(top, float(packed.pairs(every).max()))
    for first, rest, logs in _slices(packed, every) if most >= 3 else ():
        peak = float(logs.max())
        if peak > top:
            cube, by_class = cube * np.exp(top - peak), by_class * np.exp(top - peak)
            top = peak
        if top == -np.inf:
            continue
        likelihood = _relative(logs, top)
        others = likelihood @ mass[1, rest]
        pairs = mass[1, rest] @ others / 2.0
        cube += mass[1, first] * pairs
        by_class[first] += pairs
        by_class[rest] += mass[1, first] * others
    parts, slopes = np.zeros(most + 1), np.zeros((most, packed.count))
    if top == -np.inf:
        return Gradient(top, parts, slopes)
    parts[0] = np.exp(packed.nothing() - top)
    if most >= 1:
        one = np.exp(packed.alone(every) - top)
        parts[1] = one @ mass[1]
        slopes[0] += factors[1] * one
    if most >= 2:
        two = _relative(packed.pairs(every), top)
        other = two @ mass[1]
        parts[2] = mass[1] @ other / 2.0 + one @ mass[2]
        slopes[0] += factors[2] * other
        slopes[1] += factors[2] * one
    if most >= 3:
        parts[3] = cube + mass[2] @ other + one @ mass[3]
        slopes[0] += factors[3] * (by_class + two @ mass[2])
        slopes[1] += factors[3] * other
        slopes[2] += factors[3] * one
    return Gradient(top, factors * parts, slopes)


def sums(packed: Packed, mass: Floats, factors: Floats, top: float) -> Floats:
    """Posterior mass of the sets of every column, shape (columns,), relative to `top`.

    Args:
        packed: The evidence.
        mass: Shape (sizes, classes, columns), from `masses`.
        factors: Shape (sizes,), as for `gradient`.
        top: From `gradient`, of the same evidence or of some that this continues.
    """
    most = len(mass) - 1
    found = np.full(mass.shape[2], factors[0] * np.exp(packed.nothing() - top))
    if not most:
        return found
    held = np.flatnonzero(mass[1].any(axis=1))
    mass = mass[:, held]
    one = np.exp(packed.alone(held) - top)
    found += factors[1] * (one @ mass[1])
    if most >= 2:
        other = _relative(packed.pairs(held), top) @ mass[1]
        found += factors[2] * ((mass[1] * other).sum(axis=0) / 2.0 + one @ mass[2])
    if most >= 3:
        found += factors[3] * ((mass[2] * other).sum(axis=0) + one @ mass[3])
        for place, (_, _, logs) in enumerate(_slices(packed, held)):
            rest = mass[1, place + 1 :]
            pairs = (rest * (_relative(logs, top) @ rest)).sum(axis=0) / 2.0
            found += factors[3] * mass[1, place] * pairs
    return found


def best(packed: Packed, single: Floats, factors: Floats, included: Floats, top: float) -> tuple[int, ...]:
    """The norms of the most probable set; of equally probable sets, of one of the smallest.

    Args:
        packed: The evidence.
        single: Shape (norms,), the shares of the norms.
        factors: Shape (sizes,), as for `gradient`.
        included: Shape (norms,), posterior mass of the sets that hold the norm, relative to `top`.
        top: From `gradient`.
    """
    most, every = len(factors) - 1, np.arange(packed.count)
    # Of a class only its norms of the largest shares can be in the best set.
    leading: list[list[int]] = [[] for _ in every]
    for norm in np.argsort(-single, kind="stable"):
        if len(leading[packed.which[norm]]) < most:
            leading[packed.which[norm]].append(int(norm))
    share = np.full((most, packed.count), -np.inf)
    for which, norms in enumerate(leading):
        share[: len(norms), which] = np.cumsum(np.log(single[norms]))
    found = _Best(float(np.log(factors[0])) + packed.nothing())
    if most >= 1:
        one = packed.alone(every)
        found.consider(np.log(factors[1]) + one + share[0], [(every, 1)])
    if most >= 2:
        two = packed.pairs(every)
        np.fill_diagonal(two, -np.inf)
        found.consider(np.log(factors[2]) + one + share[1], [(every, 2)])
        found.consider(np.log(factors[2]) + two + share[0][:, None] + share[0], [(every, 1), (every, 1)])
    if most >= 3:
        found.consider(np.log(factors[3]) + one + share[2], [(every, 3)])
        found.consider(np.log(factors[3]) + two + share[1][:, None] + share[0], [(every, 2), (every, 1)])
        # All sets that hold a norm together are at least as probable as the best of them.
        enough = np.exp(found.score - top) * (1.0 - 1e-9)
        for first, rest, logs in _slices(packed, every[[included[n[0]] >= enough for n in leading]]):
            np.fill_diagonal(logs, -np.inf)
            logs += np.log(factors[3]) + share[0, first] + share[0, rest][:, None] + share[0, rest]
            found.consider(logs, [(rest, 1), (rest, 1)], (first, 1))
    return tuple(sorted(norm for which, count in found.classes for norm in leading[which][:count]))


class _Best:
    """The most probable set so far, as classes and how many norms of each."""

    def __init__(self, score: float) -> None:
        self.score, self.classes = score, list[tuple[int, int]]()

    def consider(self, scores: Floats, axes: Sequence[tuple[Indices, int]], *also: tuple[int, int]) -> None:
        """Compare with the sets of one array of log-masses, whose axes are classes and norms of each."""
        place = np.unravel_index(int(np.argmax(scores)), scores.shape)
        if scores[place] > self.score:
            chosen = [(int(classes[at]), count) for at, (classes, count) in zip(place, axes, strict=True)]
            self.score, self.classes = float(scores[place]), [*also, *chosen]


def _slices(packed: Packed, classes: Indices) -> Iterator[tuple[int, Indices, Floats]]:
    """Every class but the last two, the later ones, and the log-likelihoods of it with two of those."""
    for place in range(len(classes) - 2):
        first, rest = int(classes[place]), classes[place + 1 :]
        yield first, rest, packed.triples(first, rest)


def _relative(logs: Floats, top: float) -> Floats:
    """Likelihoods relative to the best; a class with itself is no set of two classes. Overwrites `logs`."""
    logs -= top
    np.exp(logs, out=logs)
    np.fill_diagonal(logs, 0.0)
    return logs
