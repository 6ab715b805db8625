from __future__ import annotations

from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.errors import BadInput, NormgymError
from normgym_agents.norms.hypotheses import enumerate_norms
from normgym_agents.norms.joint import JointPosterior
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.likelihood import Choice, Enforcement, Evidence, answer, choice
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.norms.prior import SIZE_PRIOR, SIZE_PRIOR_OF_THREE
from tests.norms.believing import Answer, Case, Pick, believe, cases, chance, prior
from tests.norms.test_hypotheses import TINY

RATES = Enforcement(detection=0.9, false_sanctions=0.02)
THREE = [parse_norm(f"forbid {verb}") for verb in ("take", "give", "greet")]
EACH = np.eye(3, dtype=np.bool_)

size_priors = st.lists(st.floats(0.01, 1.0), min_size=1, max_size=4).map(
    lambda masses: [mass / sum(masses) for mass in masses]
)


def evidence(case: Case) -> list[Evidence]:
    found = []
    for event in case.events:
        if isinstance(event, Answer):
            found.append(answer(case.table[:, event.act], case.enforcement, sanctioned=event.sanctioned))
        else:
            taken, passed = case.table[:, event.taken], case.table[:, event.passed]
            found.append(choice(taken, passed, case.choice, easier=event.easier))
    return found


def posterior(case: Case, sizes=SIZE_PRIOR_OF_THREE) -> JointPosterior:
    return JointPosterior(case.space, evidence(case), sizes)


@given(cases(), size_priors)
def test_sizes_and_norms_are_as_probable_as_all_sets_make_them(case: Case, sizes) -> None:
    found, belief = posterior(case, sizes), believe(case, sizes)
    for size, mass in enumerate(found.sizes):
        expected = sum(p for chosen, p in belief.items() if len(chosen) == size)
        assert mass == pytest.approx(expected, abs=1e-9)
    for i, mass in enumerate(found.included):
        assert mass == pytest.approx(sum(p for chosen, p in belief.items() if i in chosen), abs=1e-9)


@given(cases(), size_priors)
def test_the_evidence_is_as_probable_as_all_sets_make_it(case: Case, sizes) -> None:
    expected = 0.0
    for chosen, mass in prior(case.space, sizes).items():
        for event in case.events:
            mass *= chance(case, event, chosen)
        expected += mass
    assert posterior(case, sizes).log_evidence == pytest.approx(log(expected), abs=1e-9)


@given(cases(), size_priors, st.sampled_from([0.0, 0.0, 0.01, 0.1]))
def test_the_chance_of_a_breach_is_that_over_all_sets(case: Case, sizes, negligible: float) -> None:
    found, belief = posterior(case, sizes), believe(case, sizes)
    left_out = float(found.included[found.included < negligible].sum())
    for act, risk in enumerate(found.violation_probability(case.table, negligible=negligible)):
        expected = sum(p for chosen, p in belief.items() if any(case.table[i, act] for i in chosen))
        assert expected - left_out - 1e-9 <= risk <= expected + 1e-9


@given(cases(), size_priors, st.data())
def test_the_chance_of_a_class_is_that_of_its_sets(case: Case, sizes, data) -> None:
    belief = believe(case, sizes)
    acts = case.table.shape[1]
    differing = case.table[:, data.draw(st.lists(st.integers(0, acts - 1), max_size=acts))]

    def signature(chosen: tuple[int, ...]) -> list[bool]:
        return [any(differing[i, act] for i in chosen) for act in range(differing.shape[1])]

    truth = data.draw(st.sampled_from([c for k in range(4) for c in combinations(range(len(case.space)), k)]))
    expected = sum(mass for chosen, mass in belief.items() if signature(chosen) == signature(truth))
    assert posterior(case, sizes).class_probability(truth, differing) == pytest.approx(expected, abs=1e-9)


@given(cases(), size_priors)
def test_the_most_probable_set_is_one_of_the_best(case: Case, sizes) -> None:
    belief = believe(case, sizes)
    found = posterior(case, sizes).most_probable()
    assert belief[found] == pytest.approx(max(belief.values()), rel=1e-9)


