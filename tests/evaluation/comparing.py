"""Comparisons of runs that are given by their records."""

from __future__ import annotations

from pathlib import Path

from normgym_agents.evaluation.compare.comparing import compare_runs
from normgym_agents.evaluation.compare.runs import Run
from normgym_agents.evaluation.manifest import Manifest, describe
from normgym_agents.evaluation.plan import Plan
from normgym_agents.evaluation.results import SuiteResult
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.fakes import FakeEntrant, record
from tests.evaluation.test_runner import plan

LIVE = Condition.LIVE


def manifest(records, **config) -> Manifest:
    """The manifest of a run with just these records."""
    worlds = len({r.world for r in records})
    conditions = tuple(c for c in Condition if any(r.condition is c for r in records))
    suite = SuiteResult(name="small", version=1, digest="d", worlds=worlds)
    made = Plan(
        config=plan(conditions=conditions, **config).config,
        newcomer=FakeEntrant(),
        suite=suite,
        episodes=(),
    )
    return describe(made)


def compared(*sides, seed=0, **config):
    """Compare runs given by their records."""
    runs = [
        Run(
            label="ABC"[number],
            folder=Path("ABC"[number]),
            manifest=manifest(records, **config),
            records=tuple(records),
            lines=tuple(range(1, len(records) + 1)),
            uncompared=None,
        )
        for number, records in enumerate(sides)
    ]
    return compare_runs(runs, seed=seed)


def pairs(outcomes: str, condition=LIVE, **counts):
    """One world for each letter, each of a pair of its own: `+` passed, `-` not."""
    return [
        record(f"{n}a", condition=condition, task=letter == "+", **counts)
        for n, letter in enumerate(outcomes)
    ]
