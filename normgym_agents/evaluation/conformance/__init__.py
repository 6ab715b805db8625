"""The conformance check: can an agent take part, before money is spent on it?"""

from normgym_agents.evaluation.conformance.checking import (
    DEADLINE,
    Check,
    CheckArguments,
    assert_conforms,
    check_newcomer,
    check_newcomer_sync,
    conforming,
    prepared,
)
from normgym_agents.evaluation.conformance.findings import (
    Conformance,
    DoesNotConform,
    Estimate,
    Finding,
    Status,
)

__all__ = [
    "DEADLINE",
    "Check",
    "CheckArguments",
    "Conformance",
    "DoesNotConform",
    "Estimate",
    "Finding",
    "Status",
    "assert_conforms",
    "check_newcomer",
    "check_newcomer_sync",
    "conforming",
    "prepared",
]
