"""What comes of asking a newcomer for the norms: a report with its scores, or why there is none.

It is asked when the acting is over, so nothing of this can change how the episode ended. Whoever answers nothing that
could be read has reported nothing, and is scored so, as one is whose answer is nonsense; else silence would pay. Who
breaks when asked, cannot be asked, or has a model that fails, has no report and no score of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from normgym_agents.errors import NoAnswer, NormgymError
from normgym_agents.evaluation.knowledge import Interview, Report
from normgym_agents.evaluation.report_reading import read_report
from normgym_agents.evaluation.report_scoring import score_report
from normgym_agents.newcomers.reporting import Told
from normgym_agents.worlds.conditions import Condition

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World

NOT_ASKED: Final = Interview(fault="not asked: the episode did not come to its end")


async def interviewed(
    ask: Callable[[], Awaitable[Told | None]], world: World, condition: Condition
) -> Interview:
    """Ask, read and score; the last two in a thread, since a planner may have to be made first.

    Args:
        ask: Puts the question; gives None where it cannot be put any more.
        world: The world.
        condition: The condition.
    """
    told: Told | None = ()
    fault = None
    try:
        told = await ask()
    except NoAnswer as nothing:
        fault = str(nothing)
    except NormgymError as failure:
        return Interview(fault=str(failure))
    if told is None:
        return NOT_ASKED

    def scored() -> Interview:
        report = Report() if fault is not None else read_report(told, world)
        return Interview(report=report, fault=fault, scores=score_report(world, condition, report))

    return await asyncio.to_thread(scored)
