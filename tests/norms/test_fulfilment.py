"""Sets that leave no way to do what they oblige to, and permits of nothing: found through the words."""

from __future__ import annotations

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.norms.enumeration import VerbSlots, Vocabulary
from normgym_agents.norms.fulfilment import check_fulfillable
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.literals import ActPattern, SlotLiteral
from normgym_agents.norms.rules import RuleSet

ROLES = ("keeper", "carrier", "tender")
WORDS = Vocabulary(
    values={"glaze": ("iron", "ash"), "role": ROLES},
    signals={"bell": ("ringing", "still")},
    roles=ROLES,
    overseer="keeper",
    verbs=(VerbSlots(verb="take", slots=("glaze",)), VerbSlots(verb="give", slots=("glaze", "role"))),
    precursors=tuple(
        ActPattern(verb="greet", literals=(SlotLiteral(slot="role", value=role),)) for role in ROLES
    ),
)
GREET = "oblige greet within 1 acts after take"


def check(*norms: str) -> None:
    check_fulfillable(RuleSet(map(parse_norm, norms)), WORDS)


@pytest.mark.parametrize(
    "others",
    [
        ("forbid greet when bell=ringing", "forbid greet when bell=still"),
        tuple(f"forbid greet(role={role})" for role in ROLES),
        ("forbid greet for keeper", "forbid greet for not keeper"),
        ("forbid greet when present(keeper)", "forbid greet when not present(keeper)"),
        ("forbid greet before greet",),
    ],
    ids=" + ".join,
)
def test_what_is_owed_and_forbidden_in_all_cases_is_refused(others: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match="the other norms forbid in all cases") as one:
        check(*others, GREET)
    assert one.value.field == f"N{len(others) + 1}"
    # Without any one of them there is a way.
    for i in range(len(others)):
        check(*others[:i], *others[i + 1 :], GREET)


def test_a_permit_of_others_and_a_way_that_is_barred_do_not_help() -> None:
    with pytest.raises(BadInput, match="forbid in all cases"):
        check(
            "forbid greet", "permit greet(role=keeper) overriding N1", "oblige greet(role=carrier) with take"
        )
    check("forbid greet", "permit greet(role=keeper) overriding N1", "oblige greet(role=keeper) with take")
    with pytest.raises(BadInput, match="forbid in all cases"):
        check("forbid give before greet(role=keeper)", "forbid greet(role=keeper)", "oblige give with take")
    check("forbid give before greet(role=keeper)", "oblige give with take")
    # One may have done the one before and not the other.
    check(
        "forbid give before greet(role=keeper)",
        "forbid give after greet(role=carrier)",
        "oblige give with take",
    )


def test_two_acts_owed_at_once_are_refused_where_it_is_so_on_every_occasion() -> None:
    keeper, carrier = (f"oblige greet(role={role}) within 1 acts after take" for role in ROLES[:2])
    with pytest.raises(BadInput, match="N2 and N1 oblige to two acts at once"):
        check(keeper, carrier)
    check(keeper, carrier.replace("1 acts", "2 acts"))
    check(keeper + "(glaze=iron)", carrier + "(glaze=ash)")
    check(keeper, GREET)


@pytest.mark.parametrize(
    ("base", "permit"),
    [
        ("forbid take(glaze=iron)", "permit take(glaze=ash)"),
        ("forbid take(glaze=iron) when bell=ringing", "permit take(glaze=iron) when bell=still"),
        ("forbid take for keeper", "permit take(glaze=iron) for carrier"),
    ],
)
def test_a_permit_of_nothing_that_is_forbidden_is_refused(base: str, permit: str) -> None:
    with pytest.raises(BadInput, match="N2 permits nothing that N1 forbids"):
        check(base, f"{permit} overriding N1")
    check("forbid take", f"{permit} overriding N1")


def test_a_change_is_looked_at_on_both_sides() -> None:
    with pytest.raises(BadInput, match="forbid in all cases"):
        check(
            "forbid take until day 2 then forbid greet when bell=still",
            "forbid greet when bell=ringing",
            GREET,
        )
    check("forbid greet when bell=still until day 2 then forbid take", GREET)
