"""The deterministic transition model: which acts are possible, and what they change.

Referee, planner and scripted members all ask this one model, so that what a certificate proves is what
an episode plays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import product
from typing import NamedTuple, TypeVar

from normgym_agents.norms.history import add, remember
from normgym_agents.norms.moments import Deed, Moment, Pairs
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.settings import Effect, Need, Slot, Verb
from normgym_agents.worlds.stage import GIVEN, HELD, HOME, NOTHING, Stage, State

Check = Callable[[Stage, State, int, "Ground"], bool]
"""Whether a need is met for this act of this actor."""

T = TypeVar("T")


class Ground(NamedTuple):
    """An act with its slots resolved to indices on a stage (-1 where the verb has no such slot)."""

    act: Act
    verb: Verb
    checks: tuple[Check, ...]
    thing: int
    place: int
    person: int
    slots: Pairs
    deed: Deed


def _hands_free(_: Stage, state: State, actor: int, __: Ground) -> bool:
    return state.hands[actor] == NOTHING


def _thing_here(stage: Stage, state: State, actor: int, act: Ground) -> bool:
    here = stage.places[state.places[actor]]
    return state.things[act.thing] == HOME and stage.things[act.thing].home == here


def _holding(_: Stage, state: State, actor: int, act: Ground) -> bool:
    return state.hands[actor] == act.thing


def _person_here(_: Stage, state: State, actor: int, act: Ground) -> bool:
    return act.person != actor and state.places[act.person] == state.places[actor]


def _receiver(stage: Stage, _: State, __: int, act: Ground) -> bool:
    return stage.people[act.person].receives


def _next_to(stage: Stage, state: State, actor: int, act: Ground) -> bool:
    return act.place in stage.neighbours[state.places[actor]]


def _at_workplace(stage: Stage, state: State, actor: int, _: Ground) -> bool:
    return stage.places[state.places[actor]] == stage.workplace


def _unworked(_: Stage, state: State, __: int, act: Ground) -> bool:
    return not state.worked >> act.thing & 1


def _at_home(stage: Stage, state: State, actor: int, act: Ground) -> bool:
    return stage.things[act.thing].home == stage.places[state.places[actor]]


def _opened(_: Stage, state: State, actor: int, act: Ground) -> bool:
    return state.opened[actor] >> act.person & 1 == 1


def _topic_of_person(stage: Stage, _: State, __: int, act: Ground) -> bool:
    return stage.people[act.person].topic == act.act.topic


_NEEDS: Mapping[Need, Check] = {
    Need.HANDS_FREE: _hands_free,
    Need.THING_HERE: _thing_here,
    Need.HOLDING: _holding,
    Need.PERSON_HERE: _person_here,
    Need.RECEIVER: _receiver,
    Need.NEXT_TO: _next_to,
    Need.AT_WORKPLACE: _at_workplace,
    Need.UNWORKED: _unworked,
    Need.AT_HOME: _at_home,
    Need.OPENED: _opened,
    Need.TOPIC_OF_PERSON: _topic_of_person,
}


def _put(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])


class Yard:
    """A stage with the verbs of its setting: the model that is asked during a day.

    Args:
        stage: The day's set-up.
        verbs: The setting's verbs by name.
    """

    def __init__(self, stage: Stage, verbs: Mapping[str, Verb]) -> None:
        self.stage = stage
        self.verbs = verbs

    @cached_property
    def grounds(self) -> tuple[Ground, ...]:
        """All acts of the stage with their slots filled, in a fixed order; free words are left out."""
        return tuple(ground for name, verb in self.verbs.items() for ground in self._fill(name, verb))

    @cached_property
    def _by_act(self) -> dict[Act, Ground]:
        return {ground.act: ground for ground in self.grounds}

    @cached_property
    def _free(self) -> tuple[Ground, ...]:
        return tuple(ground for ground in self.grounds if ground.thing < 0)

    @cached_property
    def _of_thing(self) -> tuple[tuple[Ground, ...], ...]:
        return tuple(
            tuple(ground for ground in self.grounds if ground.thing == i)
            for i in range(len(self.stage.things))
        )

    @cached_property
    def _homes(self) -> tuple[tuple[int, ...], ...]:
        things = self.stage.things
        return tuple(
            tuple(i for i, thing in enumerate(things) if thing.home == place) for place in self.stage.places
        )

    @cached_property
    def _opens_receivers_only(self) -> bool:
        return all(Need.RECEIVER in verb.needs for verb in self.verbs.values() if Need.OPENED in verb.needs)

    def _fill(self, name: str, verb: Verb) -> list[Ground]:
        stage = self.stage
        things = range(len(stage.things)) if Slot.THING in verb.slots else (-1,)
        places = range(len(stage.places)) if Slot.PLACE in verb.slots else (-1,)
        people = range(len(stage.people)) if Slot.PERSON in verb.slots else (-1,)
        topics = stage.topics if Slot.TOPIC in verb.slots else (None,)
        addresses = stage.addresses if Slot.ADDRESS in verb.slots else (None,)
        fillers = product(things, places, people, topics, addresses)
        return [self._ground(name, verb, *filler) for filler in fillers]

    def _ground(
        self,
        name: str,
        verb: Verb,
        thing: int,
        place: int,
        person: int,
        topic: str | None,
        address: str | None,
    ) -> Ground:
        stage = self.stage
        slots: dict[str, str] = {}
        if thing >= 0:
            slots.update(stage.things[thing].attributes)
        if place >= 0:
            slots["place"] = stage.places[place]
        if person >= 0:
            slots["role"] = stage.people[person].role
        if topic is not None:
            slots["topic"] = topic
        if address is not None:
            slots["address"] = address
        act = Act(
            verb=name,
            thing=stage.things[thing].id if thing >= 0 else None,
            place=stage.places[place] if place >= 0 else None,
            to=stage.people[person].name if person >= 0 else None,
            topic=topic,
            address=address,
        )
        checks, pairs = tuple(_NEEDS[need] for need in verb.needs), tuple(sorted(slots.items()))
        return Ground(act, verb, checks, thing, place, person, pairs, Deed(name, pairs))

    def ground(self, act: Act) -> Ground | None:
        """The act with its slots resolved, or None where it names nothing on this stage."""
        if act.say is not None:
            verb = self.verbs.get(act.verb)
            if verb is None or Slot.WORDS not in verb.slots:
                return None
            bare = self._by_act.get(act.model_copy(update={"say": None}))
            return None if bare is None else bare._replace(act=act)
        return self._by_act.get(act)

    def possible(self, state: State, actor: int, ground: Ground) -> bool:
        """Whether the actor can do it now."""
        return all(check(self.stage, state, actor, ground) for check in ground.checks)

    def available(self, state: State, actor: int) -> list[Ground]:
        """Everything the actor can do now, in a fixed order."""
        held, stage = state.hands[actor], self.stage
        near = (held,) if held != NOTHING else self._homes[state.places[actor]]
        found = []
        for group in (*(self._of_thing[thing] for thing in near), self._free):
            for ground in group:
                for check in ground.checks:
                    if not check(stage, state, actor, ground):
                        break
                else:
                    found.append(ground)
        return found

    def step(self, state: State, actor: int, ground: Ground, *, history: bool = True) -> State:
        """How things stand after a possible act.

        Args:
            state: How they stood before.
            actor: Index of who acts.
            ground: What it does.
            history: Whether the actor's last acts and its counts go on; they never decide what is possible.
        """
        places, hands, things, worked, earlier, opened, recent, tally = state
        for effect in ground.verb.effects:
            if effect is Effect.MOVE:
                places = _put(places, actor, ground.place)
            elif effect is Effect.HOLD:
                hands, things = _put(hands, actor, ground.thing), _put(things, ground.thing, HELD)
            elif effect is Effect.WORK:
                worked |= 1 << ground.thing
            elif effect is Effect.OPEN:
                person = self.stage.people[ground.person]
                # Kept only where something can come of it: planners must not tell such states apart.
                if person.topic == ground.act.topic and (person.receives or not self._opens_receivers_only):
                    opened = _put(opened, actor, opened[actor] | 1 << ground.person)
            else:
                after = HOME if effect is Effect.PUT_BACK else GIVEN
                hands, things = _put(hands, actor, NOTHING), _put(things, ground.thing, after)
        deed = ground.deed
        if ground.verb.remembered and deed not in earlier[actor]:
            earlier = _put(earlier, actor, earlier[actor] | {deed})
        if history:
            recent = _put(recent, actor, remember(recent[actor], deed))
            if ground.verb.normable or ground.verb.remembered:
                tally = _put(tally, actor, add(tally[actor], deed))
        return State(places, hands, things, worked, earlier, opened, recent, tally)

    def present(self, state: State, actor: int) -> frozenset[str]:
        """Roles of the other people who are where the actor is."""
        places, people = state.places, self.stage.people
        here = places[actor]
        # A list first: a generator would cost more than the set itself.
        return frozenset([people[i].role for i, place in enumerate(places) if place == here and i != actor])

    def moment(self, state: State, actor: int, ground: Ground, round_number: int) -> Moment:
        """The act as norms see it, in the round (from 1) of the day."""
        return self.moments(state, actor, [ground], round_number)[0]

    def moments(self, state: State, actor: int, grounds: Iterable[Ground], round_number: int) -> list[Moment]:
        """Acts of one actor as norms see them, all in the same state and round."""
        role, present = self.stage.people[actor].role, self.present(state, actor)
        signals, earlier = self.stage.configurations[round_number - 1], state.earlier[actor]
        recent, tally = state.recent[actor], state.tally[actor]
        return [Moment(g.act.verb, g.slots, role, signals, present, earlier, recent, tally) for g in grounds]
