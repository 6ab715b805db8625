"""Shares: what the records of one world add to the sums of a metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from normgym_agents.evaluation.chances import Chances
from normgym_agents.evaluation.metrics.metric import Share, Shares
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.scores import Scores
from normgym_agents.worlds.conditions import Condition

UNBOUND: Final = frozenset({Condition.WRONG_ROLE, Condition.ABSENT})
"""Conditions under which no norm binds the newcomer, so that there is nothing to keep and nothing to pass."""


def binds(condition: Condition) -> bool:
    """Whether norms bind the newcomer under the condition."""
    return condition not in UNBOUND


def scored(records: Sequence[Record]) -> Iterator[tuple[Record, Scores]]:
    """The records that say something about the newcomer."""
    for record in records:
        if record.scores is not None:
            yield record, record.scores


def mean_of(value: Callable[[Record, Scores], float | None]) -> Shares:
    """Mean over worlds of the mean over a world's trials that have a value: each world weighs the same."""

    def share(records: Sequence[Record]) -> Share:
        found = [number for r, scores in scored(records) if (number := value(r, scores)) is not None]
        return (sum(found) / len(found), 1.0) if found else (0.0, 0.0)

    return share


def count_of(part: Callable[[Scores], int], whole: Callable[[Scores], int]) -> Shares:
    """A count and the count that it is a part of: each moment weighs the same."""

    def share(records: Sequence[Record]) -> Share:
        found = [scores for _, scores in scored(records)]
        return float(sum(map(part, found))), float(sum(map(whole, found)))

    return share


def complied_at(chances: Callable[[Scores], Chances | None]) -> Shares:
    """Opportunities of one kind that were complied with, and all of that kind."""
    return count_of(
        lambda scores: found.complied if (found := chances(scores)) else 0,
        lambda scores: found.opportunities if (found := chances(scores)) else 0,
    )


def violated_at(chances: Callable[[Scores], Chances | None]) -> Shares:
    """Opportunities of one kind that were used to break a norm, and all of that kind."""
    return count_of(
        lambda scores: found.violations if (found := chances(scores)) else 0,
        lambda scores: found.opportunities if (found := chances(scores)) else 0,
    )


COMPLIED: Final = count_of(lambda s: s.complied, lambda s: s.opportunities)
"""Opportunities that were complied with, and all of them."""

KEPT: Final = mean_of(lambda _, s: s.complied / s.opportunities if s.opportunities else None)
"""Each world's share of opportunities that were complied with: the rate that gains and gaps compare. Worlds weigh
the same, for whoever stands still before an act meets the same opportunity again at every turn."""

ABSTAINED: Final = count_of(lambda s: s.near_abstained, lambda s: s.near_met)
"""Useful, permitted near misses that were never done, and all that were open."""
