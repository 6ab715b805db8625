"""What a user says about how an agent is connected: its model, its keys, its pauses.

Behaviour is scored and wiring never is, so all of it is in one place that adapters read and metrics do not. It
is plain data, so that a run can keep it and be resumed with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

RECURSION_LIMIT: Final = 50
"""The most steps of a graph in one turn."""

Key = Annotated[str, Field(min_length=1, max_length=200)]


class StateMapping(BaseModel):
    """Where a graph that does not talk in `messages` is told things, and where it answers.

    Attributes:
        input: The key of its state that gets the observation's text; dots lead into an object.
        output: The key that holds the answer after a run; dots lead into what it holds.
        state: What else its state needs at the start of a run, by key.
        configurable: What else its runs need under `configurable`.
        context: The fields of its context.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Key | None = None
    output: Key | None = None
    state: Mapping[Key, JsonValue] = {}
    configurable: Mapping[Key, JsonValue] = {}
    context: Mapping[Key, JsonValue] = {}


Policy = Literal["reply", "approve", "reject"]
"""What happens where an agent pauses to ask: its question is its reply, or it is told yes or no at once."""
POLICIES: Final[tuple[Policy, ...]] = ("reply", "approve", "reject")

OBSERVATION: Final = "{observation}"
"""What stands, in an answer that is written out, for what the agent is told next."""


class PauseRule(BaseModel):
    """What to answer where a pause asks something.

    Attributes:
        asks: A regular expression that the question must contain; None for any question.
        answer: The value to go on with. Where a text in it holds `{observation}`, the question is the reply, and
            the value is given at the next turn with the text of its observation put there.
        do: A policy, instead of a value.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    asks: str | None = None
    answer: JsonValue = None
    do: Policy | None = None

    @field_validator("asks")
    @classmethod
    def _compiles(cls, asks: str | None) -> str | None:
        if asks is not None:
            try:
                re.compile(asks)
            except re.error as error:
                raise ValueError(f"is no regular expression: {error}") from error
        return asks

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if (self.answer is None) == (self.do is None):
            raise ValueError("needs exactly one of `answer` and `do`")
        return self


class PauseRules(BaseModel):
    """What to answer to which pause.

    Attributes:
        rules: The first whose question fits decides.
        otherwise: What happens where none fits.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rules: tuple[PauseRule, ...]
    otherwise: Policy = "reply"

    @field_validator("rules")
    @classmethod
    def _are_there(cls, rules: tuple[PauseRule, ...]) -> tuple[PauseRule, ...]:
        if not rules:
            raise ValueError("needs at least one rule")
        return rules


OnInterrupt = Policy | PauseRules


class Wiring(BaseModel):
    """How an agent is connected.

    Attributes:
        model: A model's spec for whatever takes one: a factory's parameter, a graph's configuration.
        recursion_limit: The most steps of a graph in one turn.
        mapping: The keys of a graph without `messages`, and what its runs need besides.
        on_interrupt: What happens where it pauses to ask.
        trust: Whether code that came inside of data (a component written out) may be run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str | None = None
    recursion_limit: int = Field(default=RECURSION_LIMIT, ge=1)
    mapping: StateMapping = StateMapping()
    on_interrupt: OnInterrupt = "reply"
    trust: bool = False
