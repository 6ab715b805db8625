"""Small stages whose whole day can be enumerated, and the bundled suite that certified worlds come from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from hypothesis import strategies as st

from normgym_agents.community.personas import read_community, read_setting
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import (
    ActPattern,
    Bearer,
    Deadline,
    Norm,
    Present,
    Quota,
    SignalIs,
    SlotLiteral,
)
from normgym_agents.norms.norm import Sequence as Order
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.memory import Memory
from normgym_agents.worlds.recipes import Recipe
from normgym_agents.worlds.settings import Need, Setting, Slot, Verb
from normgym_agents.worlds.stage import Person, Stage, State, Thing
from normgym_agents.worlds.suites import Suite, load_suite
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.transition import Ground, Yard
from normgym_agents.worlds.world import World

PLACES = ("shed", "well", "kiln")
GLAZES, FORMS, ROLES = ("iron", "ash"), ("cup", "jug"), ("keeper", "carrier")


@cache
def yard_setting() -> Setting:
    return read_setting("pottery-yard")


@cache
def quick() -> Suite:
    return load_suite("quick")


def world_of(name: str) -> World:
    """A world of the bundled suite, by the end of its id."""
    return next(world for world in quick().worlds if world.id.endswith(name))


def twin_of(world: World) -> World:
    return next(other for other in quick().worlds if other.id == world.twin)


def quick_recipe() -> Recipe:
    """What the bundled suite was drawn from."""
    _, members = read_community("pottery-yard")
    personas = tuple((member.key, member.persona.name) for member in members)
    return Recipe(yard_setting(), personas, "quick-1", seed_of(quick()), Enforcement())


def seed_of(suite: Suite) -> int:
    """What a suite was drawn from; only a private one does not say."""
    assert suite.seed is not None
    return suite.seed


def talking() -> dict[str, Verb]:
    """The bundled verbs, where who receives must have been asked first, about what they want to be asked."""
    verbs = {name: yard_setting().verbs[name] for name in ("take", "give", "go", "wait")}
    verbs["give"] = verbs["give"].model_copy(update={"needs": (*verbs["give"].needs, Need.OPENED)})
    ask = {
        "slots": ("to", "topic"),
        "needs": ("person_here",),
        "effects": ("open",),
        "speech": True,
        "normable": True,
    }
    hail = {"slots": ("to", "address"), "needs": ("person_here",), "speech": True, "normable": True}
    verbs["ask"] = Verb.model_validate(
        {**ask, "past": "asked {to} about {topic}", "menu": "ask PERSON about TOPIC"}
    )
    verbs["hail"] = Verb.model_validate({**hail, "past": "hailed {to}", "menu": "hail PERSON as ADDRESS"})
    return verbs


def with_topics(stage: Stage) -> Stage:
    """The same day among people who each want to be asked about something."""
    topics = ("docs", "salt")
    people = [
        person if i == stage.newcomer else person.model_copy(update={"topic": topics[i]})
        for i, person in enumerate(stage.people)
    ]
    return stage.model_copy(update={"people": tuple(people), "topics": topics, "addresses": ("chief",)})


def thing(number: int, glaze: str, form: str, home: str, *, worked: bool = False) -> Thing:
    looks = {"glaze": glaze, "mark": "ringed", "form": form}
    return Thing(id=f"t{number}", attributes=looks, home=home, worked=worked)


def asked(count: int = 1, *, form: str = "cup", worked: bool = False, budget: int = 5) -> Task:
    return Task(template="carry", count=count, form=form, worked=worked, budget=budget, sentence="Do it.")


@st.composite
def stages(draw, rounds: int = 5) -> Stage:
    """A day with up to three places, three things and two members."""
    places = PLACES[-draw(st.integers(2, 3)) :]
    somewhere = st.sampled_from(places)
    things = tuple(
        thing(
            i,
            draw(st.sampled_from(GLAZES)),
            # Something to ask for, and below somebody to bring it to, so that most days can be done.
            "cup" if i == 0 else draw(st.sampled_from(FORMS)),
            draw(somewhere),
            worked=draw(st.booleans()),
        )
        for i in range(draw(st.integers(1, 3)))
    )
    members = tuple(
        Person(
            name=name,
            role=draw(st.sampled_from(ROLES)),
            place=draw(somewhere),
            receives=name == "Mira" or draw(st.booleans()),
        )
        for name in ("Mira", "Sef")[: draw(st.integers(1, 2))]
    )
    bells = draw(st.lists(st.sampled_from(["ringing", "still"]), min_size=rounds, max_size=rounds))
    return Stage(
        places=places,
        paths=tuple(pairwise(places)),
        workplace="kiln",
        things=things,
        people=(*members, Person(name="Tam", role=draw(st.sampled_from(ROLES)), place=draw(somewhere))),
        signals={"bell": tuple(bells)},
        rounds=rounds,
    )


_roles = st.sampled_from(ROLES)
_verbs = st.sampled_from(["take", "give", "fire", "go", "greet"])
_literals = st.sampled_from(
    [("glaze", value) for value in GLAZES] + [("form", value) for value in FORMS] + [("role", "keeper")]
)
_patterns = st.builds(
    lambda verb, pairs: ActPattern(
        verb=verb, literals=tuple(SlotLiteral(slot=slot, value=value) for slot, value in pairs)
    ),
    _verbs,
    st.lists(_literals, max_size=1),
)
stage_norms = st.builds(
    Norm,
    act=_patterns,
    when=st.lists(
        st.sampled_from([SignalIs(signal="bell", value="still"), Present(role="keeper", negated=True)]),
        max_size=1,
    ).map(tuple),
    bearer=st.none() | st.builds(Bearer, role=_roles, negated=st.booleans()),
    sequence=st.none()
    | st.builds(
        Order,
        relation=st.sampled_from(["before", "after"]),
        pattern=st.builds(
            lambda role: ActPattern(verb="greet", literals=(SlotLiteral(slot="role", value=role),)), _roles
        ),
    ),
)


def bare(moment: Moment) -> Moment:
    """The moment as a planner holds it that keeps no history."""
    return moment._replace(recent=(), tally=frozenset())


HISTORY = Memory(
    within=frozenset({0, 1, 2, 3}),
    triggers=frozenset({"take", "give", "fire", "ask"}),
    duties=frozenset({"greet", "ask", "hail", "take"}),
    most=2,
    counted=frozenset({"take", "give", "greet", "ask"}),
)
"""What planners keep that are asked about `timed_norms`."""

_duties = st.builds(
    lambda verb, role: ActPattern(
        verb=verb, literals=(SlotLiteral(slot="role", value=role),) if role else ()
    ),
    st.sampled_from(["greet", "greet", "ask", "hail"]),
    _roles | st.none(),
) | st.just(ActPattern(verb="take"))
_triggers = st.builds(
    lambda verb, pair: ActPattern(
        verb=verb, literals=(SlotLiteral(slot=pair[0], value=pair[1]),) if pair else ()
    ),
    st.sampled_from(["take", "take", "give", "fire", "ask"]),
    st.none() | st.sampled_from([("glaze", value) for value in GLAZES] + [("form", "cup")]),
)
counted_acts = _triggers.filter(lambda act: act.verb != "fire")
_obligations = st.tuples(_duties, _triggers, st.integers(0, 3)).filter(lambda parts: parts[0] != parts[1])
timed_norms = _obligations.map(
    lambda parts: (
        Norm(deontic="oblige", act=parts[0], accompanies=parts[1])
        if parts[2] == 0
        else Norm(deontic="oblige", act=parts[0], deadline=Deadline(within=parts[2], after=parts[1]))
    )
) | st.builds(
    lambda act, most: Norm(act=act, quota=Quota(most=most)),
    counted_acts,
    st.integers(1, 2),
)


class Taken(NamedTuple):
    """One act of an enumerated day."""

    round: int
    act: Act
    moment: Moment


def wordless(yard: Yard) -> list[Ground]:
    return [ground for ground in yard.grounds if Slot.WORDS not in ground.verb.slots]


def every_plan(
    yard: Yard, task: Task, budget: int, *, start: State | None = None, first_round: int = 1
) -> Iterator[tuple[Taken, ...]]:
    """Every sequence of acts of the newcomer that does the task in time: enumerated, nothing else."""
    actor = yard.stage.newcomer
    grounds = wordless(yard)

    def go_on(state: State, number: int, so_far: tuple[Taken, ...]) -> Iterator[tuple[Taken, ...]]:
        if task.done(yard.stage, state):
            yield so_far
            return
        if number > budget:
            return
        for ground in grounds:
            if yard.possible(state, actor, ground):
                taken = Taken(number, ground.act, yard.moment(state, actor, ground, number))
                yield from go_on(yard.step(state, actor, ground), number + 1, (*so_far, taken))

    yield from go_on(yard.stage.morning() if start is None else start, first_round, ())


def reaches_goal(yard: Yard, task: Task, norms: Sequence[Norm], budget: int) -> bool:
    """Whether any sequence of acts does the task within the budget and breaks none of the norms.

    Exhaustive, round by round over the states that can be reached: no costs, no pruning, no graph.
    """
    actor = yard.stage.newcomer
    grounds = wordless(yard)
    morning = yard.stage.morning()
    plain = not any(norm.duty or norm.quota for norm in norms)
    frontier = {morning}
    for number in range(1, budget + 1):
        after = set()
        for state in frontier:
            for ground in grounds:
                if not yard.possible(state, actor, ground):
                    continue
                moment = yard.moment(state, actor, ground, number)
                if not any(norm.violated_by(moment) for norm in norms):
                    then = yard.step(state, actor, ground)
                    # Without duties and quotas what was done before in which order is of no account.
                    after.add(then._replace(recent=morning.recent, tally=morning.tally) if plain else then)
        if any(task.done(yard.stage, state) for state in after):
            return True
        frontier = after
    return False


def changed_world(world: World, path: str, value: Any) -> World:
    """A copy with the value at a dotted path changed, sealed again as somebody would who knows how."""
    data = world.model_dump(mode="json")
    *parents, last = path.split(".")
    place: Any = data
    for key in parents:
        place = place[int(key)] if isinstance(place, list) else place[key]
    place[int(last) if isinstance(place, list) else last] = value
    return World.model_validate_json(json.dumps(data)).sealed()
