from __future__ import annotations

from math import log

import numpy as np
import pytest

from normgym_agents.norms.hypotheses import HypothesisSpace, enumerate_norms
from normgym_agents.norms.observer import Enforcement, IdealObserver
from normgym_agents.worlds.evidence import DAYS, ENOUGH, ROUNDS, information_gain
from normgym_agents.worlds.rollout import watched
from normgym_agents.worlds.transition import Yard
from tests.worlds.making import quick

RATES = Enforcement(0.9, 0.02)


def entropy(p: float) -> float:
    return -p * log(p) - (1 - p) * log(1 - p)


def test_gain_by_hand() -> None:
    # At P(broken) = 1/2 an answer has probability (.9 + .02)/2 = .46, so H = .6899; knowing whether it was
    # broken leaves (H(.9) + H(.02))/2 = (.3251 + .0980)/2 = .2116; the answer tells .4784 nats.
    assert information_gain(np.array([0.5]), RATES)[0] == pytest.approx(0.4784, abs=5e-5)
    # At 1/10: .1×.9 + .9×.02 = .108; H(.108) − .1×H(.9) − .9×H(.02)
    expected = entropy(0.108) - 0.1 * entropy(0.9) - 0.9 * entropy(0.02)
    assert information_gain(np.array([0.1]), RATES)[0] == pytest.approx(expected)


def test_what_is_certain_or_answered_by_chance_tells_nothing() -> None:
    assert information_gain(np.array([0.0, 1.0]), RATES) == pytest.approx([0.0, 0.0], abs=1e-9)
    assert information_gain(np.array([0.3]), Enforcement(0.5, 0.5)) == pytest.approx([0.0], abs=1e-9)


def test_a_perfect_channel_tells_all() -> None:
    share = np.array([0.2, 0.5])
    assert information_gain(share, Enforcement(1.0, 0.0)) == pytest.approx([entropy(0.2), log(2)], abs=1e-9)


def test_gain_is_the_expected_drop_in_doubt() -> None:
    # Bayes by hand: I = H(broken) − Σ P(answer) H(broken | answer).
    p = 0.35
    yes = p * 0.9 + (1 - p) * 0.02
    doubt = yes * entropy(p * 0.9 / yes) + (1 - yes) * entropy(p * 0.1 / (1 - yes))
    assert information_gain(np.array([p]), RATES)[0] == pytest.approx(entropy(p) - doubt)


@pytest.mark.parametrize("world", quick().worlds[::2], ids=lambda world: world.id)
def test_watched_days_are_short_and_nobody_acts_twice_in_a_round(world) -> None:
    assert 1 <= len(world.watch) <= DAYS
    for day in world.watch:
        assert 1 <= len(day.script) <= day.stage.rounds == ROUNDS
        for acts in day.script:
            people = [scripted.person for scripted in acts]
            assert people == sorted(set(people))
            assert all(person < day.stage.newcomer for person in people)
            # Words are no evidence: members are silent while they are watched.
            assert all(scripted.act.say is None and scripted.act.verb != "say" for scripted in acts)


@pytest.mark.parametrize("world", quick().worlds[::4], ids=lambda world: world.id)
def test_most_watched_acts_could_tell_something(world) -> None:
    """Chosen acts, not random play: about as informative as a norm can be, until it is known."""
    space = HypothesisSpace(enumerate_norms(world.vocabulary))
    observer = IdealObserver(space.norms, world.enforcement.rates)
    chosen, by_chance = [], []
    for day in world.watch:
        yard, state = Yard(day.stage, world.setting.verbs), day.stage.morning()
        for number, acts in enumerate(day.script, start=1):
            for scripted in acts:
                possible = yard.available(state, scripted.person)
                table = space.table(yard.moments(state, scripted.person, possible, number))
                gains = information_gain(observer.violation_probability(table), world.enforcement.rates)
                mine = [ground.act for ground in possible].index(scripted.act)
                chosen.append(gains[mine])
                by_chance.append(gains.mean())
                ground = possible[mine]
                broken = table[:, mine]
                truth = [space.norms.index(norm) for norm in world.parsed]
                observer.observe(broken, sanctioned=bool(broken[truth].any()))
                state = yard.step(state, scripted.person, ground)
    assert sum(chosen) > 2 * sum(by_chance)


def test_enough_leaves_the_certificate_a_margin() -> None:
    assert ENOUGH > 0.95
    for world in quick().worlds:
        assert world.certificate is not None
        assert world.certificate.identified >= ENOUGH
        assert world.certificate.observed == (
            len(watched(world)),
            sum(bool(event.answers) for event in watched(world)),
        )
