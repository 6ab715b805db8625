from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.errors import BadInput
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import Family, Norm
from normgym_agents.norms.rules import RuleSet, texts
from normgym_agents.norms.units import Excepted, Unit
from normgym_agents.norms.verdicts import Verdict
from tests.norms.making import (
    days,
    excepted,
    limits,
    moments,
    obligations,
    prohibitions,
)
from tests.norms.meaning import (
    Day,
    covered,
    moments_of,
)


def rules(*norms: str) -> RuleSet:
    return RuleSet(parse_norm(norm) for norm in norms)


def act(glaze: str, mark: str, verb: str = "take", role: str = "carrier") -> Moment:
    return Moment(verb, (("glaze", glaze), ("mark", mark)), role, (), frozenset(), frozenset())


IRON = "forbid take(glaze=iron)"
RINGED = "permit take(glaze=iron, mark=ringed)"


def consistent(norms: Sequence[Norm]) -> RuleSet | None:
    try:
        return RuleSet(norms)
    except BadInput:
        return None


@st.composite
def sets(draw) -> RuleSet:
    """Sets of up to four norms, in any order, with a permit of something that one of them forbids."""
    plain = draw(st.lists(prohibitions | limits | obligations, min_size=1, max_size=3))
    base, permit = draw(excepted)
    norms = draw(st.permutations([*plain, base, permit]))
    label = f"N{norms.index(base) + 1}"
    relabelled = [
        norm if norm != permit else permit.model_copy(update={"overriding": label}) for norm in norms
    ]
    found = consistent(relabelled)
    return found if found is not None else RuleSet([base, permit] if consistent([base, permit]) else [base])


@given(sets(), days)
def test_a_set_is_broken_as_its_norms_say_over_the_whole_day(rule_set: RuleSet, day: Day) -> None:
    norms = rule_set.norms
    under = [covered(norm, day) for norm in norms]
    for now, moment in enumerate(moments_of(day)):
        expected = []
        for i, norm in enumerate(norms):
            excused = any(under[j][now] for j, other in enumerate(norms) if other.overriding == f"N{i + 1}")
            if norm.deontic != "permit" and under[i][now] and not excused:
                expected.append(i)
        assert rule_set.broken_by(moment) == tuple(expected)
        assert rule_set.violates(moment) is bool(expected)
        if expected:
            assert not rule_set.near(moment)


@given(sets(), st.lists(moments, max_size=6))
def test_the_table_of_a_set_goes_by_the_places_of_its_norms(rule_set: RuleSet, acts: list[Moment]) -> None:
    table = rule_set.table(acts)
    assert table.shape == (len(rule_set.norms), len(acts))
    for moment, column in zip(acts, table.T, strict=True):
        assert tuple(np.flatnonzero(column)) == rule_set.broken_by(moment)
    assert rule_set.broken(acts).tolist() == [rule_set.violates(moment) for moment in acts]


@given(sets())
def test_the_units_of_a_set_are_written_as_the_set_was_meant(rule_set: RuleSet) -> None:
    again = RuleSet(map(parse_norm, texts(rule_set.units)))
    assert sorted(map(repr, again.units)) == sorted(map(repr, rule_set.units))
    assert len(again.norms) == len(rule_set.norms)


def test_an_exception_is_no_breach_and_a_near_miss() -> None:
    both = rules(IRON, f"{RINGED} overriding N1")
    assert both.broken_by(act("iron", "barred")) == (0,)
    assert both.broken_by(act("iron", "ringed")) == ()
    assert both.near(act("iron", "ringed"))
    assert both.near(act("ash", "ringed"))
    assert not both.near(act("iron", "barred"))
    assert not rules(IRON).near(act("iron", "ringed"))
    # Forbidden by another norm, it is no near miss.
    assert not rules(IRON, f"{RINGED} overriding N1", "forbid take for carrier").near(act("ash", "ringed"))
    choices = [act("iron", "ringed"), act("iron", "barred")]
    assert both.evaluate(0, choices[0], choices) is Verdict.COMPLIED
    assert both.evaluate(0, choices[1], choices) is Verdict.VIOLATED
    assert [both.evaluate(1, moment, choices) for moment in choices] == [Verdict.NO_OPPORTUNITY] * 2
    assert [both.family(i) for i in (0, 1)] == [Family.EXCEPTION, Family.EXCEPTION]
    assert rules(IRON).family(0) is Family.PROHIBITION


def test_a_permit_may_stand_before_what_it_overrides() -> None:
    assert rules(f"{RINGED} overriding N2", IRON).broken_by(act("iron", "barred")) == (1,)
    assert rules("forbid give", f"{RINGED} overriding N3", IRON).units == (
        parse_norm("forbid give"),
        Excepted(parse_norm(IRON), parse_norm(f"{RINGED} overriding N1")),
    )


