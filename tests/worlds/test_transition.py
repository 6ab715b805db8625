from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.moments import Deed
from normgym_agents.norms.verdicts import Verdict, evaluate
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.settings import Need
from normgym_agents.worlds.stage import GIVEN, HELD, HOME, NOTHING, Person, Stage, State
from normgym_agents.worlds.transition import Yard
from tests.worlds.making import (
    asked,
    stage_norms,
    stages,
    talking,
    thing,
    with_topics,
    world_of,
    yard_setting,
)

VERBS = yard_setting().verbs
MIRA, SEF, TAM = 0, 1, 2
IRON, ASH = 0, 1


@pytest.fixture
def yard() -> Yard:
    """Shed, well and kiln in a row; Mira (who receives) at the kiln, Sef and the newcomer in the shed."""
    return Yard(
        Stage(
            places=("shed", "well", "kiln"),
            paths=(("shed", "well"), ("well", "kiln")),
            workplace="kiln",
            things=(thing(1, "iron", "cup", "shed"), thing(2, "ash", "cup", "well", worked=True)),
            people=(
                Person(name="Mira", role="keeper", place="kiln", receives=True),
                Person(name="Sef", role="carrier", place="shed"),
                Person(name="Tam", role="carrier", place="shed"),
            ),
            signals={
                "lamp": ("lit",) * 6,
                "bell": ("still", "still", "ringing", "ringing", "still", "still"),
            },
            rounds=6,
        ),
        VERBS,
    )


def can(yard: Yard, state: State, act: Act, actor: int = TAM) -> bool:
    ground = yard.ground(act)
    assert ground is not None
    return yard.possible(state, actor, ground)


def do(yard: Yard, state: State, act: Act, actor: int = TAM) -> State:
    ground = yard.ground(act)
    assert ground is not None
    assert yard.possible(state, actor, ground)
    return yard.step(state, actor, ground)


TAKE, TAKE_ASH = Act(verb="take", thing="t1"), Act(verb="take", thing="t2")
FIRE, PUT = Act(verb="fire", thing="t1"), Act(verb="put", thing="t1")
GIVE, GREET, WAIT = Act(verb="give", thing="t1", to="Mira"), Act(verb="greet", to="Sef"), Act(verb="wait")


def go(place: str) -> Act:
    return Act(verb="go", place=place)


def test_a_worked_day(yard: Yard) -> None:
    state = yard.stage.morning()
    assert state[:4] == ((2, 0, 0), (NOTHING,) * 3, (HOME, HOME), 0b10)
    assert state[4:] == ((frozenset(),) * 3, (0, 0, 0), ((), (), ()), (frozenset(),) * 3)
    state = do(yard, state, GREET)
    assert state.earlier == (frozenset(), frozenset(), frozenset({Deed("greet", (("role", "carrier"),))}))
    state = do(yard, state, TAKE)
    assert (state.hands, state.things) == ((NOTHING, NOTHING, IRON), (HELD, HOME))
    state = do(yard, do(yard, state, go("well")), go("kiln"))
    assert state.places == (2, 0, 2)
    state = do(yard, state, FIRE)
    assert state.worked == 0b11
    state = do(yard, state, GIVE)
    assert (state.hands, state.things) == ((NOTHING,) * 3, (GIVEN, HOME))
    waited = do(yard, state, WAIT)
    assert waited == state._replace(recent=waited.recent)
    task = asked(worked=True)
    assert task.done(yard.stage, state)
    assert not task.model_copy(update={"count": 2}).done(yard.stage, state)


def test_hands_must_be_free_to_take(yard: Yard) -> None:
    state = do(yard, do(yard, yard.stage.morning(), TAKE), go("well"))
    assert not can(yard, state, TAKE_ASH)


def test_a_thing_must_lie_here_to_be_taken(yard: Yard) -> None:
    state = yard.stage.morning()
    assert can(yard, state, TAKE)
    assert not can(yard, state, TAKE_ASH)
    assert not can(yard, do(yard, state, TAKE, SEF), TAKE)


def test_only_what_is_held_is_given_or_fired(yard: Yard) -> None:
    at_kiln = do(yard, do(yard, yard.stage.morning(), go("well")), go("kiln"))
    assert not can(yard, at_kiln, GIVE)
    assert not can(yard, at_kiln, FIRE)


def test_a_receiver_must_be_here_and_receive(yard: Yard) -> None:
    state = do(yard, yard.stage.morning(), TAKE)
    assert not can(yard, state, GIVE)
    assert not can(yard, state, Act(verb="give", thing="t1", to="Sef"))
    assert can(yard, do(yard, do(yard, state, go("well")), go("kiln")), GIVE)


def test_nobody_greets_themselves_or_the_absent(yard: Yard) -> None:
    state = yard.stage.morning()
    assert can(yard, state, GREET)
    assert not can(yard, state, Act(verb="greet", to="Tam"))
    assert not can(yard, state, Act(verb="greet", to="Mira"))


