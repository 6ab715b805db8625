"""How long it takes to prove the worlds of a suite again.

    python benchmarks/certify.py [SUITE] [WORLDS] [PROCESSES]

WORLDS is an even number, as twins are proved together; PROCESSES is 1 unless it is said. Prints seconds by the clock
on the wall and of processor time, in all processes, beside the time of a fixed piece of work measured in the same
run, so that figures from machines of different speed can be compared.
"""

from __future__ import annotations

import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from normgym_agents.cli.certifying import certify_all
from normgym_agents.worlds.suites import load_suite


def yardstick() -> float:
    """Seconds of processor time for a hundred products of 600 × 600 matrices."""
    matrix = np.ones((600, 600))
    begun = time.process_time()
    for _ in range(100):
        matrix @ matrix
    return time.process_time() - begun


def processor_seconds() -> float:
    """Processor time of this process and of all that it started and that have ended."""
    return sum(os.times()[:4])


def main() -> None:
    """Certify the worlds and print what it took."""
    suite = load_suite(sys.argv[1] if len(sys.argv) > 1 else "core")
    worlds = suite.worlds[: int(sys.argv[2])] if len(sys.argv) > 2 else suite.worlds
    processes = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    if len(worlds) % 2:
        sys.exit(f"{len(worlds)} worlds will not do: twins are proved together, so it takes an even number")
    unit = yardstick()
    begun, spent_before = time.perf_counter(), processor_seconds()
    faults = [fault for fault in certify_all(worlds, processes) if fault is not None]
    wall, spent = time.perf_counter() - begun, processor_seconds() - spent_before
    print(
        f"{suite.name}: {len(worlds)} worlds in {wall:.0f} s with {processes} process{'es' * (processes > 1)}; "
        f"{spent:.0f} s of processor time, {spent / len(worlds):.2f} s a world, "
        f"{spent / len(worlds) / unit:.1f} yardsticks ({unit:.2f} s) a world"
    )
    if faults:
        sys.exit(f"{len(faults)} of them could not be proved; the first: {faults[0]}")


if __name__ == "__main__":
    main()
