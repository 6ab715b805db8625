"""Comparisons of runs that broke: how much of each has no score, why, and that nothing is concluded from none."""

from __future__ import annotations

import io

from rich.console import Console

from normgym_agents.cli.comparing import comparison
from normgym_agents.evaluation.outcomes import Outcome
from tests.evaluation.comparing import LIVE, compared, pairs


def ended(records, outcome: Outcome, error: str):
    """The same episodes, ended so."""
    scores = {} if outcome.scored else {"scores": None}
    return [record.model_copy(update={"outcome": outcome, "error": error, **scores}) for record in records]


def drawn(found) -> str:
    console = Console(width=160, file=io.StringIO(), highlight=False)
    console.print(comparison(found, console))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_nothing_is_concluded_where_a_side_has_no_score():
    lost = ended(pairs("+++"), Outcome.MODEL_FAILED, "no line")
    found = compared(pairs("+++"), lost)
    [one] = found.comparisons
    assert one.conditions[LIVE].conclusions == (
        "B has no score: none of its 3 episodes came to one (3 model failed: no line): nothing can be concluded.",
    )
    assert not one.primary and not found.complete
    text = drawn(found)
    assert "! B: 3 of 3 episodes not scored: 3 model failed: no line" in text
    assert "joint success  " not in text.partition("primary tests")[0]


def test_both_sides_are_named_and_further_faults_counted():
    first = ended(pairs("+"), Outcome.CANCELLED, "left")
    second = ended(pairs("++"), Outcome.MODEL_FAILED, "no line")
    second = [second[0], *ended(second[1:], Outcome.COMMUNITY_FAILED, "rain")]
    conclusions = compared(first, second).comparisons[0].conditions[LIVE].conclusions
    assert conclusions == (
        "A has no score: none of its 1 episode came to one (1 cancelled: left): nothing can be concluded.",
        "B has no score: none of its 2 episodes came to one (1 community failed, 1 model failed: rain; and 1 other fault): "
        "nothing can be concluded.",
    )


def test_where_every_episode_broke_the_difference_is_said_to_be_that():
    broken = ended(pairs("----"), Outcome.NEWCOMER_FAILED, "KeyError: 'x'")
    found = compared(pairs("++++"), broken)
    *_, last = found.comparisons[0].conditions[LIVE].conclusions
    assert last == (
        "All 4 scored episodes of B ended because the newcomer broke (4 newcomer failed: KeyError: 'x'): this says that "
        "it does not run, and nothing of what it has learned."
    )
    assert (
        "! B: 4 of 4 episodes scored as failed, since the newcomer broke: 4 newcomer failed: KeyError: 'x'"
        in drawn(found)
    )


def test_a_part_that_is_not_scored_is_counted_and_the_rest_is_compared():
    first = pairs("++++")
    second = [*pairs("++++")[:3], *ended(pairs("++++")[3:], Outcome.MODEL_FAILED, "no line")]
    found = compared(first, second)
    assert found.comparisons[0].conditions[LIVE].worlds == 3
    assert "nothing can be concluded" not in drawn(found)
    assert "! B: 1 of 4 episodes not scored: 1 model failed: no line" in drawn(found)


def test_whole_runs_have_no_fault():
    found = compared(pairs("++"), pairs("+-"))
    assert [run.faults for run in found.runs] == [(), ()]
    assert "episodes not scored" not in drawn(found) and "since the newcomer broke" not in drawn(found)
