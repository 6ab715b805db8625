"""What an autonomous member's model gives in a turn, and reading it."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from normgym_agents.worlds.public import Answer

_Said = Annotated[str, Field(max_length=400)]


class AnswerGiven(BaseModel):
    """How a member answers somebody's act.

    Attributes:
        whom: Who did it.
        how: In which form.
        over: Which of the norms on its card was broken, from 1.
        words: What it says with that.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    whom: _Said
    how: Answer
    over: int
    words: _Said


class MemberTurn(BaseModel):
    """A turn.

    Attributes:
        answers: How it answers what it saw.
        act: What it does next, in the words of one of the acts it was offered; empty for none.
        words: What it says while doing it.
        reply: What it says back to the newcomer, if that spoke to it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    answers: tuple[AnswerGiven, ...] = Field(max_length=8)
    act: _Said
    words: _Said
    reply: _Said


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with what some providers ask for beyond pydantic's: no references, no limits that they cannot keep."""
    definitions = schema.pop("$defs")

    def inlined(part: Any) -> Any:
        if isinstance(part, list):
            return [inlined(one) for one in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return inlined(definitions[part["$ref"].rpartition("/")[2]])
        dropped = ("maxLength", "maxItems", "description")
        return {
            key: inlined(value)
            for key, value in part.items()
            if key not in dropped or isinstance(value, dict)
        }

    closed: dict[str, Any] = inlined(schema)
    return closed | {"title": "member_turn", "description": "What you do in this turn."}


TURN_SCHEMA: Final = _closed(MemberTurn.model_json_schema())
"""JSON Schema of a turn."""


def read_turn(text: str) -> MemberTurn | str:
    """The turn in a model's answer, which may stand within other text; else what is wrong, in a few words."""
    decoder, wrong = json.JSONDecoder(), "it holds no JSON object"
    at = text.find("{")
    while at >= 0:
        try:
            found, _ = decoder.raw_decode(text, at)
            return MemberTurn.model_validate(found)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            return f"{place}: {first['msg']}" if place else str(first["msg"])
        except (ValueError, RecursionError) as error:
            wrong = f"it is no JSON: {str(error)[:80]}"
            at = text.find("{", at + 1)
    return wrong
