"""Worlds written by hand whose parts do not fit each other."""

from __future__ import annotations

from typing import Any

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.worlds.coherence import check_coherent
from tests.worlds.making import changed_world, quick


def test_bundled_worlds_are_coherent() -> None:
    one, other = quick().worlds[:2]
    check_coherent(one)
    check_coherent(other, one)


@pytest.mark.parametrize(
    ("path", "value", "field", "message"),
    [
        ("probe.task.budget", 10**9, "probe.task.budget", "no day's work"),
        ("probe.task.count", 0, "probe.task.count", "no task"),
        ("probe.near_misses.0.thing", None, "probe.near_misses.0", "no such act"),
        ("practise.tempting.0.0.verb", "fly", "practise.tempting.0.0", "no such act"),
        ("probe.stage.things.0.attributes.form", "spoon", "probe.stage.things.0.attributes.form", "'spoon'"),
        ("schema_version", 2, "schema_version", "not known"),
        ("peer", 99, "peer", "no member of the newcomer's role"),
        ("cast.newcomer", "Odd", "practise.stage.people", "not the people of the cast"),
        ("cast.role", "baker", "cast", "no role 'baker'"),
        ("vocabulary.overseer", "baker", "vocabulary.overseer", "no role 'baker'"),
        ("probe.stage.things.0.home", "moon", "probe.stage.things.0.home", "no place 'moon'"),
        ("probe.stage.things.1.id", "t1", "probe.stage.things.0.id", "stands twice"),
        ("probe.stage.paths.0.0", "moon", "probe.stage.paths.0", "no place 'moon'"),
        ("watch.0.stage.rounds", 40, "watch.0.stage.signals", "40 rounds"),
        ("watch.0.script.0.0.person", -1, "watch.0.script.0.0.person", "nobody's index"),
        ("watch.0.script.0.0.act.verb", "fly", "watch.0.script", "round 1: an impossible act"),
    ],
)
def test_a_misfit_is_named_with_what_would_fit(path: str, value: Any, field: str, message: str) -> None:
    one, other = quick().worlds[:2]
    for checked in (None, one):
        with pytest.raises(BadInput) as caught:
            check_coherent(changed_world(other, path, value), checked)
        assert message in caught.value.message, caught.value
        assert str(caught.value.field).startswith(field), caught.value
        assert caught.value.expected is not None
