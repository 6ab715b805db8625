"""What a user says about how an agent is connected: its model, its keys, its pauses.

Behaviour is scored and wiring never is, so all of it is in one place that adapters read and metrics do not. It
is plain data, so that a run can keep it and be resumed with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue

RECURSION_LIMIT: Final = 50
"""The most steps of a graph in one turn."""

Key = Annotated[str, Field(min_length=1, max_length=200)]


class StateMapping(BaseModel):
    """Where a graph that does not talk in `messages` is told things, and where it answers.

    Attributes:
        input: The key of its state that gets the observation's text.
        output: The key that holds the answer after a run.
        configurable: What else its runs need under `configurable`.
        context: The fields of its context.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Key | None = None
    output: Key | None = None
    configurable: Mapping[Key, JsonValue] = {}
    context: Mapping[Key, JsonValue] = {}


class Wiring(BaseModel):
    """How an agent is connected.

    Attributes:
        model: A model's spec for whatever takes one: a factory's parameter, a graph's configuration.
        recursion_limit: The most steps of a graph in one turn.
        mapping: The keys of a graph without `messages`, and what its runs need besides.
        trust: Whether code that came inside of data (a component written out) may be run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str | None = None
    recursion_limit: int = Field(default=RECURSION_LIMIT, ge=1)
    mapping: StateMapping = StateMapping()
    trust: bool = False
