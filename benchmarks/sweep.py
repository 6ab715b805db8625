"""A scripted newcomer through all worlds of a suite under all conditions, on several processes.

    python benchmarks/sweep.py [SUITE] [PROCESSES] [WORLDS]

Prints how long it took, and the cost of an episode relative to its floor: the same policy played through the same
arrangements by the certificate's rollout, without a community, a log, a referee or a record. The floor is
measured in the same processes, right after.
"""

from __future__ import annotations

import asyncio
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from normgym_agents.evaluation.api import prepare, run_prepared
from normgym_agents.evaluation.config import parse_config
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.policies import NormBlind
from normgym_agents.worlds.rollout import play
from normgym_agents.worlds.suites import load_suite, make_suite

NEWCOMER = "reference:norm-blind"


class Swept(NamedTuple):
    """What one process did: episodes, and seconds of processor time for them and for their floor."""

    episodes: int
    seconds: float
    floor: float


def sweep(name: str, start: int, stop: int) -> Swept:
    """Run some worlds of a suite under all conditions, then the same through the rollout alone."""
    loaded = load_suite(name)
    suite = make_suite(loaded.name, loaded.version, loaded.seed, loaded.worlds[start:stop])
    config = parse_config({"newcomer": NEWCOMER, "suite": name, "conditions": "all", "driver": "loop"})
    begun = time.process_time()
    plan = prepare(config, suite=suite)
    result = asyncio.run(run_prepared(plan))
    seconds = time.process_time() - begun
    begun = time.process_time()
    counted = 0
    for episode in plan.episodes:
        if episode.condition is not Condition.YOKED:  # whose evidence is another episode's
            play(episode.world, NormBlind(), episode.condition)
            counted += 1
    floor = (time.process_time() - begun) * len(result.records) / counted
    return Swept(len(result.records), seconds, floor)


def main() -> None:
    """Share the pairs of the suite among the processes."""
    name = sys.argv[1] if len(sys.argv) > 1 else "core"
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    worlds = len(load_suite(name).worlds) if len(sys.argv) < 4 else int(sys.argv[3])
    edges = [2 * round(i * worlds / 2 / processes) for i in range(processes + 1)]
    begun = time.monotonic()
    with ProcessPoolExecutor(processes) as pool:
        parts = list(pool.map(sweep, [name] * processes, edges, edges[1:]))
    wall = time.monotonic() - begun
    episodes, seconds, floor = (sum(column) for column in zip(*parts, strict=True))
    print(
        f"{worlds} worlds of {name}, {episodes} episodes, {processes} processes: {seconds:.0f} s of processor "
        f"time with all intervals ({1e3 * seconds / episodes:.0f} ms an episode), {seconds / floor:.1f} times "
        f"the floor; {wall:.0f} s on the wall, floor included"
    )


if __name__ == "__main__":
    main()
