"""An agent in another process as a newcomer: what it is asked goes to the desk, where it comes to answer.

That nobody comes is wiring, and stops the run; so is that an agent is busy with another episode, which does not
count as its time. From its first question on, whatever takes it too long is its own.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Final

from normgym_agents.errors import ModelError, NewcomerError, NotConnected
from normgym_agents.newcomers._cleaning import one_line
from normgym_agents.newcomers.acting import Answer, Usage, read_answer
from normgym_agents.newcomers.containment import in_thread
from normgym_agents.newcomers.http_agent.contract import Kind, Sent
from normgym_agents.newcomers.http_agent.desk import Desk, Sitting
from normgym_agents.newcomers.http_agent.server import Server
from normgym_agents.newcomers.spending import spending
from normgym_agents.worlds.asking import Question, ReportedNorm
from normgym_agents.worlds.public import NewcomerView, Observation, Reply

PATIENCE: Final = 300.0
"""Seconds without a sign of any client after which nobody is thought to come."""

_LONGEST: Final = 3600.0
"""Seconds to wait where clients are there, but busy with other episodes."""

_SLICE: Final = 1.0
_QUIET: Final = 3.0
"""Seconds after which it is said that an agent is waited for."""

_LOG = logging.getLogger(__name__)


class HttpNewcomer:
    """An agent of another process in one episode.

    Args:
        server: Where it comes to.
        patience: Seconds to wait for a sign of any client.
    """

    def __init__(self, server: Server, patience: float = PATIENCE) -> None:
        self._server, self._patience = server, patience
        self._sitting: Sitting | None = None

    async def join(self, name: str) -> None:
        """Wait until an agent has taken this episode and asks for its first turn.

        Raises:
            NotConnected: No client has been heard of for long.
            BadInput: The server cannot listen.
        """
        server, turn = self._server, spending()
        await in_thread(server.start)
        sitting = self._sitting = await server.on_desk(lambda desk: desk.expect(name))
        begun = time.monotonic()
        while not await server.on_desk(lambda desk: desk.came(sitting, _SLICE)):
            if turn is not None:
                turn.waits(_SLICE)
            waited, unseen = time.monotonic() - begun, await server.on_desk(_unseen)
            if waited > _QUIET and unseen is None and not server.announced:
                server.announced = True
                _LOG.warning("waiting for an agent to come to %s (docs/http-agent.md)", server.url)
            if waited > _LONGEST or min(waited, waited if unseen is None else unseen) > self._patience:
                raise NotConnected(
                    f"no agent has come to {server.url} within {waited:.0f} s",
                    expected="an agent that calls it, as docs/http-agent.md shows",
                )

    async def turn(self, observation: Observation) -> Reply:
        """Ask, and wait for the reply."""
        sent = await self._asked(
            "turn" if observation.retry is None else "again", observation.text, observation.view
        )
        usage = Usage(
            model_calls=sent.model_calls, input_tokens=sent.input_tokens, output_tokens=sent.output_tokens
        )
        return read_answer(Answer(text=sent.text, structured=sent.act, usage=usage), observation.view)

    async def report(self, question: Question) -> str | Sequence[ReportedNorm]:
        """Ask the question."""
        sent = await self._asked("question", question.text, question.view)
        return sent.text if sent.norms is None else sent.norms

    async def leave(self) -> None:
        """Let the agent know that the episode is over."""
        sitting = self._sitting
        if sitting is not None:
            await self._server.on_desk(lambda desk: desk.dismiss(sitting))

    async def _asked(self, kind: Kind, text: str, view: NewcomerView) -> Sent:
        sitting = self._sitting
        if sitting is None:
            raise NewcomerError("the agent was asked before it joined")
        sent = await self._server.on_desk(lambda _: sitting.ask(kind, text, view))
        if sent.failed is not None:
            told = one_line(sent.failed.message)
            raise ModelError(told) if sent.failed.kind == "model" else NewcomerError(told)
        return sent


async def _unseen(desk: Desk) -> float | None:
    return desk.unseen
