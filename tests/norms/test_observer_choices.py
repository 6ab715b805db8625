from __future__ import annotations

from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.errors import BadInput, NormgymError
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.likelihood import choice_likelihood
from normgym_agents.norms.observer import Choice, Enforcement, IdealObserver
from tests.norms.believing import Case, believe, cases, chance, prior, take_in, watch

RATES = Enforcement(detection=0.9, false_sanctions=0.02)
TWO = [parse_norm("forbid take"), parse_norm("forbid give")]
EACH = np.eye(2, dtype=np.bool_)
A, B = EACH.T
NONE = np.zeros(2, dtype=np.bool_)


@given(cases())
def test_evidence_of_every_kind_gives_what_bayes_rule_gives_set_by_set(case: Case) -> None:
    observer, belief = watch(case), believe(case)
    everything = np.eye(len(case.space), dtype=np.bool_)
    for chosen, mass in belief.items():
        assert observer.class_probability(chosen, everything) == pytest.approx(mass, abs=1e-9)


@given(cases(), st.data())
def test_the_patterns_of_a_choice_are_those_of_all_sets(case: Case, data) -> None:
    acts = case.table.shape[1]
    order = data.draw(st.permutations(range(acts)))
    found = watch(case).pattern_probabilities(case.table, case.table[:, order])
    assert found.shape == (4, acts)
    assert found.sum(axis=0) == pytest.approx(np.ones(acts))
    for act, other in enumerate(order):
        expected = [0.0] * 4
        for chosen, mass in believe(case).items():
            taken, passed = (any(case.table[i, column] for i in chosen) for column in (act, other))
            expected[taken + 2 * passed] += mass
        assert found[:, act] == pytest.approx(expected, abs=1e-9)


def test_the_chances_of_a_choice_by_hand() -> None:
    # Obedience .95, temptation .9. The dearer is taken with .1 where no norm speaks for either, with .95 where
    # only the easier is forbidden, with .05 × .1 = .005 where only the dearer is.
    assert choice_likelihood(Choice(), easier=True) == pytest.approx((0.1, 0.005, 0.95, 0.1))
    assert choice_likelihood(Choice(), easier=False) == pytest.approx((0.9, 0.05, 0.995, 0.9))
    neither, taken, passed, _ = choice_likelihood(Choice(), easier=True)
    assert log(passed / neither) == pytest.approx(2.25, abs=0.01)
    assert log(taken / neither) == pytest.approx(-3.0, abs=0.01)


def test_whoever_takes_the_dearer_act_speaks_for_a_norm_against_the_easier() -> None:
    # P({}) = .1, P({a}) = P({b}) = .225, P({a,b}) = .45. The dearer breaks b, the easier, passed over, a:
    #   {} .1×.1 = .01   {a} .225×.95 = .21375   {b} .225×.005 = .001125   {a,b} .45×.1 = .045; sum .269875
    observer = IdealObserver(TWO, RATES)
    observer.observe_choice(B, A, easier=True)
    assert observer.class_probability([0], EACH) == pytest.approx(0.21375 / 0.269875)
    assert observer.violation_probability(EACH) == pytest.approx(
        [0.25875 / 0.269875, (0.001125 + 0.045) / 0.269875]
    )
    assert observer.most_probable() == (0,)


def test_an_act_that_no_norm_tells_from_the_one_passed_over_says_nothing() -> None:
    observer = IdealObserver(TWO, RATES)
    before = observer.violation_probability(EACH)
    for easier in (True, False):
        observer.observe_choice(NONE, NONE, easier=easier)
        observer.observe_choice(A, A, easier=easier)
    assert observer.violation_probability(EACH) == pytest.approx(before)


