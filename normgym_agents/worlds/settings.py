"""Settings: what a place is like, before any world is drawn from it.

A setting is data. Its verbs are put together from a small closed set of needs and effects, so that one
transition model and one planner serve every setting that authors write.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from string import Formatter
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from normgym_agents.norms.norm import Name
from normgym_agents.worlds.expectations import Expectations, SignalValue

Phrase = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""One line of prose without control characters."""


class Slot(StrEnum):
    """What a verb's slot may hold."""

    THING = "thing"
    PLACE = "place"
    PERSON = "to"
    WORDS = "say"
    TOPIC = "topic"
    ADDRESS = "address"


class Need(StrEnum):
    """A precondition of a verb."""

    HANDS_FREE = "hands_free"
    THING_HERE = "thing_here"
    HOLDING = "holding"
    PERSON_HERE = "person_here"
    RECEIVER = "receiver"
    NEXT_TO = "next_to"
    AT_WORKPLACE = "at_workplace"
    UNWORKED = "unworked"
    AT_HOME = "at_home"
    OPENED = "opened"
    TOPIC_OF_PERSON = "topic_of_person"


class Effect(StrEnum):
    """What a verb changes."""

    HOLD = "hold"
    HAND_OVER = "hand_over"
    PUT_BACK = "put_back"
    WORK = "work"
    MOVE = "move"
    OPEN = "open"


_LOOKS_AT: dict[Need | Effect, tuple[Slot, ...]] = {
    Need.THING_HERE: (Slot.THING,),
    Need.HOLDING: (Slot.THING,),
    Need.UNWORKED: (Slot.THING,),
    Need.AT_HOME: (Slot.THING,),
    Need.PERSON_HERE: (Slot.PERSON,),
    Need.RECEIVER: (Slot.PERSON,),
    Need.NEXT_TO: (Slot.PLACE,),
    Need.OPENED: (Slot.PERSON,),
    Need.TOPIC_OF_PERSON: (Slot.PERSON, Slot.TOPIC),
    Effect.HOLD: (Slot.THING,),
    Effect.HAND_OVER: (Slot.THING,),
    Effect.PUT_BACK: (Slot.THING,),
    Effect.WORK: (Slot.THING,),
    Effect.MOVE: (Slot.PLACE,),
    Effect.OPEN: (Slot.PERSON, Slot.TOPIC),
}
"""The slots without which a need or an effect means nothing."""

_MENU_WORDS = {
    Slot.THING: "THING",
    Slot.PLACE: "PLACE",
    Slot.PERSON: "PERSON",
    Slot.WORDS: "WORDS",
    Slot.TOPIC: "TOPIC",
    Slot.ADDRESS: "ADDRESS",
}

_OF_SPEECH = frozenset({Slot.PERSON, Slot.TOPIC, Slot.ADDRESS})
"""What norms of speech look at: typed slots, never free words."""

