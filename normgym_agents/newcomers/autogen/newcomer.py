"""An agent or team of AutoGen in one episode.

Each turn tells it the observation and reads what it says. A run that asks its user is answered by the next
observation; one that handed over to its user is resumed by a message that hands back.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Sequence
from typing import Final

from autogen_agentchat.base import ChatAgent, Team
from autogen_agentchat.messages import BaseChatMessage, HandoffMessage, TextMessage
from autogen_agentchat.teams import BaseGroupChat, RoundRobinGroupChat, SelectorGroupChat, Swarm

from normgym_agents.errors import BadInput, ModelError, NewcomerError, NotConnected
from normgym_agents.newcomers.acting import Answer
from normgym_agents.newcomers.autogen import memory
from normgym_agents.newcomers.autogen.casting import Cast, Player, check_loop, separate
from normgym_agents.newcomers.autogen.ending import USER
from normgym_agents.newcomers.autogen.replying import Message, Reader
from normgym_agents.newcomers.autogen.running import Run
from normgym_agents.newcomers.autogen.watching import Watch
from normgym_agents.newcomers.containment import contained
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory
from normgym_agents.newcomers.offering import Offer, offered
from normgym_agents.newcomers.user import User
from normgym_agents.newcomers.wiring import Wiring
from normgym_agents.worlds.asking import Question
from normgym_agents.worlds.public import Observation, Reply

_RESET_SECONDS: Final = 20.0
"""How long an agent may take to forget an episode."""

_GOING_ON: Final = (RoundRobinGroupChat, SelectorGroupChat, Swarm)
"""Teams that go on from where they were when they are told nothing."""


def adapt_agent(agent: object, name: str, wiring: Wiring | None = None) -> NewcomerFactory:
    """A factory of newcomers that are this ready agent or team.

    Args:
        agent: An agent or team of AutoGen's chat API.
        name: What messages call it.
        wiring: How it is connected; its limit of steps is the most messages of a team in one turn.

    Raises:
        BadInput: It is something else of AutoGen, e.g. a model client.
    """
    player, wiring = _checked(agent, name), wiring or Wiring()
    if separate(player):
        return lambda _: AgentNewcomer(player, wiring, fresh=True)
    turns = _Turns()
    return lambda _: SharedAgentNewcomer(player, name, wiring, turns)


def own_agent(agent: object, name: str, wiring: Wiring | None = None) -> Newcomer:
    """The newcomer that is an agent or team made for one episode.

    Args:
        agent: The agent or team.
        name: What messages call it.
        wiring: See `adapt_agent`.

    Raises:
        BadInput: As `adapt_agent`.
    """
    return AgentNewcomer(_checked(agent, name), wiring or Wiring(), fresh=False)


def _checked(agent: object, name: str) -> Player:
    if isinstance(agent, ChatAgent | Team):
        return agent
    raise BadInput(
        f"{name} is a {type(agent).__name__} of AutoGen",
        expected="an agent or a team, e.g. an AssistantAgent, or a function that makes one",
    )


class AgentNewcomer:
    """An agent or team in one episode.

    Args:
        player: The agent or team.
        wiring: How it is connected.
        fresh: Whether the player stays as it is and a copy of it plays, with nothing in its memory.
    """

    def __init__(self, player: Player, wiring: Wiring, *, fresh: bool) -> None:
        self._given, self._limit, self._fresh = player, wiring.recursion_limit, fresh
        self._user = User()
        self._watch = Watch()
        self._cast: Cast | None = None
        self._run: Run | None = None
        self._began: Offer
        self._handoff: HandoffMessage | None = None
        self._memory: memory.Memory | None = None
        self._broken = False
        self._missed: list[str] = []

    @property
    def waiting_for_model(self) -> bool:
        """Whether a model of the agent's was asked in the last turn and has not answered."""
        return self._watch.waiting

    async def join(self, name: str) -> None:
        """Cast the agent, with what it remembers if it was made for this.

        Raises:
            BadInput: It is at work elsewhere.
        """
        check_loop(self._given)
        self._cast = self._new_cast(self._given, fresh=self._fresh)
        if not self._fresh and isinstance(self._given, BaseGroupChat) and self._given._initialized:
            await self._move(self._given, self._cast)

    async def turn(self, observation: Observation) -> Reply:
        """Tell the agent the text, and read what it says."""
        self._watch.begin()
        with offered(observation) as offer:
            if self._run is None:
                self._began = offer
            else:
                self._began.later = offer
            answer = await self._hear(observation.text)
        return offer.read(answer)

    async def report(self, question: Question) -> str:
        """Ask a copy that remembers the same; the agent itself where there can be none, as nothing follows."""
        self._watch.begin()
        cast = self._here()
        if not separate(cast.player):
            return (await self._hear(question.text)).text
        user = User()
        fork = Cast(cast.player, watch=self._watch, user=user, limit=self._limit, fresh=True)
        try:
            await self._move(cast.player, fork)
            told = [TextMessage(content=question.text, source=USER)]
            run = Run(fork, told, user=user, watch=self._watch, limit=self._limit)
            while not await run.until_heard() and not Reader(fork).meant(run.messages):
                user.answer(question.text)
            await run.stop()
            return Reader(fork).answer(run.messages, "", self._watch.usage()).text
        finally:
            await _closed(fork)

    async def leave(self) -> None:
        """Stop the agent, and close what was made for it."""
        cast, self._cast = self._cast, None
        if cast is None:
            return
        try:
            if self._run is not None:
                await self._run.stop()
            if isinstance(cast.player, ChatAgent) and not self._is_shared:
                await contained(cast.player.close)
        finally:
            await _closed(cast)

    _is_shared = False

    def _here(self) -> Cast:
        if self._cast is None:
            raise NewcomerError("the agent was asked before it joined")
        return self._cast

    def _new_cast(self, player: Player, *, fresh: bool) -> Cast:
        return Cast(player, watch=self._watch, user=self._user, limit=self._limit, fresh=fresh)

    def _new_run(self, cast: Cast, told: Sequence[BaseChatMessage]) -> Run:
        return Run(cast, told, user=self._user, watch=self._watch, limit=self._limit)

    async def _move(self, player: Player, cast: Cast) -> None:
        kept = await contained(lambda: memory.saved(player))
        await contained(lambda: memory.load(kept, cast.player))

    async def _hear(self, text: str) -> Answer:
        """One turn, from which the next can go on, however it ends."""
        if self._broken:
            await self._mend()
        cast = self._here()
        self._memory = await self._remembered(cast)
        try:
            messages = await self._messages(text, cast)
        except BaseException:
            self._broken, self._run = True, None
            self._missed += [text] if cast.teams else []
            raise
        self._missed.clear()
        question = self._user.question if self._run is not None else ""
        return Reader(cast).answer(messages, question, self._watch.usage())

    async def _messages(self, text: str, cast: Cast) -> Sequence[Message]:
        """All that is said until the turn ends."""
        reader, said, answered, prompted = Reader(cast), list[Message](), False, False
        if self._run is None:
            self._run = self._new_run(cast, self._told(text, cast))
        else:
            self._run.messages.clear()
            self._user.answer(text)
        while True:
            over = await self._run.until_heard()
            said += self._run.messages
            self._run.messages.clear()
            if over:
                self._run, self._handoff = None, reader.handoff(said)
            if reader.meant(said):
                return said
            if self._run is not None and not answered:
                # Asked before anything was said: what one would say has just been told.
                answered = True
                self._user.answer(text)
            elif self._run is None and cast.users and not prompted and isinstance(cast.player, _GOING_ON):
                # All that came was what the user said, so the word is the others'.
                prompted = True
                self._run = self._new_run(cast, ())
            else:
                return said

    def _told(self, text: str, cast: Cast) -> list[BaseChatMessage]:
        texts = [*self._missed, text]
        last, self._handoff = self._handoff, None
        if last is None or cast.users:
            return [TextMessage(content=one, source=USER) for one in texts]
        whole = "\n\n".join(texts)
        return [HandoffMessage(content=whole, source=last.target, target=last.source)]

    async def _remembered(self, cast: Cast) -> memory.Memory | None:
        """What to go on from if the turn breaks; None where that is not needed, or cannot be had."""
        if not cast.teams:
            return None
        try:
            return await contained(lambda: memory.saved(cast.player))
        except (NewcomerError, ModelError):  # an agent's own class need not be able to
            return None

    async def _mend(self) -> None:
        """Make the next turn possible after one that broke."""
        cast = self._here()
        if cast.teams:
            cast.release()
            self._cast = mended = self._new_cast(cast.player, fresh=False)
            mended.clients = cast.clients
            kept = self._memory
            if kept is not None:
                await contained(lambda: memory.load(kept, mended.player))
        else:
            await contained(lambda: memory.close_calls(cast.player))
        self._broken = False


