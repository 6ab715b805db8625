"""Whether the ideal observer's claims hold as often as it says, over simulated worlds.

    python benchmarks/calibration.py [WORLDS]

Hypotheses and acts are those of the bundled suite `core`; in each simulated world the truth is drawn from the
prior over them, and what is answered and chosen from the likelihood. Each world makes one claim of each
kind, so that claims are independent: a breach (of an act not among the evidence), a norm (that it is in
force) and a class (that the most probable set breaks just what the truth breaks). Which act or norm is asked
about is chosen by the claim alone, so that claims of every strength occur. Printed is what share of the
claims of each bin held, with the exact interval of Clopper and Pearson. The rule-by-rule observer answers the
same questions beside it. Ends with seconds of processor time, and their ratio to a floor measured in the same
run: asking the hypotheses about the acts. Exits with status 1 if the joint observers' claims do not hold.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, norm

from normgym_agents.norms.hypotheses import HypothesisSpace, Table, enumerate_norms
from normgym_agents.norms.independent import IndependentObserver
from normgym_agents.norms.joint import JointPosterior
from normgym_agents.norms.likelihood import Choice, Enforcement, Evidence, answer, choice, choice_likelihood
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.norms.prior import SIZE_PRIOR, SIZE_PRIOR_OF_THREE, shares
from normgym_agents.worlds.rollout import watched
from normgym_agents.worlds.suites import load_suite

RATES, WAYS = Enforcement(0.9, 0.02), Choice()
FEWEST, MOST = 10, 80
"""Events of a world."""

BINS = np.linspace(0.0, 1.0, 11)
Floats = NDArray[np.float64]


class Event(NamedTuple):
    """An act that was answered or not; or, where one was passed over, a choice (seen: of the dearer)."""

    taken: int
    passed: int | None
    seen: bool


class Claim(NamedTuple):
    """Something held with a probability, and whether it was so."""

    claimed: float
    held: bool


def draw_truth(single: Floats, sizes: Sequence[float], rng: np.random.Generator) -> list[int]:
    """A set from the prior: sets of one size by the product of their norms' shares."""
    size = int(rng.choice(len(sizes), p=sizes))
    while True:
        drawn = sorted(set(rng.choice(len(single), size=size, p=single).tolist()))
        if len(drawn) == size:
            return drawn


def draw_events(broken: NDArray[np.bool_], count: int, rng: np.random.Generator) -> list[Event]:
    """Half answered or unanswered acts, half choices, over acts some of which break the true set."""
    events = []
    for _ in range(count):
        easy, hard = rng.choice(len(broken), size=2, replace=False).tolist()
        if rng.random() < 0.5:
            rate = RATES.detection if broken[easy] else RATES.false_sanctions
            events.append(Event(easy, None, bool(rng.random() < rate)))
            continue
        pattern = int(broken[hard]) + 2 * int(broken[easy])
        dearer = bool(rng.random() < choice_likelihood(WAYS, easier=True)[pattern])
        events.append(Event(hard, easy, True) if dearer else Event(easy, hard, False))
    return events


def pack(table: Table, events: Sequence[Event]) -> list[Evidence]:
    """The events as `JointPosterior` takes them."""
    return [
        answer(table[:, taken], RATES, sanctioned=seen)
        if passed is None
        else choice(table[:, taken], table[:, passed], WAYS, easier=seen)
        for taken, passed, seen in events
    ]


def show(observer: IdealObserver | IndependentObserver, table: Table, events: Sequence[Event]) -> None:
    """The events one by one."""
    for taken, passed, seen in events:
        if passed is None:
            observer.observe(table[:, taken], sanctioned=seen)
        else:
            observer.observe_choice(table[:, taken], table[:, passed], easier=seen)


def nearest(claims: Floats, target: float) -> int:
    """The claim closest to a strength that was drawn: the truth has no part in it."""
    return int(np.argmin(np.abs(claims - target)))


class Ledger:
    """The claims of one observer, by kind."""

    def __init__(self) -> None:
        self.claims: dict[str, list[Claim]] = {}

    def enter(self, kind: str, claims: Floats, held: NDArray[np.bool_], target: float) -> None:
        """One claim of many."""
        at = nearest(claims, target)
        self.claims.setdefault(kind, []).append(Claim(float(claims[at]), bool(held[at])))

    def print(self, name: str) -> list[float]:
        """Print the reliability tables; returns the p-values of the tests that claims hold."""
        found = []
        for kind, claims in self.claims.items():
            claimed, held = (np.array(column) for column in zip(*claims, strict=True))
            print(f"{name}, {kind}: {len(claims)} claims")
            for low, high in pairwise(BINS):
                print_bin(low, high, (claimed >= low) & ((claimed < high) | (high == 1.0)), claimed, held)
            drift = (held - claimed).sum() / np.sqrt((claimed * (1.0 - claimed)).sum())
            # Spiegelhalter (1986): squared errors against what they are expected to be if claims hold.
            spread = (1.0 - 2.0 * claimed) ** 2 * claimed * (1.0 - claimed)
            sure = ((held - claimed) * (1.0 - 2.0 * claimed)).sum() / np.sqrt(spread.sum())
            p = [float(2.0 * norm.sf(abs(z))) for z in (drift, sure)]
            print(
                f"  held more often z {drift:+.2f}, p {p[0]:.2g}; squared error z {sure:+.2f}, p {p[1]:.2g}"
            )
            found += p
        return found


