"""A claim of 0.9 holds 0.9 of the time: truths from the prior, evidence from a community that acts by itself.

Nothing here is taken from the library but its prior and its beliefs: how members answer and choose is played
out toss by toss, so a wrong likelihood shows as claims that hold too seldom or too often.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from normgym_agents.norms.hypotheses import enumerate_norms
from normgym_agents.norms.joint import JointPosterior
from normgym_agents.norms.likelihood import Choice, Enforcement, answer, choice
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.norms.prior import SIZE_PRIOR, SIZE_PRIOR_OF_THREE
from tests.norms.believing import Answer, Pick, prior
from tests.norms.test_hypotheses import TINY

WORLDS, ACTS, EVENTS = 500, 12, 16
SPACE = list(enumerate_norms(TINY))[::5]
RATES, WAYS = Enforcement(0.9, 0.02), Choice(0.95, 0.9)
Events = list[Answer | Pick]


def answers(rng: np.random.Generator, breaks: Sequence[bool]) -> Events:
    """Acts that were done, and whether somebody answered them."""
    found: Events = []
    for act in rng.integers(0, ACTS, EVENTS).tolist():
        toss = rng.random()
        found.append(Answer(act, bool(toss < 0.9 if breaks[act] else toss < 0.02)))
    return found


def picks(rng: np.random.Generator, breaks: Sequence[bool]) -> Events:
    """Choices between an easy and a hard act, by people who mind norms 19 times of 20 and ease 9 of 10."""
    found: Events = []
    for easy, hard in rng.integers(0, ACTS, (EVENTS, 2)).tolist():
        minds, eased = rng.random() < 0.95, rng.random() < 0.9
        if breaks[easy] == breaks[hard]:
            takes_hard = not eased
        else:
            takes_hard = minds if breaks[easy] else not minds and not eased
        found.append(Pick(hard, easy, True) if takes_hard else Pick(easy, hard, False))
    return found


def both(rng: np.random.Generator, breaks: Sequence[bool]) -> Events:
    return answers(rng, breaks)[::2] + picks(rng, breaks)[::2]


def by_observer(table: np.ndarray, events: Events, rates: Enforcement, ways: Choice) -> np.ndarray:
    observer = IdealObserver(SPACE, rates, ways)
    for event in events:
        if isinstance(event, Answer):
            observer.observe(table[:, event.act], sanctioned=event.sanctioned)
        else:
            observer.observe_choice(table[:, event.taken], table[:, event.passed], easier=event.easier)
    return observer.violation_probability(table)


def by_joint(table: np.ndarray, events: Events, rates: Enforcement, ways: Choice) -> np.ndarray:
    evidence = [
        answer(table[:, event.act], rates, sanctioned=event.sanctioned)
        if isinstance(event, Answer)
        else choice(table[:, event.taken], table[:, event.passed], ways, easier=event.easier)
        for event in events
    ]
    return JointPosterior(SPACE, evidence).violation_probability(table)


def claims(kind, believe, sizes, rates=RATES, ways=WAYS) -> tuple[np.ndarray, np.ndarray]:
    """What is claimed of every act of every world, and whether it was so, both of shape (worlds, acts)."""
    rng = np.random.default_rng(20)
    belief = prior(SPACE, sizes)
    sets, masses = list(belief), np.array(list(belief.values()))
    claimed, held = [], []
    for index in rng.choice(len(sets), size=WORLDS, p=masses):
        table = rng.random((len(SPACE), ACTS)) < 0.25
        breaks = table[list(sets[index])].any(axis=0)
        claimed.append(believe(table, kind(rng, breaks.tolist()), rates, ways))
        held.append(breaks)
    return np.array(claimed), np.array(held)


def departures(claimed: np.ndarray, held: np.ndarray) -> list[float]:
    """How far claims are from what holds, in standard errors: in all, and in how sure they are.

    If claims are calibrated, then (held − claimed) × any function of the claim has mean 0. Worlds are
    independent and acts of one world are not, so a world's sum is one observation.
    """
    found = []
    for weight in (np.ones_like(claimed), claimed - 0.5):
        sums = ((held - claimed) * weight).sum(axis=1)
        found.append(float(sums.sum() / np.sqrt((sums**2).sum())))
    return found


@pytest.mark.parametrize(
    ("kind", "believe", "sizes"),
    [
        (answers, by_observer, SIZE_PRIOR),
        (picks, by_observer, SIZE_PRIOR),
        (both, by_observer, SIZE_PRIOR),
        (both, by_joint, SIZE_PRIOR_OF_THREE),
    ],
)
def test_claims_hold_as_often_as_they_say(kind, believe, sizes) -> None:
    claimed, held = claims(kind, believe, sizes)
    assert max(map(abs, departures(claimed, held))) < 3.0
    # Where claims are about .9, that share of them holds: 3 standard errors of the means of the worlds.
    sure = (claimed > 0.85) & (claimed < 0.95)
    gaps = np.where(sure, held - claimed, 0.0).sum(axis=1)
    assert sure.sum() > 60
    assert abs(gaps.sum()) < 3.0 * np.sqrt((gaps**2).sum())


@pytest.mark.parametrize(
    ("kind", "rates", "ways"),
    [
        (answers, Enforcement(0.7, 0.02), WAYS),
        (answers, Enforcement(0.9, 0.1), WAYS),
        (picks, RATES, Choice(0.7, 0.9)),
        (picks, RATES, Choice(0.95, 0.6)),
    ],
)
def test_a_wrong_likelihood_is_found_out(kind, rates, ways) -> None:
    assert max(map(abs, departures(*claims(kind, by_observer, SIZE_PRIOR, rates, ways)))) > 3.5


def test_the_space_is_small_and_still_has_every_family() -> None:
    assert len({norm.family for norm in SPACE}) == 4
    assert len(list(combinations(SPACE, 3))) < 3000