def test_units_of_the_hypothesis_space_are_written_as_worlds_hold_them() -> None:
    units: list[Unit] = [
        parse_norm("forbid give"),
        Excepted(parse_norm(IRON), parse_norm(f"{RINGED} overriding N1")),
    ]
    assert texts(units) == ("forbid give", IRON, f"{RINGED} overriding N2")


def test_a_set_changes_on_the_days_of_its_norms() -> None:
    changing = rules("forbid take until day 2 then forbid give", "forbid greet until day 4 then forbid wait")
    assert changing.changes == (2, 4)
    for day, norms in [
        (2, ("forbid take", "forbid greet")),
        (3, ("forbid give", "forbid greet")),
        (5, ("forbid give", "forbid wait")),
        (None, ("forbid give", "forbid wait")),
    ]:
        assert tuple(map(print_norm, changing.at(day).norms)) == norms
    assert [changing.family(i) for i in (0, 1)] == [Family.CHANGE] * 2
    still = rules(IRON)
    assert still.at(3) is still


@pytest.mark.parametrize(
    ("norms", "field", "message"),
    [
        ([IRON, "forbid give", IRON], "N3", f"'{IRON}' stands twice"),
        ([IRON, f"{RINGED} overriding N3"], "N2", "N3 is no prohibition of the set"),
        ([IRON, f"{RINGED} overriding N2"], "N2", "N2 is no prohibition of the set"),
        (["oblige greet with take", "permit take overriding N1"], "N2", "N1 is no prohibition of the set"),
        ([IRON, "permit give overriding N1"], "N2", "a permit of 'give' cannot override N1"),
        (
            [IRON, f"{RINGED} overriding N1", "permit take(mark=barred) overriding N1"],
            "N3",
            "N1 has an exception already, N2",
        ),
        (
            [f"{IRON} until day 2 then forbid give", f"{RINGED} overriding N1"],
            "N2",
            "N1 changes, so nothing can override it",
        ),
        # Owed and forbidden in all cases
        (
            ["oblige greet(role=keeper) within 2 acts after take", "forbid greet"],
            "N1",
            "what N1 obliges to, N2 forbids in all cases: forbid greet",
        ),
        (
            ["forbid greet(role!=tender) for not tender", "oblige greet(role=keeper) with take for carrier"],
            "N2",
            "what N2 obliges to, N1 forbids in all cases: forbid greet(role!=tender) for not tender",
        ),
        (
            ["forbid give until day 3 then forbid greet", "oblige greet with take"],
            "N2",
            "what N2 obliges to, N1 forbids in all cases: forbid greet",
        ),
        # Permitted and forbidden
        ([IRON, f"{RINGED} overriding N1", "forbid take(mark=ringed)"], "N2", None),
        ([IRON, "permit take(glaze=iron) overriding N1"], "N2", "N2 permits all that N1 forbids"),
        ([IRON, "permit take overriding N1"], "N2", "N2 permits all that N1 forbids"),
        (["forbid take(glaze=iron) for keeper", "permit take for keeper overriding N1"], "N2", None),
    ],
)
def test_a_set_that_cannot_hold_together_is_refused(
    norms: list[str], field: str, message: str | None
) -> None:
    with pytest.raises(BadInput) as caught:
        rules(*norms)
    assert caught.value.field == field
    assert caught.value.expected
    assert message is None or caught.value.message == message
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "norms",
    [
        # Each of these can be kept somehow, or for somebody.
        ["oblige greet(role=keeper) with take", "forbid greet when bell=still"],
        ["oblige greet(role=keeper) with take", "forbid greet(role=tender)"],
        ["oblige greet(role=keeper) with take", "forbid greet(role!=keeper)"],
        ["oblige greet with take", "forbid greet for keeper"],
        ["oblige greet with take", "forbid greet before take"],
        ["oblige greet with take", "forbid greet more than 1 per day"],
        ["oblige greet with take", "forbid greet", "permit greet(role=keeper) overriding N2"],
        ["forbid take(glaze=iron) more than 1 per day", "permit take when bell=still overriding N1"],
        [IRON, "permit take when bell=still overriding N1"],
        [IRON, "permit take for keeper overriding N1"],
        [IRON, f"{RINGED} overriding N1", "forbid take(mark=barred)"],
        [IRON, "forbid take"],
        [],
    ],
)
def test_a_set_that_can_be_kept_is_taken(norms: list[str]) -> None:
    assert len(rules(*norms).norms) == len(norms)
