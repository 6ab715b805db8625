"""What a simulated learner truly does, worked out world by world without an episode, a record or a metric.

Every mind that it may come to have is listed with its probability and played through the probe; what is
expected of it is the mean over its minds. Only conditions without practice can be worked out so: in practice
the evidence hangs on what the learner does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from normgym_agents.norms.units import Unit
from normgym_agents.worlds.arrangement import Arrangement, arrange
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.minds import Dials, Mind, Minded, concluded, minds, told_units
from normgym_agents.worlds.public import PublicEvent
from normgym_agents.worlds.rollout import play_day, watched
from normgym_agents.worlds.world import World


class _Evidence(NamedTuple):
    """What a condition shows in a world, and what it means to whoever sees all of it."""

    arrangement: Arrangement
    events: tuple[PublicEvent, ...]
    norms: tuple[Unit, ...]


class Truth:
    """The truth about simulated learners in some worlds.

    Args:
        worlds: The worlds; each is played once per mind and then remembered.
    """

    def __init__(self, worlds: Sequence[World]) -> None:
        self.worlds = tuple(worlds)
        self._evidence: dict[tuple[str, Condition], _Evidence] = {}
        self._probed: dict[tuple[str, Condition, Mind], float] = {}

    def discount(self, dials: Dials) -> float:
        """The vicarious discount: the gain from one's own transcript minus that from the same as a peer's.

        Returns:
            (CR of `replay-own` − CR of `replay-others`) / (CR of `told` − CR of `none`), with CR the mean over
            worlds of the share of opportunities that is complied with: what `metrics.learning` defines.
        """
        span = self.compliance(Condition.TOLD, dials) - self.compliance(Condition.NONE, dials)
        own = self.compliance(Condition.REPLAY_OWN, dials)
        return (own - self.compliance(Condition.REPLAY_OTHERS, dials)) / span

    def gain(self, condition: Condition, dials: Dials) -> float:
        """The learning gain: how far evidence brings compliance from `none` (0) to `told` (1)."""
        low, high = self.compliance(Condition.NONE, dials), self.compliance(Condition.TOLD, dials)
        return (self.compliance(condition, dials) - low) / (high - low)

    def compliance(self, condition: Condition, dials: Dials) -> float:
        """The share of opportunities that the learner complies with, as a mean over worlds."""
        return sum(self.expected(world, condition, dials) for world in self.worlds) / len(self.worlds)

    def work_out(self, worlds: Sequence[World], dials: Dials, conditions: Sequence[Condition]) -> None:
        """Work out some worlds ahead of what is asked of all of them."""
        for world in worlds:
            for condition in conditions:
                self.expected(world, condition, dials)

    def expected(self, world: World, condition: Condition, dials: Dials) -> float:
        """The expected share of the opportunities in the probe of a world that is complied with.

        Raises:
            ValueError: The condition has practice, or there are too many minds to list.
        """
        if Phase.PRACTISE in condition.phases:
            raise ValueError(f"{condition.value}: what is learned in practice hangs on what is done there")
        shown = self._shown(world, condition)
        told = condition is Condition.TOLD
        listed = minds(dials, shown.norms, shown.events, world.cast.newcomer, told=told)
        return sum(share * self._played(world, condition, mind) for share, mind in listed)

    def _shown(self, world: World, condition: Condition) -> _Evidence:
        key = (world.id, condition)
        if key not in self._evidence:
            arrangement, events = arrange(world, condition), watched(world, condition)
            norms = told_units(arrangement.told) or concluded(
                world.vocabulary, events, world.enforcement.rates
            )
            self._evidence[key] = _Evidence(arrangement, events, norms)
        return self._evidence[key]

    def _played(self, world: World, condition: Condition, mind: Mind) -> float:
        key = (world.id, condition, mind)
        if key not in self._probed:
            arrangement, events, _ = self._shown(world, condition)
            result = play_day(arrangement, arrangement.days[-1], Minded(mind), before=events)
            met = sum(result.opportunities)
            if not met:
                raise ValueError(
                    f"{world.id}: a learner that stands still meets no opportunity, and has no rate"
                )
            self._probed[key] = (met - result.violations) / met
        return self._probed[key]
