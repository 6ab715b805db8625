"""What a metric or a contrast comes to over records made by hand."""

from __future__ import annotations

from collections.abc import Iterable

from normgym_agents.evaluation.chances import Chances
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.results import Contrast, MetricValue, SuiteResult, Summary
from normgym_agents.evaluation.summary import summarise
from normgym_agents.worlds.conditions import Condition

SUITE = SuiteResult(name="small", version=1, digest="d", worlds=4)


def summary(records: Iterable[Record], seed: int = 0) -> Summary:
    return summarise(records, newcomer="fake", suite=SUITE, seed=seed)


def measured(name: str, records: Iterable[Record], condition: Condition = Condition.LIVE) -> MetricValue:
    return summary(records).conditions[condition].metrics[name]


def contrasted(name: str, records: Iterable[Record]) -> Contrast:
    return summary(records).contrasts[name]


def chances(opportunities: int, violations: int) -> Chances:
    return Chances(opportunities=opportunities, violations=violations)