@given(st.integers(0, 1000), st.integers(1, 40))
def test_of_pairs_it_believes_what_the_observer_believes_event_by_event(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    norms = enumerate_norms(TINY)[::2]
    observer, events = IdealObserver(norms, RATES), []
    # Few distinct columns, so that norms share classes and events come again.
    table = rng.random((len(norms), 6)) < rng.random(6) / 2
    for _ in range(count):
        one, other = rng.integers(0, 6, 2)
        seen = bool(rng.random() < 0.5)
        if rng.random() < 0.5:
            observer.observe(table[:, one], sanctioned=seen)
            events.append(answer(table[:, one], RATES, sanctioned=seen))
        else:
            observer.observe_choice(table[:, one], table[:, other], easier=seen)
            events.append(choice(table[:, one], table[:, other], Choice(), easier=seen))
    found = JointPosterior(norms, events, SIZE_PRIOR)
    assert found.violation_probability(table) == pytest.approx(
        observer.violation_probability(table), abs=1e-9
    )
    each = np.eye(len(norms), dtype=np.bool_)
    assert found.included == pytest.approx(observer.violation_probability(each), abs=1e-9)
    truth = sorted(rng.choice(len(norms), 2, replace=False).tolist())
    expected = observer.class_probability(truth, table)
    assert found.class_probability(truth, table) == pytest.approx(expected, abs=1e-9)


def test_arithmetic_by_hand() -> None:
    # Three norms of one family. Prior .1 for none, .4/3 for each alone, .1 for each pair, .2 for all three.
    # Acts that only the first and only the second norm forbid are answered:
    #   {} .1×.02² = .00004         {c} .4/3×.02² = .000053333
    #   {a}, {b} .4/3×.9×.02 = .0024    {a,c}, {b,c} .1×.9×.02 = .0018
    #   {a,b} .1×.81 = .081         {a,b,c} .2×.81 = .162;    sum .251493333
    events = [answer(EACH[i], RATES, sanctioned=True) for i in (0, 1)]
    found = JointPosterior(THREE, events)
    whole = 0.00004 + 0.4 / 3 * 0.0004 + 2 * 0.0024 + 2 * 0.0018 + 0.081 + 0.162
    assert found.log_evidence == pytest.approx(log(whole))
    assert found.sizes == pytest.approx(np.array([0.00004, 0.0048 + 0.4 / 3 * 0.0004, 0.0846, 0.162]) / whole)
    held = (0.0024 + 0.0018 + 0.081 + 0.162) / whole
    assert found.included == pytest.approx([held, held, (0.4 / 3 * 0.0004 + 0.0036 + 0.162) / whole])
    assert found.most_probable() == (0, 1, 2)
    assert found.class_probability([0, 1], EACH) == pytest.approx(0.081 / whole)
    # Then the third goes unanswered (.1 with c, .98 without): .081 × .98 = .07938 against .162 × .1 = .0162.
    later = JointPosterior(THREE, [*events, answer(EACH[2], RATES, sanctioned=False)])
    assert later.most_probable() == (0, 1)


def test_norms_that_do_the_same_are_distinct_all_the_same() -> None:
    # All three norms forbid the one act that was answered: eight sets, of which only the empty one does not.
    act = np.ones(3, dtype=np.bool_)
    found = JointPosterior(THREE, [answer(act, RATES, sanctioned=True)])
    # .1×.02 = .002 and .9 × (.4, .3, .2) = (.36, .27, .18); sum .812.
    assert found.sizes == pytest.approx(np.array([0.002, 0.36, 0.27, 0.18]) / 0.812)
    # A norm is in one third of the sets of one, two thirds of those of two, and in the set of three.
    assert found.included == pytest.approx([(0.12 + 0.18 + 0.18) / 0.812] * 3)
    # .12 for each alone, .09 for each pair, .18 for all three.
    assert found.most_probable() == (0, 1, 2)
    # Without sets of three .2 / 3 for each alone and .7 / 3 for each pair.
    events = [answer(act, RATES, sanctioned=True)]
    assert JointPosterior(THREE, events, (0.1, 0.2, 0.7)).most_probable() == (0, 1)


@pytest.mark.parametrize("seen", [(True, True), (True, False), (False, False)])
def test_sets_within_and_across_classes_of_every_size(seen: tuple[bool, bool]) -> None:
    # Classes of three norms, two and one under the evidence, and acts that tell norms of a class apart.
    told = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 0]], dtype=np.bool_)
    table = np.concatenate([told, np.eye(6, dtype=np.bool_)], axis=1)
    space = [parse_norm(f"forbid {verb}") for verb in ("take", "give", "greet", "open")]
    space += [parse_norm("forbid go for keeper"), parse_norm("forbid log for keeper")]
    events: list[Answer | Pick] = [Answer(0, seen[0]), Answer(1, seen[1]), Pick(1, 0, True)]
    case = Case(space, table, events, Enforcement(0.6, 0.2), Choice(0.7, 0.6))
    found, belief = posterior(case), believe(case, SIZE_PRIOR_OF_THREE)
    held = [sum(mass for chosen, mass in belief.items() if i in chosen) for i in range(6)]
    assert found.included == pytest.approx(held)
    assert found.violation_probability(table)[2:] == pytest.approx(held)
    assert found.violation_probability(table[:, :2]) == pytest.approx(
        [sum(mass for chosen, mass in belief.items() if table[list(chosen), act].any()) for act in (0, 1)]
    )
    assert found.sizes == pytest.approx(
        [sum(mass for chosen, mass in belief.items() if len(chosen) == size) for size in range(4)]
    )
    for chosen, mass in belief.items():
        assert found.class_probability(chosen, table) == pytest.approx(mass)
    assert belief[found.most_probable()] == pytest.approx(max(belief.values()))


