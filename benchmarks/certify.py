"""How long it takes to prove the worlds of a suite again, on one core.

    python benchmarks/certify.py [SUITE] [WORLDS]

Prints seconds of processor time in all and per world, beside the time of a fixed piece of work measured
in the same run, so that figures from machines of different speed can be compared.
"""

from __future__ import annotations

import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from normgym_agents.worlds.certificate import certify
from normgym_agents.worlds.suites import load_suite


def yardstick() -> float:
    """Seconds of processor time for a hundred products of 600 × 600 matrices."""
    matrix = np.ones((600, 600))
    begun = time.process_time()
    for _ in range(100):
        matrix @ matrix
    return time.process_time() - begun


def main() -> None:
    """Certify the worlds and print what it took."""
    suite = load_suite(sys.argv[1] if len(sys.argv) > 1 else "core")
    worlds = suite.worlds[: int(sys.argv[2])] if len(sys.argv) > 2 else suite.worlds
    by_id = {world.id: world for world in worlds}
    unit = yardstick()
    begun = time.process_time()
    for world in worlds:
        certify(world, by_id[world.twin])
    spent = time.process_time() - begun
    print(
        f"{suite.name}: {len(worlds)} worlds certified in {spent:.0f} s on one core, "
        f"{spent / len(worlds):.2f} s a world, {spent / len(worlds) / unit:.1f} yardsticks ({unit:.2f} s) a world"
    )


if __name__ == "__main__":
    main()