class SharedAgentNewcomer(AgentNewcomer):
    """An agent or team that several episodes take turns with; `join` waits for the others to leave.

    Args:
        player: The agent or team.
        name: What messages call it.
        wiring: How it is connected.
        turns: Who is with it, shared by all its newcomers.
    """

    _is_shared = True

    def __init__(self, player: Player, name: str, wiring: Wiring, turns: _Turns) -> None:
        super().__init__(player, wiring, fresh=True)
        self._name, self._turns, self._mine = name, turns, False

    async def join(self, name: str) -> None:
        """Wait for the agent, then make it forget.

        Raises:
            BadInput: It cannot be made to, so that it would bring one episode into the next.
        """
        await self._turns.here().acquire()
        self._mine = True
        await super().join(name)
        try:
            async with asyncio.timeout(_RESET_SECONDS):
                await contained(self._here().reset)
        except NewcomerError as error:
            raise self._not_reset(str(error)) from error
        except TimeoutError as error:
            raise self._not_reset(f"nothing within {_RESET_SECONDS:g} s") from error

    def _not_reset(self, what: str) -> NotConnected:
        return NotConnected(
            f"{self._name} cannot be made to forget between episodes: its `on_reset` came to {what}",
            expected="a factory: a function that makes a fresh agent for each episode, e.g. def agent(): return …",
        )

    async def leave(self) -> None:
        """Let the next episode have the agent."""
        try:
            await super().leave()
        finally:
            if self._mine:
                self._mine = False
                self._turns.here().release()


class _Turns:
    """A lock per event loop, since a lock of asyncio belongs to one."""

    def __init__(self) -> None:
        self._locks: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = (
            weakref.WeakKeyDictionary()
        )

    def here(self) -> asyncio.Lock:
        return self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())


async def _closed(cast: Cast) -> None:
    cast.release()
    for client in cast.clients:
        await contained(client.close)
