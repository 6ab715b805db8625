from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.norms.hypotheses import enumerate_norms
from normgym_agents.norms.independent import IndependentObserver
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.observer import Choice, Enforcement, IdealObserver
from normgym_agents.norms.prior import inclusion, shares, symmetric
from tests.norms.believing import Case, cases, chance, prior, take_in
from tests.norms.test_hypotheses import TINY

RATES = Enforcement(detection=0.9, false_sanctions=0.02)
WIDE, NARROW = parse_norm("forbid take"), parse_norm("forbid take(glaze=iron)")
EACH = np.eye(2, dtype=np.bool_)
IRON, ASH, NEITHER = np.array([True, True]), np.array([True, False]), np.array([False, False])
"""Taking an iron jar breaks both norms, taking an ash jar only the wide one."""


def test_independence_blames_the_norm_that_another_explains() -> None:
    # Both norms are of one family: P({}) = .1, P({w}) = P({n}) = .225, P({w,n}) = .45, so each holds with .675.
    joint, alone = IdealObserver([WIDE, NARROW], RATES), IndependentObserver([WIDE, NARROW], RATES)
    assert joint.violation_probability(EACH) == pytest.approx([0.675, 0.675])
    assert alone.probabilities() == pytest.approx([0.675, 0.675])
    for act in (IRON, ASH):
        joint.observe(act, sanctioned=True)
        alone.observe(act, sanctioned=True)
    # Jointly:  {} .1×.02² = .00004   {w} .225×.9² = .18225   {n} .225×.9×.02 = .00405   {w,n} .45×.9² = .3645;
    # sum .55084. The wide norm explains both answers, so the narrow one is believed no more than before.
    assert joint.violation_probability(EACH)[1] == pytest.approx(0.36855 / 0.55084)
    assert joint.violation_probability(EACH)[1] < 0.675
    # Alone: odds .675 / .325 = 27/13. The narrow norm keeps the factor .9 / .02 = 45 of the iron jar, and the
    # ash jar, which it has nothing to do with, takes nothing away: odds 1215/13.
    assert alone.probabilities()[1] == pytest.approx(1215 / 1228)
    assert alone.probabilities()[0] == pytest.approx(27 * 45**2 / (27 * 45**2 + 13))


def test_the_chance_of_a_breach_is_that_of_any_of_its_norms() -> None:
    observer = IndependentObserver([WIDE, NARROW], RATES)
    # 1 − .325² = .894375, where the joint posterior says .9: it knows that one norm or two are likely.
    table = np.column_stack([IRON, ASH, NEITHER])
    assert observer.violation_probability(table) == pytest.approx([0.894375, 0.675, 0.0])
    assert observer.violation_probability(table, negligible=0.7) == pytest.approx([0.0, 0.0, 0.0])
    assert observer.most_probable() == (0, 1)
    observer.observe(ASH, sanctioned=False)
    # Odds of the wide norm 27/13 × .1/.98.
    assert observer.probabilities() == pytest.approx([2.7 / (2.7 + 12.74), 0.675])
    assert observer.most_probable() == (1,)


@given(cases())
def test_every_norm_is_judged_against_none_as_if_it_were_the_only_one(case: Case) -> None:
    observer = IndependentObserver(case.space, case.enforcement, case.choice)
    for event in case.events:
        take_in(observer, case, event)
    before = prior(case.space)
    for i, found in enumerate(observer.probabilities()):
        held = sum(mass for chosen, mass in before.items() if i in chosen)
        absent = 1.0 - held
        for event in case.events:
            held *= chance(case, event, (i,))
            absent *= chance(case, event, ())
        assert found == pytest.approx(held / (held + absent), abs=1e-5)


@given(cases())
def test_after_an_announced_change_nothing_of_before_counts(case: Case) -> None:
    observer, fresh = (IndependentObserver(case.space, case.enforcement, case.choice) for _ in range(2))
    for event in case.events:
        take_in(observer, case, event)
    observer.restart()
    assert observer.probabilities() == pytest.approx(fresh.probabilities())


def test_certain_rates_leave_it_a_belief_whatever_it_sees() -> None:
    # Two norms in force, each answered without fail: no single norm explains both answers.
    norms = [parse_norm("forbid take"), parse_norm("forbid give")]
    observer = IndependentObserver(norms, Enforcement(1.0, 0.0), Choice(1.0, 1.0))
    for act in (*EACH, NEITHER):
        observer.observe(act, sanctioned=True)
        observer.observe(act, sanctioned=False)
        observer.observe_choice(act, NEITHER, easier=True)
    assert np.isfinite(observer.violation_probability(EACH)).all()


@given(cases(), st.lists(st.floats(0.01, 1.0), min_size=2, max_size=4))
def test_the_prior_of_a_norm_is_that_of_all_sets_that_hold_it(case: Case, masses: list[float]) -> None:
    sizes = [mass / sum(masses) for mass in masses]
    belief = prior(case.space, sizes)
    found = inclusion(shares(case.space), sizes)
    for i, mass in enumerate(found):
        assert mass == pytest.approx(sum(p for chosen, p in belief.items() if i in chosen), abs=1e-12)


def test_sums_over_sets_that_do_not_exist_are_nothing() -> None:
    assert symmetric([0.1, 0.2], 3) == pytest.approx([1.0, 0.3, 0.02, 0.0], abs=0.0, rel=1e-12)
    assert symmetric([0.1, 0.2], 3)[3] == 0.0
    assert symmetric([], 2).tolist() == [1.0, 0.0, 0.0]


def test_it_starts_from_the_beliefs_of_the_joint_observer() -> None:
    norms = enumerate_norms(TINY)
    joint, alone = IdealObserver(norms, RATES), IndependentObserver(norms, RATES)
    each = np.eye(len(norms), dtype=np.bool_)
    assert alone.probabilities() == pytest.approx(joint.violation_probability(each))
