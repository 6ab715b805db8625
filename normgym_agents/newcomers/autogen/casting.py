"""Who plays in one episode: an agent or team of the owner's, made ready to run turn by turn.

What can be copied is, so that episodes have nothing in common: AutoGen's own agents with a new memory and a
new client, teams with a new runtime and queue. The component configuration is not used for the whole of an
agent, because that writes functions out as source and runs them without their module. What cannot be copied, an
agent of the owner's own class above all, is borrowed: it plays itself, and what is changed on it for an episode
(its clients stand behind a proxy, its inner team has an end) is undone when it leaves.

AutoGen has no public way to most of this; 0.7 is its last line, and pinned.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Iterator
from typing import Any, Final

from autogen_agentchat.agents import (
    AssistantAgent,
    MessageFilterAgent,
    SocietyOfMindAgent,
    UserProxyAgent,
)
from autogen_agentchat.base import ChatAgent, Team
from autogen_agentchat.teams import BaseGroupChat, GraphFlow, MagenticOneGroupChat, Swarm
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core import CancellationToken
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import ChatCompletionClient
from autogen_core.tools import StaticWorkbench

from normgym_agents.errors import BadInput
from normgym_agents.newcomers.autogen import ending
from normgym_agents.newcomers.autogen.clients import copied, renewed
from normgym_agents.newcomers.autogen.watching import Watch, Watched, behind
from normgym_agents.newcomers.user import User

Player = ChatAgent | Team

_ROOMS: Final = ("autogen_agentchat.", "autogen_ext.")
_ENDING: Final = (GraphFlow, MagenticOneGroupChat)
"""Teams that come to an end by themselves."""
_LOCKS: Final = (asyncio.Lock, asyncio.Event, asyncio.Condition, asyncio.Semaphore, asyncio.Queue)


class Cast:
    """What runs in one episode.

    Args:
        player: The owner's agent or team, or the one of an earlier cast.
        watch: Watches its model calls.
        user: Answers what it asks of a person.
        limit: The most messages of a team in one turn.
        fresh: Whether it begins with nothing in its memory; else it remembers what the player does.
    """

    def __init__(self, player: Player, *, watch: Watch, user: User, limit: int, fresh: bool) -> None:
        self._watch, self._user, self._limit, self._fresh = watch, user, limit, fresh
        self._undo: list[Callable[[], None]] = []
        self._made: dict[int, Any] = {}
        self._borrowed: list[Player] = []
        self.clients: list[ChatCompletionClient] = []
        """Those that were made for it."""
        self.teams: list[BaseGroupChat] = []
        self.users: set[str] = set()
        """The names of those who pass on what a person says."""
        self.markers: set[str] = set()
        """The words that end its teams' runs."""
        self.player: Player = self._part(player, fresh)

    async def reset(self) -> None:
        """Make what is borrowed forget."""
        for player in self._borrowed:
            if isinstance(player, Team):
                await player.reset()
            else:
                await player.on_reset(CancellationToken())

    def release(self) -> None:
        """Give back what is borrowed as it was."""
        while self._undo:
            self._undo.pop()()

    def runtimes(self) -> list[asyncio.Task[Any]]:
        """What its teams' own runtimes are at."""
        runtimes: list[Any] = [team._runtime for team in self.teams if team._embedded_runtime]
        tasks = [task for runtime in runtimes for task in runtime._background_tasks]
        return tasks + [
            runtime._run_context._run_task for runtime in runtimes if runtime._run_context is not None
        ]

    def _part(self, player: Any, fresh: bool) -> Any:
        key = id(player)
        if key not in self._made:
            self._made[key] = self._new_part(player, fresh)
        return self._made[key]

    def _new_part(self, player: Player, fresh: bool) -> Player:
        if isinstance(player, BaseGroupChat):
            return self._team(player, fresh)
        if isinstance(player, UserProxyAgent):
            self.users.add(player.name)
            proxy = copy.copy(player)
            proxy.input_func, proxy._is_async = self._user.ask, True
            return proxy
        if fresh and _copyable(player):
            twin = copy.copy(player)
            self._fit(twin, fresh=True, lent=False)
            return twin
        if fresh:
            self._borrowed.append(player)
        self._fit(player, fresh=False, lent=True)
        return player

    def _team(self, team: BaseGroupChat, fresh: bool) -> BaseGroupChat:
        """The same team in a new shell: nothing of a run that ended badly, or on another loop, is left in it."""
        members = [self._part(member, fresh) for member in team._participants]
        own, turns = team._termination_condition, team._max_turns
        names = {member.name for member in members}
        users = names & self.users
        if ending.without_end(own) and turns is None and not users and not isinstance(team, _ENDING):
            turns = len(members)  # each may speak once
        self.markers |= ending.markers(own)
        end = ending.EndOfTurn(self._limit, users, names if isinstance(team, Swarm) else None)
        shell = copy.copy(team)
        BaseGroupChat.__init__(
            shell,
            name=team._name,
            description=team._description,
            participants=members,
            group_chat_manager_name=team._group_chat_manager_name,
            group_chat_manager_class=team._base_group_chat_manager_class,
            termination_condition=ending.ended_by(own, end, fresh=fresh and ending.copyable(own)),
            max_turns=turns,
            runtime=None if team._embedded_runtime else team._runtime,
            emit_team_events=team._emit_team_events,
        )
        shell._message_factory = team._message_factory
        self.teams.append(shell)
        self._fit(shell, fresh=fresh, lent=False)
        return shell

    def _fit(self, owner: Any, *, fresh: bool, lent: bool) -> None:
        """Put clients, memories and inner players of this episode in the places of an agent or team."""
        for name, value in list(vars(owner).items()):
            new = self._fitting(value, fresh)
            if new is value:
                continue
            if lent:
                self._undo.append(_restoring(owner, name, value))
            setattr(owner, name, new)

    def _fitting(self, value: Any, fresh: bool) -> Any:
        if isinstance(value, ChatCompletionClient):
            return self._client(behind(value), fresh)
        if isinstance(value, ChatCompletionContext) and fresh:
            return renewed(value)
        if isinstance(value, ChatAgent | Team):
            # Inside of what is borrowed nothing is copied: its owner's `on_reset` sees to it.
            return self._part(value, fresh)
        if isinstance(value, list) and any(_has_runners(one) for one in value):
            return [self._workbench(one, fresh) if _has_runners(one) else one for one in value]
        return value

    def _client(self, client: ChatCompletionClient, fresh: bool) -> Watched:
        key = id(client)
        if key not in self._made:
            own = client
            if fresh:
                own, closing = copied(client)
                self.clients += [own] if closing else []
            self._made[key] = Watched(own, self._watch)
        watched: Watched = self._made[key]
        return watched

    def _workbench(self, bench: Any, fresh: bool) -> Any:
        """The same tools, but for agents and teams that are used as such."""
        new = copy.copy(bench)
        new._tools = [self._runner(tool, fresh) for tool in bench._tools]
        return new

    def _runner(self, tool: Any, fresh: bool) -> Any:
        if not isinstance(tool, AgentTool | TeamTool):
            return tool
        new = copy.copy(tool)
        new._task_runner = self._part(tool._task_runner, fresh)
        return new


