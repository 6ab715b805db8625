"""A turn in which an agent may act by tools of ours inside of its own loop.

Such a tool runs where only the agent's framework knows of it, so it finds its turn by a context variable: each
turn has one of its own, which reaches the agent's tasks and threads with their context and no other episode.
What a tool is called with is only written down here; it is read with the rest of the answer, by the same rules.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import replace
from typing import Final

from normgym_agents.newcomers.acting import ACT_TOOL, Answer, read_answer
from normgym_agents.worlds.public import NewcomerView, Observation, Reply
from normgym_agents.worlds.settings import Slot

SAY_TOOL: Final = "say"
WAIT_TOOL: Final = "wait"
LOOK_TOOL: Final = "look"

DONE: Final = "That is what you do. Your turn ends here; what comes of it you will see at the next."
"""What an acting tool answers."""

NOBODY_WAITS: Final = "Nobody waits for an act now."
"""What it answers outside of a turn."""

_MOST_CALLS: Final = 50
"""An agent that calls on and on means no act however much of it is kept."""


class Offer:
    """One turn, as the tools see it.

    Args:
        observation: What the agent is shown.
        text: What looking again shows; differs from the observation's text where that only names a fault.
    """

    def __init__(self, observation: Observation, text: str) -> None:
        self.text = text
        self._view = observation.view
        self._calls: list[tuple[str, object]] = []
        self.later: Offer | None = None
        """The turn in which what began in this one goes on, for an agent that waited for its user in between."""

    def take(self, name: str, data: Mapping[str, object]) -> None:
        """Write down a call of an acting tool; called from any thread."""
        if len(self._calls) < _MOST_CALLS:
            self._calls.append((_verb(name, self._view), dict(data)))

    @property
    def taken(self) -> bool:
        """Whether an acting tool was called."""
        return bool(self._calls)

    def read(self, answer: Answer) -> Reply:
        """The reply of the turn: what was called and what came back, read as one."""
        if not self._calls:
            return read_answer(answer, self._view)
        # An agent that ends with the tool has said nothing itself.
        text = "" if answer.text.strip() == DONE else answer.text
        return read_answer(replace(answer, text=text, calls=[*self._calls, *answer.calls]), self._view)


def _verb(name: str, view: NewcomerView) -> str:
    """The tool's name as the setting calls it: what one says and how one waits may have other names there."""
    if name == ACT_TOOL or name in view.verbs:
        return name
    for verb, kind in view.verbs.items():
        if kind.idle if name == WAIT_TOOL else kind.slots == (Slot.WORDS,):
            return verb
    return name


_OFFER: ContextVar[Offer | None] = ContextVar("episode_offer", default=None)
_SHOWN: ContextVar[str | None] = ContextVar("episode_shown", default=None)


@contextlib.contextmanager
def offered(observation: Observation) -> Iterator[Offer]:
    """A turn inside the block, for everything that runs in its context or in a copy of it."""
    shown = None if observation.retry is None else _SHOWN.get()
    offer = Offer(observation, observation.text if shown is None else shown)
    token = _OFFER.set(offer)
    try:
        yield offer
    finally:
        _OFFER.reset(token)


@contextlib.contextmanager
def shown(observation: Observation) -> Iterator[None]:
    """Inside the block, looking again shows this observation, also where a re-ask says less."""
    token = _SHOWN.set(observation.text)
    try:
        yield
    finally:
        _SHOWN.reset(token)


def current() -> Offer | None:
    """The turn that this code runs in; None outside of one."""
    offer = _OFFER.get()
    return offer if offer is None else offer.later or offer