@pytest.mark.parametrize(
    ("sizes", "best"), [((0.01, 0.01, 0.98), (0, 1)), ((0.01, 0.01, 0.01, 0.97), (0, 1, 2))]
)
def test_no_norm_is_twice_in_the_most_probable_set(sizes, best) -> None:
    # The first norm has half of the mass, the others a sixth each, and the evidence speaks for none: were
    # {a,a} a set, it would weigh .25 where {a,b} weighs .083.
    space = [parse_norm("forbid take for keeper"), *THREE]
    even = Enforcement(0.5, 0.5)
    events = [answer(row, even, sanctioned=True) for row in np.eye(4, dtype=np.bool_)]
    assert JointPosterior(space, events, sizes).most_probable() == best


def test_too_few_norms_for_a_size_leave_its_mass_to_the_others() -> None:
    found = JointPosterior(THREE[:1], [])
    assert found.sizes == pytest.approx([0.2, 0.8])
    assert found.most_probable() == (0,)
    nobody = JointPosterior([], [])
    assert nobody.sizes == pytest.approx([1.0])
    assert nobody.most_probable() == ()
    assert nobody.log_evidence == pytest.approx(0.0)


def test_long_evidence_keeps_beliefs_finite() -> None:
    # Far beyond the range of a double: the sets of three are likelier than all pairs by thousands of nats.
    events = [answer(EACH[i], RATES, sanctioned=True) for i in range(3)] * 2000
    found = JointPosterior(THREE, events)
    assert found.included == pytest.approx([1.0] * 3)
    assert found.log_evidence == pytest.approx(log(0.2) + 6000 * log(0.9))
    against = JointPosterior(THREE, [answer(EACH[0], RATES, sanctioned=False)] * 5000)
    assert against.included[0] == pytest.approx(0.0, abs=1e-12)


def test_evidence_without_doubt_rules_sets_out() -> None:
    sure = Enforcement(1.0, 0.0)
    found = JointPosterior(
        THREE, [answer(EACH[0], sure, sanctioned=True), answer(EACH[1], sure, sanctioned=False)]
    )
    # Left are {a} .4/3 and {a,c} .1.
    assert found.included == pytest.approx([1.0, 0.0, 0.1 / (0.1 + 0.4 / 3)])
    assert found.most_probable() == (0,)
    with pytest.raises(NormgymError, match="no set of norms explains the evidence"):
        JointPosterior(THREE, [answer(EACH[0], sure, sanctioned=seen) for seen in (True, False)])
    with pytest.raises(NormgymError, match="no set of norms explains the evidence"):
        JointPosterior(THREE, [answer(np.zeros(3, dtype=np.bool_), sure, sanctioned=True)])


@pytest.mark.parametrize("sizes", [[], [0.5, 0.4], [0.2] * 5, [-0.5, 1.5], [0.0, 1.0], [float("nan"), 1.0]])
def test_what_is_no_prior_over_sizes_is_refused(sizes) -> None:
    with pytest.raises(BadInput, match=r"size_prior: .* is no prior over sizes .*at most 4 positive numbers"):
        JointPosterior(THREE, [], sizes)


def test_more_events_than_a_word_has_bits() -> None:
    rng = np.random.default_rng(5)
    norms = enumerate_norms(TINY)[::6]
    table = rng.random((len(norms), 70)) < 0.3
    truth = (1, 4, 9)
    events = []
    for column in table.T:
        rate = RATES.detection if column[list(truth)].any() else RATES.false_sanctions
        events.append(answer(column, RATES, sanctioned=bool(rng.random() < rate)))
    found = JointPosterior(norms, events)
    assert found.most_probable() == truth
    assert found.class_probability(truth, table) > 0.99
    belief = prior(norms, SIZE_PRIOR_OF_THREE)
    logs = {}
    for chosen, mass in belief.items():
        total = log(mass)
        for event, column in zip(events, table.T, strict=True):
            total += log(event.likelihood[int(column[list(chosen)].any())])
        logs[chosen] = total
    assert found.log_evidence == pytest.approx(np.logaddexp.reduce(list(logs.values())))
