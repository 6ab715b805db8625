"""A stage is one day's set-up, and a state is how things stand on it.

Everything on a stage is public. A state is a plain tuple of integers, so that planners can hash and
compare hundreds of thousands of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from normgym_agents.norms.frozen import Frozen
from normgym_agents.norms.history import Recent, Tally
from normgym_agents.norms.moments import Deed, Pairs

HOME, HELD, GIVEN = 0, 1, 2
"""Where a thing can be: on its shelf, in somebody's hands, handed over."""

NOTHING = -1
"""What empty hands hold."""


class Thing(Frozen):
    """A thing: an id without meaning, its looks, its shelf, and whether it comes already worked on."""

    id: str
    attributes: dict[str, str]
    home: str
    worked: bool = False

    @cached_property
    def slots(self) -> Pairs:
        """Its attributes as a moment shows them."""
        return tuple(sorted(self.attributes.items()))


class Person(Frozen):
    """Somebody on the stage.

    Attributes:
        name: The name.
        role: The role.
        place: Where they stand in the morning.
        receives: Whether things can be handed to them.
        topic: What they want to be asked about, where the setting has topics.
    """

    name: str
    role: str
    place: str
    receives: bool = False
    topic: str | None = None


class Stage(Frozen):
    """One day's set-up.

    Attributes:
        places: Names of the places.
        paths: Pairs of places that are next to each other.
        workplace: The place where things are worked on.
        things: The things.
        people: The members, and last the newcomer.
        signals: For each public signal its value at each round of the day (round 1 first).
        rounds: How many rounds the day has.
        topics: What may be spoken of.
        addresses: How somebody may be addressed.
    """

    places: tuple[str, ...]
    paths: tuple[tuple[str, str], ...]
    workplace: str
    things: tuple[Thing, ...]
    people: tuple[Person, ...]
    signals: dict[str, tuple[str, ...]]
    rounds: int
    topics: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()

    @cached_property
    def configurations(self) -> tuple[Pairs, ...]:
        """The values of all signals, per round (index 0 is round 1)."""
        names = sorted(self.signals)
        return tuple(tuple((name, self.signals[name][i]) for name in names) for i in range(self.rounds))

    @cached_property
    def newcomer(self) -> int:
        """Index of the newcomer among the people."""
        return len(self.people) - 1

    @cached_property
    def neighbours(self) -> tuple[frozenset[int], ...]:
        """Per place the indices of the places next to it."""
        index = {place: i for i, place in enumerate(self.places)}
        near: list[set[int]] = [set() for _ in self.places]
        for one, other in self.paths:
            near[index[one]].add(index[other])
            near[index[other]].add(index[one])
        return tuple(frozenset(s) for s in near)

    def morning(self) -> State:
        """How things stand when the day begins."""
        index = {place: i for i, place in enumerate(self.places)}
        worked = sum(1 << i for i, thing in enumerate(self.things) if thing.worked)
        people = len(self.people)
        return State(
            places=tuple(index[person.place] for person in self.people),
            hands=(NOTHING,) * people,
            things=(HOME,) * len(self.things),
            worked=worked,
            earlier=(frozenset(),) * people,
            opened=(0,) * people,
            recent=((),) * people,
            tally=(frozenset(),) * people,
        )


class State(NamedTuple):
    """How things stand.

    Attributes:
        places: Per person the index of the place they are at.
        hands: Per person the index of the thing they hold, or `NOTHING`.
        things: Per thing `HOME`, `HELD` or `GIVEN`.
        worked: Bit i is set once thing i has been worked on.
        earlier: Per person the remembered deeds of the day.
        opened: Per person, bit i is set once it has asked person i about that person's topic today.
        recent: Per person its last acts of the day, oldest first.
        tally: Per person how often it did each thing today, of what norms can count.
    """

    places: tuple[int, ...]
    hands: tuple[int, ...]
    things: tuple[int, ...]
    worked: int
    earlier: tuple[frozenset[Deed], ...]
    opened: tuple[int, ...]
    recent: tuple[Recent, ...]
    tally: tuple[Tally, ...]
