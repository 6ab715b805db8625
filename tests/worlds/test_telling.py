from __future__ import annotations

from math import log

import numpy as np
import pytest

from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.observer import Enforcement, IdealObserver
from normgym_agents.worlds.telling import FOR_SETS, LikelySets, entropy

NORMS = [parse_norm(text) for text in ("forbid take", "forbid give", "forbid fire")]
RATES = Enforcement(0.9, 0.02)
SINGLE = 0.45 / 3
PAIR = 0.45 / 3
"""Prior of each of three single norms, and of each of their three pairs, beside 0.1 for none."""


def sets(differences: list[list[bool]]) -> LikelySets:
    return LikelySets(IdealObserver(NORMS, RATES), np.array(differences, dtype=np.bool_))


def h(p: float) -> float:
    return -p * log(p) - (1 - p) * log(1 - p)


CHANCES = np.array([0.02, 0.9])


def test_what_is_told_of_the_class_alone_by_hand() -> None:
    # The day shows nothing of the last norm, so the classes are the sets of the first two:
    # none (0.1 + 0.15), the first (0.15 + 0.15), the second (0.15 + 0.15), both (0.15).
    likely = sets([[True, False], [False, True], [False, False]])
    assert likely.enough and likely.mass == pytest.approx(1.0)
    first, last = np.array([[True], [False], [False]]), np.array([[False], [False], [True]])
    # An act that the first norm forbids is broken in the second and fourth class: 0.45 of the time.
    answered = 0.45 * 0.9 + 0.55 * 0.02
    told = h(answered) - 0.45 * h(0.9) - 0.55 * h(0.02)
    (gain,) = likely.gain(CHANCES, likely.broken(first).astype(np.intp))
    assert gain == pytest.approx((1 + FOR_SETS) * told)
    # What the last forbids says nothing of the class: it holds alike in part of each class.
    (gain,) = likely.gain(CHANCES, likely.broken(last).astype(np.intp))
    shares = [SINGLE / (0.1 + SINGLE), PAIR / (SINGLE + PAIR), PAIR / (SINGLE + PAIR), 0.0]
    by_class = [share * 0.9 + (1 - share) * 0.02 for share in shares]
    weights = [0.25, 0.3, 0.3, 0.15]
    before = h(sum(w * p for w, p in zip(weights, by_class, strict=True)))
    about_class = before - sum(w * h(p) for w, p in zip(weights, by_class, strict=True))
    about_set = before - 0.45 * h(0.9) - 0.55 * h(0.02)
    assert gain == pytest.approx(about_class + FOR_SETS * about_set)
    assert about_class < about_set / 5


def test_an_event_that_all_sets_expect_alike_tells_nothing() -> None:
    likely = sets([[True], [False], [False]])
    nobody = np.zeros((3, 1), dtype=np.bool_)
    assert likely.gain(CHANCES, likely.broken(nobody).astype(np.intp)) == pytest.approx([0.0], abs=1e-9)


def test_entropy_of_what_is_certain_is_none() -> None:
    assert entropy(np.array([0.0, 0.5, 1.0])) == pytest.approx([0.0, log(2), 0.0], abs=1e-9)


def test_the_most_probable_sets_are_named_with_their_probability() -> None:
    observer = IdealObserver(NORMS, RATES)
    for _ in range(3):
        observer.observe(np.array([True, False, False]), sanctioned=True)
    cells, mass = observer.likeliest(1)
    assert cells.tolist()[0][0] in (0, 1) and mass.max() == mass[0]
    everything, whole = observer.likeliest(100)
    assert whole.sum() == pytest.approx(1.0)
    assert sorted(map(tuple, everything.T.tolist())) == [(i, j) for i in range(4) for j in range(i, 4)]
