from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.errors import NormgymError
from normgym_agents.norms.hypotheses import HypothesisSpace, enumerate_norms
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.observer import Enforcement, IdealObserver
from tests.norms.believing import believe, cases, prior, watch
from tests.norms.making import sets_of_two
from tests.norms.test_hypotheses import TINY

RATES = Enforcement(detection=0.9, false_sanctions=0.02)


@given(cases())
def test_the_chance_of_a_breach_is_that_over_all_sets(case) -> None:
    observer, belief = watch(case), believe(case)
    table = case.table
    for act, found in enumerate(observer.violation_probability(table)):
        expected = sum(mass for chosen, mass in belief.items() if any(table[i, act] for i in chosen))
        assert found == pytest.approx(expected, abs=1e-9)


@given(cases(), st.sampled_from([1e-9, 1e-3, 0.05]))
def test_what_is_negligible_makes_little_difference(case, negligible: float) -> None:
    observer = watch(case)
    exact, quick = (
        observer.violation_probability(case.table, negligible=least) for least in (0.0, negligible)
    )
    assert np.abs(exact - quick).max() <= 2 * negligible * (len(case.space) + 1) + 1e-12


@given(cases(), st.data())
def test_the_chance_of_a_class_is_that_of_its_sets(case, data) -> None:
    observer, belief = watch(case), believe(case)
    table = case.table

    def signature(chosen: tuple[int, ...]) -> list[bool]:
        return [any(table[i, act] for i in chosen) for act in range(table.shape[1])]

    truth = data.draw(st.sampled_from(sets_of_two(len(case.space))))
    expected = sum(mass for chosen, mass in belief.items() if signature(chosen) == signature(truth))
    assert observer.class_probability(truth, table) == pytest.approx(expected, abs=1e-9)


@given(cases())
def test_the_most_probable_set_is_one_of_the_best(case) -> None:
    observer, belief = watch(case), believe(case)
    found = observer.most_probable()
    assert found in belief
    assert belief[found] == pytest.approx(max(belief.values()), rel=1e-9)


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_evidence_does_not_matter(case, random) -> None:
    mixed = list(case.events)
    random.shuffle(mixed)
    one, other = watch(case), watch(case._replace(events=mixed))
    expected = one.violation_probability(case.table)
    assert other.violation_probability(case.table) == pytest.approx(expected, abs=1e-9)


def test_arithmetic_by_hand() -> None:
    # Two norms of one family, so each has half of the mass of its size:
    #   P({}) = .1   P({a}) = P({b}) = .225   P({a,b}) = .45
    # An act that only a forbids is answered: P(answer) is .9 with a and .02 without.
    #   {} .1×.02 = .002   {a} .225×.9 = .2025   {b} .225×.02 = .0045   {a,b} .45×.9 = .405; sum .614
    a, b = parse_norm("forbid take"), parse_norm("forbid give")
    observer = IdealObserver([a, b], RATES)
    each = np.eye(2, dtype=np.bool_)
    assert observer.violation_probability(each) == pytest.approx([0.675, 0.675])
    assert observer.most_probable() == (0, 1)
    observer.observe(np.array([True, False]), sanctioned=True)
    # P(a in force) = (.2025 + .405) / .614; P(b in force) = (.0045 + .405) / .614
    assert observer.violation_probability(each) == pytest.approx([0.6075 / 0.614, 0.4095 / 0.614])
    assert observer.class_probability([0], each) == pytest.approx(0.2025 / 0.614)
    assert observer.class_probability([], each) == pytest.approx(0.002 / 0.614)
    # Then an act that only b forbids goes unanswered (.1 with b, .98 without): now a alone is likeliest.
    observer.observe(np.array([False, True]), sanctioned=False)
    #   {} .00196   {a} .19845   {b} .00045   {a,b} .0405; sum .24136
    assert observer.most_probable() == (0,)
    assert observer.class_probability([0], each) == pytest.approx(0.19845 / 0.24136)


def test_one_norm_explains_evidence_for_another_away() -> None:
    a, b = parse_norm("forbid take"), parse_norm("forbid take(glaze=iron)")
    observer = IdealObserver([a, b], RATES)
    both = np.array([True, True])
    observer.observe(both, sanctioned=True)
    suspected = observer.violation_probability(np.eye(2, dtype=np.bool_))[1]
    observer.observe(np.array([True, False]), sanctioned=True)
    explained = observer.violation_probability(np.eye(2, dtype=np.bool_))[1]
    assert explained < suspected


def test_families_share_the_mass_of_single_norms_alike() -> None:
    space = [parse_norm(f"forbid take(glaze={glaze})") for glaze in ("iron", "ash", "salt")]
    space.append(parse_norm("forbid take for keeper"))
    observer = IdealObserver(space, RATES)
    each = np.eye(4, dtype=np.bool_)
    singles = [observer.class_probability([i], each) for i in range(4)]
    # .45 for one norm, half of it for each of the two families, thirds of that within F1.
    assert singles == pytest.approx([0.075, 0.075, 0.075, 0.225])


