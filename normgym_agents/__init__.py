"""A gym for normative competence: does a newcomer agent pick up a community's unwritten rules?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from normgym_agents.evaluation.api import evaluate, evaluate_sync
    from normgym_agents.evaluation.bench import Bench
    from normgym_agents.evaluation.compare import Comparison, compare
    from normgym_agents.evaluation.conformance import (
        Conformance,
        assert_conforms,
        check_newcomer,
        check_newcomer_sync,
    )
    from normgym_agents.evaluation.measured import Evaluated
    from normgym_agents.evaluation.results import RunResult
    from normgym_agents.newcomers.loading import LoadedNewcomer, load_newcomer
    from normgym_agents.newcomers.toolset import acting_functions, acting_tools
    from normgym_agents.worlds.suites import Suite, load_suite

__all__ = [
    "Bench",
    "Comparison",
    "Conformance",
    "Evaluated",
    "LoadedNewcomer",
    "RunResult",
    "Suite",
    "acting_functions",
    "acting_tools",
    "assert_conforms",
    "check_newcomer",
    "check_newcomer_sync",
    "compare",
    "evaluate",
    "evaluate_sync",
    "load_newcomer",
    "load_suite",
]

_HOMES = {
    "Bench": "evaluation.bench",
    "Comparison": "evaluation.compare",
    "Conformance": "evaluation.conformance",
    "Evaluated": "evaluation.measured",
    "LoadedNewcomer": "newcomers.loading",
    "RunResult": "evaluation.results",
    "Suite": "worlds.suites",
    "acting_functions": "newcomers.toolset",
    "acting_tools": "newcomers.toolset",
    "assert_conforms": "evaluation.conformance",
    "check_newcomer": "evaluation.conformance",
    "check_newcomer_sync": "evaluation.conformance",
    "compare": "evaluation.compare",
    "evaluate": "evaluation.api",
    "evaluate_sync": "evaluation.api",
    "load_newcomer": "newcomers.loading",
    "load_suite": "worlds.suites",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import normgym_agents` alone costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