def separate(player: Player) -> bool:
    """Whether each episode can have a copy that has nothing in common with the others'."""
    return all(
        isinstance(one, UserProxyAgent)
        or (ending.copyable(one._termination_condition) if isinstance(one, BaseGroupChat) else _copyable(one))
        for one in players(player)
    )


def check_loop(player: Player) -> None:
    """See that nothing which must be borrowed is at work elsewhere.

    Raises:
        BadInput: It belongs to another event loop, which is running.
    """
    here = asyncio.get_running_loop()
    for one in players(player):
        held = [*vars(one).values(), getattr(getattr(one, "_runtime", None), "_message_queue", None)]
        loops = [
            getattr(value, "_loop", None) for value in held if isinstance(value, _LOCKS) or value is held[-1]
        ]
        if any(loop is not None and loop is not here and loop.is_running() for loop in loops):
            raise BadInput(
                f"{one.name} of AutoGen belongs to another event loop, which is running",
                expected="a function that makes the agent or team, which is then called for each episode",
            )


def players(player: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """An agent or team and all that play in it."""
    seen = set() if seen is None else seen
    if id(player) in seen:
        return
    seen.add(id(player))
    yield player
    inner = [value for value in vars(player).values() if isinstance(value, ChatAgent | Team)]
    inner += getattr(player, "_participants", ())
    benches = [bench for bench in getattr(player, "_workbench", None) or () if _has_runners(bench)]
    inner += [
        tool._task_runner for bench in benches for tool in bench._tools if hasattr(tool, "_task_runner")
    ]
    for one in inner:
        yield from players(one, seen)


def _copyable(agent: object) -> bool:
    """Whether a copy of the agent is one, with no state in common but that of its owner's tools."""
    kind = type(agent)
    ours = kind.__module__.startswith(_ROOMS)
    if not ours or not isinstance(agent, AssistantAgent | SocietyOfMindAgent | MessageFilterAgent):
        return False
    return isinstance(agent, MessageFilterAgent) or renewed(agent._model_context) is not None


def _has_runners(value: object) -> bool:
    return isinstance(value, StaticWorkbench) and any(
        isinstance(t, AgentTool | TeamTool) for t in value._tools
    )


def _restoring(owner: Any, name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(owner, name, value)
