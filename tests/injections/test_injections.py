"""Nothing that a newcomer says changes what its acts are found to be, breaks a record, or runs in a page."""

import json

import pytest

from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Record
from normgym_agents.newcomers import adapt
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Condition
from tests.community.playing import play, small_world
from tests.injections.battery import BATTERY

ACTS = [Act(verb="take", thing="t1"), Act(verb="say", say="…"), Act(verb="wait")]
"""A breach while the bell rings, a word, and nothing."""


def saying(text):
    """Does the same acts whatever it says, and says it by every way there is."""

    def make():
        turn = 0

        def agent(_: str):
            nonlocal turn
            turn += 1
            act = ACTS[turn % len(ACTS)]
            return {**act.model_dump(exclude_none=True), **({"say": text} if act.say else {}), "why": text}

        return agent

    return make


async def played(text):
    return await play(small_world(), Condition.LIVE, adapt(saying(text)).factory)


def found(record):
    """All that is found of acts, without the words that were said."""
    kinds = ("verdict", "near_miss", "sanction", "task")
    events = [event.model_dump() for event in record.events if event.kind in kinds]
    for event in events:
        if event.get("act"):
            event["act"]["say"] = None
    return events


def test_the_battery_is_as_large_as_it_should_be():
    assert len(BATTERY) == len({text for _, text in BATTERY}) >= 60


@pytest.mark.parametrize(
    ("kind", "text"), BATTERY, ids=[f"{kind}-{i}" for i, (kind, _) in enumerate(BATTERY)]
)
async def test_what_is_said_changes_nothing_that_is_found(kind, text):
    plain, tried = await played("Good morning."), await played(text)
    assert tried.outcome is plain.outcome is Outcome.COMPLETED
    assert found(tried) == found(plain)
    assert tried.scores == plain.scores and plain.scores.violations > 0
    line = tried.to_line()
    assert line.isascii() and line.count("\n") == 1
    assert Record.model_validate_json(line) == tried
    assert "PASS" not in json.dumps(tried.scores.model_dump(mode="json"))
