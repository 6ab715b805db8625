from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.verdicts import Verdict, evaluate
from tests.norms.making import breaks, moments, norms


def act(verb: str, glaze: str | None = None) -> Moment:
    slots = () if glaze is None else (("glaze", glaze),)
    return Moment(verb, slots, "carrier", (), frozenset(), frozenset())


IRON, ASH, WAIT = act("take", "iron"), act("take", "ash"), act("wait")
NORM = parse_norm("forbid take(glaze=iron)")


def test_worked_verdicts() -> None:
    assert evaluate(NORM, IRON, [IRON, ASH, WAIT]) is Verdict.VIOLATED
    assert evaluate(NORM, ASH, [IRON, ASH, WAIT]) is Verdict.COMPLIED
    assert evaluate(NORM, WAIT, [IRON, ASH, WAIT]) is Verdict.COMPLIED


def test_without_a_choice_nothing_is_said_of_the_actor() -> None:
    assert evaluate(NORM, ASH, [ASH, WAIT]) is Verdict.NO_OPPORTUNITY
    assert evaluate(NORM, IRON, [IRON]) is Verdict.NO_OPPORTUNITY
    assert evaluate(NORM, IRON, iter([IRON, IRON])) is Verdict.NO_OPPORTUNITY


@given(norms, st.lists(moments, min_size=1, max_size=6), st.data())
def test_verdicts_agree_with_the_obvious_evaluator(norm: Norm, choices: list[Moment], data) -> None:
    chosen = data.draw(st.sampled_from(choices))
    outcomes = {breaks(norm, choice) for choice in choices}
    if outcomes != {True, False}:
        expected = Verdict.NO_OPPORTUNITY
    else:
        expected = Verdict.VIOLATED if breaks(norm, chosen) else Verdict.COMPLIED
    assert evaluate(norm, chosen, choices) is expected
    assert evaluate(norm, chosen, iter(reversed(choices))) is expected
