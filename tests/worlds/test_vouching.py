"""Worlds whose seals fit, but whose tasks cannot be done or whose certificates are of other worlds."""

from __future__ import annotations

from typing import Any

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.worlds.suites import load_suite
from normgym_agents.worlds.vouching import vouch
from tests.worlds.making import changed_world, quick


@pytest.mark.parametrize("name", ["quick", "families"])
def test_what_is_bundled_can_be_vouched_for(name: str) -> None:
    vouch(load_suite(name).worlds[:6], "file")


@pytest.mark.parametrize(
    ("path", "value", "field", "message"),
    [
        ("probe.task.budget", 4, "probe.task.budget", "at most 4 acts does the task, whatever"),
        ("probe.task.budget", 8, "probe.task.budget", "at most 8 acts does the task and keeps the norms"),
        ("practise.task.budget", 3, "practise.task.budget", "no plan of at most 3 acts does the task"),
        ("probe.task.form", "spoon", "probe.task.budget", "solvable"),
        ("norms", ["forbid give"], "probe.task.budget", "keeps the norms"),
        ("certificate.blind", 1, "certificate.blind", "1 does not fit the world"),
        ("certificate.keeping", 10, "certificate.keeping", "10 does not fit"),
        ("certificate.near_misses", 0, "certificate.near_misses", "0 does not fit"),
        ("certificate.opportunities", [2, 2], "certificate.opportunities", "2 does not fit"),
        ("certificate.observed.0", 3, "certificate.observed", "3 does not fit"),
        ("certificate.fooled", [], "certificate.fooled", "does not fit"),
        ("certificate.identified", 0.99, "certificate.identified", "0.99 does not fit"),
        ("certificate.channels.own.identified", 2.0, "certificate.channels.own", "no probability"),
        ("certificate.channels.live.passed", False, "certificate.channels.live.passed", "fails"),
        ("certificate.channels", {}, "certificate.channels", "not the conditions"),
        ("rival", ["forbid give"], "twin", "rival norms"),
        ("practise.task.sentence", "Bring it.", "twin", "days of the twins differ"),
    ],
)
def test_a_world_that_nothing_can_be_measured_in(path: str, value: Any, field: str, message: str) -> None:
    """In `quick` the second world takes 8 acts, 9 with its norm kept, and has 12."""
    one, other = quick().worlds[:2]
    with pytest.raises(BadInput) as caught:
        vouch([one, changed_world(other, path, value)], "file")
    fault = caught.value
    assert message in fault.message, fault
    assert str(fault.field).startswith(field), fault
    # What twins must share is missed where the first of them is looked at.
    assert (fault.file, fault.line) == ("file", 2 if field == "twin" else 3)
    assert (one if field == "twin" else other).id in fault.message
    assert fault.expected is not None
