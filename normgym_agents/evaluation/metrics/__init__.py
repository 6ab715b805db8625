"""The metrics: one definition each, grouped by theme, in the order in which they are shown."""

from typing import Final

from normgym_agents.evaluation.metrics.compliance import COMPLIANCE
from normgym_agents.evaluation.metrics.conduct import CONDUCT
from normgym_agents.evaluation.metrics.effort import EFFORT
from normgym_agents.evaluation.metrics.knowledge import IDEAL, REPORT
from normgym_agents.evaluation.metrics.learning import CONTRASTS, LEARNING
from normgym_agents.evaluation.metrics.metric import Metric, Share, Shares, Term, Theme
from normgym_agents.evaluation.metrics.sanctions import SANCTIONS
from normgym_agents.evaluation.metrics.shares import UNBOUND, binds
from normgym_agents.evaluation.metrics.success import JOINT_SUCCESS, SUCCESS

METRICS: Final = (*SUCCESS, *COMPLIANCE, *LEARNING, *SANCTIONS, *IDEAL, *REPORT, *CONDUCT, *EFFORT)
"""What stands under `metrics` of each condition."""

__all__ = [
    "CONTRASTS",
    "JOINT_SUCCESS",
    "METRICS",
    "REPORT",
    "UNBOUND",
    "Metric",
    "Share",
    "Shares",
    "Term",
    "Theme",
    "binds",
]
