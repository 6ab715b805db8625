from __future__ import annotations

import pytest

from normgym_agents.evaluation.results import Contrast
from normgym_agents.evaluation.showing import KNOWN, contrasts_shown, plain, shown, why_missing


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("compliance", None, "–"),
        ("compliance", 0.125, "12%"),
        ("compliance", 0.999, ">99%"),
        ("regret", -0.25, "−25"),
        ("regret", 0.0, "0"),
        ("learning_gain", 0.333, "0.33"),
        ("learning_gain", -1.5, "−1.50"),
        ("tokens", 12345.6, "12,346"),
        ("opportunity_rate", 0.2, "0.20"),
    ],
)
def test_shares_are_percent_and_differences_points(name, value, text):
    assert shown(KNOWN[name], value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(-0.001, "0.00"), (0.0, "0.00"), (99.99, "99.99"), (100.4, "100")]
)
def test_other_numbers(value, text):
    assert plain(value) == text


def contrast(value: float | None, n: int = 4) -> Contrast:
    return Contrast(value=value, low=value, high=value, p=None, n=n)


def test_a_raw_difference_stands_in_only_where_it_must():
    raw, relative = contrast(0.1), contrast(0.4)

    def names(**contrasts):
        return [metric.name for metric, _ in contrasts_shown(contrasts)]

    assert names(vicarious_discount=relative, vicarious_discount_raw=raw) == ["vicarious_discount"]
    both = ["vicarious_discount", "vicarious_discount_raw"]
    assert names(vicarious_discount=contrast(None), vicarious_discount_raw=raw) == both
    assert names(vicarious_discount_raw=raw) == ["vicarious_discount_raw"]


def test_what_has_no_value_has_a_reason():
    assert why_missing(KNOWN["agency_gap"], contrast(None, 0)) == "no world to compare"
    assert why_missing(KNOWN["agency_gap"], contrast(None)) == "nothing to measure"
    assert why_missing(KNOWN["vicarious_discount"], contrast(None)) == "told adds less than 10 points"
