"""The visits of one check, in order, and what each is for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from normgym_agents.evaluation.config import Limits
from normgym_agents.evaluation.conformance import reading, remembering
from normgym_agents.evaluation.conformance.findings import Finding
from normgym_agents.evaluation.conformance.scripted import Scripted
from normgym_agents.evaluation.conformance.visiting import Visit, visit
from normgym_agents.evaluation.surroundings import Surroundings
from normgym_agents.newcomers.containment import GRACE
from normgym_agents.newcomers.loading import LoadedNewcomer

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World

_TURNS: Final = 3
_FEWER_TURNS: Final = 2
_SILENCE: Final = 1.0
"""Seconds that an agent is left without an answer of its model, to see that it can be cut off."""


class Visits:
    """The visits of one check; each costs turns, so several questions are put to one visit.

    Args:
        loaded: The agent.
        worlds: Two worlds, as different as can be.
        limits: What the agent is allowed.
        place: Where it is checked.
    """

    def __init__(
        self, loaded: LoadedNewcomer, worlds: tuple[World, World], limits: Limits, place: Scripted
    ) -> None:
        self._loaded, self._worlds, self._limits, self._place = loaded, worlds, limits, place
        self._surroundings = Surroundings()
        self.first = Visit(world=worlds[0], token="")

    async def _visit(self, world: World, turns: int, limits: Limits | None = None) -> Visit:
        with self._surroundings.episode():
            return await visit(
                world,
                self._loaded.factory,
                turns=turns,
                limits=self._limits if limits is None else limits,
                counted=lambda: len(self._place.requests),
            )

    def _pauses(self, visits: Sequence[Visit]) -> Finding:
        return reading.pauses(visits, self._loaded.wiring.on_interrupt)

    async def findings(self) -> list[Finding]:
        """What was seen in them, in the order of `reading.NAMES` from `joins` on."""
        one, other = self._worlds
        place = self._place
        self.first = first = await self._visit(one, _TURNS)
        found = [reading.joins(first, place)]
        if not first.joined:
            return found + reading.not_tried(after="joins")
        if first.broke is not None or not first.acts:
            seen = {one.name: one for one in (self._pauses([first]), reading.model([first], place))}
            rest = [seen.get(one.name, one) for one in reading.not_tried(after="acts")]
            return [*found, reading.acts([first], place), *rest]
        second = await self._visit(other, _TURNS)
        found.append(reading.acts([first, second], place))
        begun = len(place.requests)
        together = await asyncio.gather(self._visit(one, _FEWER_TURNS), self._visit(other, _FEWER_TURNS))
        found.append(remembering.two_at_once(first, together, place, begun))
        found.append(remembering.memory(first, place))
        found.append(remembering.forgets([first, second], together, place))
        found.append(self._pauses([first, second, *together]))
        found.append(await self._deadline([first, second, *together]))
        found.append(reading.model([first, second, *together], place))
        found.append(reading.leaves([first, second, *together], self._surroundings.warnings()))
        return found

    async def _deadline(self, visits: Sequence[Visit]) -> Finding:
        script = self._place.script
        if script is None or not self._place.requests:
            return reading.slowest(visits, self._limits)
        script.silence = _SILENCE + GRACE + 2
        try:
            cut = await self._visit(self._worlds[0], 1, Limits(deadline=_SILENCE))
        finally:
            script.silence = 0.0
        after = await self._visit(self._worlds[0], 1)
        return reading.cut_off(cut, after, visits, self._limits, overdue=_SILENCE + GRACE)
