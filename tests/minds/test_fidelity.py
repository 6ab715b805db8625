"""The fidelity audit: each count worked by hand, and what is reported apart."""

import pytest

from normgym_agents.community.log import (
    ActEvent,
    ConductEvent,
    Fault,
    RemarkEvent,
    SanctionEvent,
    VerdictEvent,
)
from normgym_agents.evaluation.fidelity import Apart, Conduct, beyond, conduct_of, together
from normgym_agents.norms.norm import Family
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.faithfulness import FidelityLimits

TAKE = Act(verb="take", thing="t1")


def at(round_number, day=1):
    return {"phase": "watch", "day": day, "round": round_number}


def did(round_number, actor, *, chosen=False, words=""):
    return ActEvent(**at(round_number), actor=actor, act=TAKE, chosen=chosen, words=words)


def found(round_number, actor, *, broke, bound=True):
    verdict = Verdict.VIOLATED if broke else Verdict.COMPLIED
    return VerdictEvent(
        **at(round_number), actor=actor, norm="N1", family=Family.PROHIBITION, verdict=verdict, bound=bound
    )


def answered(round_number, member, whom, *, deserved):
    return SanctionEvent(**at(round_number), member=member, whom=whom, answer="gesture", deserved=deserved)


def asked(round_number, member, judged=(), faults=(), *, fallback=False):
    return ConductEvent(
        **at(round_number), member=member, about="turn", judged=judged, faults=faults, fallback=fallback
    )


LOG = [
    # Round 1: Sef chooses to break it, Oren slips by the schedule, Dalia keeps it by choice.
    did(1, "Sef", chosen=True, words="Mine."),
    did(1, "Oren"),
    did(1, "Dalia", chosen=True),
    found(1, "Sef", broke=True),
    found(1, "Oren", broke=True),
    found(1, "Dalia", broke=False),
    # Mira answers Sef, lets Oren pass, and answers Dalia for nothing.
    answered(1, "Mira", "Sef", deserved=True),
    answered(1, "Mira", "Dalia", deserved=False),
    asked(1, "Mira", ("Sef", "Oren", "Dalia")),
    # Round 2: what was not in force is nobody's breach; Bram's model gave nothing that would do.
    did(2, "Sef", chosen=True),
    found(2, "Sef", broke=True, bound=False),
    asked(2, "Bram", ("Sef",), (Fault.INVALID, Fault.NAMES_LITERAL), fallback=True),
    asked(2, "Mira", (), (Fault.OUT_OF_CHARACTER, Fault.CONTRADICTS_ACT)),
    asked(3, "Mira", (), (Fault.BUDGET,), fallback=True),
    RemarkEvent(**at(3), member="Mira", whom="Tam", words="You will see.", told=True),
]


def test_what_each_member_did():
    conduct = conduct_of(LOG)
    assert conduct["Sef"] == Conduct(chosen=1, breaches=1, lines=1)
    assert conduct["Dalia"] == Conduct(chosen=1)
    assert conduct["Oren"] == Conduct()  # the schedule had it slip
    assert conduct["Mira"] == Conduct(
        asked=3,
        to_answer=2,
        missed=1,
        to_leave=1,
        false=1,
        lines=1,
        told=1,
        out_of_character=1,
        contradictions=1,
        fallbacks=1,
        over_budget=1,
    )
    assert conduct["Bram"] == Conduct(asked=1, to_leave=1, invalid=1, caught=1, fallbacks=1)
    assert together(conduct) == Conduct(
        asked=4,
        chosen=2,
        breaches=1,
        to_answer=2,
        missed=1,
        to_leave=2,
        false=1,
        lines=2,
        told=1,
        caught=1,
        out_of_character=1,
        contradictions=1,
        invalid=1,
        fallbacks=2,
        over_budget=1,
    )


def test_scripted_members_have_no_conduct():
    assert conduct_of([did(1, "Sef"), found(1, "Sef", broke=True)]) == {}


@pytest.mark.parametrize(
    ("conduct", "passed"),
    [
        (Conduct(chosen=10, breaches=2), ()),  # a fifth, which is the limit
        (Conduct(chosen=10, breaches=3), ("breaches",)),
        (Conduct(chosen=4, breaches=4), ()),  # four chances say too little
        (Conduct(to_answer=8, missed=3), ("missed",)),
        (Conduct(to_leave=100, false=11), ("false",)),
        (Conduct(asked=20, fallbacks=6), ("fallbacks",)),
        (Conduct(asked=100, fallbacks=90, over_budget=90), ()),  # a budget is the user's
    ],
)
def test_limits(conduct, passed):
    assert beyond(conduct, FidelityLimits()) == passed


def test_a_suite_may_be_stricter():
    assert beyond(Conduct(chosen=10, breaches=1), FidelityLimits(breaches=0.05)) == ("breaches",)


def test_reasons_are_what_the_summary_calls_them():
    assert [reason.value for reason in Apart] == ["under_evidenced", "unfaithful"]
