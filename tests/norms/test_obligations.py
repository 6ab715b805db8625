from __future__ import annotations

from hypothesis import given

from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.moments import Deed, Moment
from normgym_agents.norms.norm import Norm
from tests.norms.making import days, obligations
from tests.norms.meaning import Day, breaks, moments_of, statuses

IRON, ASH = (Deed("take", (("form", "cup"), ("glaze", glaze))) for glaze in ("iron", "ash"))
GREET, WAIT = Deed("greet", (("role", "keeper"),)), Deed("wait", ())


def doing(deed: Deed, *recent: Deed, role: str = "carrier") -> Moment:
    """The act after these others, oldest first."""
    return Moment(*deed, role, (), frozenset(), frozenset(), recent)


@given(obligations, days)
def test_an_obligation_stands_as_the_whole_day_shows(norm: Norm, day: Day) -> None:
    acts = moments_of(day)
    assert [norm.status(act) for act in acts] == statuses(norm, day)
    assert [norm.violated_by(act) for act in acts] == [status == "expired" for status in statuses(norm, day)]


def test_an_obligation_is_pending_then_discharged_or_expired() -> None:
    norm = parse_norm("oblige greet(role=keeper) within 2 acts after take(glaze=iron)")
    assert norm.status(doing(ASH)) is None
    assert norm.status(doing(GREET)) is None
    assert norm.status(doing(IRON)) == "pending"
    assert norm.status(doing(WAIT, IRON)) == "pending"
    assert norm.status(doing(GREET, IRON)) == "discharged"
    assert norm.status(doing(GREET, IRON, WAIT)) == "discharged"
    assert norm.status(doing(WAIT, IRON, WAIT)) == "expired"
    assert norm.status(doing(GREET, IRON, WAIT, WAIT)) is None
    # One greeting serves both takings, and a new taking obliges anew.
    assert norm.status(doing(GREET, IRON, IRON)) == "discharged"
    assert norm.status(doing(WAIT, IRON, IRON, GREET)) is None
    assert norm.status(doing(WAIT, GREET, IRON)) == "pending"
    assert norm.status(doing(IRON, IRON, WAIT)) == "expired"


def test_what_accompanies_an_act_stands_right_beside_it() -> None:
    norm = parse_norm("oblige greet with take(glaze=iron) for carrier")
    assert norm.status(doing(IRON)) == "pending"
    assert norm.status(doing(GREET, IRON)) == "discharged"
    assert norm.status(doing(IRON, GREET)) == "discharged"
    assert norm.status(doing(WAIT, GREET, IRON)) is None
    assert norm.status(doing(WAIT, IRON)) == "expired"
    assert norm.status(doing(WAIT, GREET, WAIT, IRON)) == "expired"
    assert norm.status(doing(IRON, IRON)) == "expired"
    assert norm.status(doing(IRON, GREET, WAIT)) == "pending"
    assert norm.status(doing(IRON, role="keeper")) is None


def test_an_obligation_is_nearly_broken_where_one_literal_of_its_trigger_spares_it() -> None:
    norm = parse_norm("oblige greet within 2 acts after take(glaze=iron) for carrier")
    assert norm.nearly_violated_by(doing(WAIT, ASH, WAIT))
    assert norm.nearly_violated_by(doing(WAIT, IRON, WAIT, role="keeper"))
    assert not norm.nearly_violated_by(doing(WAIT, ASH, WAIT, role="keeper"))
    # Not before the time would run out, not where it was done, not after another verb.
    assert not norm.nearly_violated_by(doing(WAIT, ASH))
    assert not norm.nearly_violated_by(doing(WAIT, ASH, GREET))
    assert not norm.nearly_violated_by(doing(GREET, ASH, WAIT))
    assert not norm.nearly_violated_by(doing(WAIT, WAIT, WAIT))
    assert not norm.nearly_violated_by(doing(WAIT, IRON, WAIT))


def with_one_literal_less(norm: Norm) -> list[Norm]:
    """The obligation, bound by all but one of its bearer and the literals of its trigger."""
    less = [norm.model_copy(update={"bearer": None})] if norm.bearer is not None else []
    trigger = norm.accompanies if norm.deadline is None else norm.deadline.after
    assert trigger is not None
    for i in range(len(trigger.literals)):
        wider = trigger.model_copy(update={"literals": trigger.literals[:i] + trigger.literals[i + 1 :]})
        if norm.deadline is None:
            less.append(norm.model_copy(update={"accompanies": wider}))
        else:
            less.append(
                norm.model_copy(update={"deadline": norm.deadline.model_copy(update={"after": wider})})
            )
    return less


@given(obligations, days)
def test_near_breaches_of_an_obligation_miss_one_literal(norm: Norm, day: Day) -> None:
    for act in moments_of(day):
        expected = not breaks(norm, act) and any(breaks(less, act) for less in with_one_literal_less(norm))
        assert norm.nearly_violated_by(act) == expected


def test_two_literals_are_no_near_miss() -> None:
    norm = parse_norm("oblige greet within 1 act after take(glaze=iron, form=cup)")
    assert norm.nearly_violated_by(doing(WAIT, ASH))
    assert not norm.nearly_violated_by(doing(WAIT, Deed("take", (("form", "jug"), ("glaze", "ash")))))
