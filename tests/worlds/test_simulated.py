"""The simulated learner: what it takes up is worked out by hand, and what it does follows from that alone."""

from __future__ import annotations

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.moments import Moment
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.minds import (
    Dials,
    Mind,
    Minded,
    concluded,
    loosened,
    minds,
    mistaken,
    taken_up,
    units_of,
)
from normgym_agents.worlds.public import Answer, PublicEvent, PublicSanction
from normgym_agents.worlds.rollout import play, watched
from normgym_agents.worlds.simulated import SimulatedLearner
from tests.worlds.making import quick, world_of

RATES = Enforcement().rates
IRON = parse_norm("forbid take(glaze=iron)")
RINGING = parse_norm("forbid take when bell=ringing")


def event(actor: str, glaze: str, *, answered: bool, bell: str = "still") -> PublicEvent:
    moment = Moment("take", (("glaze", glaze),), "carrier", (("bell", bell),), frozenset(), frozenset())
    act = Act(verb="take", thing="t1")
    answers = (PublicSanction(member="Mira", whom=actor, answer=Answer.GESTURE),) if answered else ()
    return PublicEvent(
        day=1,
        round=1,
        actor=actor,
        role="carrier",
        act=act,
        thing=f"{glaze} cup",
        moment=moment,
        here=(),
        held=None,
        answers=answers,
    )


EVENTS = (
    event("Tam", "iron", answered=True),
    event("Sef", "iron", answered=True),
    event("Sef", "iron", answered=False),
    event("Sef", "ash", answered=True),
    event("Oren", "iron", answered=True, bell="ringing"),
)


def test_a_unit_of_evidence_is_an_answered_breach_of_ones_own_or_of_anothers() -> None:
    assert list(units_of(IRON, EVENTS, "Tam")) == [(0, True), (1, False), (4, False)]
    assert list(units_of(RINGING, EVENTS, "Tam")) == [(4, False)]


def test_the_chance_of_taking_up_a_norm_is_that_of_taking_up_one_unit_of_it() -> None:
    """One own unit at 0.5 and two of others at 0.2: 1 - 0.5 * 0.8 * 0.8 = 0.68."""
    dials = Dials(own=0.5, vicarious=0.2)
    assert taken_up(dials, units_of(IRON, EVENTS, "Tam")) == pytest.approx(0.68)
    assert taken_up(dials, []) == 0.0


def test_what_broke_nothing_and_was_answered_all_the_same_is_a_mistake() -> None:
    assert list(mistaken((IRON, RINGING), EVENTS)) == [(3, ("take", "glaze", "ash"))]


def test_all_minds_are_listed_with_their_probabilities() -> None:
    """Iron is taken up with 0.68 and ringing with 0.2; each kept norm is dreaded in its loose form with 0.25."""
    dials = Dials(own=0.5, vicarious=0.2, caution=0.25, fear=0.5)
    listed = list(minds(dials, (IRON, RINGING), EVENTS, "Tam"))
    assert sum(share for share, _ in listed) == pytest.approx(1.0)
    both = Mind(kept=(IRON, RINGING), dreaded=(loosened(IRON),), fearful=True)
    # 0.68 * 0.2 taken up, 0.25 * 0.75 dreaded and not, 0.5 fearful
    assert {mind: share for share, mind in listed}[both] == pytest.approx(0.68 * 0.2 * 0.25 * 0.75 * 0.5)


def test_what_is_told_is_kept_whatever_the_dials_say() -> None:
    listed = list(minds(Dials(own=0.0, vicarious=0.0), (IRON,), (), "Tam", told=True))
    assert listed == [(1.0, Mind(kept=(IRON,)))]


def test_minds_of_half_a_superstition_are_too_many_to_list() -> None:
    with pytest.raises(ValueError, match=r"superstition=0\.5"):
        list(minds(Dials(superstition=0.5), (IRON,), EVENTS, "Tam"))


@pytest.mark.parametrize(
    ("text", "loose"),
    [
        ("forbid take(glaze=iron)", "forbid take"),
        ("forbid take(glaze=iron) when bell=ringing", "forbid take(glaze=iron)"),
        ("forbid take for keeper", "forbid take"),
        ("forbid take before greet(role=keeper)", "forbid take"),
        ("oblige greet with take", "oblige greet with take"),
    ],
)
def test_over_caution_forgets_the_last_narrowing_part(text: str, loose: str) -> None:
    assert loosened(parse_norm(text)) == parse_norm(loose)


def test_the_learner_concludes_what_the_world_holds() -> None:
    for world in quick().worlds[:4]:
        assert set(concluded(world.vocabulary, watched(world), RATES)) == set(world.parsed)


def test_it_concludes_as_much_from_what_is_passed_over() -> None:
    """Under `compliance` nobody is ever answered: read as answers, the same acts say that nothing is forbidden."""
    for world in (world_of("000a"), world_of("000b")):
        events = watched(world, Condition.COMPLIANCE)
        assert not any(event.answers for event in events)
        assert concluded(world.vocabulary, events, RATES) == world.parsed


def test_with_all_dials_open_it_passes_and_with_all_closed_it_is_norm_blind() -> None:
    world = world_of("001a")
    assert play(world, SimulatedLearner(Dials(), RATES, 0), Condition.OTHERS).passed
    closed = play(world, SimulatedLearner(Dials(vicarious=0.0), RATES, 0), Condition.OTHERS)
    assert closed.done and closed.violations > 0


def test_what_it_does_is_what_one_of_its_minds_would_do() -> None:
    world = world_of("001a")
    events = watched(world)
    norms = concluded(world.vocabulary, events, RATES)
    dials = Dials(vicarious=0.1)
    expected = {
        play(world, Minded(mind), Condition.OTHERS).events
        for _, mind in minds(dials, norms, events, world.cast.newcomer)
    }
    seen = {play(world, SimulatedLearner(dials, RATES, s), Condition.OTHERS).events for s in range(12)}
    assert len(seen) > 1
    assert seen <= expected


def test_caution_stands_still_before_near_misses() -> None:
    world = world_of("000a")
    assert not play(world, SimulatedLearner(Dials(caution=1.0), RATES, 0), Condition.TOLD).done


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"own": "1.5"}, "own: 1.5 is no probability"),
        ({"own": "1e9"}, "own: 1e.09 is no probability"),
        ({"own": "nan"}, "own: 'nan' is no number"),
        ({"own": "much"}, "own: 'much' is no number"),
        ({"own": ""}, "own: '' is no number"),
        ({"own": "\uff10.\uff15"}, "is no number"),
        ({"own": "1_0"}, "own: '1_0' is no number"),
        ({"vigour": "0.5"}, "there is no dial 'vigour'"),
    ],
)
def test_dials_are_read_with_care(parameters: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Dials.read(parameters)
