"""A reader of a record sees which norms acts were judged by, and when these were in force."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from normgym_agents.evaluation.api import prepare, run_prepared
from normgym_agents.evaluation.config import RunConfig
from normgym_agents.evaluation.evidence import playable
from normgym_agents.evaluation.judging import InForce, judged_by
from normgym_agents.evaluation.rescoring import rescore
from normgym_agents.norms.language import parse_norm
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.test_report import Page
from tests.worlds.making import quick, world_of

WORLD = world_of("000a")


def said(condition: Condition) -> list[tuple[str, str, str]]:
    return [(one.label, one.norm, one.in_force.value) for one in judged_by(WORLD, condition)]


def test_the_worlds_norms_are_in_force_but_for_three_conditions() -> None:
    own = [(f"N{i}", text) for i, text in enumerate(WORLD.norms, start=1)]
    for condition in set(Condition) - {Condition.ABSENT, Condition.WRONG_ROLE, Condition.CHANGE}:
        assert said(condition) == [(*one, "always") for one in own]
    assert said(Condition.ABSENT) == [(*one, "never") for one in own]
    former = [(f"P{i}", text, "at first") for i, text in enumerate(WORLD.rival, start=1)]
    assert former and said(Condition.CHANGE) == [(*one, "later") for one in own] + former


def test_norms_of_another_role_stand_beside_those_that_bind_nobody() -> None:
    found = said(Condition.WRONG_ROLE)
    count = len(WORLD.norms)
    assert [one[2] for one in found] == ["never"] * count + ["always"] * count
    for (label, text, _), own in zip(found[count:], WORLD.parsed, strict=True):
        assert label.startswith("W")
        assert text.endswith(f" for {WORLD.vocabulary.overseer}")
        assert parse_norm(text).act == own.act


@pytest.mark.parametrize("condition", [c for c in Condition if c is not Condition.YOKED])
def test_what_is_said_is_what_is_played(condition: Condition) -> None:
    for world in quick().worlds[:4]:
        if not playable(world, condition):
            continue
        force = {one.label: one.in_force for one in judged_by(world, condition)}
        days = arrange(world, condition).days
        bound: dict[str, list[bool]] = {}
        for day in days:
            for judged in day.judged:
                for number in range(1, len(judged.norms) + 1):
                    bound.setdefault(f"{judged.label}{number}", []).append(judged.bound)
        assert bound.keys() == force.keys()
        for label, when in force.items():
            on = bound[label]
            assert {
                InForce.ALWAYS: all(on),
                InForce.NEVER: not any(on),
                InForce.AT_FIRST: on[0] and not on[-1],
                InForce.LATER: on[-1] and not on[0],
            }[when]


@pytest.fixture
async def run(tmp_path: Path) -> Path:
    config = RunConfig(
        newcomer="reference:norm-blind", worlds=1, conditions=(Condition.ABSENT,), driver="loop"
    )
    await run_prepared(prepare(config), folder=tmp_path)
    return tmp_path


async def test_the_report_says_which_norms_are_not_in_force(run: Path) -> None:
    text = " ".join(Page((run / "report.html").read_text()).text.split())
    assert f"N1 {WORLD.norms[0]} not in force: acts are judged by it, but nobody has to keep it" in text


async def test_a_record_of_an_earlier_build_is_still_read_and_shown_as_it_is(run: Path) -> None:
    path = run / "records.jsonl"
    line = json.loads(path.read_text())
    assert [one["in_force"] for one in line["judged_by"]] == ["never"] * len(WORLD.norms)
    line["judged_by"][0]["in_force"] = "always"
    path.write_text(json.dumps(line) + "\n")
    assert [one.where for one in rescore(run).differences] == ["records.jsonl:1, judged_by"]
    del line["judged_by"]
    path.write_text(json.dumps(line) + "\n")
    found = rescore(run, strict=True)
    assert found.differences == ()
    assert found.result.records[0].judged_by == judged_by(WORLD, Condition.ABSENT)
