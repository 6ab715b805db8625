"""The pauses of a graph in one episode: which are answered at once, and which wait for the next observation.

A graph pauses by asking (`interrupt`) or stands still before or after a node (`interrupt_before`), where it asks
nothing: there a person would look, and let it go on or say something.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langgraph.types import Command
from pydantic import BaseModel

from normgym_agents.errors import NewcomerError
from normgym_agents.newcomers.pausing import Awaited, Given, Pause, answer, decide
from normgym_agents.newcomers.wiring import OnInterrupt, PauseRules

MOST_PAUSES: Final = 10
"""Pauses that are answered in one turn. An agent that asks for ever gets nowhere, and must not run for ever."""

_INTERRUPT: Final = "__interrupt__"
_A_PERSONS: Final = re.compile(r"human|user|person|feedback|input", re.IGNORECASE)
"""What a node is called that is there for a person to say something."""


@dataclass(frozen=True)
class GoOn:
    """What a paused graph is run with again."""

    sent: Any


class Pausing:
    """The pauses of one episode.

    Args:
        policy: What happens at a pause that asks.
    """

    def __init__(self, policy: OnInterrupt) -> None:
        self._policy = policy
        self._asked: list[tuple[Pause, Given | Awaited]] = []
        self._passed: set[tuple[str, ...]] = set()
        self._times = 0
        self.held = False

    @property
    def asked(self) -> Sequence[Pause]:
        """What waits for the next observation."""
        return [pause for pause, decision in self._asked if isinstance(decision, Awaited)]

    @property
    def under_way(self) -> bool:
        """Whether the graph stands in the middle of a run, which the next observation takes up."""
        return self.held or bool(self._asked)

    def resume(self, text: str) -> Command[Any] | None:
        """How a graph that has asked goes on, now that there is something to tell; None for one that has not."""
        if not self._asked:
            return None
        return _resumed(
            (pause, answer(pause, decision, text) if isinstance(decision, Awaited) else decision.value)
            for pause, decision in self._asked
        )

    def begin(self) -> None:
        """A turn begins."""
        self._asked, self._passed, self._times, self.held = [], set(), 0, False

    def step(self, pauses: Sequence[Pause], stopped: tuple[str, ...], *, spoken: bool) -> GoOn | None:
        """What comes after a run; None where the turn is over.

        Args:
            pauses: What it asked.
            stopped: The nodes that it stands before, asking nothing.
            spoken: Whether it has said something in words and waits for none of its tools.

        Raises:
            NewcomerError: It pauses again and again.
        """
        if not pauses and not stopped:
            return None
        decisions = [(pause, decide(pause, self._policy)) for pause in pauses]
        if any(isinstance(decision, Awaited) for _, decision in decisions):
            self._asked = decisions
            return None
        if not pauses and self._stays(stopped, spoken=spoken):
            return None
        self._times += 1
        if self._times > MOST_PAUSES:
            last = pauses[-1].words if pauses else f"before {', '.join(stopped)}"
            raise NewcomerError(f"the agent paused more than {MOST_PAUSES} times in one turn: {last[:200]}")
        if not pauses:
            self._passed.add(stopped)
            return GoOn(None)
        return GoOn(_resumed((p, decision.value) for p, decision in decisions if isinstance(decision, Given)))

    def _stays(self, stopped: tuple[str, ...], *, spoken: bool) -> bool:
        """Whether a graph is left standing where it asks nothing."""
        policy = self._policy.otherwise if isinstance(self._policy, PauseRules) else self._policy
        if policy == "reply":
            # Where a person would speak, the next observation is what is said there.
            theirs = any(_A_PERSONS.search(node) for node in stopped) or stopped in self._passed
            self.held = spoken and theirs
            return self.held
        return policy == "reject"


def pauses_of(output: object) -> list[Pause]:
    """What a run asked."""
    asked = output.get(_INTERRUPT) if isinstance(output, Mapping) else None
    return [pause_from(one) for one in asked or ()]


def pause_from(one: object) -> Pause:
    """A pause as LangGraph tells it: an object, or plain data from a server."""
    if isinstance(one, Mapping):
        key, value, schema = one.get("id") or "", one.get("value"), one.get("response_schema")
    else:
        key, value = getattr(one, "id", ""), getattr(one, "value", None)
        schema = getattr(one, "response_schema", None)
    return Pause(
        id=str(key), value=value.model_dump() if isinstance(value, BaseModel) else value, schema=schema
    )


def _resumed(answers: Any) -> Command[Any]:
    return Command(resume={pause.id: value for pause, value in answers})
