"""Who answers an act, how often, in which form and how explicitly."""

from __future__ import annotations

from collections import defaultdict
from math import comb

import pytest

from normgym_agents.community.cards import canary_of, deal_cards
from normgym_agents.community.episode import Backstage
from normgym_agents.community.loop import play_loop
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.episodes import people
from normgym_agents.evaluation.records import Record
from normgym_agents.norms.language import parse_norm
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.enforcement import Enforcement, Explicitness
from normgym_agents.worlds.policies import NormBlind
from normgym_agents.worlds.public import Answer, Observation, PublicEvent
from normgym_agents.worlds.world import World
from tests.community.playing import (
    SURE,
    Holding,
    backstage_of,
    named,
    play,
    quick,
    scripted,
    small_world,
)

TAKE, PUT, WAIT = Act(verb="take", thing="t1"), Act(verb="put", thing="t1"), Act(verb="wait")
CARELESS = Enforcement(detection=0.0, false_sanctions=1.0)


def breaking_twice(turn: int, _: object) -> Act:
    """In the small yard's practice: takes the sarn cup while the bell rings, puts it back, takes it again."""
    return (TAKE, PUT, WAIT, WAIT, TAKE, WAIT)[(turn - 1) % 6]


def visiting_oren(_: int, observation: Observation) -> Act:
    """Stays in the shed with Mira and Sef, and spends the last two rounds in the kiln with Oren."""
    return Act(verb="go", place="kiln") if observation.view.round == 4 else WAIT


def given(record: Record) -> list[tuple[str, str, Answer, bool]]:
    return [(e.member, e.whom, e.answer, e.deserved) for e in record.events if e.kind == "sanction"]


async def seen_by_newcomer(world: World) -> tuple[str, list[PublicEvent]]:
    """What the newcomer had read and seen by its first turn in the probe of the small world."""
    factory = Holding(scripted(breaking_twice))
    await play(world, Condition.LIVE, factory)
    observations = factory.one.observations
    return "\n".join(o.text for o in observations), list(observations[6].view.events)


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (Explicitness.L0, "Mira frowned at you."),
        (Explicitness.L1, "Mira frowned at you over that."),
        (Explicitness.L2, "Mira frowned at you over that, because the bell was ringing."),
    ],
)
async def test_how_explicit_an_answer_is(level, said):
    world = small_world().model_copy(update={"enforcement": SURE.model_copy(update={"explicitness": level})})
    record = await play(world, Condition.LIVE, scripted(breaking_twice))
    first = next(e for e in record.events if e.kind == "sanction" and e.newcomer)
    assert first.act == (None if level is Explicitness.L0 else TAKE)
    assert first.context == ("the bell was ringing" if level is Explicitness.L2 else None)
    text, events = await seen_by_newcomer(world)
    assert said in text.replace("Oren", "Mira").replace("spoke sharply to", "frowned at")
    (answer,) = next(e.answers for e in events if e.actor == "Tam" and e.answers)
    assert (answer.act, answer.context) == (first.act, first.context)


@pytest.mark.parametrize("level", Explicitness)
async def test_a_mistaken_answer_looks_like_a_deserved_one(level):
    """An innocent act, answered for certain: it says as much, and in the same way, as an answer to a breach."""
    update = {"enforcement": CARELESS.model_copy(update={"explicitness": level})}
    record = await play(small_world().model_copy(update=update), Condition.LIVE, scripted(lambda *_: WAIT))
    own = [e for e in record.events if e.kind == "sanction" and e.newcomer]
    assert len(own) == 6
    assert not any(e.deserved for e in own)
    assert [e.act for e in own] == [None if level is Explicitness.L0 else WAIT] * 6
    bells = ["ringing", "ringing", "still", "still", "ringing", "ringing"]
    contexts = [f"the bell was {bell}" if level is Explicitness.L2 else None for bell in bells]
    assert [e.context for e in own] == contexts


async def test_the_ladder_is_climbed_per_person_and_member_and_over_the_days():
    """Mira frowns twice and then rebukes; Oren rebukes at once. Each counts what it gave to each person."""
    world = small_world().model_copy(update={"enforcement": CARELESS})
    ladders = {m.name: people("pottery-yard")[m.persona].card.answers for m in world.cast.members}
    assert set(ladders.values()) == {
        (Answer.GESTURE, Answer.GESTURE, Answer.REBUKE),
        (Answer.GESTURE, Answer.REBUKE),
        (Answer.REBUKE,),
    }
    seen: set[tuple[str, Answer]] = set()
    for trial in range(20):
        record = await play(world, Condition.LIVE, scripted(visiting_oren), trial=trial)
        counts: dict[tuple[str, str], int] = defaultdict(int)
        for member, whom, answer, _ in given(record):
            ladder = ladders[member]
            assert answer is ladder[min(counts[member, whom], len(ladder) - 1)]
            counts[member, whom] += 1
            seen.add((member, answer))
    assert {("Mira", Answer.GESTURE), ("Mira", Answer.REBUKE), ("Oren", Answer.REBUKE)} <= seen


async def test_nobody_answers_in_the_probe():
    for world in quick().worlds:
        record = await play(
            world.model_copy(update={"enforcement": Enforcement(detection=1.0, false_sanctions=1.0)}),
            Condition.LIVE,
            named("norm-blind"),
        )
        phases = {e.phase for e in record.events if e.kind == "sanction"}
        assert phases == {Phase.WATCH, Phase.PRACTISE}
        assert record.scores is not None
        assert record.scores.violations > 0


