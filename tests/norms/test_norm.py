from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.errors import NormgymError
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.literals import ActPattern
from normgym_agents.norms.moments import Deed, Moment, Pairs
from normgym_agents.norms.norm import BASE_FAMILIES, Family, Norm
from tests.norms.making import (
    changes,
    days,
    every_form,
    limits,
    moments,
    norms,
    permits,
    prohibitions,
)
from tests.norms.meaning import (
    Day,
    breaks,
    covered,
    moments_of,
    prefixes,
    truths,
)

IRON_CUP = (("form", "cup"), ("glaze", "iron"))
ASH_CUP = (("form", "cup"), ("glaze", "ash"))
TO_KEEPER = (("role", "keeper"),)
GREETED = frozenset({Deed("greet", TO_KEEPER)})
IRON, ASH, GREET, WAIT = (
    Deed("take", IRON_CUP),
    Deed("take", ASH_CUP),
    Deed("greet", TO_KEEPER),
    Deed("wait", ()),
)


def moment(
    verb: str = "take",
    slots: Pairs = IRON_CUP,
    role: str = "carrier",
    bell: str = "still",
    present=(),
    earlier=(),
    *,
    stock: str = "2",
    recent: tuple[Deed, ...] = (),
    tally=(),
) -> Moment:
    signals = (("bell", bell), ("stock", stock))
    return Moment(
        verb, slots, role, signals, frozenset(present), frozenset(earlier), recent, frozenset(tally)
    )


def doing(deed: Deed, *recent: Deed, role: str = "carrier") -> Moment:
    """The act after these others, oldest first."""
    return moment(deed.verb, deed.slots, role, recent=recent)


@pytest.mark.parametrize(
    ("text", "broken", "kept"),
    [
        # F1 and its negation
        ("forbid take", moment(), moment("put")),
        ("forbid take(glaze=iron)", moment(), moment(slots=ASH_CUP)),
        ("forbid take(glaze!=iron)", moment(slots=ASH_CUP), moment()),
        ("forbid take(glaze=iron, form=cup)", moment(), moment(slots=(("form", "jug"), ("glaze", "iron")))),
        # an act without the slot is neither like the value nor unlike it
        ("forbid wait(glaze!=iron)", moment("wait", slots=ASH_CUP), moment("wait", slots=())),
        # F2 and its negations
        ("forbid take when bell=ringing", moment(bell="ringing"), moment(bell="still")),
        ("forbid take when not bell=ringing", moment(bell="still"), moment(bell="ringing")),
        ("forbid take when present(keeper)", moment(present=["keeper"]), moment(present=["tender"])),
        ("forbid take when not present(keeper)", moment(present=["tender"]), moment(present=["keeper"])),
        (
            "forbid take when bell=still and present(keeper)",
            moment(present=["keeper"]),
            moment(bell="ringing", present=["keeper"]),
        ),
        ("forbid take when stock<2", moment(stock="1"), moment(stock="2")),
        ("forbid take when not stock<2", moment(stock="10"), moment(stock="0")),
        # F3 and its negation
        ("forbid take for carrier", moment(role="carrier"), moment(role="keeper")),
        ("forbid take for not carrier", moment(role="keeper"), moment(role="carrier")),
        # F5 and its negation
        ("forbid take before greet(role=keeper)", moment(), moment(earlier=GREETED)),
        ("forbid take after greet(role=keeper)", moment(earlier=GREETED), moment()),
        ("forbid take after greet", moment(earlier=GREETED), moment()),
        (
            "forbid take before greet(role=keeper)",
            moment(earlier=[Deed("greet", (("role", "tender"),))]),
            moment(earlier=[Deed("greet", (("role", "tender"),)), *GREETED]),
        ),
        # F4: the second act after the taking is the last that can be the greeting
        (
            "oblige greet(role=keeper) within 2 acts after take(glaze=iron)",
            doing(WAIT, IRON, WAIT),
            doing(GREET, IRON, WAIT),
        ),
        ("oblige greet within 2 acts after take(glaze=iron)", doing(ASH, IRON, ASH), doing(WAIT, IRON)),
        (
            "oblige greet within 2 acts after take(glaze=iron)",
            doing(WAIT, IRON, WAIT),
            doing(WAIT, IRON, GREET),
        ),
        ("oblige greet within 1 act after take(glaze=iron)", doing(WAIT, GREET, IRON), doing(WAIT, ASH)),
        (
            "oblige greet within 1 act after take for carrier",
            doing(WAIT, IRON),
            doing(WAIT, IRON, role="keeper"),
        ),
        # F4 without a deadline: right after, or right before
        ("oblige greet with take", doing(WAIT, IRON), doing(GREET, IRON)),
        ("oblige greet with take", doing(WAIT, GREET, WAIT, IRON), doing(WAIT, GREET, IRON)),
        # F6: the one that is too many
        (
            "forbid take(glaze=iron) more than 1 per day",
            moment(tally=[(IRON, 1), (ASH, 3)]),
            moment(tally=[(ASH, 3)]),
        ),
        ("forbid take more than 3 per day", moment(tally=[(IRON, 1), (ASH, 2)]), moment(tally=[(ASH, 2)])),
        (
            "forbid take(glaze=iron) more than 1 per 3 acts",
            doing(IRON, IRON, WAIT),
            doing(IRON, IRON, WAIT, WAIT),
        ),
        ("forbid take more than 2 per 3 acts", doing(IRON, ASH, IRON), doing(IRON, ASH, WAIT)),
    ],
)
def test_worked_examples(text: str, broken: Moment, kept: Moment) -> None:
    norm = parse_norm(text)
    assert norm.violated_by(broken)
    assert not norm.violated_by(kept)


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("forbid take(glaze!=iron)", Family.PROHIBITION),
        ("forbid take when not present(keeper)", Family.CONTEXT),
        ("forbid take when stock<2", Family.CONTEXT),
        ("forbid take when bell=still for keeper", Family.ROLE),
        ("oblige greet within 2 acts after take for keeper", Family.OBLIGATION),
        ("oblige greet with take", Family.OBLIGATION),
        ("forbid take after greet when bell=still for keeper", Family.SEQUENCE),
        ("forbid take more than 1 per day when bell=still for keeper", Family.QUOTA),
        ("permit take(glaze=iron) for keeper overriding N2", Family.EXCEPTION),
        ("forbid take more than 1 per day until day 2 then oblige greet with take", Family.CHANGE),
    ],
)
def test_the_most_specific_part_names_the_family(text: str, family: Family) -> None:
    assert parse_norm(text).family is family


