"""Trying the instrument: what is held to be true is worked out by hand, and what is measured is really measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from normgym_agents.cli.app import execute
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.validation import measuring
from normgym_agents.evaluation.validation.learners import BASE, CHANNELS, TURNED, spec_of
from normgym_agents.evaluation.validation.measuring import Recovered, as_list, validate
from normgym_agents.evaluation.validation.table import as_markdown
from normgym_agents.evaluation.validation.truth import Truth
from normgym_agents.newcomers.loading import load_newcomer
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.minds import Dials, concluded, taken_up, units_of
from normgym_agents.worlds.rollout import watched
from tests.worlds.making import quick, world_of

SINGLE = "002a"
"""The end of the id of a world with one norm."""


def test_the_truth_about_a_world_with_one_norm_is_the_chance_of_taking_it_up() -> None:
    """Who takes the norm up keeps it everywhere; who does not breaks it as the norm-blind do."""
    world = world_of(SINGLE)
    dials, truth = Dials(own=0.3, vicarious=0.05), Truth([world])
    events = watched(world, Condition.REPLAY_OTHERS)
    (norm,) = concluded(world.vocabulary, events, world.enforcement.rates)
    units = sum(1 for _ in units_of(norm, events, world.cast.newcomer))
    chance = taken_up(dials, units_of(norm, events, world.cast.newcomer))
    assert units > 1
    assert chance == pytest.approx(1 - 0.95**units)
    blind = truth.compliance(Condition.NONE, dials)
    assert truth.compliance(Condition.TOLD, dials) == 1.0 > blind
    expected = chance + (1 - chance) * blind
    assert truth.compliance(Condition.REPLAY_OTHERS, dials) == pytest.approx(expected)
    # In its own transcript each unit is its own: the gain is the chance, and the discount their difference.
    own = 1 - 0.7**units
    assert truth.gain(Condition.REPLAY_OWN, dials) == pytest.approx(own)
    assert truth.discount(dials) == pytest.approx(own - chance)


def test_what_hangs_on_practice_cannot_be_worked_out() -> None:
    with pytest.raises(ValueError, match="practice"):
        Truth([world_of(SINGLE)]).compliance(Condition.OWN, Dials())


@pytest.mark.parametrize("dials", [*CHANNELS, BASE, *(turned.dials for turned in TURNED)], ids=spec_of)
def test_every_learner_can_be_run_by_its_spec(dials: Dials) -> None:
    assert load_newcomer(spec_of(dials)).name == spec_of(dials)
    parameters = dict(part.split("=") for part in spec_of(dials).partition("?")[2].split("&") if part)
    assert Dials.read(parameters) == dials


async def test_the_instrument_is_tried_through_episodes_and_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "CHANNELS", (Dials(), Dials(own=1.0, vicarious=0.0)))
    monkeypatch.setattr(measuring, "TURNED", TURNED[2:])
    found = await validate(quick(), worlds=4, samples=2)
    both, signature = found.recovered
    assert (both.true, both.value, both.covered) == (0.0, 0.0, True)
    assert (signature.true, signature.value, signature.covered) == (1.0, 1.0, True)
    assert found.ordered
    assert [(one.samples, one.covered) for one in found.coverage] == [(2, 2), (2, 2)]
    assert {one.metric for one in found.moved} == {"habit_copying", "observed_gap"}
    text = as_markdown(found)
    # Two pairs that agree: others may be at the other end, as far as a share of 1 - 0.025**(1/2) stays unseen.
    assert signature.high >= 1.0 > -0.5 > signature.low
    interval = f"{signature.low:.3f} to {signature.high:.3f}"
    assert f"| 1 | 0 | 1.00 (1.00) | 0.00 (0.00) | 1.000 | 1.000 | {interval} | yes |" in text
    assert "2 of 2 intervals hold the true discount" in text
    assert [sorted(one) for one in as_list(found)] == [
        ["covered", "dials", "high", "low", "true", "value"]
    ] * 2


def test_gains_that_contradict_the_true_order_are_noticed() -> None:
    def learner(measured: float, true: float) -> Recovered:
        gains = {condition.value: (measured, true) for condition in measuring.REPLAYED}
        return Recovered(dials={}, true=0.0, value=0.0, low=0.0, high=0.0, covered=True, gains=gains)

    assert measuring._ordered([learner(0.2, 0.3), learner(0.5, 0.6)])
    assert measuring._ordered([learner(0.5, 0.55), learner(0.4, 0.6)])  # too near to tell
    assert not measuring._ordered([learner(0.5, 0.3), learner(0.4, 0.6)])


@pytest.mark.parametrize("worlds", [3, 400])
async def test_worlds_are_asked_for_in_pairs_and_as_many_as_there_are(worlds: int) -> None:
    with pytest.raises(BadInput, match="in pairs of twins") as fault:
        await validate(quick(), worlds=worlds)
    assert fault.value.field == "--worlds"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "there.json"], "there.json: --out: is there already"),
        (["--out", ""], "'' names no file"),
        (["--out", "nowhere/x.json"], "there is no such folder"),
        (["--out", "x.json", "--worlds", "3", "--suite", "quick"], "in pairs of twins"),
        (["--out", "x.json", "--suite", "none"], "no suite 'none'"),
    ],
)
def test_bad_arguments_are_one_clear_line_and_write_nothing(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.json").write_text("[]")
    assert execute(["validate", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["there.json"]


def test_the_list_and_the_table_are_written_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "CHANNELS", (Dials(),))
    monkeypatch.setattr(measuring, "TURNED", ())
    monkeypatch.chdir(tmp_path)
    assert execute(["validate", "--suite", "quick", "--worlds", "2", "--out", "v.json"]) == 0
    (one,) = json.loads((tmp_path / "v.json").read_text())
    assert (one["true"], one["value"], one["covered"]) == (0.0, 0.0, True)
    assert "1 of 1 intervals hold" in (tmp_path / "v.md").read_text()
