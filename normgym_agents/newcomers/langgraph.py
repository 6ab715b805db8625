"""LangGraph graphs as newcomers, as they are.

A graph gets a thread of its own per episode in a memory of ours, and a store of its own where it has one in memory;
its owner's checkpointer is never touched. A graph may have a channel `view`, which then holds the observation as
plain data, and a channel `act`, whose value after the run is the act. Once the acting is over a graph may be
asked what one may do: a copy of its thread gets the question as it gets observations or, where the graph has them,
in a channel `question`, and answers in words or in a channel `report`.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph.types import Command
from pydantic import BaseModel

from normgym_agents.errors import NewcomerError
from normgym_agents.newcomers._kept import KeptObjects
from normgym_agents.newcomers._messages import Meter
from normgym_agents.newcomers._runtime import context_for, lacking, store_for
from normgym_agents.newcomers.acting import Answer
from normgym_agents.newcomers.answering import Ran, answered
from normgym_agents.newcomers.containment import contained
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory
from normgym_agents.newcomers.conversing import Conversation
from normgym_agents.newcomers.offering import offered
from normgym_agents.newcomers.resuming import Pausing, pauses_of
from normgym_agents.newcomers.talking import ACT, MESSAGES, VIEW, Talk, input_keys, talk_of
from normgym_agents.newcomers.wiring import Wiring
from normgym_agents.worlds.asking import Question, ReportedNorm
from normgym_agents.worlds.public import NewcomerView, Observation, Reply

Graph = Pregel[Any, Any, Any, Any]

_STRUCTURED: Final = "structured_response"
_QUESTION, _REPORT = "question", "report"


class _View(dict[str, Any]):
    """A view as plain data. It is large and new each turn, so the thread's memory need not copy it."""


def adapt_graph(graph: Graph | StateGraph[Any, Any, Any, Any], name: str, wiring: Wiring) -> NewcomerFactory:
    """A factory of newcomers that are this graph, each on a thread of its own.

    Args:
        graph: A compiled graph, a functional entrypoint, or a builder, which is compiled here.
        name: What messages call it.
        wiring: How it is connected. A model is put where graphs look for one: `configurable["model"]` of the
            run's config and, if the graph has a context with a field `model`, that field. A graph that looks at
            neither keeps the model it was built with. A lower limit of steps of the graph's own stays.

    Raises:
        BadInput: How to talk to the graph cannot be told, or it needs a context that nobody gave.
    """
    compiled: Graph = graph.compile() if isinstance(graph, StateGraph) else graph
    talk = talk_of(compiled, wiring.mapping, name)
    context_for(compiled, wiring, name)

    def make(_: int) -> Newcomer:
        return GraphNewcomer(compiled, talk, name, wiring)

    return make