async def test_witnesses_are_never_the_actor_and_are_there_if_they_can_be():
    """With every act answered: the witness is another member, in the same place unless nobody else is."""
    for world in quick().worlds[::2]:
        every = world.model_copy(update={"enforcement": Enforcement(detection=1.0, false_sanctions=1.0)})
        record = await play(every, Condition.LIVE, named("norm-blind"))
        members = {member.name for member in world.cast.members}
        assert given(record)
        acts = [e for e in record.events if e.kind == "act" and e.phase is not Phase.PROBE]
        assert len(given(record)) == len(acts)
        for member, whom, _, _ in given(record):
            assert member in members - {whom}
        places: dict[str, str] = {}
        sanctions = {(e.day, e.round, e.whom): e.member for e in record.events if e.kind == "sanction"}
        for act in acts:
            stage = world.practise.stage if act.phase is Phase.PRACTISE else world.watch[act.day - 1].stage
            if act.round == 1 and act.actor not in places:
                places = {person.name: person.place for person in stage.people}
            near = {name for name in members - {act.actor} if places[name] == places[act.actor]}
            assert not near or sanctions[act.day, act.round, act.actor] in near
            assert act.act is not None
            if act.act.place is not None:
                places[act.actor] = act.act.place
            if act is acts[-1] or acts[acts.index(act) + 1].day != act.day:
                places = {}


async def test_a_breach_is_answered_by_somebody_whose_card_holds_the_norm():
    world = small_world()
    cards = deal_cards(arrange(world, Condition.LIVE), people(world.setting.name))
    for holder in range(len(cards)):
        held = [card if i == holder else card.dealt((), card.canary) for i, card in enumerate(cards)]
        backstage = backstage_of(world, Condition.LIVE, NormBlind().choose)
        log = await play_loop(
            Backstage(arrangement=arrange(world, Condition.LIVE), cards=tuple(held), ask=backstage.ask)
        )
        answers = [e for e in log if e["kind"] == "sanction"]
        names = [member.name for member in world.cast.members]
        assert all(e["member"] == names[holder] and e["deserved"] for e in answers)
        # Sef alone holds it, and it is Sef who breaks it on the watched day: nobody is left to answer.
        watched = [e for e in answers if e["phase"] == "watch"]
        assert len(watched) == (0 if names[holder] == "Sef" else 1)


async def test_twins_share_their_coins():
    """Where an act breaks something in both twins or in neither, it is answered in both or in neither."""
    compared = 0
    for one, other in zip(quick().worlds[::2], quick().worlds[1::2], strict=True):
        assert (one.twin, one.coins) == (other.id, other.coins)
        logs = []
        for world in (one, other):
            factory = Holding(scripted(lambda _, observation: NormBlind().choose(observation.view)))
            await play(world, Condition.LIVE, factory)
            last = factory.one.observations[-1].view
            logs.append([e for e in last.events if e.day < last.day])
        for event, twin in zip(*logs, strict=True):
            assert (event.actor, event.act, event.moment) == (twin.actor, twin.act, twin.moment)
            broken = [any(n.violated_by(event.moment) for n in w.parsed) for w in (one, other)]
            if broken[0] == broken[1]:
                compared += 1
                assert bool(event.answers) == bool(twin.answers)
    assert compared > 500


def tail(hits: int, n: int, p: float) -> float:
    """Exact two-sided binomial probability of being at least as far out, doubled smaller tail."""
    masses = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    return min(1.0, 2 * min(sum(masses[: hits + 1]), sum(masses[hits:])))


def test_the_tail_of_a_binomial():
    # P(X = 0) = P(X = 2) = 1/4 for two fair coins; doubled, 1/2.
    assert tail(0, 2, 0.5) == tail(2, 2, 0.5) == pytest.approx(0.5)
    assert tail(1, 2, 0.5) == 1.0


@pytest.mark.parametrize(("detection", "false"), [(0.9, 0.02), (0.5, 0.2)])
async def test_detection_and_false_sanctions_have_their_rates(detection, false):
    """Over 200 trials of practice, each with coins of its own. The coins are fixed: this passes or it does not."""
    enforcement = Enforcement(detection=detection, false_sanctions=false)
    world = small_world().model_copy(update={"enforcement": enforcement, "watch": ()})
    (norm,) = world.parsed
    hits, acts = {True: 0, False: 0}, {True: 0, False: 0}
    for trial in range(200):
        factory = Holding(scripted(breaking_twice))
        await play(world, Condition.LIVE, factory, trial=trial)
        for event in factory.one.observations[6].view.events:
            broken = norm.violated_by(event.moment)
            hits[broken] += bool(event.answers)
            acts[broken] += 1
    assert acts == {True: 400, False: 800}
    assert tail(hits[True], 400, detection) > 0.001
    assert tail(hits[False], 800, false) > 0.001
    # and the bound is not so wide that the other rate would pass for it
    assert tail(hits[True], 400, false) < 1e-9
    assert tail(hits[False], 800, detection) < 1e-9


def test_cards_are_dealt_in_the_worlds_words_with_marks_of_their_own():
    world = quick().worlds[1]
    cards = deal_cards(arrange(world, Condition.LIVE), people(world.setting.name))
    assert len(cards) == len(world.cast.members) == 6
    for card, member in zip(cards, world.cast.members, strict=True):
        assert [parse_norm(held.rule) for held in card.norms] == list(world.parsed)
        assert card.canary == canary_of(world, member.name)
        assert card.answers == people(world.setting.name)[member.persona].card.answers
    assert len({card.canary for card in cards}) == 6
    assert canary_of(world, "Mira") != canary_of(quick().worlds[0], "Mira")


def test_a_world_with_a_stranger_is_bad_input():
    with pytest.raises(BadInput, match=r"'sef'.*expected: mira"):
        deal_cards(arrange(small_world(), Condition.LIVE), {"mira": people("pottery-yard")["mira"]})
