"""The validation as a table that people read, in Markdown: the one that stands in the README."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from normgym_agents.evaluation.statistics import agreed_interval
from normgym_agents.evaluation.validation.measuring import Coverage, Moved, Recovered, Validation


def as_markdown(validation: Validation) -> str:
    """What was tried and what came of it, ending in a newline."""
    covered = sum(one.covered for one in validation.recovered)
    parts = [
        f"Over {validation.worlds} worlds of `{validation.suite}` (digest of these: `{validation.digest}`):",
        _recovered(validation.recovered),
        f"{covered} of {len(validation.recovered)} intervals hold the true discount; the learning gains "
        f"{'order as the true ones do' if validation.ordered else 'do not order as the true ones do'}.",
        _moved(validation.moved),
    ]
    if validation.coverage:
        parts += [_coverage(validation.coverage)]
    return "\n\n".join(parts) + "\n"


def _recovered(found: Sequence[Recovered]) -> str:
    return _table(
        (
            "own",
            "vicarious",
            "gain, own (true)",
            "gain, peer's (true)",
            "discount, true",
            "measured",
            "95 %",
            "held",
        ),
        (
            (
                f"{one.dials['own']:g}",
                f"{one.dials['vicarious']:g}",
                *(f"{measured:.2f} ({true:.2f})" for measured, true in one.gains.values()),
                f"{one.true:.3f}",
                f"{one.value:.3f}",
                f"{one.low:.3f} to {one.high:.3f}",
                "yes" if one.covered else "no",
            )
            for one in found
        ),
    )


def _moved(found: Sequence[Moved]) -> str:
    return _table(
        ("dial", "its metric", "before (95 %)", "after", "moved", "other metrics inside their intervals"),
        (
            (
                one.dial,
                one.metric,
                "{:.3f} ({:.3f} to {:.3f})".format(*one.base),
                f"{one.value:.3f}",
                "yes" if one.moved else "no",
                _inside(one),
            )
            for one in found
        ),
    )


def _inside(one: Moved) -> str:
    outside = [name for name, (_, stayed) in one.unrelated.items() if not stayed]
    total = len(one.unrelated)
    return f"all {total}" if not outside else f"{total - len(outside)} of {total}; not {', '.join(outside)}"


def _coverage(found: Sequence[Coverage]) -> str:
    samples, covered = sum(one.samples for one in found), sum(one.covered for one in found)
    rate = f"{covered} of {samples} intervals ({covered / samples:.1%})"
    if covered == samples:
        low, high = agreed_interval(1.0, (0.0, 1.0), samples)
        rate += f" [{low:.1%} to {high:.1%}]"
    return f"Over samples of worlds drawn with replacement, {rate} hold the true value; the nominal rate is 95 %."


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
