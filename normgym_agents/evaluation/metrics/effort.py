"""What did it take? No price list of ours could stay true, so cost is left to whoever knows the prices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from normgym_agents.evaluation.metrics.metric import Metric, Share, Shares, Theme, here
from normgym_agents.evaluation.metrics.shares import count_of, scored
from normgym_agents.evaluation.records import Clock, Record


def _per_episode(value: Callable[[Clock], float | None]) -> Shares:
    """Mean over the scored episodes in which it is known."""

    def share(records: Sequence[Record]) -> Share:
        known = [amount for record, _ in scored(records) if (amount := value(record.clock)) is not None]
        return float(sum(known)), float(len(known))

    return share


def _tokens(clock: Clock) -> int | None:
    if clock.input_tokens is None and clock.output_tokens is None:
        return None
    return (clock.input_tokens or 0) + (clock.output_tokens or 0)


EFFORT: Final = (
    Metric(
        name="invalid_act_rate",
        title="invalid acts",
        explanation="turns without a readable, possible act (neither kept nor broken)",
        theme=Theme.EFFORT,
        better="lower",
        terms=here(count_of(lambda s: s.invalid, lambda s: s.turns)),
    ),
    Metric(
        name="model_calls",
        title="model calls",
        explanation="calls to a model per episode, where the newcomer tells",
        theme=Theme.EFFORT,
        better="lower",
        high=None,
        terms=here(_per_episode(lambda c: c.model_calls)),
    ),
    Metric(
        name="tokens",
        title="tokens",
        explanation="prompt and completion tokens per episode, where the newcomer tells; cost is yours to price",
        theme=Theme.EFFORT,
        better="lower",
        high=None,
        terms=here(_per_episode(_tokens)),
    ),
    Metric(
        name="seconds",
        title="seconds",
        explanation="duration of an episode, by the clock on the wall",
        theme=Theme.EFFORT,
        better="lower",
        high=None,
        terms=here(_per_episode(lambda c: c.seconds)),
    ),
)
"""In the order in which they are shown."""
