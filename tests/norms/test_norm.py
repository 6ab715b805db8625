from __future__ import annotations

import pytest
from hypothesis import given

from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.moments import Deed, Moment
from normgym_agents.norms.norm import Family, Norm
from tests.norms.making import breaks, moments, norms, truths

IRON_CUP = (("form", "cup"), ("glaze", "iron"))
ASH_CUP = (("form", "cup"), ("glaze", "ash"))
GREETED = frozenset({Deed("greet", (("role", "keeper"),))})


def moment(
    verb: str = "take", slots=IRON_CUP, role: str = "carrier", bell: str = "still", present=(), earlier=()
) -> Moment:
    return Moment(verb, slots, role, (("bell", bell),), frozenset(present), frozenset(earlier))


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
        ("forbid take when bell=still for keeper", Family.ROLE),
        ("forbid take after greet when bell=still for keeper", Family.SEQUENCE),
    ],
)
def test_the_most_specific_part_names_the_family(text: str, family: Family) -> None:
    assert parse_norm(text).family is family


@given(norms, moments)
def test_breaches_agree_with_the_obvious_evaluator(norm: Norm, act: Moment) -> None:
    assert norm.violated_by(act) == breaks(norm, act)
    # Asked of the part alone or of the whole moment, a literal says the same.
    assert [literal.holds(act) for literal in norm.conjuncts()] == truths(norm, act)


@given(norms, moments)
def test_near_breaches_miss_one_literal(norm: Norm, act: Moment) -> None:
    expected = act.verb == norm.act.verb and truths(norm, act).count(False) == 1
    assert norm.nearly_violated_by(act) == expected


def test_a_near_miss_differs_in_one_literal_only() -> None:
    norm = parse_norm("forbid take(glaze=iron) when bell=ringing")
    assert norm.nearly_violated_by(moment(bell="still"))
    assert norm.nearly_violated_by(moment(slots=ASH_CUP, bell="ringing"))
    assert not norm.nearly_violated_by(moment(slots=ASH_CUP, bell="still"))
    assert not norm.nearly_violated_by(moment(bell="ringing"))
    assert not norm.nearly_violated_by(moment("put", bell="still"))


@given(norms, moments)
def test_a_literal_looks_at_the_part_that_it_names(norm: Norm, act: Moment) -> None:
    blank = Moment("take", (), "nobody", (), frozenset(), frozenset())
    for literal in norm.conjuncts():
        alone = blank._replace(**{literal.part: getattr(act, literal.part)})
        assert literal.holds(alone) == literal.holds(act)
