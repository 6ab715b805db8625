"""Statistics over worlds: estimates with intervals, paired tests, equivalence, power."""

from normgym_agents.evaluation.statistics.equivalence import MARGIN, Equivalence, equivalence_test
from normgym_agents.evaluation.statistics.intervals import (
    CONFIDENCE,
    DRAWS,
    Estimate,
    Floats,
    OfSums,
    bca_interval,
    jackknife_acceleration,
    proportion_estimate,
    ratio,
    ratio_estimate,
    sums_estimate,
    unanimous_interval,
)
from normgym_agents.evaluation.statistics.paired import (
    difference_estimate,
    exact_mcnemar,
    holm,
    permutation_test,
)
from normgym_agents.evaluation.statistics.power import (
    LEVEL,
    POWER,
    mcnemar_power,
    pairs_by_connor,
    pairs_needed,
    smallest_gap,
)

__all__ = [
    "CONFIDENCE",
    "DRAWS",
    "LEVEL",
    "MARGIN",
    "POWER",
    "Equivalence",
    "Estimate",
    "Floats",
    "OfSums",
    "bca_interval",
    "difference_estimate",
    "equivalence_test",
    "exact_mcnemar",
    "holm",
    "jackknife_acceleration",
    "mcnemar_power",
    "pairs_by_connor",
    "pairs_needed",
    "permutation_test",
    "proportion_estimate",
    "ratio",
    "ratio_estimate",
    "smallest_gap",
    "sums_estimate",
    "unanimous_interval",
]
