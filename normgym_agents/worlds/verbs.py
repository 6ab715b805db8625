"""Verbs: what can be done in a setting, put together from a small closed set of needs and effects.

The set is closed so that one transition model and one planner serve every setting that authors write.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from string import Formatter
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from normgym_agents.worlds.lines import Phrase


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

SHOWN = frozenset({"role", "place", "topic", "address"})
"""Names under which an act shows what fills its slots, beside the attributes of things."""


def check_fields(text: str, known: Iterable[str], name: str) -> set[str]:
    """The `{fields}` of a phrase, all of which must be known."""
    fields = {field for _, field, _, _ in Formatter().parse(text) if field is not None}
    if unknown := sorted(fields - set(known)):
        raise ValueError(f"{name}: nothing is known as {{{unknown[0]}}}")
    return fields


class Verb(BaseModel):
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

    model_config = ConfigDict(frozen=True, extra="forbid")

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
        check_fields(self.past, (slot.value for slot in self.slots), "past")
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
