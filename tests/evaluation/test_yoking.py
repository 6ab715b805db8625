"""A yoked record is believed only beside the record of what the same newcomer did by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.api import prepare, run_prepared
from normgym_agents.evaluation.compare.runs import read_run
from normgym_agents.evaluation.config import RunConfig
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.rescoring import rescore
from normgym_agents.evaluation.yoking import yoked_difference
from normgym_agents.worlds.conditions import Condition

CONFIG = RunConfig(
    newcomer="reference:random",
    worlds=2,
    trials=2,
    conditions=(Condition.OWN, Condition.YOKED),
    driver="loop",
)


@pytest.fixture
async def run(tmp_path: Path) -> Path:
    await run_prepared(prepare(CONFIG), folder=tmp_path)
    return tmp_path


def read(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]


def write(folder: Path, lines: list[dict[str, Any]]) -> None:
    (folder / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def yoked_line(lines: list[dict[str, Any]]) -> int:
    """Which line is yoked and shows an answer, from 0."""
    return next(
        n for n, line in enumerate(lines) if line["condition"] == "yoked" and watched(line, "sanction")
    )


def watched(line: dict[str, Any], kind: str) -> list[int]:
    return [i for i, e in enumerate(line["events"]) if e["phase"] == "watch" and e["kind"] == kind]


async def refused(folder: Path, line: int, field: str) -> None:
    """By whatever reads a run."""
    place = f"{folder / 'records.jsonl'}:{line + 1}: {field}: "
    with pytest.raises(BadInput) as caught:
        await run_prepared(prepare(CONFIG), folder=folder, resume=True)
    assert str(caught.value).startswith(place)
    for look in (lambda: rescore(folder, strict=True), lambda: read_run(folder, "A")):
        with pytest.raises(BadInput) as caught:
            look()
        assert str(caught.value).startswith(place)
    found = [difference.where for difference in rescore(folder).differences]
    assert found == [f"records.jsonl:{line + 1}, {field}"]


async def test_what_was_watched_is_what_was_done(run: Path) -> None:
    assert rescore(run, strict=True).differences == ()
    yoked = [line for line in read(run) if line["condition"] == "yoked"]
    assert len(yoked) == 4 and all(watched(line, "act") for line in yoked)


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("act", "act", {"verb": "say", "say": "what nobody said"}),
        ("act", "round", 99),
        ("sanction", "member", "Nobody"),
        ("sanction", "deserved", None),
    ],
)
async def test_other_acts_and_answers_than_its_own_are_refused(
    run: Path, kind: str, field: str, value: Any
) -> None:
    lines = read(run)
    number = yoked_line(lines)
    index = watched(lines[number], kind)[-1]
    event = lines[number]["events"][index]
    event[field] = not event[field] if value is None else value
    write(run, lines)
    await refused(run, number, f"events.{index}.{field}")


async def test_the_transcript_of_another_trial_is_refused(run: Path) -> None:
    lines = read(run)
    number = yoked_line(lines)
    mine = lines[number]
    (theirs,) = [
        line
        for line in lines
        if (line["condition"], line["world"]) == ("yoked", mine["world"]) and line["trial"] != mine["trial"]
    ]
    mine["events"] = [e for e in theirs["events"] if e["phase"] == "watch"] + [
        e for e in mine["events"] if e["phase"] != "watch"
    ]
    write(run, lines)
    with pytest.raises(BadInput, match=rf"records\.jsonl:{number + 1}: events\."):
        rescore(run, strict=True)


async def test_an_act_more_or_less_is_refused(run: Path) -> None:
    lines = read(run)
    number = yoked_line(lines)
    events = lines[number]["events"]
    last = max(watched(lines[number], "act") + watched(lines[number], "sanction"))
    write(
        run,
        [
            *lines[:number],
            {**lines[number], "events": events[:last] + events[last + 1 :]},
            *lines[number + 1 :],
        ],
    )
    await refused(run, number, "events")
    longer = [*events[: last + 1], events[watched(lines[number], "act")[0]], *events[last + 1 :]]
    write(run, [*lines[:number], {**lines[number], "events": longer}, *lines[number + 1 :]])
    await refused(run, number, "events")


async def test_without_its_own_record_there_is_nothing_to_be_yoked_to(run: Path) -> None:
    lines = read(run)
    number = yoked_line(lines)
    mine = lines[number]
    kept = [
        line
        for line in lines
        if (line["condition"], line["world"], line["trial"]) != ("own", mine["world"], mine["trial"])
    ]
    assert len(kept) == len(lines) - 1
    write(run, kept)
    with pytest.raises(BadInput, match=r"condition: is .* to be yoked to"):
        rescore(run, strict=True)


async def test_who_fails_while_watching_has_seen_a_part(run: Path) -> None:
    records = {(r.condition, r.world, r.trial): r for r in rescore(run).result.records}
    yoked = Record.model_validate(read(run)[yoked_line(read(run))])
    own = records[Condition.OWN, yoked.world, yoked.trial]
    assert yoked_difference(yoked, own) is None
    some = yoked.model_copy(update={"events": yoked.events[:2], "outcome": Outcome.NEWCOMER_FAILED})
    assert yoked_difference(some, own) is None
    assert yoked_difference(some.model_copy(update={"outcome": Outcome.COMPLETED}), own) is not None
    # What is not scored is played again, and nothing of it is read.
    assert yoked_difference(yoked.model_copy(update={"scores": None}), None) is None
