"""Scripts: what a scripted model answers to which request, and the few ways to combine them.

A script is any callable from a request to an answer, so a plain function is the general case. The helpers
cover the usual ones. Those that count (`sequence`, `fail_first`) hold their own counter, so that they can
be nested; make a fresh one for every endpoint.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from typing import TypeAlias

from normgym_agents.errors import NormgymError
from normgym_agents.testing.answers import Answer, Fail
from normgym_agents.testing.request import ChatRequest

Script: TypeAlias = Callable[[ChatRequest], Answer]


class ScriptError(NormgymError):
    """The script, not the client, is at fault: it ran out, or answered what the request rules out."""


def as_script(what: Script | Answer) -> Script:
    """A script as it is; an answer as the script that always gives it."""
    if callable(what):
        return what
    return lambda request: what


def sequence(*answers: Script | Answer, then: Script | Answer | None = None) -> Script:
    """One after the other, in order of arrival, whatever the requests say.

    Args:
        answers: The first, the second, … answer.
        then: All further answers; None makes a further request a `ScriptError`.
    """
    count = _Counter()

    def script(request: ChatRequest) -> Answer:
        return _nth(answers, count.next(), then, "sequence")(request)

    return script


def by_turn(*answers: Script | Answer, then: Script | Answer | None = None) -> Script:
    """One after the other within each conversation, by how often the model has spoken in it.

    Holds no state, so many conversations may share it, one after the other or at the same time.

    Args:
        answers: The model's first, second, … answer of a conversation.
        then: All further answers; None makes a further request a `ScriptError`.
    """

    def script(request: ChatRequest) -> Answer:
        return _nth(answers, request.turn, then, "by_turn")(request)

    return script


def by_content(answers: Mapping[str, Script | Answer], *, default: Script | Answer | None = None) -> Script:
    """The first answer whose pattern is found in the last message.

    Args:
        answers: Regular expression (`re.search`) to answer, tried in order.
        default: The answer where none is found; None makes that a `ScriptError`.
    """
    patterns = [(re.compile(pattern), as_script(answer)) for pattern, answer in answers.items()]

    def script(request: ChatRequest) -> Answer:
        for pattern, answer in patterns:
            if pattern.search(request.last_text):
                return answer(request)
        if default is None:
            known = ", ".join(repr(pattern.pattern) for pattern, _ in patterns)
            raise ScriptError(f"by_content: none of {known} is in {request.last_text!r}, and no default")
        return as_script(default)(request)

    return script


def fail_first(n: int, status: int, script: Script | Answer, *, retry_after: float | None = None) -> Script:
    """Fail the first `n` requests with an HTTP status, then follow the script.

    Args:
        n: How many requests fail; a client's own retries count.
        status: The HTTP status they fail with.
        script: What answers the rest; it is not asked while failing.
        retry_after: Seconds to wait, as in `Fail`.
    """
    failure = Fail(status, f"scripted failure of the first {n}", retry_after=retry_after)
    return sequence(*(failure,) * n, then=script)


def _nth(answers: tuple[Script | Answer, ...], n: int, then: Script | Answer | None, name: str) -> Script:
    if n < len(answers):
        return as_script(answers[n])
    if then is None:
        raise ScriptError(f"{name}: answer {n + 1} was asked for, and it holds {len(answers)}")
    return as_script(then)


class _Counter:
    """Counts from 0; requests come from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 0

    def next(self) -> int:
        with self._lock:
            self._next += 1
            return self._next - 1
