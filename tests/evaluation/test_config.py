from __future__ import annotations

import re

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import Limits, RunConfig, parse_config
from normgym_agents.worlds.conditions import BASE, Condition


def test_what_is_not_given_has_its_default():
    assert parse_config({"newcomer": "x"}) == RunConfig(newcomer="x")
    assert RunConfig(newcomer="x").conditions == BASE


def test_all_stands_for_every_condition():
    assert parse_config({"newcomer": "x", "conditions": "all"}).conditions == tuple(Condition)


def test_conditions_come_in_one_order_and_the_deadline_in_seconds():
    config = parse_config({"newcomer": "x", "conditions": "told, live", "limits": 5.0})
    assert config.conditions == (Condition.LIVE, Condition.TOLD)
    assert config.limits == Limits(deadline=5.0)


def test_a_base_gives_what_is_not_said_again():
    base = parse_config({"newcomer": "x", "trials": 3, "conditions": "told"})
    assert parse_config({"concurrency": 9}, base=base) == base.model_copy(update={"concurrency": 9})
    assert parse_config({"trials": 2}, base=base).trials == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"conditions": "live,tolld"},
            "conditions: there is no condition 'tolld' (expected: live, none, told, own, others, ",
        ),
        ({"conditions": ""}, "conditions: there is no condition ''"),
        ({"conditions": "live,live"}, "conditions: 'live' stands twice"),
        (
            {"members": "voiced"},
            "member_models: voiced members need a model (expected: --member-model PROVIDER:MODEL, for everybody or "
            "beside those of single personas)",
        ),
        (
            {"members": "voiced", "member_models": {"mira": "openai:gpt-4o-mini"}},
            "member_models: voiced members need a model (expected: --member-model PROVIDER:MODEL, for everybody or "
            "beside those of single personas)",
        ),
        (
            {"member_models": {"": "openai:gpt-4o-mini"}},
            "member_models: scripted members have no model (expected: --members voiced | autonomous)",
        ),
        (
            {"members": "bored"},
            "members: there are no 'bored' members (expected: scripted | voiced | autonomous)",
        ),
        (
            {"member_limits": {"episode_calls": 0}},
            "member_limits.episode_calls: 0 will not do (expected: greater than or equal to 1)",
        ),
        ({"trials": 0}, "trials: 0 will not do"),
        ({"worlds": -1}, "worlds: -1 will not do"),
        ({"seed": -1}, "seed: -1 will not do"),
        ({"concurrency": 0}, "concurrency: 0 will not do"),
        ({"driver": "horse"}, "driver: 'horse' will not do (expected: 'graph' or 'loop')"),
        ({"limits": {"turn_calls": 0}}, "turn_calls: 0 will not do (expected: greater than or equal to 1)"),
        ({"limits": {"turns": 1}}, "turns: 1 will not do"),
        ({"limits": 0.0}, "deadline: 0 seconds is no deadline"),
        ({"limits": float("nan")}, "deadline: nan seconds is no deadline"),
    ],
)
def test_bad_values_name_their_field(given, message):
    with pytest.raises(BadInput, match="^" + re.escape(message)) as caught:
        parse_config({"newcomer": "x", **given})
    assert "\n" not in str(caught.value)


def test_a_limit_given_anew_leaves_the_others():
    stored = parse_config({"newcomer": "x", "limits": {"deadline": 5.0, "turn_calls": 3}})
    config = parse_config({"limits": {"episode_tokens": 9}}, base=stored)
    assert config.limits == Limits(deadline=5.0, turn_calls=3, episode_tokens=9)
    assert config.limits.model_dump() == {"deadline": 5.0, "turn_calls": 3, "episode_tokens": 9}
    assert Limits().model_dump() == {"deadline": 120.0}
