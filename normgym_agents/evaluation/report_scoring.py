"""How well reported norms match those in force: by the acts that they forbid, never by their words.

What counts are the moments that stand on a plan of the probe's day that finishes in time: there a norm makes a
difference. Each counts once. The scores are a pure function of world, condition and report.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from normgym_agents.evaluation.knowledge import Report, ReportScores
from normgym_agents.norms.hypotheses import HypothesisSpace
from normgym_agents.norms.moments import Moment
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.planner import planner_for
from normgym_agents.worlds.programme import rules_of_probe
from normgym_agents.worlds.world import World

CLAIMED: Final = 0.5
"""Least confidence with which a norm belongs to what a report says is forbidden: as likely as not."""


def score_report(world: World, condition: Condition, report: Report) -> ReportScores:
    """Compare a report with the norms that bound the newcomer in the probe.

    Args:
        world: The world.
        condition: The condition; it decides which norms were in force.
        report: What was reported.
    """
    moments = probe_moments(world)
    forbidden = rules_of_probe(world, condition).broken(moments)
    space = HypothesisSpace([norm.unit for norm in report.norms])
    table = space.table(moments)
    return compare(table, np.array([norm.confidence for norm in report.norms]), forbidden)


def probe_moments(world: World) -> Sequence[Moment]:
    """The moments of the probe's day that stand on a plan in time; worked out once per world.

    They show what some norm of the world's vocabulary can look at: of last acts and counts nothing, where no
    such norm looks at them. A report of a norm that does then forbids nothing there.
    """
    key = "moments of reports"
    if key not in world.memo:
        day = world.probe
        planner = planner_for(day.stage, day.task, world.setting.verbs, world.vocabulary)
        pairs = zip(planner.moments, planner.used, strict=True)
        world.memo[key] = tuple(moment for moment, used in pairs if used)
    moments: tuple[Moment, ...] = world.memo[key]
    return moments


def compare(
    reported: NDArray[np.bool_], confidence: NDArray[np.float64], forbidden: NDArray[np.bool_]
) -> ReportScores:
    """The scores of a report.

    Precision, recall and F1 are of sets of moments (van Rijsbergen 1979, *Information Retrieval*, chapter 7):
    what the norms of a confidence of `CLAIMED` or more forbid together, against what is forbidden. The Brier
    score is the mean over reported norms of (confidence - outcome)², where a norm came true if all that it
    forbids there is forbidden (Brier 1950, "Verification of forecasts expressed in terms of probability",
    Monthly Weather Review 78; his sum over both outcomes is twice this). A norm that forbids nothing there has
    no outcome and is left out.

    Args:
        reported: Shape (norms, moments), what each reported norm forbids.
        confidence: Shape (norms,), in [0, 1].
        forbidden: Shape (moments,), what is forbidden.
    """
    claimed = reported[confidence >= CLAIMED].any(axis=0)
    hits, said, true = int((claimed & forbidden).sum()), int(claimed.sum()), int(forbidden.sum())
    speaks = reported.any(axis=1)
    right = ~(reported & ~forbidden).any(axis=1)
    gaps = (confidence - right)[speaks] ** 2
    return ReportScores(
        precision=hits / said if said else None,
        recall=hits / true if true else None,
        f1=2 * hits / (said + true) if said + true else 1.0,
        exact=bool((claimed == forbidden).all()),
        brier=round(float(gaps.mean()), 6) if len(gaps) else None,
    )
