"""What of a run has no score, or has one because its newcomer broke, and why: a comparison is worth no more than that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from normgym_agents.evaluation.compare.results import Fault
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.texts import counted


def faults_of(records: Iterable[Record]) -> tuple[Fault, ...]:
    """What kept episodes from their end, the most frequent first."""
    found = Counter(
        (record.outcome, record.error) for record in records if record.outcome is not Outcome.COMPLETED
    )
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0][0], item[0][1] or ""))
    return tuple(Fault(outcome=outcome, error=error, episodes=count) for (outcome, error), count in ordered)


def nothing_scored(label: str, records: Sequence[Record]) -> Iterator[str]:
    """Say that no episode of a side has a score, if so."""
    if records and not any(record.outcome.scored for record in records):
        yield (
            f"{label} has no score: none of its {counted(len(records), 'episode')} came to one ({in_words(faults_of(records))}): "
            "nothing can be concluded."
        )


def all_broke(label: str, records: Sequence[Record]) -> Iterator[str]:
    """Say that whatever has a score on a side has it because the newcomer broke, if so."""
    scored = [record for record in records if record.outcome.scored]
    if scored and all(record.outcome is Outcome.NEWCOMER_FAILED for record in scored):
        yield (
            f"All {counted(len(scored), 'scored episode')} of {label} ended because the newcomer broke "
            f"({in_words(faults_of(scored))}): this says that it does not run, and nothing of what it has learned."
        )


def in_words(faults: Sequence[Fault]) -> str:
    """The most frequent fault with its error, and how many others there are."""
    if not faults:
        return "nothing went wrong"
    counts = Counter[Outcome]()
    for fault in faults:
        counts[fault.outcome] += fault.episodes
    named = ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in counts.items())
    first, more = faults[0], len(faults) - 1
    error = first.error or "no error was kept"
    return f"{named}: {error}" + (f"; and {counted(more, 'other fault')}" if more else "")
