from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.moments import Deed, Moment
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.units import Excepted
from normgym_agents.norms.verdicts import Verdict, evaluate
from tests.norms.making import (
    days,
    excepted,
    limits,
    moments,
    obligations,
    permits,
    prohibitions,
)
from tests.norms.meaning import (
    Day,
    breaks,
    counts,
    moments_of,
    prefixes,
    statuses,
)


def act(verb: str, glaze: str | None = None, *recent: Deed) -> Moment:
    slots = () if glaze is None else (("glaze", glaze),)
    return Moment(verb, slots, "carrier", (), frozenset(), frozenset(), recent)


IRON, ASH, WAIT = act("take", "iron"), act("take", "ash"), act("wait")
NORM = parse_norm("forbid take(glaze=iron)")


def test_worked_verdicts() -> None:
    assert evaluate(NORM, IRON, [IRON, ASH, WAIT]) is Verdict.VIOLATED
    assert evaluate(NORM, ASH, [IRON, ASH, WAIT]) is Verdict.COMPLIED
    assert evaluate(NORM, WAIT, [IRON, ASH, WAIT]) is Verdict.COMPLIED


def test_without_a_choice_nothing_is_said_of_the_actor() -> None:
    assert evaluate(NORM, ASH, [ASH, WAIT]) is Verdict.NO_OPPORTUNITY
    assert evaluate(NORM, IRON, [IRON]) is Verdict.NO_OPPORTUNITY
    assert evaluate(NORM, IRON, iter([IRON, IRON])) is Verdict.NO_OPPORTUNITY


def test_an_obligation_is_one_opportunity() -> None:
    norm = parse_norm("oblige greet within 2 acts after take(glaze=iron)")
    took, waited, greeted = (Deed(m.verb, m.slots) for m in (IRON, WAIT, act("greet")))
    story = [
        (IRON, Verdict.NO_OPPORTUNITY),
        (act("wait", None, took), Verdict.NO_OPPORTUNITY),
        (act("wait", None, took, waited), Verdict.VIOLATED),
        (act("greet", None, took, waited), Verdict.COMPLIED),
        (act("greet", None, took, greeted), Verdict.NO_OPPORTUNITY),
    ]
    for moment, verdict in story:
        assert evaluate(norm, moment, [moment]) is verdict
        assert evaluate(norm, moment, []) is verdict


def test_the_excepted_act_is_no_breach_but_a_way_to_comply() -> None:
    ringed, barred = (
        Moment("take", (("glaze", "iron"), ("mark", mark)), "carrier", (), frozenset(), frozenset())
        for mark in ("ringed", "barred")
    )
    unit = Excepted(NORM, parse_norm("permit take(glaze=iron, mark=ringed) overriding N1"))
    assert evaluate(unit, ringed, [ringed, barred]) is Verdict.COMPLIED
    assert evaluate(unit, barred, [ringed, barred]) is Verdict.VIOLATED
    assert evaluate(unit, ringed, [ringed, WAIT]) is Verdict.NO_OPPORTUNITY
    assert evaluate(unit.permit, ringed, [ringed, barred]) is Verdict.NO_OPPORTUNITY


def test_what_a_quota_counts_is_an_opportunity_each_time() -> None:
    norm = parse_norm("forbid take(glaze=iron) more than 1 per day")
    first, second = act("take", "iron"), IRON._replace(tally=frozenset({(IRON.deed, 1)}))
    assert evaluate(norm, first, [first, WAIT]) is Verdict.COMPLIED
    assert evaluate(norm, second, [second, WAIT]) is Verdict.VIOLATED
    # Ash is not counted: it says something only once iron would be too much.
    assert evaluate(norm, ASH, [IRON, ASH]) is Verdict.NO_OPPORTUNITY
    assert evaluate(norm, ASH, [second, ASH]) is Verdict.COMPLIED


@given(prohibitions | limits | excepted | permits, st.lists(moments, min_size=1, max_size=6), st.data())
def test_verdicts_agree_with_the_obvious_evaluator(norm, choices: list[Moment], data) -> None:
    chosen = data.draw(st.sampled_from(choices))
    outcomes = {breaks(norm, choice) for choice in choices}
    if counts(norm, chosen) and not breaks(norm, chosen):
        expected = Verdict.COMPLIED
    elif outcomes != {True, False}:
        expected = Verdict.NO_OPPORTUNITY
    else:
        expected = Verdict.VIOLATED if breaks(norm, chosen) else Verdict.COMPLIED
    assert evaluate(norm, chosen, choices) is expected
    assert evaluate(norm, chosen, iter(reversed(choices))) is expected


@given(obligations, days)
def test_verdicts_on_obligations_follow_the_whole_day(norm: Norm, day: Day) -> None:
    expected = {"discharged": Verdict.COMPLIED, "expired": Verdict.VIOLATED}
    verdicts = [evaluate(norm, moment, [moment]) for moment in moments_of(day)]
    assert verdicts == [expected.get(str(s), Verdict.NO_OPPORTUNITY) for s in statuses(norm, day)]


@given(prohibitions | limits | obligations | excepted | permits, days)
def test_no_verdict_depends_on_what_comes_later(norm, day: Day) -> None:
    def judged(so_far: Day) -> list[Verdict]:
        acts = moments_of(so_far)
        # What could have been done instead: anything that is done on the day, in the same circumstances.
        deeds = sorted({done.deed for done in day.acts})
        return [
            evaluate(norm, now, [now._replace(verb=d.verb, slots=d.slots) for d in deeds]) for now in acts
        ]

    whole = judged(day)
    for prefix in prefixes(day):
        assert judged(prefix) == whole[: len(prefix.acts)]


@pytest.mark.parametrize("verdict", Verdict)
def test_verdicts_are_words(verdict: Verdict) -> None:
    assert str(verdict) == verdict.name.lower().replace("_", " ")