class GraphNewcomer:
    """A compiled graph in one episode.

    Args:
        graph: The graph; a copy of it is run.
        talk: How it is talked to.
        name: What messages call it.
        wiring: See `adapt_graph`.
    """

    def __init__(self, graph: Graph, talk: Talk, name: str, wiring: Wiring) -> None:
        self._saver = InMemorySaver(serde=KeptObjects())
        self._graph = graph.copy({"checkpointer": self._saver, "store": store_for(graph)})
        self._context = context_for(graph, wiring, name)
        own_limit = (graph.config or {}).get("recursion_limit") or wiring.recursion_limit
        self._limit = min(own_limit, wiring.recursion_limit)
        self._thread = _new_thread()
        self._talk, self._name, self._wiring = talk, name, wiring
        self._conversation = Conversation(talk)
        self._pausing = Pausing(wiring.on_interrupt)
        self._stops = _may_stop(graph)
        self._versions: Mapping[str, object] = {}
        self._meter = Meter()
        self._cut = False  # whether the last turn did not come to its end

    @property
    def waiting_for_model(self) -> bool:
        """Whether a model was asked in the last turn and has not answered."""
        return self._meter.waiting

    async def join(self, name: str) -> None:
        """Nothing to do: the thread begins with the first turn."""

    async def leave(self) -> None:
        """Forget the thread."""
        self._saver.delete_thread(self._thread)

    async def turn(self, observation: Observation) -> Reply:
        """Run the graph on one observation."""
        if self._cut:
            self._conversation.take_up((await self._graph.aget_state(self._config())).values)
        sent, self._cut = self._input(observation.text, observation.view), True
        config = self._config()
        with offered(observation) as offer:
            answer = await contained(lambda: self._run(sent, config, self._meter))
        self._cut = False
        return offer.read(answer)

    async def report(self, question: Question) -> str | Sequence[ReportedNorm]:
        """Run a copy of the thread on the question.

        Raises:
            NewcomerError: The graph has no channel to be asked in, or it broke.
        """
        channels = self._graph.channels
        if self._talk.told is None and _QUESTION not in channels:
            raise NewcomerError(
                "this graph cannot be asked: it is told nothing in words, and has no `question`"
            )
        fork = copy.copy(self)
        fork._conversation, fork._pausing = self._conversation.fork(), copy.copy(self._pausing)
        fork._thread = copied_thread(self._saver, self._thread)
        sent = fork._input(question.text, question.view)
        config = fork._config()
        self._meter = fork._meter  # whoever asks looks here whether a model is owed for
        if isinstance(sent, dict) and _QUESTION in channels:
            sent[_QUESTION] = question.text
        try:
            answer = await contained(lambda: fork._run(sent, config, fork._meter))
            values = (await self._graph.aget_state(config)).values
        finally:
            self._saver.delete_thread(fork._thread)
        # What a graph that knows no question calls its report is its own affair.
        reported = values.get(_REPORT) if {_QUESTION, _REPORT} <= set(channels) else None
        return answer.text if reported is None else reported

    def _config(self) -> RunnableConfig:
        """The run's configuration, with a new meter."""
        self._meter = Meter()
        model = self._wiring.model
        return {
            "configurable": {
                **({"model": model} if model else {}),
                **self._wiring.mapping.configurable,
                "thread_id": self._thread,
            },
            "recursion_limit": self._limit,
            "callbacks": [self._meter],
        }

    def _input(self, text: str, view: NewcomerView) -> Any:
        resumed = self._pausing.resume(text)
        if resumed is not None:
            return resumed
        held = self._pausing.held
        if not self._talk.keeps and not held:
            self._saver.delete_thread(self._thread)
            self._thread, self._versions = _new_thread(), {}
        sent = self._conversation.say(text)
        if VIEW in self._graph.channels and isinstance(sent, dict):
            sent[VIEW] = _View(view.model_dump(mode="json"))
        return Command(update=sent) if held else sent

    async def _run(self, sent: Any, config: RunnableConfig, meter: Meter) -> Answer:
        async def run(sent: Any) -> Ran:
            output = await self._invoke(sent, config)
            values = await self._values(output, config)
            pauses = pauses_of(output)
            stopped = () if pauses else await self._stopped_at(config)
            return Ran(values=values, written=_object(values), pauses=pauses, stopped=stopped)

        answer = await answered(run, sent, self._conversation, self._pausing)
        return replace(answer, usage=meter.usage())

    async def _invoke(self, sent: Any, config: RunnableConfig) -> Any:
        try:
            return await self._graph.ainvoke(sent, config, context=self._context)
        except Exception as error:
            values = (await self._graph.aget_state(config)).values
            lack = lacking(error, self._name, input_keys(self._graph) - set(values))
            if lack is None:
                raise
            raise lack from error

    async def _values(self, output: Any, config: RunnableConfig) -> Any:
        """The output of a function, or of a state all that is read of it."""
        if self._talk.whole:
            return None if pauses_of(output) else output
        state: Mapping[str, Any] = output if isinstance(output, Mapping) else {}
        read = {MESSAGES} if self._talk.answered is None else {self._talk.answered[0]}
        if not read & set(self._graph.channels) <= set(state):
            state = {**(await self._graph.aget_state(config)).values, **state}
        stale = self._unwritten({ACT, _STRUCTURED, *(read - {MESSAGES})}, config)
        return {key: value for key, value in state.items() if key not in stale}

    def _unwritten(self, keys: set[str], config: RunnableConfig) -> set[str]:
        """Of some keys those that hold what an earlier turn wrote."""
        keys = keys & set(self._graph.channels)
        if not keys:
            return keys
        saved = self._saver.get_tuple(config)
        versions = {} if saved is None else saved.checkpoint["channel_versions"]
        before, self._versions = self._versions, versions
        return {key for key in keys if versions.get(key) == before.get(key)}

    async def _stopped_at(self, config: RunnableConfig) -> tuple[str, ...]:
        return (await self._graph.aget_state(config)).next if self._stops else ()


def copied_thread(saver: InMemorySaver, thread: str) -> str:
    """The id of a new thread that holds all that another one holds, its subgraphs and open pauses included."""
    new = _new_thread()
    for saved in reversed(list(saver.list({"configurable": {"thread_id": thread}}))):
        parent = {} if saved.parent_config is None else saved.parent_config["configurable"]
        own = saved.config["configurable"]
        place: RunnableConfig = {
            "configurable": {"thread_id": new, "checkpoint_ns": own["checkpoint_ns"]}
            | ({"checkpoint_id": parent["checkpoint_id"]} if parent else {})
        }
        stored = saver.put(place, saved.checkpoint, saved.metadata, saved.checkpoint["channel_versions"])
        for task, channel, value in saved.pending_writes or ():
            saver.put_writes(stored, [(channel, value)], task)
    return new


def _object(values: Any) -> object:
    """An object that a graph has written where such are looked for."""
    if not isinstance(values, Mapping):
        return None
    found = (values.get(key) for key in (ACT, _STRUCTURED))
    return next((value for value in found if isinstance(value, Mapping | BaseModel)), None)


def _new_thread() -> str:
    return str(uuid.uuid4())


def _may_stop(graph: Graph) -> bool:
    """Whether the graph, or one inside of it, stands still before or after some node."""
    inner: list[Any] = [subgraph for _, subgraph in graph.get_subgraphs(recurse=True)]
    kinds = ("interrupt_before_nodes", "interrupt_after_nodes")
    return any(getattr(one, kind, None) for one in [graph, *inner] for kind in kinds)
