"""What is said to a graph and what it says back, over the turns of one episode.

Each turn sends what is new and reads what is new, whatever form the graph's messages have.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    convert_to_messages,
    convert_to_openai_messages,
)
from pydantic import BaseModel

from normgym_agents.newcomers._messages import open_calls, results_for, words_of
from normgym_agents.newcomers._schemas import placed
from normgym_agents.newcomers.talking import MESSAGES, Talk, answer_at

_CUT_OFF: Final = "This call was cut off; there is no answer."


@dataclass(frozen=True, kw_only=True)
class Heard:
    """What a graph said in one turn.

    Attributes:
        text: Its words.
        structured: An object, if that is what it gave.
        calls: Tool calls that nobody has run, as id, name and arguments.
    """

    text: str = ""
    structured: object = None
    calls: Sequence[tuple[str, str, object]] = ()

    def after(self, earlier: Heard) -> Heard:
        """What was said in all: the last that says anything, or else the words of before."""
        said = self.text or self.calls or self.structured is not None
        return self if said else Heard(text=earlier.text)


class Conversation:
    """The talk with one graph in one episode.

    Args:
        talk: How it is talked to.
    """

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._seen: set[str] = set()
        self._said: list[BaseMessage] = []
        self._sent: BaseMessage | None = None
        self._open: Sequence[tuple[str, str, object]] = ()
        self._unanswered: str | None = None

    def fork(self) -> Conversation:
        """A copy that goes on by itself."""
        copy = Conversation(self._talk)
        copy._seen, copy._said = set(self._seen), list(self._said)
        copy._sent, copy._open = self._sent, self._open
        return copy

    def say(self, text: str) -> Any:
        """The input of a run that tells the graph something."""
        place = self._talk.told
        if place is None:
            return dict(self._talk.further)
        sent = HumanMessage(content=text, id=uuid.uuid4().hex)
        new = [*results_for(self._open, self._unanswered), sent]
        messages = [*self._said, *new] if self._talk.resends else new
        self._sent, self._open, self._unanswered = sent, (), None
        self._keep(new)
        value: object = text
        if place.form == "messages":
            value = messages
        elif place.form == "objects":
            value = convert_to_openai_messages(messages)
        elif place.form == "texts":
            value = [text]
        elif place.form == "message":
            value = sent
        if self._talk.whole:
            return placed(place.note, place.path, value, self._talk.further)
        return {**self._talk.further, place.path[0]: placed(place.note, place.path[1:], value)}

    def take_up(self, values: object) -> None:
        """Go on after a run that was cut off: calls that it left open are answered before anything else is said."""
        if not self._talk.whole:
            self.hear(values)
        self._unanswered = _CUT_OFF

    def hear(self, output: object) -> Heard:
        """What is new in what a run gave: the output of a function, or the values of a state."""
        value = output
        if self._talk.answered is not None:
            value = answer_at(output, self._talk.answered)
        elif isinstance(output, Mapping) and MESSAGES in output:
            value = output[MESSAGES]
        elif not self._talk.whole:
            return Heard()
        messages = _as_messages(value)
        if messages is not None:
            return self._read(messages)
        heard = _plain(value)
        if heard.text:
            self._keep([AIMessage(heard.text)])
        return heard

    def _read(self, every: list[BaseMessage]) -> Heard:
        last_sent = max((i for i, m in enumerate(every) if self._is_sent(m)), default=-1)
        new = [m for m in every[last_sent + 1 :] if m.id is None or m.id not in self._seen]
        self._seen |= {m.id for m in every if m.id is not None}
        self._keep(new)
        self._open = open_calls(new)
        return Heard(text=words_of(new), calls=self._open)

    def _keep(self, messages: Sequence[BaseMessage]) -> None:
        if self._talk.resends:
            self._said += [m if m.id else m.model_copy(update={"id": uuid.uuid4().hex}) for m in messages]
            self._seen |= {m.id for m in self._said if m.id is not None}

    def _is_sent(self, message: BaseMessage) -> bool:
        """Whether this is what was said last: by its id or, where a graph keeps none, by what it says."""
        sent = self._sent
        if sent is None or message.type != "human":
            return False
        return message.id == sent.id or (message.id is None and message.content == sent.content)


def _as_messages(value: object) -> list[BaseMessage] | None:
    """A value as messages; None for what is none."""
    listed = [value] if isinstance(value, BaseMessage) else value
    if not isinstance(listed, list | tuple) or not all(_like_message(one) for one in listed):
        return None
    try:
        return convert_to_messages(listed)
    except (ValueError, TypeError, NotImplementedError):  # looks like one, and is none
        return None


def _like_message(one: object) -> bool:
    if isinstance(one, Mapping):
        return "content" in one and ("role" in one or "type" in one)
    if isinstance(one, tuple | list):
        return len(one) == 2 and all(isinstance(part, str) for part in one)
    return isinstance(one, BaseMessage | str)


def _plain(value: object) -> Heard:
    """What is said by a value that is no message."""
    if value is None:
        return Heard()
    if isinstance(value, BaseModel):
        return Heard(text=value.model_dump_json(), structured=value)
    if isinstance(value, Mapping):
        texts = [one for one in value.values() if isinstance(one, str)]
        whole = json.dumps(dict(value), default=str, ensure_ascii=False)
        return Heard(text=texts[0] if len(texts) == 1 else whole, structured=value)
    return Heard(text=str(value))