def test_to_take_the_easier_act_tells_less_than_to_pass_it_over() -> None:
    # Passing it over: +2.25 nats for a norm against it. Taking it: ln(.05 / .9) = −2.89 against one; but
    # passing over a dearer act that a norm forbids: only ln(.995 / .9) = +.10 for that norm.
    before = IdealObserver(TWO, RATES).violation_probability(EACH)
    passing, taking = IdealObserver(TWO, RATES), IdealObserver(TWO, RATES)
    passing.observe_choice(NONE, A, easier=True)
    taking.observe_choice(NONE, A, easier=False)
    rise = [observer.violation_probability(EACH)[0] - before[0] for observer in (passing, taking)]
    assert rise[0] > 5 * rise[1] > 0


@pytest.mark.parametrize(
    ("choice", "taken", "passed", "easier", "way"),
    [
        (Choice(1.0, 1.0), NONE, NONE, True, "the dearer act was taken"),
        (Choice(0.5, 0.0), NONE, NONE, False, "the easier act was taken"),
    ],
)
def test_a_choice_that_nothing_explains_is_refused(choice, taken, passed, easier, way) -> None:
    observer = IdealObserver(TWO, RATES, choice)
    before = observer.violation_probability(EACH)
    with pytest.raises(NormgymError, match=f"no set of norms explains that {way}"):
        observer.observe_choice(taken, passed, easier=easier)
    assert observer.violation_probability(EACH) == pytest.approx(before)


@given(cases(most=3), st.floats(0.0, 1.0))
def test_a_set_that_may_be_drawn_anew_is_the_sum_over_all_histories(case: Case, hazard: float) -> None:
    # Every way to cut the events into runs, each with a set of its own from the prior: a run's evidence is
    # that of its events under the prior, and the last run gives the belief.
    case = case._replace(events=case.events[:4])
    observer = IdealObserver(case.space, case.enforcement, case.choice)
    start = prior(case.space)
    total = dict.fromkeys(start, 0.0)
    for cuts in product([False, True], repeat=len(case.events)):
        history, run = 1.0, dict(start)
        for event, cut in zip(case.events, cuts, strict=True):
            if cut:
                history *= sum(run.values())
                run = dict(start)
            history *= hazard if cut else 1.0 - hazard
            run = {chosen: mass * chance(case, event, chosen) for chosen, mass in run.items()}
        for chosen, mass in run.items():
            total[chosen] += history * mass
    for event in case.events:
        observer.renew(hazard)
        take_in(observer, case, event)
    everything = np.eye(len(case.space), dtype=np.bool_)
    for chosen, mass in total.items():
        expected = mass / sum(total.values())
        assert observer.class_probability(chosen, everything) == pytest.approx(expected, abs=1e-9)


def test_after_an_announced_change_nothing_of_before_counts() -> None:
    observer, fresh = IdealObserver(TWO, RATES), IdealObserver(TWO, RATES)
    observer.observe(A, sanctioned=True)
    observer.observe_choice(B, A, easier=True)
    later = observer.copy()
    later.restart()
    assert later.violation_probability(EACH) == pytest.approx(fresh.violation_probability(EACH), abs=1e-15)
    later.observe(B, sanctioned=True)
    fresh.observe(B, sanctioned=True)
    assert later.violation_probability(EACH) == pytest.approx(fresh.violation_probability(EACH), abs=1e-15)
    # The copy forgot; what it was copied from did not.
    assert observer.violation_probability(EACH)[0] > 0.9


def test_a_silent_change_is_noticed_sooner_by_whoever_allows_for_it() -> None:
    steady, watchful = IdealObserver(TWO, RATES), IdealObserver(TWO, RATES)
    for sanctioned in [True] * 8 + [False] * 3:
        watchful.renew(0.05)
        for observer in (steady, watchful):
            observer.observe(A, sanctioned=sanctioned)
    assert steady.violation_probability(EACH)[0] > 0.99
    assert watchful.violation_probability(EACH)[0] < 0.1


@pytest.mark.parametrize("hazard", [-0.1, 1.1, float("nan")])
def test_a_hazard_that_is_no_probability_is_refused(hazard: float) -> None:
    with pytest.raises(BadInput, match=r"hazard: .* is no probability"):
        IdealObserver(TWO, RATES).renew(hazard)
