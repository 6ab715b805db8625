"""What an agent asks when it pauses, and what it is told.

People pause in many forms: a question in words, an object, a list of requests to review, LangChain's middleware with
its decisions. By default the question is the agent's reply, and what it observes next is the answer; a policy may
answer at once instead.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from normgym_agents.newcomers._requests import (
    actions,
    allowed,
    in_words,
    is_approval,
    is_request,
    is_requests,
    is_review,
    requests,
)
from normgym_agents.newcomers.wiring import OBSERVATION, OnInterrupt, PauseRules, Policy

_MOST_WORDS: Final = 8_000


class Words(str):
    """An answer in words that gives itself under any key, since people also write `interrupt({…})["data"]`."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return self if isinstance(key, str) else super().__getitem__(key)

    def get(self, key: str, default: object = None) -> Words:
        """The words."""
        return self


@dataclass(frozen=True, kw_only=True)
class Pause:
    """One question of a paused agent.

    Attributes:
        id: What the agent's framework calls it.
        value: What was asked, in any form.
        schema: What the answer must be, as a JSON schema, where the agent says so.
    """

    id: str
    value: Any
    schema: object = None

    @property
    def words(self) -> str:
        """The question in words."""
        return in_words(self.value)[:_MOST_WORDS]

    @property
    def calls(self) -> list[tuple[str, object]]:
        """The acts that it asks about, as name and arguments."""
        return [
            (str(one.get("name") or one.get("action")), one.get("args") or {}) for one in actions(self.value)
        ]


@dataclass(frozen=True)
class Given:
    """The value to go on with at once."""

    value: Any


@dataclass(frozen=True)
class Awaited:
    """The question is the reply; the value comes with the next observation.

    Attributes:
        template: The value, with a mark where the observation's text goes; None for the words alone.
    """

    template: Any = None


class Heard(NamedTuple):
    """Something that an agent asked.

    Attributes:
        words: What.
        of_a_run: Whether its run stands still until that is answered, as a policy may; else it asked its user.
    """

    words: str
    of_a_run: bool


_HEARD: ContextVar[list[Heard] | None] = ContextVar("episode_pauses", default=None)


@contextlib.contextmanager
def pauses_heard() -> Iterator[list[Heard]]:
    """What is asked by agents inside of the block, as it comes in."""
    heard: list[Heard] = []
    token = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(token)


def hear(words: str, *, of_a_run: bool) -> None:
    """Tell whoever listens that an agent asked something."""
    if (heard := _HEARD.get()) is not None:
        heard.append(Heard(words, of_a_run))


def decide(pause: Pause, policy: OnInterrupt) -> Given | Awaited:
    """What becomes of a pause."""
    hear(pause.words, of_a_run=True)
    if not isinstance(policy, PauseRules):
        return _by(policy, pause)
    rule = next(
        (one for one in policy.rules if one.asks is None or re.search(one.asks, _searched(pause))), None
    )
    if rule is None:
        return _by(policy.otherwise, pause)
    if rule.do is not None:
        return _by(rule.do, pause)
    return Awaited(rule.answer) if _marked(rule.answer) else Given(rule.answer)


def answer(pause: Pause, awaited: Awaited, text: str) -> object:
    """The value to go on with, now that there is something to tell."""
    return _told(pause, text) if awaited.template is None else _filled(awaited.template, text)


def _by(policy: Policy, pause: Pause) -> Given | Awaited:
    if policy == "reply":
        return Awaited()
    return Given(_decided(pause, yes=policy == "approve"))


def _decided(pause: Pause, *, yes: bool) -> object:
    """Yes or no, in the form that the question wants."""
    value, decision = pause.value, {"type": "approve" if yes else "reject"}
    if is_review(value):
        return {"decisions": [_fitting(decision, kinds, "yes" if yes else "no") for kinds in allowed(value)]}
    if is_approval(value):
        return decision
    if is_request(value) or is_requests(value):
        answers = [_accepted(one, yes=yes) for one in requests(value)]
        return answers if is_requests(value) else answers[0]
    if isinstance(value, str):
        return "yes" if yes else "no"
    return yes


def _told(pause: Pause, text: str) -> object:
    """What was observed, in the form that the question wants."""
    value = pause.value
    response, refusal = {"type": "respond", "message": text}, {"type": "reject", "message": text}
    if is_review(value):
        return {
            "decisions": [
                response if "respond" in kinds else _fitting(refusal, kinds, text) for kinds in allowed(value)
            ]
        }
    if is_approval(value):
        return response if '"respond"' in json.dumps(pause.schema, default=str) else refusal
    if is_request(value) or is_requests(value):
        answers = [_responded(one, text) for one in requests(value)]
        return answers if is_requests(value) else answers[0]
    return text if isinstance(value, str) else Words(text)


def _fitting(decision: dict[str, str], kinds: Sequence[object], text: str) -> dict[str, str]:
    """A decision, or where that kind is not allowed another that is."""
    if decision["type"] in kinds or not kinds:
        return decision
    if "respond" in kinds:
        return {"type": "respond", "message": text}
    return {"type": "reject"} if "reject" in kinds else {"type": "approve"}


def _accepted(request: Mapping[str, Any], *, yes: bool) -> dict[str, object]:
    config = _settings(request)
    if config.get("allow_accept" if yes else "allow_ignore", True):
        return {"type": "accept" if yes else "ignore", "args": None}
    return {"type": "response", "args": "yes" if yes else "no"}


def _responded(request: Mapping[str, Any], text: str) -> dict[str, object]:
    config = _settings(request)
    if config.get("allow_respond", True):
        return {"type": "response", "args": text}
    return {"type": "accept" if config.get("allow_accept", True) else "ignore", "args": None}


def _settings(request: Mapping[str, Any]) -> Mapping[str, Any]:
    config = request.get("config")
    return config if isinstance(config, Mapping) else {}


def _searched(pause: Pause) -> str:
    """All that a rule may look for: the words, and whatever else was asked with them."""
    return f"{pause.words}\n{json.dumps(pause.value, default=str, ensure_ascii=False)}"


def _marked(value: object) -> bool:
    if isinstance(value, str):
        return OBSERVATION in value
    if isinstance(value, Mapping):
        return any(_marked(one) for one in value.values())
    return isinstance(value, list | tuple) and any(_marked(one) for one in value)


def _filled(value: object, text: str) -> object:
    if isinstance(value, str):
        return value.replace(OBSERVATION, text)
    if isinstance(value, Mapping):
        return {key: _filled(one, text) for key, one in value.items()}
    return [_filled(one, text) for one in value] if isinstance(value, list | tuple) else value
