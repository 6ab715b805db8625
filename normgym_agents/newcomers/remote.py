"""Graphs that a LangGraph server runs, as newcomers: a `RemoteGraph`, or `langgraph:http://HOST:PORT/ASSISTANT`.

The server keeps the thread. What it is told in `messages` carries on over the turns of an episode; told under
another key, it gets a thread of its own for each turn, since nothing can be seen here of how its state grows.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx
from langchain_core.runnables import RunnableConfig
from langgraph.pregel.remote import RemoteGraph

from normgym_agents.errors import BadInput
from normgym_agents.newcomers.acting import Answer
from normgym_agents.newcomers.answering import Ran, answered
from normgym_agents.newcomers.containment import contained
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory
from normgym_agents.newcomers.conversing import Conversation
from normgym_agents.newcomers.offering import offered
from normgym_agents.newcomers.resuming import Pausing, pause_from, pauses_of
from normgym_agents.newcomers.talking import MESSAGES, Place, Talk
from normgym_agents.newcomers.wiring import StateMapping, Wiring
from normgym_agents.worlds.asking import Question
from normgym_agents.worlds.public import Observation, Reply


def served_graph(place: str) -> Callable[[], AbstractAsyncContextManager[RemoteGraph]]:
    """A factory of a server's graph.

    Args:
        place: The server's address, followed by the name or id of the assistant.

    Raises:
        BadInput: It is no such address.
    """
    parts = urlsplit(place)
    path, _, assistant = parts.path.rstrip("/").rpartition("/")
    if parts.scheme not in ("http", "https") or not parts.netloc or not assistant:
        raise BadInput(
            f"{place!r} names no graph of a server", expected="langgraph:http://HOST:PORT/ASSISTANT"
        )
    url = urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))

    @asynccontextmanager
    async def connect() -> AsyncIterator[RemoteGraph]:
        graph = RemoteGraph(assistant, url=url)
        try:
            yield graph
        finally:
            if graph.client is not None:
                await graph.client.aclose()
            if graph.sync_client is not None:
                graph.sync_client.close()

    return connect


def adapt_remote(graph: RemoteGraph, wiring: Wiring) -> NewcomerFactory:
    """A factory of newcomers that are this graph, each on a thread of its own on its server."""
    talk = _talk(wiring.mapping)

    def make(_: int) -> Newcomer:
        return RemoteNewcomer(graph, talk, wiring)

    return make


class RemoteNewcomer:
    """A server's graph in one episode.

    Args:
        graph: The graph.
        talk: How it is talked to.
        wiring: How it is connected.
    """

    def __init__(self, graph: RemoteGraph, talk: Talk, wiring: Wiring) -> None:
        self._graph, self._talk, self._wiring = graph, talk, wiring
        self._conversation, self._pausing = Conversation(talk), Pausing(wiring.on_interrupt)
        self._thread: str | None = None

    async def join(self, name: str) -> None:
        """Nothing to do: the thread begins with the first turn."""

    async def leave(self) -> None:
        """Have the server forget the thread."""
        thread, self._thread = self._thread, None
        if thread is not None and self._graph.client is not None:
            await self._graph.client.threads.delete(thread)

    async def turn(self, observation: Observation) -> Reply:
        """Run the graph on one observation."""
        with offered(observation) as offer:
            return offer.read(await contained(lambda: self._answer(observation.text)))

    async def report(self, question: Question) -> str:
        """Run a copy of the thread on the question."""
        fork = copy.copy(self)
        fork._conversation, fork._pausing = self._conversation.fork(), copy.copy(self._pausing)
        client = self._graph.client
        if client is not None and self._thread is not None and self._talk.keeps:
            copied: Any = client.threads.copy  # the client's types do not say what the server tells
            made = await copied(self._thread)
            if made is not None:
                fork._thread = str(made["thread_id"])
        answer = await contained(lambda: fork._answer(question.text))
        if fork._thread != self._thread:
            await fork.leave()
        return answer.text

    async def _answer(self, text: str) -> Answer:
        sent: Any = self._pausing.resume(text)
        if sent is None:
            if not self._talk.keeps and not self._pausing.held:
                await self.leave()
            sent = self._conversation.say(text)
        self._thread = self._thread or str(uuid.uuid4())
        return await answered(self._run, sent, self._conversation, self._pausing)

    async def _run(self, sent: Any) -> Ran:
        mapping, model = self._wiring.mapping, self._wiring.model
        config: RunnableConfig = {
            "configurable": {
                **({"model": model} if model else {}),
                **mapping.configurable,
                "thread_id": self._thread,
            },
            "recursion_limit": self._wiring.recursion_limit,
        }
        context: Any = dict(mapping.context) or None
        try:
            output: Any = await self._graph.ainvoke(sent, config, context=context, on_disconnect="cancel")
        except httpx.ConnectError:
            self._thread = None  # nobody there has begun one
            raise
        if pauses := pauses_of(output):
            return Ran(values=output, pauses=pauses)
        state = await self._graph.aget_state(config)
        values: Any = output if isinstance(output, Mapping) else state.values
        pauses = [pause_from(one) for one in state.interrupts] if state.next else []
        return Ran(values=values, pauses=pauses, stopped=() if pauses else state.next)


def _talk(mapping: StateMapping) -> Talk:
    key = mapping.input or MESSAGES
    talks = key.rpartition(".")[2] == MESSAGES
    place = Place(path=tuple(key.split(".")), form="messages" if talks else "text", note=dict)
    answered_at = None if mapping.output is None else tuple(mapping.output.split("."))
    if answered_at is None and not talks:
        raise BadInput("which key holds the answer is not said", expected=f"--mapping input={key},output=KEY")
    return Talk(told=place, answered=answered_at, keeps=talks, further={**mapping.state})
