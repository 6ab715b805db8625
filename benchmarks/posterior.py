"""How long the exact joint posterior over sets of two and of three norms takes, and how much memory.

    python benchmarks/posterior.py [WORLDS]

One core, 30 telling events a world. Two spaces: the hypotheses of bundled worlds under what is watched
there, and the worst case, random evidence under which every norm is an extensional class of its own. Beside
seconds of processor time each line gives the ratio to a floor measured in the same run: reading and adding
one number of a table per set of the largest size, which is what evidence in a single word would cost.
Exits with status 1 where a limit is passed: 0.2 s for pairs, 5 s for threes, 500 MB.
"""

from __future__ import annotations

import os
import resource
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from normgym_agents.norms.hypotheses import HypothesisSpace, Table, enumerate_norms
from normgym_agents.norms.joint import JointPosterior
from normgym_agents.norms.likelihood import Enforcement, Evidence, answer
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.norms.prior import SIZE_PRIOR, SIZE_PRIOR_OF_THREE, Hypothesis
from normgym_agents.worlds.rollout import watched
from normgym_agents.worlds.suites import load_suite

EVENTS = 30
RATES = Enforcement(0.9, 0.02)
LIMITS = {2: 0.2, 3: 5.0}
MEGABYTES = 500.0


class Problem(NamedTuple):
    """A space, 30 acts over it with what was answered, and acts to be judged."""

    norms: tuple[Hypothesis, ...]
    columns: Table
    answered: tuple[bool, ...]
    asked: Table
    truth: tuple[int, ...]

    @property
    def evidence(self) -> list[Evidence]:
        """What `JointPosterior` takes."""
        return [
            answer(column, RATES, sanctioned=seen)
            for column, seen in zip(self.columns.T, self.answered, strict=True)
        ]


def problem(norms: Sequence[Hypothesis], table: Table, rng: np.random.Generator) -> Problem:
    """Three norms are true; the first acts are seen, all are asked about."""
    telling = table[:, table.any(axis=0)]
    truth = tuple(sorted(int(i) for i in rng.choice(len(norms), 3, replace=False)))
    columns = telling[:, :EVENTS]
    chance = np.where(columns[list(truth)].any(axis=0), RATES.detection, RATES.false_sanctions)
    answered = tuple(bool(seen) for seen in rng.random(columns.shape[1]) < chance)
    return Problem(tuple(norms), columns, answered, telling, truth)


def of_worlds(count: int, rng: np.random.Generator) -> list[Problem]:
    """The hypotheses of bundled worlds, and what is watched there."""
    found = []
    worlds = load_suite("core").worlds
    for world in worlds[:: max(1, len(worlds) // count)][:count]:
        space = HypothesisSpace(enumerate_norms(world.vocabulary))
        moments = list(dict.fromkeys(event.moment for event in watched(world)))
        found.append(problem(space.norms, space.table(moments), rng))
    return found


def at_worst(norms: Sequence[Hypothesis], rng: np.random.Generator) -> Problem:
    """Random acts: no two norms do the same to all of them."""
    return problem(norms, rng.random((len(norms), 3 * EVENTS)) < 0.3, rng)


def event_by_event(given: Problem) -> IdealObserver:
    """Pairs, as the acting observer learns them."""
    observer = IdealObserver(given.norms, RATES)
    for column, seen in zip(given.columns.T, given.answered, strict=True):
        observer.observe(column, sanctioned=seen)
    return observer


def floor(size: int, norms: int) -> float:
    """Seconds to read one number of a table, and add it, for every set of the size."""
    table, words = np.ones(2**16), np.arange(norms, dtype=np.uint16) * np.uint16(97)
    pairs = words[:, None] | words
    total, begun = 0.0, time.process_time()
    if size == 2:
        total = table[pairs].sum()
    for place in range(norms) if size == 3 else ():
        total += table[pairs[place + 1 :, place + 1 :]].sum() / 2.0
    spent = time.process_time() - begun
    return spent if total else 0.0


def spent(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def peak(work: Callable[[], object]) -> float:
    """Megabytes that the work holds at its most, beside what was there before."""
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 2**20


def measure(name: str, problems: Sequence[Problem]) -> bool:
    """Print what it took for each size; of many problems the slowest counts. False where a limit is passed."""
    norms = max(len(given.norms) for given in problems)
    stepwise = max(spent(partial(event_by_event, given)) for given in problems)
    print(f"{name}: {norms} norms, {EVENTS} events, the slowest of {len(problems)}")
    print(f"  pairs event by event {stepwise:.3f} s")
    good = stepwise <= LIMITS[2]
    for size, prior in ((2, SIZE_PRIOR), (3, SIZE_PRIOR_OF_THREE)):
        unit = statistics.median(floor(size, norms) for _ in range(5))
        took = [spent(partial(JointPosterior, given.norms, given.evidence, prior)) for given in problems]
        slowest = problems[int(np.argmax(took))]
        for what, work in questions(slowest, size, prior).items():
            seconds, memory = spent(work), peak(work)
            good &= seconds <= LIMITS[size] and memory <= MEGABYTES
            print(
                f"  sets of {size}: {what:28} {seconds:6.3f} s, {seconds / unit:6.1f} × the floor, "
                f"{memory:4.0f} MB"
            )
    return good


def questions(given: Problem, size: int, prior: Sequence[float]) -> dict[str, Callable[[], object]]:
    """All that can be asked of a posterior, the posterior itself first."""
    found = JointPosterior(given.norms, given.evidence, prior)
    return {
        "posterior": partial(JointPosterior, given.norms, given.evidence, prior),
        "breach": partial(found.violation_probability, given.asked),
        "breach, negligible left out": partial(found.violation_probability, given.asked, negligible=1e-6),
        "class": partial(found.class_probability, given.truth[:size], given.asked),
        "most probable": found.most_probable,
    }


def exponent(norms: Sequence[Hypothesis], rng: np.random.Generator) -> float:
    """How the time for threes grows with the number of norms at worst: the slope of a log-log fit."""
    sizes = [150, 220, 320, 470]
    times = []
    for size in sizes:
        given = at_worst(norms[:size], rng)
        work = partial(JointPosterior, given.norms, given.evidence)
        times.append(statistics.median(spent(work) for _ in range(3)))
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def main() -> None:
    """Measure both spaces."""
    rng = np.random.default_rng(7)
    problems = of_worlds(int(sys.argv[1]) if len(sys.argv) > 1 else 8, rng)
    norms = problems[0].norms
    good = measure("bundled worlds", problems)
    good &= measure("at worst", [at_worst(norms, rng)])
    print(f"time for threes at worst grows with norms to the power {exponent(norms, rng):.1f}")
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"most memory of the whole process {resident:.0f} MB")
    if not good or resident > MEGABYTES:
        print("a limit is passed")
        sys.exit(1)


if __name__ == "__main__":
    main()
