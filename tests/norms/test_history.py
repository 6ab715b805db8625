from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.norms.history import Recent, Tally, add, remember
from normgym_agents.norms.moments import RECENT, Deed
from tests.norms.making import deeds


@given(st.lists(deeds, max_size=12))
def test_a_day_is_kept_as_its_last_acts_and_its_counts(day: list[Deed]) -> None:
    recent: Recent = ()
    tally: Tally = frozenset()
    for deed in day:
        recent, tally = remember(recent, deed), add(tally, deed)
    assert list(recent) == day[-RECENT:]
    assert sorted(tally) == sorted(Counter(day).items())


def test_worked_example() -> None:
    take, wait = Deed("take", ()), Deed("wait", ())
    assert add(add(add(frozenset(), take), wait), take) == {(take, 2), (wait, 1)}
    assert remember((wait,), take) == (wait, take)
