"""Settings: what a place is like, before any world is drawn from it.

A setting is data: whatever differs from place to place is words that authors write, and no code.
"""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from normgym_agents.norms.norm import Name
from normgym_agents.worlds.expectations import Expectations, SignalValue
from normgym_agents.worlds.lines import Phrase
from normgym_agents.worlds.verbs import SHOWN, Effect, Need, Slot, Verb, check_fields

__all__ = ["Effect", "Need", "Phrase", "Setting", "Slot", "TaskTemplate", "Verb", "WordPool"]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WordPool(_Data):
    """Words from which each world draws its own.

    Attributes:
        count: How many a world has.
        pool: The words, of which that many are drawn, in a drawn order.
    """

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
        check_fields(self.sentence, ("count", "things", "receivers"), "sentence")
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
        if taken := sorted(SHOWN & set(self.attributes)):
            raise ValueError(f"attributes: {taken[0]!r} is what acts show of their other slots")
        for name, pool in self.attributes.items():
            if pool.count < 2:
                raise ValueError(
                    f"attributes: {name!r} needs a count of 2 or more, or nothing can differ in it"
                )
        if check_fields(self.looks, self.attributes, "looks") != set(self.attributes):
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