def test_suites_take_turns_at_the_families_that_every_vocabulary_has() -> None:
    assert [family.value for family in BASE_FAMILIES] == ["F1", "F2", "F3", "F5"]
    assert [family.value for family in Family] == [f"F{number}" for number in range(1, 11)]


@given(norms, moments)
def test_breaches_agree_with_the_obvious_evaluator(norm: Norm, act: Moment) -> None:
    assert norm.violated_by(act) == norm.covers(act) == breaks(norm, act)


@given(prohibitions | limits | permits, moments)
def test_literals_agree_with_the_obvious_evaluator(norm: Norm, act: Moment) -> None:
    assert [literal.holds(act) for literal in norm.conjuncts()] == truths(norm, act)


@given(norms, days)
def test_breaches_of_a_day_agree_with_what_the_families_mean(norm: Norm, day: Day) -> None:
    assert [norm.violated_by(act) for act in moments_of(day)] == covered(norm, day)


@given(permits, days)
def test_permits_apply_where_a_prohibition_would_and_are_never_broken(norm: Norm, day: Day) -> None:
    acts = moments_of(day)
    assert [norm.covers(act) for act in acts] == covered(norm, day)
    assert not any(norm.violated_by(act) or norm.nearly_violated_by(act) for act in acts)
    assert [norm.status(act) for act in acts] == [None] * len(acts)


@given(every_form, days, st.integers(1, 6) | st.none())
def test_what_comes_later_changes_nothing(norm: Norm, day: Day, number: int | None) -> None:
    in_force = norm.at(number)
    whole = [(in_force.covers(act), in_force.status(act)) for act in moments_of(day)]
    for prefix in prefixes(day):
        judged = [(in_force.covers(act), in_force.status(act)) for act in moments_of(prefix)]
        assert judged == whole[: len(judged)]
        # Nor may it change what the families mean: the whole-day evaluator does see what comes later.
        assert [found for found, _ in judged] == covered(in_force, day)[: len(judged)]


