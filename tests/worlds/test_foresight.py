from __future__ import annotations

import numpy as np
import pytest

from normgym_agents.norms.moments import Moment
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.foresight import Best, Outlook, look_ahead
from normgym_agents.worlds.settings import Slot
from tests.worlds.making import world_of


def outlook(*following: int) -> Outlook:
    """Acts after each of which so many others are possible."""
    world = world_of("001a")
    yard = world.yard(Phase.PROBE)
    possible = yard.available(yard.stage.morning(), 0)[: len(following)]
    moment = Moment("take", (), "carrier", (), frozenset(), frozenset())
    return Outlook(possible, [moment] * len(following), [[moment] * count for count in following])


def test_what_an_act_makes_possible_counts_by_its_best() -> None:
    # By themselves 4, 3 and 2; then at best 0 (nothing follows), 2 and 3: 4, 3 + 2/2 = 4 and 2 + 3/2 = 3.5.
    gains = np.array([4.0, 3.0, 2.0, 1.0, 2.0, 3.0])
    # Of equals the first; what it makes possible is the least of all, so it is worth what it gains itself.
    assert outlook(0, 2, 1).best(gains, 0.5) == Best(0, 4.0)
    # 4, 3 + 2 = 5 and 2 + 3 = 5: the first of the two, worth 3 and the 2 that the first act would not lead to.
    assert outlook(0, 2, 1).best(gains, 1.0) == Best(1, 5.0)
    # The least that follows anything is 1: the last act is worth 2 and 3 - 1.
    assert outlook(1, 1, 1).best(np.array([0.0, 0.0, 2.0, 1.0, 2.0, 3.0]), 1.0) == Best(2, 4.0)


def test_a_last_bit_decides_nothing() -> None:
    assert outlook(0, 0).best(np.array([1.0, 1.0 + 1e-9]), 0.9).place == 0


@pytest.mark.parametrize(("last", "follows"), [(2, True), (1, False)])
def test_the_next_acts_are_those_of_the_next_round(last: int, follows: bool) -> None:
    world = world_of("001a")
    yard = world.yard(Phase.PROBE)
    morning, me = yard.stage.morning(), yard.stage.newcomer
    seen = look_ahead(yard, morning, me, 1, last)
    silent = [g for g in yard.available(morning, me) if Slot.WORDS not in g.verb.slots]
    assert seen.possible == silent != yard.available(morning, me)
    assert seen.now == yard.moments(morning, me, silent, 1)
    after = yard.step(morning, me, silent[0])
    then = [g for g in yard.available(after, me) if Slot.WORDS not in g.verb.slots]
    assert seen.following[0] == (yard.moments(after, me, then, 2) if follows else [])
    assert len(seen.following) == len(silent)
    assert seen.moments == [*seen.now, *(moment for group in seen.following for moment in group)]


def test_nothing_follows_what_ends_the_day() -> None:
    world = world_of("001a")
    yard = world.yard(Phase.PROBE)
    morning, me = yard.stage.morning(), yard.stage.newcomer
    seen = look_ahead(yard, morning, me, 1, 9, over=lambda state: state.places[me] != morning.places[me])
    for ground, group in zip(seen.possible, seen.following, strict=True):
        assert bool(group) == (ground.act.verb != "go")


def test_what_is_barred_is_done_neither_now_nor_then() -> None:
    world = world_of("001a")
    yard = world.yard(Phase.PROBE)
    morning, me = yard.stage.morning(), yard.stage.newcomer
    free = look_ahead(yard, morning, me, 1, 9)
    barred = {free.now[0].deed, free.following[1][0].deed}
    seen = look_ahead(yard, morning, me, 1, 9, barred=lambda moment: moment.deed in barred)
    kept = [i for i, moment in enumerate(free.now) if moment.deed not in barred]
    assert seen.now == [free.now[i] for i in kept]
    assert seen.possible == [free.possible[i] for i in kept]
    assert seen.following == [[m for m in free.following[i] if m.deed not in barred] for i in kept]
    assert len(seen.moments) < len(free.moments)
