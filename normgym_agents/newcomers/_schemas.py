"""Reading the annotations of people's states: which keys there are, and whether one holds a conversation."""

from __future__ import annotations

import collections.abc
import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from langchain_core.messages import BaseMessage
from pydantic import BaseModel

Form = Literal["messages", "objects", "texts", "message", "text"]
"""What a place in a state takes: messages, messages as plain objects, a list of texts, one message, or text."""

_LISTS: Final = (list, tuple, collections.abc.Sequence, collections.abc.Iterable)
_TALKING: Final = ("message", "history", "chat", "conversation")
"""What such a list is called, where its annotation leaves open what it holds."""


def hints(schema: object) -> dict[str, Any]:
    """The annotations of a class, unresolved where they cannot be; none for what has none."""
    if not isinstance(schema, type):
        return {}
    try:
        return typing.get_type_hints(schema, include_extras=True)
    except (NameError, TypeError, AttributeError):  # names that are only there for type checkers
        return dict(getattr(schema, "__annotations__", {}))


def hints_of_function(function: Callable[..., object]) -> dict[str, Any]:
    """The annotations of a function, likewise."""
    try:
        return typing.get_type_hints(function)
    except (NameError, TypeError, AttributeError):
        return {}


def form_of(note: object, key: str) -> Form:
    """What a place takes, by its annotation and, where that says too little, by its name."""
    note = _plain(note)
    talking = any(word in key.casefold() for word in _TALKING)
    origin = get_origin(note) or note
    if isinstance(note, str):  # an annotation that could not be resolved
        return "messages" if "Message" in note else "text"
    if origin in _LISTS:
        inner = [_plain(one) for one in get_args(note)]
        if not inner or inner[0] is Any:
            return "messages" if talking or not key else "texts"
        if inner[0] is str:
            return "texts"
        return "objects" if (get_origin(inner[0]) or inner[0]) in (dict, Mapping) else "messages"
    if _is_message(note):
        return "message"
    return "messages" if note is Any and key == "messages" else "text"


def required(schema: type) -> dict[str, bool]:
    """The fields of a class, each with whether it must be given."""
    if issubclass(schema, BaseModel):
        return {name: field.is_required() for name, field in schema.model_fields.items()}
    if dataclasses.is_dataclass(schema):
        return {
            field.name: field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            for field in dataclasses.fields(schema)
            if field.init
        }
    # People say of a dict's keys that they are there, and then ask with `get`.
    return dict.fromkeys(hints(schema), False)


def makes_objects(schema: object) -> bool:
    """Whether a class is one whose objects are made of fields, and not a kind of dict."""
    return isinstance(schema, type) and (issubclass(schema, BaseModel) or dataclasses.is_dataclass(schema))


def placed(
    note: object, path: tuple[str, ...], value: object, further: Mapping[str, object] | None = None
) -> object:
    """A value inside of what a path leads through: objects where the annotations say so, else dicts.

    Args:
        note: The annotation of what is made.
        path: The keys that lead to the value.
        value: What lies at the end.
        further: What else the outermost one holds.
    """
    if not path:
        return value
    note = _plain(note)
    made = {**(further or {}), path[0]: placed(hints(note).get(path[0], Any), path[1:], value)}
    return note(**made) if makes_objects(note) and callable(note) else made


def note_at(note: object, path: tuple[str, ...]) -> object:
    """The annotation at the end of a path."""
    for part in path:
        note = hints(_plain(note)).get(part, Any)
    return note


def _plain(note: object) -> Any:
    """An annotation without what qualifies it: `Annotated`, `Required`, `Optional` and the like."""
    origin = get_origin(note)
    if origin in (Annotated, typing.Required, typing.NotRequired):
        return _plain(get_args(note)[0])
    if origin in (typing.Union, types.UnionType):
        held = [one for one in get_args(note) if one is not type(None)]
        return _plain(held[0]) if len(held) == 1 else note
    return note


def _is_message(note: object) -> bool:
    if get_origin(note) in (typing.Union, types.UnionType):
        return any(_is_message(_plain(one)) for one in get_args(note))
    return isinstance(note, type) and issubclass(note, BaseMessage)
