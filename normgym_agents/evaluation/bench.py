"""What the pytest fixture `normgym` is: evaluations whose records are kept, one folder for each.

Knows nothing of pytest: the plugin says where to keep what, how many worlds there may be at most, and who is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Unpack

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.api import evaluate
from normgym_agents.evaluation.config import Driver, Limits
from normgym_agents.evaluation.conformance import CheckArguments, Conformance, conforming
from normgym_agents.evaluation.folders import numbered_folder
from normgym_agents.evaluation.measured import Evaluated
from normgym_agents.evaluation.synchronous import synchronous
from normgym_agents.newcomers.wiring_files import MappingGiven, PolicyGiven
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.suites import Suite, load_suite

DEFAULTS: Final = (
    "suite",
    "conditions",
    "worlds",
    "trials",
    "model",
    "seed",
    "report",
    "driver",
    "concurrency",
)
"""What a marker may say for all evaluations of a test."""


class Bench:
    """Evaluations and checks of one test.

    Args:
        place: The folder that holds those of the runs.
        name: What their names begin with.
        most_worlds: The most worlds of a run; None for no limit.
        defaults: What an evaluation is asked for where its call does not say: of `DEFAULTS`.
        tell: Takes a line about each result.
    """

    def __init__(
        self,
        *,
        place: Path,
        name: str,
        most_worlds: int | None = None,
        defaults: Mapping[str, Any] | None = None,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._place, self._name, self._most_worlds = place, name, most_worlds
        self._defaults, self._tell = dict(defaults or {}), tell
        self.evaluate_sync = synchronous(self.evaluate, "evaluate_sync")
        """`evaluate` for tests that are not asynchronous."""
        self.check_sync = synchronous(self.check, "check_sync")
        """`check` for tests that are not asynchronous."""

    async def evaluate(
        self,
        newcomer: object,
        suite: str | Suite | None = None,
        *,
        conditions: Sequence[Condition | str] | None = None,
        worlds: int | None = None,
        trials: int | None = None,
        model: str | None = None,
        mapping: MappingGiven = None,
        on_interrupt: PolicyGiven = "reply",
        trust: bool = False,
        seed: int | None = None,
        limits: Limits | None = None,
        report: bool | None = None,
        driver: Driver | None = None,
        concurrency: int | None = None,
    ) -> Evaluated:
        """Run an agent through a suite, keep its records, and give the result to assert on.

        The arguments are those of `normgym_agents.evaluate`. What is left out is as the test's marker says, or else
        the default there; `--normgym-worlds` caps the worlds.

        Raises:
            BadInput: Something is named that is not there, or will not do; or no asyncio loop is running.
        """
        _needs_asyncio()
        said = {
            "suite": suite,
            "conditions": conditions,
            "worlds": worlds,
            "trials": trials,
            "model": model,
            "seed": seed,
            "report": report,
            "driver": driver,
            "concurrency": concurrency,
        }
        asked = self._defaults | {name: value for name, value in said.items() if value is not None}
        if isinstance(conditions := asked.get("conditions"), str):
            asked["conditions"] = conditions.split(",")
        with numbered_folder(self._place, self._name) as folder:
            result = Evaluated(
                await evaluate(
                    newcomer,
                    **self._capped(asked),
                    mapping=mapping,
                    on_interrupt=on_interrupt,
                    trust=trust,
                    limits=limits,
                    out=folder,
                )
            )
        self._tell(_line(result))
        return result

    async def check(self, newcomer: object, **how: Unpack[CheckArguments]) -> Conformance:
        """Try the contract on an agent, and fail the test if something is to be fixed; see `check_newcomer`.

        Raises:
            DoesNotConform: Something is.
        """
        _needs_asyncio()
        return await conforming(newcomer, **how)

    def _capped(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        if self._most_worlds is None:
            return dict(asked)
        suite, worlds = asked.get("suite", "quick"), asked.get("worlds")
        if worlds is None:
            whole = suite if isinstance(suite, Suite) else load_suite(suite)
            return {**asked, "suite": whole, "worlds": min(len(whole.worlds), self._most_worlds)}
        return {**asked, "worlds": min(worlds, self._most_worlds)}


def _needs_asyncio() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise BadInput(
            "no asyncio loop is running here", expected="pytest-asyncio, or anyio with its asyncio backend"
        ) from None


def _line(result: Evaluated) -> str:
    """A result in a line: the headline metric under each condition."""
    run = result.run
    shares = ", ".join(
        f"{condition} {_share(found.metrics['joint_success'].value)}"
        for condition, found in run.conditions.items()
    )
    unscored = f", {result.unscored} unscored" if result.unscored else ""
    return f"{run.newcomer}: joint success {shares} of {run.suite.worlds} worlds{unscored}; records in {run.folder}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