_TAKEN = frozenset({"role", "place", "topic", "address"})
"""Names under which an act shows what fills its other slots, so that no attribute may bear them."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _check_fields(text: str, known: Iterable[str], name: str) -> set[str]:
    """The `{fields}` of a phrase, all of which must be known."""
    fields = {field for _, field, _, _ in Formatter().parse(text) if field is not None}
    if unknown := sorted(fields - set(known)):
        raise ValueError(f"{name}: nothing is known as {{{unknown[0]}}}")
    return fields


class Verb(_Data):
    """A verb: its slots, what it needs, what it does, and how it reads.

    Acts on things are acts on what is held, or on what lies here while the hands are free: so what can be
    done is found without looking through every thing of the day, and a thing is always in one place.

    Attributes:
        slots: Which slots an act of this verb fills.
        needs: Preconditions, all of which must hold.
        effects: Changes of state, in order.
        past: How it is told afterwards, with `{thing}`, `{place}`, `{to}`, `{say}`, `{topic}`, `{address}` for
            the slots.
        menu: How it is offered, e.g. `give THING to PERSON`.
        normable: Whether norms of sampled worlds may be about it.
        remembered: Whether having done it may matter later the same day (sequence norms).
        speech: Whether it is a way of speaking, whose norms are about who is addressed, on what and how.
        harmless: Whether nobody is better or worse off for it, so that a norm about it is a silly one.
    """

    slots: tuple[Slot, ...] = ()
    needs: tuple[Need, ...] = ()
    effects: tuple[Effect, ...] = ()
    past: Phrase
    menu: Phrase
    normable: bool = False
    remembered: bool = False
    speech: bool = False
    harmless: bool = False

    @property
    def idle(self) -> bool:
        """Whether doing it is always possible and changes nothing: a way to wait."""
        return not (self.slots or self.needs or self.effects or self.remembered)

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        parts: tuple[Need | Effect, ...] = (*self.needs, *self.effects)
        for part in parts:
            for slot in _LOOKS_AT.get(part, ()):
                if slot not in self.slots:
                    raise ValueError(f"{part.value!r} means nothing without the slot {slot.value!r}")
        needs, held = set(self.needs), Need.HOLDING in self.needs
        if Slot.THING in self.slots and not held and not {Need.HANDS_FREE, Need.THING_HERE} <= needs:
            raise ValueError("a verb with a thing needs 'holding', or both 'hands_free' and 'thing_here'")
        for effect in (Effect.HAND_OVER, Effect.PUT_BACK):
            if effect in self.effects and not held:
                raise ValueError(f"{effect.value!r} needs 'holding'")
        _check_fields(self.past, (slot.value for slot in self.slots), "past")
        offered = {word for word in self.menu.split(" ") if word in _MENU_WORDS.values()}
        if offered != {_MENU_WORDS[slot] for slot in self.slots}:
            words = ", ".join(_MENU_WORDS.values())
            raise ValueError(f"menu: it must name each slot (of {words}), and no other")
        return self

    @model_validator(mode="after")
    def _norms_make_sense(self) -> Self:
        if self.speech and not (self.slots and set(self.slots) <= _OF_SPEECH):
            raise ValueError("speech: it needs slots, and none but 'to', 'topic' and 'address'")
        if self.harmless and not self.normable:
            raise ValueError("harmless: it means nothing for a verb that is not normable")
        if self.harmless and (self.speech or not set(self.effects) <= {Effect.MOVE}):
            raise ValueError("harmless: speech, and what is done to things or people, is not")
        return self


class WordPool(_Data):
    """Words from which each world draws its own: `count` of `pool`, in a drawn order."""

    count: int = Field(ge=1)
    pool: tuple[Name, ...]

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if len(set(self.pool)) != len(self.pool):
            raise ValueError("a word stands twice in the pool")
        if len(self.pool) < self.count:
            raise ValueError(f"the pool has {len(self.pool)} words, fewer than count={self.count}")
        return self


class TaskTemplate(_Data):
    """A kind of task: hand over `count` things of one form to whoever receives.

    Attributes:
        count: How many things.
        worked: Whether they must have been worked on (fired, labelled, …) first.
        sentence: How it is asked, with `{count}`, `{things}`, `{receivers}`.
    """

    count: int = Field(ge=1, le=5)
    worked: bool
    sentence: Phrase

    @model_validator(mode="after")
    def _readable(self) -> Self:
        _check_fields(self.sentence, ("count", "things", "receivers"), "sentence")
        return self


class Setting(_Data):
    """An authored setting.

    Attributes:
        name: Its file name.
        title: How prose calls it, e.g. `the pottery yard`.
        places: Words for the places beside the workplace.
        workplace: The place where things are worked on.
        attributes: Words for the attributes of things; the one named `form` says what a thing is.
        looks: How a thing is named, with `{attribute}` for each attribute.
        worked: The word for a thing that has been worked on, e.g. `fired`.
        signals: Public signals and their two values, words or both numbers; each world draws two signals.
        roles: Words for the roles; the first one drawn is the overseer.
        newcomers: Names the newcomer may be called by.
        verbs: The verbs by name.
        tasks: Task templates by name.
        topics: Words for what may be spoken of; each member wants to be asked about one of them.
        addresses: Words for how somebody may be addressed.
        expectations: Which norms one would expect here anyway, and which go against that.
        habits: What members keep saying, each world one of them; it means nothing.
    """

    name: Name
    title: Phrase
    places: WordPool
    workplace: Name
    attributes: dict[Name, WordPool]
    looks: Phrase
    worked: Name
    signals: dict[Name, tuple[SignalValue, SignalValue]]
    roles: WordPool
    newcomers: tuple[Phrase, ...] = Field(min_length=1)
    verbs: dict[Name, Verb]
    tasks: dict[Name, TaskTemplate]
    topics: WordPool | None = None
    addresses: WordPool | None = None
    expectations: Expectations = Expectations()
    habits: tuple[Phrase, ...] = ()

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if "form" not in self.attributes or len(self.attributes) < 3:
            raise ValueError("attributes: a setting needs `form` and at least two more")
        if taken := sorted(_TAKEN & set(self.attributes)):
            raise ValueError(f"attributes: {taken[0]!r} is what acts show of their other slots")
        for name, pool in self.attributes.items():
            if pool.count < 2:
                raise ValueError(
                    f"attributes: {name!r} needs a count of 2 or more, or nothing can differ in it"
                )
        if _check_fields(self.looks, self.attributes, "looks") != set(self.attributes):
            raise ValueError("looks: it must show every attribute, or things that differ look the same")
        if self.roles.count < 3:
            raise ValueError("roles: count must be at least 3")
        if self.workplace in self.places.pool:
            raise ValueError(f"places: the workplace {self.workplace!r} must not be in the pool")
        return self

    @model_validator(mode="after")
    def _turning(self) -> Self:
        if len(self.signals) < 2:
            raise ValueError("signals: a setting needs at least two")
        if still := sorted(name for name, (one, other) in self.signals.items() if one == other):
            raise ValueError(f"signals: both values of {still[0]!r} are the same")
        if mixed := sorted(name for name, (a, b) in self.signals.items() if a.isdigit() != b.isdigit()):
            raise ValueError(f"signals: {mixed[0]!r} mixes a number with a word")
        return self

    @model_validator(mode="after")
    def _playable(self) -> Self:
        needed = {Effect.HOLD, Effect.HAND_OVER, Effect.MOVE}
        effects = {effect for verb in self.verbs.values() for effect in verb.effects}
        if missing := sorted(needed - effects):
            raise ValueError(f"verbs: no verb has the effect {missing[0].value!r}")
        if any(task.worked for task in self.tasks.values()) and Effect.WORK not in effects:
            raise ValueError("tasks: a task needs worked things, but no verb has the effect 'work'")
        if not self.tasks:
            raise ValueError("tasks: a setting needs at least one")
        if not any(verb.normable and not (verb.speech or verb.harmless) for verb in self.verbs.values()):
            raise ValueError("verbs: norms must be able to be about one of them (normable: true)")
        if not any(verb.idle for verb in self.verbs.values()):
            raise ValueError("verbs: one verb must do nothing (a way to wait)")
        opened = any(Need.OPENED in verb.needs for verb in self.verbs.values())
        if opened and Effect.OPEN not in effects:
            raise ValueError("verbs: one needs 'opened', but none has the effect 'open'")
        return self

    @model_validator(mode="after")
    def _speakable(self) -> Self:
        slots = {slot for verb in self.verbs.values() for slot in verb.slots}
        for name, slot, pool in (
            ("topics", Slot.TOPIC, self.topics),
            ("addresses", Slot.ADDRESS, self.addresses),
        ):
            if (slot in slots) is not (pool is not None):
                raise ValueError(
                    f"{name}: they go with verbs that have the slot {slot.value!r}, and only then"
                )
        return self

    @model_validator(mode="after")
    def _expectable(self) -> Self:
        pools = {
            **self.attributes,
            "role": self.roles,
            "place": self.places,
            "topic": self.topics,
            "address": self.addresses,
        }
        words = {name: pool.pool for name, pool in pools.items() if pool is not None}
        words["place"] += (self.workplace,)
        self.expectations.check(words, self.signals, self.verbs)
        return self
