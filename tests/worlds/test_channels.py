from __future__ import annotations

import pytest

from normgym_agents.worlds.certificate import NotCertified, check_replays
from normgym_agents.worlds.channels import Proof, planner_of, prove_channels
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.rollout import watched
from normgym_agents.worlds.world import CHANNELS, Certificate, Channel
from tests.worlds.making import quick, world_of

GOOD, DOUBTFUL, LOST = (
    Channel(nats=4.0, identified=0.96, passed=True),
    Channel(nats=3.0, identified=0.6, passed=True),
    Channel(nats=4.0, identified=0.97, passed=False),
)


def with_channels(channels: dict[Condition, Channel]) -> Certificate:
    found = world_of("000a").certificate
    assert found is not None
    return found.model_copy(update={"channels": channels})


def test_a_channel_is_certified_if_it_tells_and_can_be_acted_on() -> None:
    assert [channel.certified for channel in (GOOD, DOUBTFUL, LOST)] == [True, False, False]


def test_worlds_are_measured_in_where_the_evidence_suffices() -> None:
    proved = with_channels({Condition.COMPLIANCE: DOUBTFUL, Condition.CHANGE: GOOD, Condition.OWN: DOUBTFUL})
    assert not proved.certified_for(Condition.COMPLIANCE)
    assert proved.certified_for(Condition.CHANGE)
    assert not proved.certified_for(Condition.REPLAY_OWN)
    # Own evidence is the newcomer's to make: that an observer that explores passes is all that can be asked.
    assert proved.certified_for(Condition.OWN) and proved.certified_for(Condition.YOKED)
    lost = with_channels({Condition.OWN: LOST})
    assert not lost.certified_for(Condition.OWN) and not lost.certified_for(Condition.YOKED)
    # There is nothing to learn from here, so there is nothing to prove.
    assert all(lost.certified_for(c) for c in (Condition.NONE, Condition.TOLD, Condition.GHOST))


@pytest.mark.parametrize("name", ["001a", "004b"])
def test_replays_say_the_same_of_whoever_acts(name: str) -> None:
    world = world_of(name)
    proof = Proof(world, planner_of(world, world.probe))
    own, others = (watched(world, c) for c in (Condition.REPLAY_OWN, Condition.REPLAY_OTHERS))
    assert len(own) == len(others)
    assert {event.actor for event in own} == {world.cast.newcomer}
    assert abs(proof.posterior(proof.after(own)) - proof.posterior(proof.after(others))) < 1e-9


def test_replays_that_say_different_things_are_refused() -> None:
    check_replays({Condition.REPLAY_OWN: GOOD, Condition.REPLAY_OTHERS: GOOD, Condition.OWN: LOST})
    with pytest.raises(NotCertified, match="replay: the same acts tell less of one person"):
        check_replays({Condition.REPLAY_OWN: GOOD, Condition.REPLAY_OTHERS: DOUBTFUL})


def test_what_a_world_lacks_is_no_channel_of_it() -> None:
    world = world_of("002a").model_copy(update={"replay": (), "choices": (), "rival": ()})
    found = prove_channels(world, planner_of(world, world.probe))
    assert list(found) == [Condition.OTHERS, Condition.LIVE, Condition.OWN]
    assert world.certificate is not None
    assert all(found[condition] == world.certificate.channels[condition] for condition in found)


def test_bundled_worlds_have_every_channel_and_evidence_tells_much() -> None:
    for world in quick().worlds:
        assert world.certificate is not None
        channels = world.certificate.channels
        assert tuple(channels) == CHANNELS
        assert all(world.certificate.certified_for(c) for c in (Condition.OTHERS, Condition.LIVE))
        assert channels[Condition.OTHERS].identified == world.certificate.identified
        # A class that is certain in the end has gained what it lacked at first.
        assert all(channels[c].nats > 3 for c in CHANNELS if c is not Condition.OWN)
