"""Baselines that look at the evidence: what they take from it, on evidence small enough to see through."""

from __future__ import annotations

import math

import pytest

from normgym_agents.norms.moments import Deed, Moment
from normgym_agents.worlds.baselines import (
    RIDGE,
    MemoriseAllSanctions,
    SanctionClassifier,
    features,
    fit_answers,
)
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.rollout import play
from tests.worlds.making import quick


def moment(verb: str = "take", glaze: str = "iron", *, bell: str = "still") -> Moment:
    return Moment(verb, (("glaze", glaze),), "carrier", (("bell", bell),), frozenset(), frozenset())


def score(weights: dict[tuple[str, ...], float], one: Moment) -> float:
    return sum(weights.get(feature, 0.0) for feature in features(one))


def test_features_are_a_verb_with_one_thing_that_can_be_said_of_the_act() -> None:
    greeted = frozenset({Deed("greet", (("role", "keeper"),))})
    seen = moment()._replace(present=frozenset({"keeper"}), earlier=greeted)
    assert list(features(seen)) == [
        ("act",),
        ("verb", "take"),
        ("slot", "take", "glaze", "iron"),
        ("signal", "take", "bell", "still"),
        ("present", "take", "keeper"),
        ("role", "take", "carrier"),
        ("earlier", "take", "greet", "keeper"),
    ]


def test_one_answered_act_and_one_unanswered_one_give_the_weights_that_arithmetic_gives() -> None:
    """Two acts that differ in the glaze alone.

    By symmetry the common weights are 0 and the glazes' are w and -w. The loss is then
    2 log(1 + exp(-w)) + RIDGE w², so 1 / (1 + exp(w)) = RIDGE w.
    """
    weights = fit_answers([moment(glaze="iron"), moment(glaze="ash")], [True, False])
    w = weights["slot", "take", "glaze", "iron"]
    assert w == pytest.approx(-weights["slot", "take", "glaze", "ash"], abs=1e-4)
    assert 1.0 / (1.0 + math.exp(w)) == pytest.approx(RIDGE * w, abs=1e-4)
    assert weights["verb", "take"] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("answered", [True, False])
def test_where_all_acts_were_answered_or_none_there_is_nothing_to_tell_apart(answered: bool) -> None:
    assert fit_answers([moment(), moment(glaze="ash")], [answered] * 2) == {}
    assert fit_answers([], []) == {}


def test_effects_add_up_and_cannot_say_that_two_literals_must_hold_at_once() -> None:
    """Iron is answered while the bell rings only; iron while it is still gets some of the blame, too."""
    acts = [moment(glaze=glaze, bell=bell) for glaze in ("iron", "ash") for bell in ("ringing", "still")]
    weights = fit_answers(acts * 5, [True, False, False, False] * 5)
    both, iron, bell, neither = (score(weights, act) for act in acts)
    assert both > 0 > iron > neither
    assert iron == pytest.approx(bell, abs=1e-3)  # two ways of being half right
    assert both - iron == pytest.approx(bell - neither, abs=1e-3)


def test_memorising_exact_acts_fails_where_the_probe_shows_new_things() -> None:
    for world in quick().worlds[:4]:
        result = play(world, MemoriseAllSanctions(), Condition.OTHERS)
        assert result.done and result.violations > 0


def test_the_classifier_learns_from_what_it_sees_and_from_nothing_else() -> None:
    worlds = quick().worlds
    with_evidence = sum(play(world, SanctionClassifier(), Condition.OTHERS).passed for world in worlds)
    assert with_evidence > len(worlds) / 2
    assert not any(play(world, SanctionClassifier(), Condition.NONE).passed for world in worlds)
