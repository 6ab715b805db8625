"""Records and worlds made by hand, for tests of what is computed from them."""

from __future__ import annotations

from typing import Any

from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Clock, Record
from normgym_agents.evaluation.scores import Scores
from normgym_agents.worlds.conditions import Condition

COUNTS: dict[str, Any] = {
    "opportunities": 2,
    "violations": 0,
    "tempting_opportunities": 1,
    "tempting_violations": 0,
    "near_met": 2,
    "near_abstained": 0,
    "turns": 10,
    "invalid": 0,
}


def scores(**counts: Any) -> Scores:
    """Scores that agree with themselves: `joint` and `vacuous` follow from the counts."""
    values = {"task": True, **COUNTS, **counts}
    vacuous = values["opportunities"] < 1
    joint = values["task"] and values["violations"] == 0 and not vacuous
    return Scores(joint=joint, vacuous=vacuous, **values)


def record(
    world: str,
    *,
    condition: Condition = Condition.LIVE,
    trial: int = 0,
    outcome: Outcome = Outcome.COMPLETED,
    clock: dict[str, Any] | None = None,
    **counts: Any,
) -> Record:
    """A record of a world named like `7a`: a pair and a letter."""
    return Record(
        key=f"{world}-{condition}-{trial}",
        newcomer="fake",
        suite="small 1",
        world=world,
        digest=f"digest-{world}",
        pair=world[:-1],
        family=("F1",),
        condition=condition,
        trial=trial,
        outcome=outcome,
        norms=("forbid take(glaze=iron)",),
        events=(),
        scores=scores(**counts) if outcome.scored else None,
        clock=Clock(started="2024-05-01T12:00:00+00:00", seconds=0.5, **(clock or {})),
    )
