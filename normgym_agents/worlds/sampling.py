"""Sampling: from (suite, version, seed, index) to a certified pair of twin worlds, and nothing else.

Candidates are drawn and rejected until one is certified. Every rejection is counted by its reason, so
that an author can see what a setting makes hard.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from normgym_agents.errors import NormgymError
from normgym_agents.worlds.candidate import Candidate, Rejected
from normgym_agents.worlds.certificate import NotCertified
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.recipes import Recipe, stream_of
from normgym_agents.worlds.world import World


class NotSampled(NormgymError):
    """No candidate could be certified; the message says why.

    Attributes:
        rejected: How many candidates were rejected for which reason.
    """

    def __init__(self, message: str, rejected: Counter[str]) -> None:
        super().__init__(message)
        self.rejected = rejected


class Sampled(NamedTuple):
    """A certified pair, and how many candidates were rejected for which reason."""

    twins: tuple[World, World]
    rejected: Counter[str]


def sample_twins(recipe: Recipe, index: int) -> Sampled:
    """Draw the `index`-th pair of a suite: the same for the same recipe, on every machine.

    Raises:
        NotSampled: No candidate of this index could be certified.
    """
    rejected: Counter[str] = Counter()
    for attempt in range(recipe.attempts):
        draws = Draws(recipe.suite, recipe.seed, *stream_of(recipe, index), attempt)
        try:
            return Sampled(Candidate(recipe, index, attempt, draws).twins(), rejected)
        except (Rejected, NotCertified) as fault:
            rejected[str(fault).partition(":")[0]] += 1
    reasons = ", ".join(f"{reason} ({count})" for reason, count in rejected.most_common())
    wanted = f" with a norm of {recipe.cell}" if recipe.cell else ""
    raise NotSampled(
        f"{recipe.suite}: no pair of worlds{wanted} for index {index}; rejected for: {reasons}", rejected
    )
