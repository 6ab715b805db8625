"""What an ideal observer believed when, told from a record."""

import pytest

from normgym_agents.evaluation.api import evaluate
from normgym_agents.evaluation.hindsight import hindsight
from normgym_agents.worlds.channels import Proof, planner_of
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.suites import load_suite

QUICK = load_suite("quick").first(2)
WORLD = QUICK.worlds[0]


async def record_of(newcomer, condition):
    result = await evaluate(newcomer, QUICK.first(1), conditions=[condition], driver="loop")
    return result.records[0]


async def test_it_ends_where_the_certificate_says():
    record = await record_of("reference:ideal-observer", "others")
    found = hindsight(record, WORLD)
    assert found is not None and WORLD.certificate is not None
    proved = WORLD.certificate.channels[Condition.OTHERS]
    assert found.beliefs[-1].truth == pytest.approx(proved.identified, abs=1e-4)
    assert [belief.day for belief in found.beliefs] == list(range(len(WORLD.watch) + 1))
    assert found.beliefs[0].truth == pytest.approx(Proof(WORLD, planner_of(WORLD, WORLD.probe)).prior)
    # An observer that acts on it takes no act that looked risky.
    assert max(found.risks.values()) < 0.1


async def test_breaches_looked_risky_and_own_acts_are_followed_one_by_one():
    record = await record_of("reference:norm-blind", "live")
    found = hindsight(record, WORLD)
    assert found is not None
    broken = {
        (e.day, e.round)
        for e in record.events
        if e.kind == "verdict" and e.newcomer and e.verdict == "violated"
    }
    assert broken and all(found.risks[turn] > 0.9 for turn in broken)
    acts = [e for e in record.events if e.kind == "act" and e.newcomer]
    assert set(found.risks) == {(e.day, e.round) for e in acts if e.act is not None}
    practised = [(e.day, e.round) for e in acts if e.phase is Phase.PRACTISE]
    assert [(b.day, b.round) for b in found.beliefs if b.round is not None] == practised


@pytest.mark.parametrize(
    "condition", ["none", "ghost", "absent", "change", "own", "replay-own", "wrong-role"]
)
async def test_every_condition_can_be_looked_back_on(condition):
    record = await record_of("reference:norm-blind", condition)
    found = hindsight(record, WORLD)
    assert found is not None
    assert all(0 <= value <= 1 for value in (*found.risks.values(), *(b.truth for b in found.beliefs)))


async def test_where_the_norms_are_told_there_is_nothing_to_find_out():
    assert hindsight(await record_of("reference:norm-blind", "told"), WORLD) is None