@pytest.mark.parametrize("texts", [[], ["forbid take"], ["forbid take", "forbid give"]])
def test_beliefs_add_up_however_small_the_space(texts: list[str]) -> None:
    space = [parse_norm(text) for text in texts]
    observer = IdealObserver(space, RATES)
    each = np.eye(len(space), dtype=np.bool_)
    whole = sum(observer.class_probability(chosen, each) for chosen in sets_of_two(len(space)))
    assert whole == pytest.approx(1.0)


def test_where_nothing_can_differ_all_sets_are_one_class() -> None:
    observer = IdealObserver(enumerate_norms(TINY), RATES)
    nowhere = np.zeros((len(observer.norms), 0), dtype=np.bool_)
    assert observer.class_probability([3, 5], nowhere) == pytest.approx(1.0)


def test_a_copy_learns_by_itself() -> None:
    observer = IdealObserver([parse_norm("forbid take"), parse_norm("forbid give")], RATES)
    each = np.eye(2, dtype=np.bool_)
    before = observer.violation_probability(each)
    copied = observer.copy()
    copied.observe(each[0], sanctioned=True)
    assert observer.violation_probability(each) == pytest.approx(before)
    assert copied.violation_probability(each)[0] > before[0]


def test_without_false_sanctions_an_answer_proves_a_breach() -> None:
    a, b = parse_norm("forbid take"), parse_norm("forbid give")
    observer = IdealObserver([a, b], Enforcement(0.9, 0.0))
    each = np.eye(2, dtype=np.bool_)
    observer.observe(each[0], sanctioned=True)
    # Left are {a} .225 and {a,b} .45.
    assert observer.violation_probability(each) == pytest.approx([1.0, 2 / 3])
    observer.observe(each[0], sanctioned=False)
    assert observer.violation_probability(each) == pytest.approx([1.0, 2 / 3])


def test_with_certain_detection_silence_proves_that_nothing_was_broken() -> None:
    observer = IdealObserver([parse_norm("forbid take"), parse_norm("forbid give")], Enforcement(1.0, 0.02))
    each = np.eye(2, dtype=np.bool_)
    observer.observe(each[0], sanctioned=False)
    # Left are {} .1 and {b} .225.
    assert observer.violation_probability(each) == pytest.approx([0.0, 0.225 / 0.325])


@pytest.mark.parametrize(
    ("enforcement", "column", "sanctioned"),
    [
        (Enforcement(0.9, 0.0), [False, False], True),
        (Enforcement(0.0, 0.0), [True, False], True),
        (Enforcement(1.0, 1.0), [True, False], False),
    ],
)
def test_evidence_that_nothing_explains_is_refused(enforcement, column, sanctioned) -> None:
    observer = IdealObserver([parse_norm("forbid take"), parse_norm("forbid give")], enforcement)
    each = np.eye(2, dtype=np.bool_)
    before = observer.violation_probability(each)
    with pytest.raises(NormgymError, match="no set of norms explains an act that was"):
        observer.observe(np.array(column), sanctioned=sanctioned)
    assert observer.violation_probability(each) == pytest.approx(before)


def test_long_evidence_keeps_beliefs_finite() -> None:
    observer = IdealObserver(enumerate_norms(TINY), RATES)
    columns = np.random.default_rng(1).random((2000, len(observer.norms))) < 0.3
    for column in columns:
        observer.observe(column, sanctioned=bool(column[7]))
    risk = observer.violation_probability(columns[:50].T)
    assert risk == pytest.approx(columns[:50, 7].astype(float), abs=1e-6)


def test_beliefs_are_calibrated_where_norms_are_drawn_from_the_prior() -> None:
    # Draw a set from the prior and answers from the rates; of all acts held to break it with probability p,
    # a share of p must. Mean squared error of the probabilities then is mean p(1−p).
    rng = np.random.default_rng(20)
    space = list(enumerate_norms(TINY))[::4]
    belief = prior(space)
    sets, masses = list(belief), np.array(list(belief.values()))
    table = rng.random((len(space), 12)) < 0.25
    believed: list[np.ndarray] = []
    happened: list[np.ndarray] = []
    for index in rng.choice(len(sets), size=300, p=masses):
        truth = np.asarray(table[list(sets[index])].any(axis=0))
        observer = IdealObserver(space, RATES)
        for act in rng.integers(0, 12, size=6):
            answered = rng.random() < (RATES.detection if truth[act] else RATES.false_sanctions)
            observer.observe(table[:, act], sanctioned=answered)
        believed.append(observer.violation_probability(table))
        happened.append(truth)
    p, was = np.concatenate(believed), np.concatenate(happened)
    assert abs(p.mean() - was.mean()) < 0.03
    assert np.mean((p - was) ** 2) == pytest.approx(np.mean(p * (1 - p)), rel=0.1)
    sure = p > 0.9
    assert abs(was[sure].mean() - p[sure].mean()) < 0.03


def test_an_observer_finds_the_norms_that_made_its_evidence() -> None:
    space = HypothesisSpace(enumerate_norms(TINY))
    rng = np.random.default_rng(3)
    table = rng.random((len(space.norms), 400)) < 0.3
    truth = (10, 70)
    observer = IdealObserver(space.norms, RATES)
    for column in table.T:
        chance = RATES.detection if column[list(truth)].any() else RATES.false_sanctions
        observer.observe(column, sanctioned=bool(rng.random() < chance))
    assert observer.most_probable() == truth
    assert observer.class_probability(truth, table) > 0.99