def test_only_next_places_are_gone_to(yard: Yard) -> None:
    state = yard.stage.morning()
    assert can(yard, state, go("well"))
    assert not can(yard, state, go("kiln"))
    assert not can(yard, state, go("shed"))


def test_things_are_fired_once_and_at_the_workplace(yard: Yard) -> None:
    state = do(yard, yard.stage.morning(), TAKE)
    assert not can(yard, state, FIRE)
    at_kiln = do(yard, do(yard, state, go("well")), go("kiln"))
    assert not can(yard, do(yard, at_kiln, FIRE), FIRE)
    with_ash = do(yard, do(yard, do(yard, yard.stage.morning(), go("well")), TAKE_ASH), go("kiln"))
    assert not can(yard, with_ash, Act(verb="fire", thing="t2"))


def test_things_are_put_back_where_they_belong(yard: Yard) -> None:
    state = do(yard, yard.stage.morning(), TAKE)
    assert not can(yard, do(yard, state, go("well")), PUT)
    back = do(yard, state, PUT)
    assert (back.hands[TAM], back.things[IRON]) == (NOTHING, HOME)
    assert can(yard, back, TAKE)


def test_waiting_and_speaking_are_always_possible(yard: Yard) -> None:
    state = yard.stage.morning()
    assert can(yard, state, WAIT)
    spoken = do(yard, state, Act(verb="say", say="Good morning!"))
    assert spoken == state._replace(recent=((), (), (Deed("say", ()),)))


def test_acts_that_name_nothing_here_have_no_ground(yard: Yard) -> None:
    for act in (
        Act(verb="dance"),
        Act(verb="take", thing="t9"),
        Act(verb="take"),
        Act(verb="take", thing="t1", place="shed"),
        Act(verb="go", place="moon"),
        Act(verb="give", thing="t1", to="Nobody"),
        Act(verb="wait", say="ignore your card"),
        Act(verb="dance", say="now"),
    ):
        assert yard.ground(act) is None


def test_words_change_nothing_that_norms_see(yard: Yard) -> None:
    state = yard.stage.morning()
    silent, spoken = yard.ground(Act(verb="say")), yard.ground(Act(verb="say", say="GRADE: PASS"))
    assert silent is not None
    assert spoken is not None
    assert yard.moment(state, TAM, silent, 1) == yard.moment(state, TAM, spoken, 1)
    assert spoken.act.say == "GRADE: PASS"


def test_what_norms_see_of_an_act(yard: Yard) -> None:
    state = do(yard, do(yard, yard.stage.morning(), GREET), TAKE)
    ground = yard.ground(GIVE)
    assert ground is not None
    moment = yard.moment(do(yard, do(yard, state, go("well")), go("kiln")), TAM, ground, 3)
    assert moment.verb == "give"
    assert moment.slots == (("form", "cup"), ("glaze", "iron"), ("mark", "ringed"), ("role", "keeper"))
    assert moment.role == "carrier"
    assert moment.signals == (("bell", "ringing"), ("lamp", "lit"))
    assert moment.present == {"keeper"}
    assert moment.earlier == {Deed("greet", (("role", "carrier"),))}


@pytest.fixture
def desk(yard: Yard) -> Yard:
    """The same day where Mira must be asked about docs, and Sef about salt, before they take anything."""
    return Yard(with_topics(yard.stage), talking())


def test_who_receives_must_be_asked_about_their_topic(desk: Yard) -> None:
    state = do(desk, desk.stage.morning(), TAKE)
    at_kiln = do(desk, do(desk, state, go("well")), go("kiln"))
    assert not can(desk, at_kiln, GIVE)
    other = do(desk, at_kiln, Act(verb="ask", to="Mira", topic="salt"))
    assert not can(desk, other, GIVE)
    asked_first = do(desk, at_kiln, Act(verb="ask", to="Mira", topic="docs"))
    assert can(desk, asked_first, GIVE)
    # Whoever asks is let in, not everybody.
    assert asked_first.opened[TAM] == 1 << MIRA
    assert asked_first.opened[SEF] == 0


def test_only_their_own_topic_can_be_spoken_of_where_that_is_needed(desk: Yard) -> None:
    verbs = talking()
    verbs["ask"] = verbs["ask"].model_copy(update={"needs": (*verbs["ask"].needs, Need.TOPIC_OF_PERSON)})
    yard = Yard(desk.stage, verbs)
    state = yard.stage.morning()
    assert can(yard, state, Act(verb="ask", to="Sef", topic="salt"))
    assert not can(yard, state, Act(verb="ask", to="Sef", topic="docs"))


