"""The typed result of a run: the same content as `summary.json`, under the same names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from normgym_agents.evaluation.fidelity import Apart
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.texts import counted
from normgym_agents.worlds.conditions import Condition


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class MetricValue(_Data):
    """A metric under one condition.

    Attributes:
        value: Rounded to 6 digits; None where nothing was there to measure, and for a gain relative to `told`
            where that is less than 0.1 above `none`.
        low: Lower bound of the 95 % interval, by the clustered BCa bootstrap; from the metric's limits alone where
            pairs of twins agree or are fewer than 6. None where it has no limits then, or too few draws a value.
        high: Upper bound, likewise.
        n: Worlds behind it; pairs of twins for `twin_success`. A metric that compares conditions counts the
            worlds that were scored under all of them.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int


class ConditionResult(_Data):
    """What came of one condition.

    Attributes:
        episodes: Ended episodes.
        scored: How many of them say something about the newcomer.
        unscored: How many do not, by outcome.
        vacuous: Scored episodes without an opportunity to break a norm; never a joint success.
        apart: Episodes that no metric counts, because of what their members did (`fidelity.Apart`), by reason; absent
            from the JSON where there are none.
        metrics: By name, those that this condition can have a value of. While there are unscored episodes, `joint_success_if_all_failed` and
            `joint_success_if_all_passed` say how far they could move the headline.
    """

    episodes: int
    scored: int
    unscored: dict[Outcome, int]
    vacuous: int
    apart: dict[Apart, int] = {}
    metrics: dict[str, MetricValue]

    @model_serializer(mode="wrap")
    def _without_nothing(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if name != "apart" or value}


class Contrast(_Data):
    """A comparison of conditions over the same worlds.

    Attributes:
        value: The difference; None if no world was scored under all the conditions, or there was nothing to
            measure.
        low: Lower bound of the 95 % interval, as in `MetricValue`.
        high: Upper bound, likewise.
        p: Could the two conditions have been exchanged? For joint success the exact McNemar test, else a
            permutation test. Twins hang together, so both count pairs. None where there is nothing to test.
        n: Worlds scored under all the conditions.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int


class SuiteResult(_Data):
    """Which worlds were run.

    Attributes:
        name: The suite.
        version: Its version.
        digest: Digest over the worlds that were run.
        worlds: How many they are.
    """

    name: str
    version: int
    digest: str
    worlds: int


class Partial(_Data):
    """How far a run got that did not come to its end.

    Attributes:
        ended: Episodes with a record.
        asked: Episodes that were asked for.
        owed: Episodes without a record.
    """

    ended: int
    asked: int
    owed: int

    def __str__(self) -> str:
        return f"{self.ended} of {counted(self.asked, 'episode')}; {self.owed} owed"


class Summary(_Data):
    """The content of `summary.json`.

    Attributes:
        summary_schema: Version of this form (`schema` in JSON).
        newcomer: What the newcomer is known by.
        suite: Which worlds were run.
        conditions: What came of each condition.
        contrasts: Differences between conditions, by name.
        partial: How far the run got, if not to its end; absent from the JSON of a whole run.
        notes: What a reader must know of how it was run; absent from the JSON if there is nothing.
    """

    summary_schema: Literal[1] = Field(default=1, alias="schema")
    newcomer: str
    suite: SuiteResult
    conditions: dict[Condition, ConditionResult]
    contrasts: dict[str, Contrast]
    partial: Partial | None = None
    notes: tuple[str, ...] = ()

    @property
    def unscored(self) -> int:
        """Episodes that say nothing about the newcomer, over all conditions."""
        return sum(sum(condition.unscored.values()) for condition in self.conditions.values())

    def to_json(self) -> str:
        """The text of `summary.json`: ASCII, keys sorted, one newline at the end."""
        absent = {name for name in ("partial", "notes") if not getattr(self, name)}
        content = self.model_dump(by_alias=True, exclude=absent)
        return json.dumps(content, indent=2, sort_keys=True, allow_nan=False) + "\n"


class RunResult(Summary):
    """A summary, with the records behind it.

    Attributes:
        records: All of them, in the order of their keys.
        folder: Where they were written; None if nowhere.
        warnings: The notes, and what went wrong beside the episodes, in lines for a user.
    """

    records: tuple[Record, ...] = Field(default=(), exclude=True, repr=False)
    folder: Path | None = Field(default=None, exclude=True)
    warnings: tuple[str, ...] = Field(default=(), exclude=True)
