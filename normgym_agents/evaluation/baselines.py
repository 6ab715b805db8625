"""The reference newcomers in the same worlds as a newcomer: what its numbers are to be held against.

They need no model and no spans, so they are run in memory by the loop driver, and only what came of them is
kept, in a file beside the run's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.api import evaluate
from normgym_agents.evaluation.plan import Plan
from normgym_agents.evaluation.results import Summary
from normgym_agents.files import write_atomic
from normgym_agents.newcomers.reference import POLICIES
from normgym_agents.worlds.suites import make_suite
from normgym_agents.worlds.world import World

BASELINES_FILE: Final = "baselines.json"

Baselines = Mapping[str, Summary]
"""What came of each reference newcomer, by name, from the least to the most that can be done."""

_ADAPTER: Final[TypeAdapter[dict[str, Summary]]] = TypeAdapter(dict[str, Summary])


async def run_baselines(
    plan: Plan, *, folder: Path | None = None, on_progress: Callable[[str], None] = lambda _: None
) -> Baselines:
    """Run every reference newcomer through the worlds, conditions and trials of a plan.

    Args:
        plan: The plan of a run.
        folder: The run's folder, where `baselines.json` is written; None writes nothing.
        on_progress: Told the name of whoever comes next.

    Raises:
        BadInput: The file cannot be written.
    """
    worlds: dict[str, World] = {episode.world.id: episode.world for episode in plan.episodes}
    conditions = tuple(dict.fromkeys(episode.condition for episode in plan.episodes))
    suite = make_suite(plan.suite.name, plan.suite.version, 0, tuple(worlds.values()))
    found: dict[str, Summary] = {}
    for name in POLICIES:
        on_progress(name)
        result = await evaluate(
            f"reference:{name}",
            suite,
            conditions=conditions,
            trials=plan.config.trials,
            seed=plan.config.seed,
            limits=plan.config.limits,
            report=plan.config.report,
            driver="loop",
            concurrency=plan.config.concurrency,
        )
        found[name] = Summary.model_validate(result.model_dump(by_alias=True))
    if folder is not None:
        content = {name: json.loads(summary.to_json()) for name, summary in found.items()}
        write_atomic(folder / BASELINES_FILE, json.dumps(content, indent=2) + "\n")
    return found


def read_baselines(folder: Path) -> Baselines:
    """What was kept of the reference newcomers; empty if they were not run.

    Raises:
        BadInput: The file is there and does not read as it should.
    """
    path = folder / BASELINES_FILE
    try:
        return _ADAPTER.validate_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", file=path) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise BadInput(first["msg"], file=path, field=field or None, expected="what a run writes") from error