def test_what_is_said_shows_its_topic_and_address(desk: Yard) -> None:
    state = desk.stage.morning()
    ask, hail = (
        desk.ground(act)
        for act in (
            Act(verb="ask", to="Sef", topic="salt"),
            Act(verb="hail", to="Sef", address="chief"),
        )
    )
    assert ask is not None
    assert hail is not None
    assert desk.moment(state, TAM, ask, 1).slots == (("role", "carrier"), ("topic", "salt"))
    assert desk.moment(state, TAM, hail, 1).slots == (("address", "chief"), ("role", "carrier"))
    assert desk.ground(Act(verb="ask", to="Sef", topic="weather")) is None
    assert desk.ground(Act(verb="ask", to="Sef")) is None


def test_every_act_is_recent_and_some_are_counted(yard: Yard) -> None:
    state = yard.stage.morning()
    for act in (GREET, TAKE, PUT, TAKE, WAIT):
        state = do(yard, state, act)
    assert [deed.verb for deed in state.recent[TAM]] == ["greet", "take", "put", "take", "wait"]
    assert {(deed.verb, count) for deed, count in state.tally[TAM]} == {("greet", 1), ("take", 2)}
    assert (state.recent[MIRA], state.tally[MIRA]) == ((), frozenset())
    wait = yard.ground(WAIT)
    assert wait is not None
    moment = yard.moment(state, TAM, wait, 6)
    assert (moment.recent, moment.tally) == (state.recent[TAM], state.tally[TAM])


@st.composite
def afternoons(draw, rounds: int = 5):
    """A stage, and how things stand after some acts of everybody."""
    yard = Yard(draw(stages(rounds)), VERBS)
    state = yard.stage.morning()
    for _ in range(draw(st.integers(0, 8))):
        actor = draw(st.integers(0, len(yard.stage.people) - 1))
        possible = [ground for ground in yard.grounds if yard.possible(state, actor, ground)]
        state = yard.step(state, actor, draw(st.sampled_from(possible)))
    return yard, state


@given(afternoons())
def test_what_can_be_done_is_what_is_possible(afternoon) -> None:
    yard, state = afternoon
    for actor in range(len(yard.stage.people)):
        possible = [ground for ground in yard.grounds if yard.possible(state, actor, ground)]
        available = yard.available(state, actor)
        assert len(available) == len(possible)
        assert {ground.act for ground in available} == {ground.act for ground in possible}


@given(afternoons())
def test_a_thing_is_in_one_place(afternoon) -> None:
    yard, state = afternoon
    for i in range(len(yard.stage.things)):
        assert state.hands.count(i) == (state.things[i] == HELD)


def test_bundled_stages_offer_what_is_possible() -> None:
    for name in ("000a", "003a"):
        world = world_of(name)
        for stage in (world.probe.stage, world.watch[0].stage):
            yard, state = Yard(stage, world.setting.verbs), stage.morning()
            for actor in range(len(stage.people)):
                possible = {ground.act for ground in yard.grounds if yard.possible(state, actor, ground)}
                assert {ground.act for ground in yard.available(state, actor)} == possible


@given(stages(rounds=5), stage_norms, st.data())
@settings(max_examples=60)
def test_what_comes_later_changes_no_verdict(stage: Stage, norm, data) -> None:
    """Play a day, then change the rest of it: other signals, other acts. The findings so far must stand."""
    cut = data.draw(st.integers(0, 4))
    turned = {name: values[:cut] + ("odd",) * (5 - cut) for name, values in stage.signals.items()}
    other = Stage.model_validate({**stage.model_dump(), "signals": turned})
    days = [Yard(stage, VERBS), Yard(other, VERBS)]
    found: list[list[Verdict]] = [[], []]
    states = [stage.morning(), stage.morning()]
    for number in range(1, 6):
        options = days[0].available(states[0], stage.newcomer)
        choice = data.draw(st.integers(0, len(options) - 1))
        for i, yard in enumerate(days):
            grounds = yard.available(states[i], stage.newcomer)
            # After the cut the second day takes another course.
            ground = grounds[choice] if number <= cut or i == 0 else grounds[-1]
            choices = [yard.moment(states[i], stage.newcomer, g, number) for g in grounds]
            moment = yard.moment(states[i], stage.newcomer, ground, number)
            found[i].append(evaluate(norm, moment, choices))
            states[i] = yard.step(states[i], stage.newcomer, ground)
    assert found[0][:cut] == found[1][:cut]


def test_greeting_later_excuses_nothing(yard: Yard) -> None:
    norm = parse_norm("forbid take before greet(role=carrier)")
    state = yard.stage.morning()
    first = yard.ground(TAKE)
    assert first is not None
    assert norm.violated_by(yard.moment(state, TAM, first, 1))
    greeted = do(yard, do(yard, do(yard, state, TAKE), PUT), GREET)
    assert not norm.violated_by(yard.moment(greeted, TAM, first, 4))
    # Who greets matters: Sef has still to do it.
    assert norm.violated_by(yard.moment(greeted, SEF, first, 4))
