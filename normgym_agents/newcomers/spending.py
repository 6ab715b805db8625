"""What a turn spends at a model provider, counted while it is spent, so that a limit can end a turn that would not.

Whatever sees model calls (a callback, a watched client) tells the turn that it runs in, found by a context
variable. Time in which a provider has failed and the client waits to try again is nobody's behaviour: it is
told here too, and makes the deadline later.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Final

from normgym_agents.worlds.public import Reply

_LONGEST_WAIT: Final = 60.0
"""Seconds for which a provider's failure can hold up the deadline if no other attempt is seen."""

_CLIENTS: Final = ("openai._base_client", "anthropic._base_client")
"""Loggers of clients that try again by themselves, and tell nobody else for how long they wait."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How much may be spent; None for no limit.

    Attributes:
        calls: Model calls that were answered, or are under way.
        tokens: Tokens of prompts and answers, as the provider counts them.
    """

    calls: int | None = None
    tokens: int | None = None


class Account:
    """What one episode has spent.

    Args:
        turn: The budget of each turn.
        episode: The budget of all of them.
    """

    def __init__(self, turn: Budget, episode: Budget) -> None:
        self._turn, self._episode = turn, episode
        self.calls = self.tokens = 0

    @contextlib.contextmanager
    def turn(self) -> Iterator[Spending]:
        """One turn; what runs in this context, or in a copy of it, spends there."""
        hear_of_retries()
        spending = Spending(self._left())
        token = _SPENDING.set(spending)
        try:
            yield spending
        finally:
            _SPENDING.reset(token)
            self.calls += spending.calls
            self.tokens += spending.tokens

    def _left(self) -> tuple[tuple[str, int | None, int | None], ...]:
        spent = self.calls, self.tokens
        return tuple(
            (of, _minus(budget.calls, calls), _minus(budget.tokens, tokens))
            for of, budget, (calls, tokens) in (
                ("turn", self._turn, (0, 0)),
                ("episode", self._episode, spent),
            )
        )


def _minus(limit: int | None, spent: int) -> int | None:
    return None if limit is None else limit - spent


class Spending:
    """What one turn spends. Its methods are called from any thread.

    Args:
        left: What may be spent, as whose budget it is, calls and tokens.
    """

    def __init__(self, left: tuple[tuple[str, int | None, int | None], ...]) -> None:
        self._left = left
        self._lock = threading.Lock()
        self._open: dict[Hashable, float] = {}
        self._failed_at: float | None = None
        self._answered = 0
        self.tokens = 0
        self.over: str | None = None
        """Which budget is used up, in words; None while none is."""
        self.waited = 0.0
        """Seconds by which the deadline is later."""
        self.on_change: Callable[[], None] = lambda: None
        """Called whenever `over` or `waited` has changed."""

    @property
    def calls(self) -> int:
        """Calls that were answered, or are under way."""
        return self._answered + len(self._open)

    def pending(self) -> float | None:
        """For how many seconds the call that has waited longest has not been answered; None where none waits."""
        with self._lock:
            return time.monotonic() - min(self._open.values()) if self._open else None

    def asked(self, key: Hashable) -> None:
        """A call begins."""
        with self._lock:
            if self._failed_at is not None:
                self.waited -= max(0.0, _LONGEST_WAIT - (time.monotonic() - self._failed_at))
                self._failed_at = None
            self._open[key] = time.monotonic()
            self._check()
        self.on_change()

    def answered(self, key: Hashable, tokens: int) -> None:
        """A call was answered."""
        with self._lock:
            self._open.pop(key, None)
            self._answered += 1
            self.tokens += max(0, tokens)
            self._check()
        self.on_change()

    def failed(self, key: Hashable) -> None:
        """A provider failed; whoever asked it may ask again after a while."""
        with self._lock:
            self._open.pop(key, None)
            if self._failed_at is None and not self._open:
                self._failed_at = time.monotonic()
                self.waited += _LONGEST_WAIT
        self.on_change()

    def dropped(self, key: Hashable) -> None:
        """A call came to nothing, and not by the provider's fault."""
        with self._lock:
            self._open.pop(key, None)

    def waits(self, seconds: float) -> None:
        """Inside of a call its client waits to try again."""
        with self._lock:
            self.waited += max(0.0, seconds)
            # The time that a provider had for its answer begins with the attempt that is to come.
            self._open = {key: since + seconds for key, since in self._open.items()}
        self.on_change()

    def settle(self, reply: Reply) -> None:
        """Take what a reply says of itself, where nothing was seen here."""
        if not self._answered:
            self._answered = reply.model_calls or 0
        if not self.tokens:
            self.tokens = (reply.input_tokens or 0) + (reply.output_tokens or 0)
        self._check()

    def _check(self) -> None:
        for of, calls, tokens in self._left:
            if calls is not None and self.calls > calls:
                self.over = f"more model calls than the {of} may have"
            elif tokens is not None and self.tokens > tokens:
                self.over = f"more tokens than the {of} may have"


_SPENDING: ContextVar[Spending | None] = ContextVar("episode_spending", default=None)


def spending() -> Spending | None:
    """Where the code that calls this spends; None outside of a turn."""
    return _SPENDING.get()


@cache
def hear_of_retries() -> None:
    """Listen to the clients that try again by themselves. What others hear of their loggers stays the same."""
    for name in _CLIENTS:
        logger = logging.getLogger(name)
        logger.addFilter(_Retries(logger.level))
        logger.setLevel(min(logger.level or logging.INFO, logging.INFO))


class _Retries(logging.Filter):
    """Takes from a client's log for how long it waits, and lets pass what would have passed before."""

    def __init__(self, level: int) -> None:
        super().__init__()
        self._level = level

    def filter(self, record: logging.LogRecord) -> bool:
        if str(record.msg).startswith("Retrying request") and isinstance(record.args, tuple):
            seconds = next((arg for arg in record.args if isinstance(arg, float)), None)
            turn = spending()
            if seconds is not None and turn is not None:
                turn.waits(seconds)
        level = self._level or logging.getLogger(record.name.partition(".")[0]).getEffectiveLevel()
        return record.levelno >= level
