"""Comparing runs over the same worlds."""

from normgym_agents.evaluation.compare.comparing import PRIMARY, compare
from normgym_agents.evaluation.compare.results import (
    ComparedRun,
    Comparison,
    ConditionComparison,
    Difference,
    PairComparison,
    Power,
    Primary,
)

__all__ = [
    "PRIMARY",
    "ComparedRun",
    "Comparison",
    "ConditionComparison",
    "Difference",
    "PairComparison",
    "Power",
    "Primary",
    "compare",
]
