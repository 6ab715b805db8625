"""A run's result as a test asserts on it: by the name of a metric, with a `repr` that explains a failed assertion.

A metric without a condition is the one under the headline condition: `live` where it was run, else the only one there
is. Conditions are never pooled: what an agent does with the norms told says nothing of what it does without.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

from normgym_agents.errors import NormgymError
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.results import Contrast, MetricValue, RunResult
from normgym_agents.evaluation.unmeasured import why_not_there, why_nothing
from normgym_agents.worlds.conditions import Condition

_HEADLINE: Final = Condition.LIVE


class NothingMeasured(NormgymError, AssertionError):
    """A metric has no value or no interval to assert on."""


class NotMeasured(NothingMeasured, AttributeError):
    """A metric that there is was not measured here; as an attribute that is missing it is none, for `hasattr`."""


class Measured:
    """One metric, under one condition or between some.

    Args:
        name: The metric, with its condition, as people read it.
        found: Its value.
        notes: What a reader must know besides.
        why: Says why there is no value, where there is none.
    """

    def __init__(
        self, name: str, found: MetricValue | Contrast, notes: Iterable[str], why: Callable[[], str]
    ) -> None:
        self._name, self._found, self._notes, self._why = name, found, tuple(notes), why

    @property
    def value(self) -> float:
        """The value; raises `NothingMeasured` where there is none."""
        return self._there(self._found.value, "value")

    @property
    def low(self) -> float:
        """Lower bound of the 95 % interval; raises `NothingMeasured` where there is none."""
        return self._there(self._found.low, "interval")

    @property
    def high(self) -> float:
        """Upper bound of the 95 % interval; raises `NothingMeasured` where there is none."""
        return self._there(self._found.high, "interval")

    @property
    def n(self) -> int:
        """Worlds behind it, as in `summary.json`."""
        return self._found.n

    @property
    def p(self) -> float | None:
        """Of a contrast: could the conditions have been exchanged? None where nothing was tested."""
        return self._found.p if isinstance(self._found, Contrast) else None

    def _there(self, number: float | None, what: str) -> float:
        if number is None:
            why = f"; {self._why()}" if self._found.value is None else ""
            raise NothingMeasured(f"there is no {what}: {self!r}{why}")
        return number

    def __repr__(self) -> str:
        """Value, interval, worlds, and where the records are; short enough for pytest to show it whole."""
        found = self._found
        value = "no value" if found.value is None else f"{found.value:.3g}"
        interval = ""
        if found.low is not None and found.high is not None:
            interval = f" [{found.low:.3g} to {found.high:.3g}]"
        return "; ".join([f"{self._name}: {value}{interval}, n = {found.n}", *self._notes])


class UnderCondition:
    """What came of one condition; its metrics are attributes.

    Args:
        condition: The condition.
        run: The run that it is of.
    """

    def __init__(self, condition: Condition, run: RunResult) -> None:
        self.condition, self.found, self._run = condition, run.conditions[condition], run

    @property
    def metrics(self) -> Mapping[str, Measured]:
        """All its metrics, by name."""
        return {name: self._measured(name, one) for name, one in self.found.metrics.items()}

    def __getattr__(self, name: str) -> Measured:
        """A metric."""
        if name.startswith("_") or name not in self.found.metrics:
            raise _missing(name, self.condition, self.found.metrics, self._run)
        return self._measured(name, self.found.metrics[name])

    def _measured(self, name: str, one: MetricValue) -> Measured:
        return Measured(
            f"{name} under {self.condition}",
            one,
            _notes(self.found.unscored, self._run.folder),
            lambda: why_nothing(name, [self.condition], self._run),
        )

    def __repr__(self) -> str:
        found = self.found
        return f"<{self.condition}: {found.scored} of {found.episodes} episodes scored>"


class Evaluated:
    """The result of a run, for assertions: `result.joint_success.low`, `result["told"].task_success.value`.

    Args:
        run: The result.
    """

    def __init__(self, run: RunResult) -> None:
        self.run = run

    @property
    def folder(self) -> Path | None:
        """Where the records are."""
        return self.run.folder

    @property
    def unscored(self) -> int:
        """Episodes that say nothing about the newcomer, because its model or the community failed."""
        return self.run.unscored

    def __getitem__(self, condition: Condition | str) -> UnderCondition:
        """What came of a condition that was run.

        Raises:
            KeyError: It was not.
        """
        for known in self.run.conditions:
            if known == condition:
                return UnderCondition(known, self.run)
        raise KeyError(f"{condition} was not run; there is {', '.join(self.run.conditions)}")

    def __getattr__(self, name: str) -> Measured:
        """A metric under the headline condition, or a contrast of conditions."""
        if name.startswith("_"):
            raise AttributeError(name)
        headline, contrasts = self._headline(), self.run.contrasts
        if headline is not None and name in headline.found.metrics:
            return headline.metrics[name]
        if name in contrasts:
            unscored: dict[Outcome, int] = {}
            for found in self.run.conditions.values():
                for outcome, count in found.unscored.items():
                    unscored[outcome] = unscored.get(outcome, 0) + count
            return Measured(
                name,
                contrasts[name],
                _notes(unscored, self.run.folder),
                lambda: why_nothing(name, list(self.run.conditions), self.run),
            )
        if headline is None and (why := why_not_there(name, None, self.run)) is not None:
            raise NotMeasured(f"{name} was not measured: {why}")
        if headline is None:
            first = next(iter(self.run.conditions))
            raise AttributeError(
                f"{name} under which condition? None of {', '.join(self.run.conditions)} is the headline: "
                f"result[{first.value!r}].{name}"
            )
        raise _missing(name, headline.condition, [*headline.found.metrics, *contrasts], self.run)

    def _headline(self) -> UnderCondition | None:
        conditions = self.run.conditions
        if _HEADLINE in conditions:
            return self[_HEADLINE]
        return self[next(iter(conditions))] if len(conditions) == 1 else None

    def __repr__(self) -> str:
        suite = self.run.suite
        return f"<{self.run.newcomer} in {suite.worlds} worlds of {suite.name}>"


def _notes(unscored: Mapping[Outcome, int], where: Path | None) -> list[str]:
    counts = ", ".join(f"{count} {outcome}" for outcome, count in unscored.items() if count)
    return [
        *([f"unscored: {counts}"] if counts else []),
        *([f"records in {where}"] if where is not None else []),
    ]


def _missing(name: str, condition: Condition, known: Iterable[str], run: RunResult) -> AttributeError:
    """What to raise for a metric that is not there: a failure of the test, or a name that nothing has."""
    why = why_not_there(name, condition, run)
    if why is not None:
        return NotMeasured(f"{name} under {condition} was not measured: {why}")
    return AttributeError(_unknown(name, condition, known))


def _unknown(name: str, condition: Condition, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=3) or names
    return f"no {name!r} was measured under {condition}; there is {', '.join(near)}"
