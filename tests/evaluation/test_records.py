from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.community.log import ActEvent
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Clock, Record, episode_key, one_line
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Condition, Phase
from tests.evaluation.fakes import record, scores

# Anything that Python holds as text, halves of surrogate pairs and NUL among it.
odd_text = st.text(st.characters(exclude_categories=[]), max_size=30) | st.sampled_from(
    ["\ud800", "\udfff\x00", "</script><script>alert(1)</script>", "\x1b[2J", "a\u2028b\r\nc", "\ufeff"]
)


@given(words=odd_text, said=odd_text, error=odd_text, name=odd_text, fault=st.none() | odd_text)
def test_any_text_survives_the_round_trip(words, said, error, name, fault):
    event = ActEvent(
        phase=Phase.PROBE,
        day=1,
        round=1,
        actor=name,
        newcomer=True,
        act=None if fault is not None else Act(verb="say", say=said),
        fault=fault,
        words=words,
    )
    before = record("1a").model_copy(update={"events": (event,), "error": error, "newcomer": name})
    line = before.to_line()
    assert line.isascii() and line.count("\n") == 1 and line.endswith("\n")
    after = Record.model_validate(json.loads(line))
    assert after == before
    assert after.to_line() == line


def test_the_clock_is_all_that_may_differ():
    one = record("1a")
    other = one.model_copy(update={"clock": Clock(started="later", seconds=9.0, trace_id="f" * 32)})
    assert one.to_line() != other.to_line()
    assert one.timeless() == other.timeless()
    assert "clock" not in json.loads(one.timeless())


def test_a_record_has_the_contracted_fields():
    content = json.loads(record("1a").to_line())
    assert content["schema"] == 2
    assert {"key", "world", "digest", "condition", "trial", "outcome", "events", "scores", "clock"} <= set(
        content
    )
    assert content["scores"] == scores().model_dump()


@pytest.mark.parametrize(
    ("outcome", "scored"),
    [
        (Outcome.COMPLETED, True),
        (Outcome.NEWCOMER_FAILED, True),
        (Outcome.MODEL_FAILED, False),
        (Outcome.COMMUNITY_FAILED, False),
        (Outcome.CANCELLED, False),
    ],
)
def test_only_the_newcomers_own_outcomes_are_scored(outcome, scored):
    assert outcome.scored is scored


KEY: dict[str, Any] = {
    "suite": "quick 1",
    "world": "quick-01a",
    "digest": "abc",
    "condition": Condition.LIVE,
    "trial": 0,
    "newcomer": "tam",
    "fingerprint": "f",
    "seed": 0,
    "members": "scripted",
    "limits": Clock(started="", seconds=1.0),
}


@pytest.mark.parametrize(
    "change",
    [
        {"suite": "quick 2"},
        {"world": "quick-01b"},
        {"digest": "abd"},
        {"condition": Condition.NONE},
        {"trial": 1},
        {"newcomer": "sef"},
        {"fingerprint": "g"},
        {"seed": 1},
        {"members": "voiced"},
        {"limits": Clock(started="", seconds=2.0)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_decides_an_episode_changes_its_key(change):
    assert episode_key(**KEY) != episode_key(**{**KEY, **change})


def test_keys_are_the_same_in_every_process():
    assert episode_key(**KEY) == "de1d10810b53c7cf87af3513"


@pytest.mark.parametrize(
    ("text", "line"),
    [("\n  boom \nTraceback", "boom"), ("", "(no message)"), ("x" * 600, "x" * 499 + "…")],
)
def test_errors_are_one_short_line(text, line):
    assert one_line(text) == line
