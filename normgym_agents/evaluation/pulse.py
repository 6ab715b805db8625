"""Whether the event loop still turns, and whose code it is that holds it up.

Agents share the loop, and one that sleeps or computes in asynchronous code stops all of them, their deadlines
included. So the time that is lost is given back to everybody else, and where the loop runs in the main thread
of a POSIX system, whoever blocks it past its own deadline is interrupted: a thread that misses the loop's beat
sends the main thread a signal, and its handler runs in the context of the code that blocks. Elsewhere no agent
can be told from another then, and what was lost is said at the end of the run.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
import time
import weakref
from collections.abc import Iterator
from contextvars import ContextVar
from types import FrameType
from typing import ClassVar, Final, Protocol

BEAT: Final = 0.25
"""Seconds between two beats."""

STALL: Final = 1.0
"""Seconds without a beat that count as a stall."""


class Waiting(Protocol):
    """A call of an agent's code, with its deadline.

    Attributes:
        blocked: Whether it holds up the loop now.
        interrupted: Whether it did so past its deadline, and was stopped.
    """

    blocked: bool
    interrupted: bool

    @property
    def overdue(self) -> bool:
        """Whether its deadline has passed."""

    def hold_up(self, seconds: float) -> None:
        """Move the deadline."""


class Blocked(BaseException):
    """Raised in an agent's code that blocks the loop; no `Exception`, which agents tend to swallow."""


deadline_of_context: ContextVar[Waiting | None] = ContextVar("episode_deadline", default=None)
"""The deadline of the code that runs."""


class Pulse:
    """The watch over one event loop."""

    _running: ClassVar[weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Pulse]] = (
        weakref.WeakKeyDictionary()
    )

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: set[Waiting] = set()
        self._last = time.monotonic()
        self._stop = threading.Event()
        self._reach: int | None = None
        self.lost = 0.0
        """Seconds of stalls that may be anybody's."""

    @classmethod
    def here(cls) -> Pulse | None:
        """The watch over the running loop; None if there is none."""
        return cls._running.get(asyncio.get_running_loop())

    @classmethod
    @contextlib.contextmanager
    def kept(cls) -> Iterator[Pulse]:
        """Watch the running loop inside the block; one watch serves all runs in a loop."""
        if (running := cls.here()) is not None:
            yield running
            return
        pulse = cls()
        cls._running[pulse._loop] = pulse
        handle = pulse._loop.call_later(BEAT, pulse._beat)
        pulse._handle = handle
        with pulse._signal() as pulse._reach:
            thread = threading.Thread(target=pulse._watch, name="normgym-pulse", daemon=True)
            thread.start()
            try:
                yield pulse
            finally:
                pulse._stop.set()
                pulse._handle.cancel()
                del cls._running[pulse._loop]
                thread.join(2 * STALL)

    _handle: asyncio.TimerHandle

    @contextlib.contextmanager
    def watching(self, waiting: Waiting) -> Iterator[None]:
        """Give a call back what it loses to others inside the block."""
        self._waiting.add(waiting)
        try:
            yield
        finally:
            self._waiting.discard(waiting)

    def warnings(self) -> tuple[str, ...]:
        """What to say at the end of a run."""
        if not self.lost:
            return ()
        return (
            f"asynchronous code blocked the event loop for {self.lost:.1f} s, and no episode could be told to have "
            "done so; every deadline was put off by that",
        )

    def _beat(self) -> None:
        now = time.monotonic()
        late = now - self._last - BEAT
        self._last = now
        if late > STALL:
            blockers = [waiting for waiting in self._waiting if waiting.blocked]
            if self._reach is None:
                self.lost += late
            for waiting in self._waiting:
                if waiting not in blockers:
                    waiting.hold_up(late)
            for waiting in blockers:
                waiting.blocked = False
        self._handle = self._loop.call_later(BEAT, self._beat)

    def _watch(self) -> None:
        """In a thread of its own: tap the loop's thread for as long as no beat comes."""
        while not self._stop.wait(BEAT):
            if self._reach is not None and time.monotonic() - self._last > STALL:
                signal.pthread_kill(self._reach, signal.SIGURG)

    @contextlib.contextmanager
    def _signal(self) -> Iterator[int | None]:
        """The thread that can be reached, inside the block; None where it cannot, or the signal is another's."""
        number = getattr(signal, "SIGURG", None)
        main = threading.main_thread()
        if number is None or threading.current_thread() is not main:
            yield None
            return
        before = signal.getsignal(number)
        if before not in (signal.SIG_DFL, signal.SIG_IGN) or main.ident is None:
            yield None
            return
        signal.signal(number, _tap)
        try:
            yield main.ident
        finally:
            signal.signal(number, before)


def _tap(_: int, __: FrameType | None) -> None:
    """Runs in the context of whatever the main thread does: the loop itself has no deadline."""
    waiting = deadline_of_context.get()
    if waiting is None:
        return
    waiting.blocked = True
    if waiting.overdue:
        waiting.interrupted = True
        raise Blocked("it blocked the event loop")
