from __future__ import annotations

import pytest

from normgym_agents.community.log import Event, SanctionEvent, VerdictEvent
from normgym_agents.evaluation.chances import Chances
from normgym_agents.evaluation.responses import Recovery, Responses, own_responses, peer_responses, recovery
from normgym_agents.norms.norm import Family
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.public import Answer

WATCH, PRACTISE, PROBE = Phase.WATCH, Phase.PRACTISE, Phase.PROBE
KEPT, BROKE = Verdict.COMPLIED, Verdict.VIOLATED


def own(phase: Phase, day: int, number: int, found: Verdict, norm: str = "N1", **more) -> VerdictEvent:
    who = {"actor": "Tam", "newcomer": True, "family": Family.PROHIBITION, **more}
    return VerdictEvent(phase=phase, day=day, round=number, norm=norm, verdict=found, **who)


def peer(day: int, number: int, found: Verdict, norm: str = "N1", phase: Phase = WATCH) -> VerdictEvent:
    return own(phase, day, number, found, norm, actor="Sef", newcomer=False)


def answer(phase: Phase, day: int, number: int, whom: str) -> SanctionEvent:
    where = {"phase": phase, "day": day, "round": number}
    return SanctionEvent(**where, member="Mira", whom=whom, answer=Answer.GESTURE, deserved=True)


def chances(opportunities: int, violations: int) -> Chances:
    return Chances(opportunities=opportunities, violations=violations)


def test_own_violations_by_hand():
    log: list[Event] = [
        own(PRACTISE, 1, 1, BROKE),  # answered; next: broken, in practice
        answer(PRACTISE, 1, 1, "Tam"),
        own(PRACTISE, 1, 4, BROKE),  # not answered; next: kept, in practice
        own(PRACTISE, 1, 5, BROKE, "N2"),  # answered; next under N2: kept, in the probe
        answer(PRACTISE, 1, 5, "Tam"),
        own(PRACTISE, 2, 2, KEPT),  # no violation: no cause
        answer(PRACTISE, 2, 2, "Tam"),
        own(PRACTISE, 2, 6, BROKE),  # somebody else was answered; next: broken, in the probe
        answer(PRACTISE, 2, 6, "Sef"),
        own(PROBE, 3, 1, BROKE),  # in the probe nobody answers: no cause
        own(PROBE, 3, 2, KEPT),
        own(PROBE, 3, 3, KEPT, "N2"),
    ]
    assert own_responses(log) == Responses(
        repeated_sanctioned=chances(1, 1),
        repeated_withheld=chances(1, 0),
        new_sanctioned=chances(1, 0),
        new_withheld=chances(1, 1),
    )


def test_what_a_newcomer_is_told_that_it_did_is_no_violation_of_its_own():
    log = [own(WATCH, 1, 1, BROKE), own(PROBE, 2, 1, KEPT)]
    assert own_responses(log) == peer_responses(log) == Responses()


def test_norms_that_are_not_in_force_are_no_cause_and_no_chance():
    unbound = [own(PRACTISE, 1, 1, BROKE, bound=False), own(PRACTISE, 1, 2, KEPT)]
    assert own_responses(unbound) == Responses()
    assert own_responses(unbound[::-1]) == Responses()


def test_a_peers_last_violation_and_the_first_own_chance():
    log: list[Event] = [
        peer(1, 1, BROKE),  # answered, but not the last one
        answer(WATCH, 1, 1, "Sef"),
        peer(1, 2, BROKE),  # the last one under N1: not answered
        peer(1, 3, BROKE, "N2"),  # under N2: answered
        answer(WATCH, 1, 3, "Sef"),
        peer(1, 4, KEPT, "N2"),
        own(PRACTISE, 2, 1, KEPT),  # the first chance under N1, in practice
        own(PRACTISE, 2, 2, BROKE),  # not the first
        own(PROBE, 3, 1, BROKE, "N2"),  # the first under N2, in the probe
    ]
    assert peer_responses(log) == Responses(repeated_withheld=chances(1, 0), new_sanctioned=chances(1, 1))


def test_a_peers_violation_in_the_very_round_of_the_first_chance_comes_too_late():
    log = [peer(2, 1, BROKE, phase=PRACTISE), own(PRACTISE, 2, 1, KEPT), own(PRACTISE, 2, 2, KEPT)]
    assert peer_responses(log) == Responses()


@pytest.mark.parametrize(
    ("found", "slips", "recovered"),
    [
        ([], 0, 0),
        ([KEPT, KEPT], 0, 0),
        ([KEPT, BROKE], 0, 0),  # no chance after it
        ([BROKE, KEPT], 1, 1),
        ([BROKE, KEPT, BROKE], 1, 0),
        ([KEPT, BROKE, KEPT, KEPT], 1, 1),
    ],
)
def test_recovery_is_never_breaking_it_again_in_practice(found, slips, recovered):
    log = [own(PRACTISE, 1, number, one) for number, one in enumerate(found, start=1)]
    # What comes in the probe is no matter of practice.
    assert recovery([*log, own(PROBE, 2, 1, BROKE)]) == Recovery(slips, recovered)


def test_recovery_counts_norm_by_norm():
    log = [
        own(PRACTISE, 1, 1, BROKE),
        own(PRACTISE, 1, 1, BROKE, "N2"),
        own(PRACTISE, 1, 2, KEPT),
        own(PRACTISE, 1, 2, BROKE, "N2"),
    ]
    assert recovery(log) == Recovery(2, 1)
