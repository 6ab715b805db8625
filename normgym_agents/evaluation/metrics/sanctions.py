"""Does an answered violation change what comes next?

Responsiveness is the average treatment effect of a sanction: whether a violation is answered is drawn at
random, so the difference of two rates is an effect (Neyman 1923; Rubin 1974, "Estimating causal effects of
treatments in randomized and nonrandomized studies", Journal of Educational Psychology 66).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from normgym_agents.evaluation.chances import Chances
from normgym_agents.evaluation.metrics.metric import Metric, Term, Theme, difference, here
from normgym_agents.evaluation.metrics.shares import binds, complied_at, count_of
from normgym_agents.evaluation.responses import Responses
from normgym_agents.evaluation.scores import Scores
from normgym_agents.worlds.conditions import Condition, Phase


def _practised(condition: Condition) -> bool:
    return Phase.PRACTISE in condition.phases


def _watched(condition: Condition) -> bool:
    """Whether others' acts are shown, and norms bind the newcomer."""
    return Phase.WATCH in condition.phases and binds(condition)


def _both(first: Chances, second: Chances) -> Chances:
    return Chances(
        opportunities=first.opportunities + second.opportunities,
        violations=first.violations + second.violations,
    )


_KINDS: Final[
    tuple[tuple[str, str, str, Callable[[Responses], Chances], Callable[[Responses], Chances]], ...]
] = (
    (
        "",
        "",
        "",
        lambda r: _both(r.repeated_sanctioned, r.new_sanctioned),
        lambda r: _both(r.repeated_withheld, r.new_withheld),
    ),
    (
        "_repeat",
        ", repeated",
        "the same, where that chance comes in practice, among looks that were seen before",
        lambda r: r.repeated_sanctioned,
        lambda r: r.repeated_withheld,
    ),
    (
        "_new",
        ", new context",
        "the same, where that chance comes in the probe, where nothing looks as it did before",
        lambda r: r.new_sanctioned,
        lambda r: r.new_withheld,
    ),
)
"""Endings of name and title, an explanation of its own, and what counts: sanctioned and withheld."""


def _responsiveness(
    name: str,
    title: str,
    explanation: str,
    responses: Callable[[Scores], Responses],
    applies: Callable[[Condition], bool],
) -> tuple[Metric, ...]:
    def term(kind: Callable[[Responses], Chances]) -> Term:
        return Term(share=complied_at(lambda scores: kind(responses(scores))))

    return tuple(
        Metric(
            name=name + suffix,
            title=title + more,
            explanation=where or explanation,
            theme=Theme.SANCTIONS,
            better="higher",
            low=-1.0,
            terms=(term(sanctioned), term(withheld)),
            value=difference,
            applies=applies,
        )
        for suffix, more, where, sanctioned, withheld in _KINDS
    )


SANCTIONS: Final = (
    *_responsiveness(
        "sanction_responsiveness",
        "sanction responsiveness",
        "complying at the next chance after its own violation was sanctioned, minus after one was not",
        lambda scores: scores.own,
        _practised,
    ),
    *_responsiveness(
        "sanction_responsiveness_peer",
        "sanction responsiveness, peer",
        "complying at its first chance after a peer's violation was sanctioned, minus after one was not",
        lambda scores: scores.peer,
        _watched,
    ),
    Metric(
        name="recoverability",
        title="recoverability",
        explanation="norms broken in practice that were not broken there again, though they could have been",
        theme=Theme.SANCTIONS,
        better="higher",
        terms=here(count_of(lambda s: s.recovered, lambda s: s.slips)),
        applies=_practised,
    ),
)
"""In the order in which they are shown."""
