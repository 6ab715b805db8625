"""From whatever came back from a newcomer to a reply: one act, or one fault in plain words.

Form is taken leniently (a tool call, an object, JSON in a fence, a sentence), meaning strictly: the act must
be one that can be done now, and a reply that means two things means none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from normgym_agents.newcomers import _faults
from normgym_agents.newcomers._cleaning import clean, legible
from normgym_agents.newcomers._faults import Fault
from normgym_agents.newcomers._mentions import Mention, settle
from normgym_agents.newcomers._names import Found, Names, words
from normgym_agents.newcomers._prose import read_prose
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.public import MOST_COUNTED, Channel, NewcomerView, Reply
from normgym_agents.worlds.settings import Slot

__all__ = ["ACT_TOOL", "Answer", "Fault", "Usage", "read_answer", "read_object", "read_text"]

ACT_TOOL: Final = "act"
"""A tool call of this name is an act, as is one named like a verb."""

_VERB_KEYS: Final = ("verb", "act", "action", "command", "move")
_KEYS: Final = {
    Slot.THING: ("thing", "object", "item", "what"),
    Slot.PLACE: ("place", "where", "destination", "location", "to"),
    Slot.PERSON: ("to", "person", "who", "whom", "recipient", "name"),
    Slot.WORDS: ("say", "words", "text", "message", "what", "content"),
    Slot.TOPIC: ("topic", "about", "subject", "what"),
    Slot.ADDRESS: ("address", "as", "title", "form"),
}
_MOST_OBJECTS: Final = 50
_OPENING: Final = re.compile(r"\{")


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What a turn cost at a model provider; None where it cannot be seen."""

    model_calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back from an agent in one turn, before it is read.

    Attributes:
        text: What it wrote.
        structured: An object it gave (a mapping, a pydantic model or an `Act`), if any.
        calls: Tool calls that nobody has run, as name and arguments (a mapping, or the raw text of one).
        usage: What it cost.
    """

    text: str = ""
    structured: object = None
    calls: Sequence[tuple[str, object]] = ()
    usage: Usage = Usage()


def read_text(text: str, view: NewcomerView) -> Act | Fault:
    """The act that a text means: as JSON if it holds an object that names an act, else as prose."""
    return _from_text(text, Names(view))[0]


def read_object(data: object, view: NewcomerView) -> Act | Fault:
    """The act that a mapping, a pydantic model or an `Act` stands for."""
    read = _from_object(data, Names(view))
    return _faults.no_act(view) if read is None else read


def read_answer(answer: Answer, view: NewcomerView) -> Reply:
    """The reply of one turn: a tool call counts first, then an object, then the words."""
    names = Names(view)
    read, channel = _from_answer(answer, names)
    usage = answer.usage
    return Reply(
        act=read if isinstance(read, Act) else None,
        fault=read.text if isinstance(read, Fault) else None,
        words=clean(answer.text),
        channel=channel,
        model_calls=_counted(usage.model_calls),
        input_tokens=_counted(usage.input_tokens),
        output_tokens=_counted(usage.output_tokens),
    )


def _counted(number: int | None) -> int | None:
    """A provider's count; None for one that cannot be, which says nothing of the newcomer."""
    return number if number is not None and 0 <= number <= MOST_COUNTED else None


def _from_answer(answer: Answer, names: Names) -> tuple[Act | Fault, Channel]:
    calls = [(name, data) for name, data in answer.calls if name == ACT_TOOL or name in names.view.verbs]
    if calls:
        return _agreed([_from_call(name, data, names) for name, data in calls], names), "tool"
    read = _from_object(answer.structured, names)
    if read is not None:
        return read, "policy" if isinstance(answer.structured, Act) else "structured"
    return _from_text(answer.text, names)


def _from_text(text: str, names: Names) -> tuple[Act | Fault, Channel]:
    short = legible(text)
    read = [r for data in _objects(short) if (r := _from_object(data, names)) is not None]
    if read:
        return _agreed(read, names), "structured"
    return read_prose(short, names), "text"


def _agreed(read: list[Act | Fault], names: Names) -> Act | Fault:
    distinct = list(dict.fromkeys(read))
    return distinct[0] if len(distinct) == 1 else _faults.several(names.view)


def _from_call(name: str, data: object, names: Names) -> Act | Fault:
    if isinstance(data, str):
        data = next(_objects(legible(data)), None)
    if not isinstance(data, Mapping):
        data = {}
    read = _from_object(data if name == ACT_TOOL else {**data, "verb": name}, names)
    return _faults.no_act(names.view) if read is None else read


def _objects(text: str) -> Iterator[object]:
    """The outermost JSON objects in a text."""
    decoder, end = json.JSONDecoder(), 0
    for count, match in enumerate(_OPENING.finditer(text)):
        if count >= _MOST_OBJECTS:
            return
        if match.start() < end:
            continue
        try:
            data, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        yield data


def _from_object(data: object, names: Names) -> Act | Fault | None:
    """The act of an object; None where it does not look like an act at all."""
    if isinstance(data, BaseModel):
        data = data.model_dump()
    if not isinstance(data, Mapping):
        return None
    key = next((k for k in _VERB_KEYS if data.get(k)), None)
    value = None if key is None else data[key]
    if isinstance(value, BaseModel | Mapping):
        return _from_object(value, names)
    value = getattr(value, "value", value)  # an enum of verbs
    if not isinstance(value, str):
        return None
    verb = _verb(value, names)
    # `{"action": "take the cup"}`: the phrase is the act.
    return (
        read_prose(legible(value), names) if verb is None else settle(names, _mention(verb, data, key, names))
    )


def _verb(text: str, names: Names) -> str | None:
    said = words(text[:200])
    return next((verb for verb in names.view.verbs if words(verb) == said), None)


def _mention(verb: str, data: Mapping[object, object], verb_key: str | None, names: Names) -> Mention:
    slots: dict[Slot, Found] = {}
    said: str | None = None
    for slot in names.view.verbs[verb].slots:
        given = (data.get(key) for key in _KEYS[slot] if key != verb_key)
        value = next((v for v in given if isinstance(v, str) and v.strip()), None)
        if value is None:
            continue
        if slot is Slot.WORDS:
            said = value
        else:
            slots[slot] = _named(slot, value, names)
    return Mention(verb=verb, slots=slots, said=said)


def _named(slot: Slot, value: str, names: Names) -> Found:
    tokens = words(value[:400])
    found = (names.find(slot, tokens, at) for at in range(len(tokens)))
    nothing: frozenset[str] = frozenset()
    return next((one for one in found if one is not None), Found(nothing, nothing, 0))
