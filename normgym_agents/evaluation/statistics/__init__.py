"""Statistics over worlds: estimates with intervals, paired tests, equivalence, power."""

from normgym_agents.evaluation.statistics.bounded import (
    CONFIDENCE,
    LEAST_CLUSTERS,
    Limits,
    agreed_interval,
    hoeffding_interval,
)
from normgym_agents.evaluation.statistics.equivalence import MARGIN, Equivalence, equivalence_test
from normgym_agents.evaluation.statistics.intervals import (
    DRAWS,
    Estimate,
    Floats,
    OfSums,
    bca_interval,
    jackknife_acceleration,
    rarest,
    ratio,
    ratio_estimate,
    sums_estimate,
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
    "LEAST_CLUSTERS",
    "LEVEL",
    "MARGIN",
    "POWER",
    "Equivalence",
    "Estimate",
    "Floats",
    "Limits",
    "OfSums",
    "agreed_interval",
    "bca_interval",
    "difference_estimate",
    "equivalence_test",
    "exact_mcnemar",
    "hoeffding_interval",
    "holm",
    "jackknife_acceleration",
    "mcnemar_power",
    "pairs_by_connor",
    "pairs_needed",
    "permutation_test",
    "rarest",
    "ratio",
    "ratio_estimate",
    "smallest_gap",
    "sums_estimate",
]
