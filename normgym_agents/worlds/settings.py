"""Settings: what a place is like, before any world is drawn from it.

A setting is data. Its verbs are put together from a small closed set of needs and effects, so that one
transition model and one planner serve every setting that authors write.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from normgym_agents.norms.norm import Name

Phrase = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""One line of prose without control characters."""


class Slot(StrEnum):
    """What a verb's slot may hold."""

    THING = "thing"
    PLACE = "place"
    PERSON = "to"
    WORDS = "say"


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


class Effect(StrEnum):
    """What a verb changes."""

    HOLD = "hold"
    HAND_OVER = "hand_over"
    PUT_BACK = "put_back"
    WORK = "work"
    MOVE = "move"


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Verb(_Data):
    """A verb: its slots, what it needs, what it does, and how it reads.

    Attributes:
        slots: Which slots an act of this verb fills.
        needs: Preconditions, all of which must hold.
        effects: Changes of state, in order.
        past: How it is told afterwards, with `{thing}`, `{place}`, `{to}`, `{say}` for the slots.
        menu: How it is offered, e.g. `give THING to PERSON`.
        normable: Whether norms of sampled worlds may be about it.
        remembered: Whether having done it may matter later the same day (sequence norms).
    """

    slots: tuple[Slot, ...] = ()
    needs: tuple[Need, ...] = ()
    effects: tuple[Effect, ...] = ()
    past: Phrase
    menu: Phrase
    normable: bool = False
    remembered: bool = False


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
        signals: Public signals and their two values; each world draws two of the signals.
        roles: Words for the roles; the first one drawn is the overseer.
        newcomers: Names the newcomer may be called by.
        verbs: The verbs by name.
        tasks: Task templates by name.
    """

    name: Name
    title: Phrase
    places: WordPool
    workplace: Name
    attributes: dict[Name, WordPool]
    looks: Phrase
    worked: Name
    signals: dict[Name, tuple[Name, Name]]
    roles: WordPool
    newcomers: tuple[Phrase, ...] = Field(min_length=1)
    verbs: dict[Name, Verb]
    tasks: dict[Name, TaskTemplate]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if "form" not in self.attributes or len(self.attributes) < 3:
            raise ValueError("attributes: a setting needs `form` and at least two more")
        if len(self.signals) < 2:
            raise ValueError("signals: a setting needs at least two")
        if self.roles.count < 3:
            raise ValueError("roles: count must be at least 3")
        if self.workplace in self.places.pool:
            raise ValueError(f"places: the workplace {self.workplace!r} must not be in the pool")
        needed = {Effect.HOLD, Effect.HAND_OVER, Effect.MOVE}
        effects = {effect for verb in self.verbs.values() for effect in verb.effects}
        if missing := sorted(needed - effects):
            raise ValueError(f"verbs: no verb has the effect {missing[0].value!r}")
        if any(task.worked for task in self.tasks.values()) and Effect.WORK not in effects:
            raise ValueError("tasks: a task needs worked things, but no verb has the effect 'work'")
        if not any(not verb.slots and not verb.effects for verb in self.verbs.values()):
            raise ValueError("verbs: one verb must do nothing (a way to wait)")
        return self