def print_bin(low: float, high: float, inside: NDArray[np.bool_], claimed: Floats, held: Floats) -> None:
    """One line of a reliability table, if there are such claims."""
    count = int(inside.sum())
    if not count:
        return
    interval = binomtest(int(held[inside].sum()), count).proportion_ci(0.95, method="exact")
    mean = float(claimed[inside].mean())
    mark = "" if interval.low <= mean <= interval.high else "  outside"
    print(
        f"  {low:.1f} to {high:.1f}: {count:4} claimed {mean:.3f}, held {held[inside].mean():.3f} "
        f"[{interval.low:.3f}, {interval.high:.3f}]{mark}"
    )


class Simulation:
    """The hypotheses and acts of one bundled world, in which truths are drawn."""

    def __init__(self, space: HypothesisSpace, moments: Sequence[Moment], rng: np.random.Generator) -> None:
        self.norms, self.single, self.rng = space.norms, shares(space.norms), rng
        begun = time.process_time()
        self.table = space.table(moments)
        self.floor = time.process_time() - begun
        self.table = self.table[:, rng.permutation(np.flatnonzero(self.table.any(axis=0)))]
        # Half of the acts are evidence; the other half is what claims are about.
        half = self.table.shape[1] // 2
        self.seen, self.asked = self.table[:, :half], self.table[:, half:]

    def pairs(self, joint: Ledger, alone: Ledger) -> None:
        """The observer of pairs event by event, and the one that judges rule by rule."""
        truth, events = self._draw(SIZE_PRIOR)
        targets = self.rng.random(2)
        held, in_force = self._facts(truth)
        observer, other = IdealObserver(self.norms, RATES), IndependentObserver(self.norms, RATES)
        show(observer, self.seen, events)
        show(other, self.seen, events)
        included = observer.violation_probability(np.eye(len(self.norms), dtype=np.bool_))
        joint.enter("breach", observer.violation_probability(self.asked), held, targets[0])
        joint.enter("norm", included, in_force, targets[1])
        self._enter_class(joint, observer, held)
        alone.enter("breach", other.violation_probability(self.asked), held, targets[0])
        alone.enter("norm", other.probabilities(), in_force, targets[1])

    def threes(self, joint: Ledger) -> None:
        """The joint posterior over sets of up to three."""
        truth, events = self._draw(SIZE_PRIOR_OF_THREE)
        held, in_force = self._facts(truth)
        posterior = JointPosterior(self.norms, pack(self.seen, events))
        joint.enter("breach", posterior.violation_probability(self.asked), held, self.rng.random())
        joint.enter("norm", posterior.included, in_force, self.rng.random())
        self._enter_class(joint, posterior, held)

    def _draw(self, sizes: Sequence[float]) -> tuple[list[int], list[Event]]:
        truth = draw_truth(self.single, sizes, self.rng)
        count = int(self.rng.integers(FEWEST, MOST + 1))
        return truth, draw_events(np.asarray(self.seen[truth].any(axis=0)), count, self.rng)

    def _facts(self, truth: Sequence[int]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        return np.asarray(self.asked[list(truth)].any(axis=0)), np.isin(np.arange(len(self.norms)), truth)

    def _enter_class(
        self, ledger: Ledger, found: IdealObserver | JointPosterior, held: NDArray[np.bool_]
    ) -> None:
        best = found.most_probable()
        same = bool((self.asked[list(best)].any(axis=0) == held).all())
        claim = np.array([found.class_probability(best, self.asked)])
        ledger.enter("class", claim, np.array([same]), 0.5)


def main() -> None:
    """Simulate, print the tables, and say whether claims hold."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    rng = np.random.default_rng(11)
    # Twins share their words and acts, so one of each pair.
    bundled = load_suite("core").worlds[::2]
    spaces = [HypothesisSpace(enumerate_norms(world.vocabulary)) for world in bundled]
    acts = [list(dict.fromkeys(event.moment for event in watched(world))) for world in bundled]
    pairs, alone, threes = Ledger(), Ledger(), Ledger()
    floor = spent = 0.0
    for index in range(count):
        simulation = Simulation(spaces[index % len(bundled)], acts[index % len(bundled)], rng)
        floor += simulation.floor
        begun = time.process_time()
        simulation.pairs(pairs, alone)
        simulation.threes(threes)
        spent += time.process_time() - begun
    found = pairs.print("sets of up to two") + threes.print("sets of up to three")
    alone.print("rule by rule (in the worlds of sets of up to two)")
    print(f"{count} worlds, {spent / count:.3f} s a world, {spent / floor:.1f} × the floor")
    # Holm's first step is Bonferroni's: one departure is enough.
    good = min(found) >= 0.05 / len(found)
    print(
        f"the joint observers' claims {'hold' if good else 'do not hold'} (least p {min(found):.2g} of {len(found)})"
    )
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