@given(prohibitions | limits, moments)
def test_near_breaches_miss_one_literal(norm: Norm, act: Moment) -> None:
    expected = act.verb == norm.act.verb and truths(norm, act).count(False) == 1
    assert norm.nearly_violated_by(act) == expected


@given(norms, days)
def test_no_act_both_breaks_a_norm_and_nearly_does(norm: Norm, day: Day) -> None:
    for act in moments_of(day):
        assert not (norm.violated_by(act) and norm.nearly_violated_by(act))


@given(prohibitions, prohibitions, moments)
def test_a_changed_copy_is_judged_by_what_it_says_now(norm: Norm, other: Norm, act: Moment) -> None:
    for asked in (norm.violated_by, norm.nearly_violated_by):
        asked(act)
    parts = {name: getattr(other, name) for name in ("act", "sequence", "when", "bearer")}
    copied = norm.model_copy(update=parts)
    assert copied == other
    assert copied.verb == other.verb
    assert copied.violated_by(act) == breaks(other, act)
    assert [*copied.conjuncts()] == [*other.conjuncts()]


def test_a_near_miss_differs_in_one_literal_only() -> None:
    norm = parse_norm("forbid take(glaze=iron) when bell=ringing")
    assert norm.nearly_violated_by(moment(bell="still"))
    assert norm.nearly_violated_by(moment(slots=ASH_CUP, bell="ringing"))
    assert not norm.nearly_violated_by(moment(slots=ASH_CUP, bell="still"))
    assert not norm.nearly_violated_by(moment(bell="ringing"))
    assert not norm.nearly_violated_by(moment("put", bell="still"))


def test_a_quota_that_is_not_used_up_is_a_near_miss() -> None:
    norm = parse_norm("forbid take(glaze=iron) more than 1 per day")
    assert norm.nearly_violated_by(moment())
    assert norm.nearly_violated_by(moment(slots=ASH_CUP, tally=[(IRON, 1)]))
    assert not norm.nearly_violated_by(moment(slots=ASH_CUP))
    assert not norm.nearly_violated_by(moment(tally=[(IRON, 1)]))


def test_a_norm_holds_until_the_watched_day_of_its_change_is_over() -> None:
    norm = parse_norm("forbid take until day 4 announced then forbid give for keeper")
    before, after = parse_norm("forbid take"), parse_norm("forbid give for keeper")
    assert [norm.at(day) for day in (1, 4, 5, 20, None)] == [before, before, after, after, after]
    assert [before.at(day) for day in (1, None)] == [before, before]


@given(changes, moments)
def test_a_norm_that_changes_is_asked_for_a_day_first(norm: Norm, act: Moment) -> None:
    for question in (norm.covers, norm.violated_by, norm.nearly_violated_by, norm.status):
        with pytest.raises(NormgymError, match="until it is asked for a day"):
            question(act._replace(verb=norm.act.verb))
    assert norm.at(1) != norm.at(None)
    assert norm.at(1).successor is None


@given(norms | permits, moments)
def test_a_literal_looks_at_the_part_that_it_names(norm: Norm, act: Moment) -> None:
    blank = Moment("nothing", (), "nobody", (), frozenset(), frozenset())
    for literal in norm.conjuncts():
        parts = ("verb", "slots") if literal.part == "deed" else (literal.part,)
        alone = blank._replace(**{part: getattr(act, part) for part in parts})
        assert literal.holds(alone) == literal.holds(act)
        assert literal.sees(alone) == literal.sees(act)


@given(norms, moments, moments)
def test_a_literal_judges_alike_what_it_sees_alike(norm: Norm, one: Moment, other: Moment) -> None:
    for literal in norm.conjuncts():
        if literal.sees(one) == literal.sees(other):
            assert literal.holds(one) == literal.holds(other)


def test_a_copy_with_other_content_remembers_nothing_of_the_old() -> None:
    norm = parse_norm("forbid take(glaze=iron)")
    ash = Moment("take", (("glaze", "ash"),), "carrier", (), frozenset(), frozenset())
    assert not norm.violated_by(ash)
    assert norm.model_copy(update={"act": ActPattern(verb="take")}).violated_by(ash)
