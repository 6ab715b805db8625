"""LangGraph graphs as newcomers, as they are.

A graph gets a thread of its own per episode in a memory of ours; its owner's checkpointer is never touched.
Each turn sends what is new and reads what is new. A graph may have a channel `view`, which then holds the
observation as plain data, and a channel `act`, whose value after the run is the act. Once the acting is over a
graph may be asked what one may do: a copy of its thread gets the question as a message or, where the graph has
them, in a channel `question`, and answers in words or in a channel `report`.
"""

from __future__ import annotations

import copy
import json
import typing
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import BaseMessage, HumanMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph.types import Command

from normgym_agents.errors import BadInput, NewcomerError
from normgym_agents.newcomers._kept import KeptObjects
from normgym_agents.newcomers._messages import Meter, open_calls, results_for, words_of
from normgym_agents.newcomers.acting import Answer
from normgym_agents.newcomers.containment import contained
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory
from normgym_agents.newcomers.offering import offered
from normgym_agents.newcomers.wiring import Wiring
from normgym_agents.worlds.asking import Question, ReportedNorm
from normgym_agents.worlds.public import NewcomerView, Observation, Reply

Graph = Pregel[Any, Any, Any, Any]

_INTERRUPT: Final = "__interrupt__"
_ACT, _STRUCTURED = "act", "structured_response"
_QUESTION, _REPORT = "question", "report"


class _View(dict[str, Any]):
    """A view as plain data. It is large and new each turn, so the thread's memory need not copy it."""


def adapt_graph(graph: Graph | StateGraph[Any, Any, Any, Any], name: str, wiring: Wiring) -> NewcomerFactory:
    """A factory of newcomers that are this graph, each on a thread of its own.

    Args:
        graph: A compiled graph, or a builder, which is compiled here.
        name: What messages call it.
        wiring: How it is connected. A model is put where graphs look for one: `configurable["model"]` of the
            run's config and, if the graph has a context with a field `model`, that field. A graph that looks at
            neither keeps the model it was built with. A lower limit of steps of the graph's own stays.

    Raises:
        BadInput: The graph has no `messages`, nor `view` and `act`.
    """
    compiled: Graph = graph.compile() if isinstance(graph, StateGraph) else graph
    channels = compiled.channels
    if "messages" not in channels and not {"view", _ACT} <= set(channels):
        own = ", ".join(sorted(c for c in channels if not c.startswith(("__", "branch:")))) or "none"
        raise BadInput(
            f"the state of {name} has no `messages` (its channels: {own})",
            expected="a state with `messages: Annotated[list, add_messages]`, e.g. MessagesState",
        )

    def make(_: int) -> Newcomer:
        return GraphNewcomer(compiled, wiring)

    return make


def takes_model(graph: Graph | StateGraph[Any, Any, Any, Any]) -> bool:
    """Whether the graph's context has a field `model`."""
    schema = graph.context_schema
    return schema is not None and "model" in typing.get_type_hints(schema)


class GraphNewcomer:
    """A compiled graph in one episode.

    Args:
        graph: The graph; a copy of it is run.
        wiring: See `adapt_graph`.
    """

    def __init__(self, graph: Graph, wiring: Wiring) -> None:
        self._saver = InMemorySaver(serde=KeptObjects())
        self._graph = graph.copy({"checkpointer": self._saver})
        own_limit = (graph.config or {}).get("recursion_limit") or wiring.recursion_limit
        self._limit = min(own_limit, wiring.recursion_limit)
        self._thread = uuid.uuid4().hex
        self._model = wiring.model
        self._seen: set[str] = set()
        self._open: list[tuple[str, str, object]] = []
        self._versions: Mapping[str, object] = {}
        self._asked = False
        self._meter = Meter()

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
        config = self._config(self._thread)
        sent = self._input(observation.text, observation.view)
        with offered(observation) as offer:
            return offer.read(await contained(lambda: self._run(sent, config, self._meter)))

    async def report(self, question: Question) -> str | Sequence[ReportedNorm]:
        """Run a copy of the thread on the question.

        Raises:
            NewcomerError: The graph has no channel to be asked in, or it broke.
        """
        if not {"messages", _QUESTION} & set(self._graph.channels):
            raise NewcomerError("this graph cannot be asked: it has neither `messages` nor `question`")
        fork = copy.copy(self)
        fork._seen, fork._thread = set(self._seen), copied_thread(self._saver, self._thread)
        config = fork._config(fork._thread)
        self._meter = fork._meter  # whoever asks looks here whether a model is owed for
        sent = fork._input(question.text, question.view)
        if isinstance(sent, dict) and _QUESTION in self._graph.channels:
            sent[_QUESTION] = question.text
        try:
            answer = await contained(lambda: fork._run(sent, config, fork._meter))
            values = (await self._graph.aget_state(config)).values
        finally:
            self._saver.delete_thread(fork._thread)
        # What a graph that knows no question calls its report is its own affair.
        reported = values.get(_REPORT) if {_QUESTION, _REPORT} <= set(self._graph.channels) else None
        return answer.text if reported is None else reported

    def _config(self, thread: str) -> RunnableConfig:
        """The run's configuration, with a new meter."""
        self._meter = Meter()
        return {
            "configurable": {"thread_id": thread} | ({"model": self._model} if self._model else {}),
            "recursion_limit": self._limit,
            "callbacks": [self._meter],
        }

    def _input(self, text: str, view: NewcomerView) -> object:
        if self._asked:
            return Command(resume=text)
        sent: dict[str, object] = {}
        if "messages" in self._graph.channels:
            sent["messages"] = [*results_for(self._open), HumanMessage(content=text, id=uuid.uuid4().hex)]
        if "view" in self._graph.channels:
            sent["view"] = _View(view.model_dump(mode="json"))
        return sent

    async def _run(self, sent: object, config: RunnableConfig, meter: Meter) -> Answer:
        context: Any = {"model": self._model} if self._model and takes_model(self._graph) else None
        result = await self._graph.ainvoke(sent, config, context=context)
        state: Mapping[str, Any] = result if isinstance(result, Mapping) else {}
        if "messages" in self._graph.channels and "messages" not in state:
            state = {**(await self._graph.aget_state(config)).values, **state}
        new = self._new(state.get("messages") or [])
        self._open = open_calls(new)
        question = _question(state)
        self._asked = isinstance(question, str)
        text = words_of(new) if question is None else _as_text(question)
        calls = [(name, data) for _, name, data in self._open]
        return Answer(text=text, structured=self._object(state, config), calls=calls, usage=meter.usage())

    def _new(self, messages: object) -> list[BaseMessage]:
        """What the graph has added since the last turn, without what was sent to it."""
        listed: list[Any] = messages if isinstance(messages, list) else [messages]
        every = convert_to_messages(listed)
        new = [m for m in every if m.id is None or m.id not in self._seen]
        self._seen |= {m.id for m in every if m.id is not None}
        last_sent = max((i for i, m in enumerate(new) if m.type == "human"), default=-1)
        return new[last_sent + 1 :]

    def _object(self, state: Mapping[str, Any], config: RunnableConfig) -> object:
        """What the graph wrote in this turn, and not in an earlier one, into `act` or `structured_response`."""
        keys = [key for key in (_ACT, _STRUCTURED) if key in self._graph.channels]
        if not keys:
            return None
        saved = self._saver.get_tuple(config)
        versions = {} if saved is None else saved.checkpoint["channel_versions"]
        before, self._versions = self._versions, versions
        fresh = [state.get(key) for key in keys if versions.get(key) != before.get(key)]
        return next((value for value in fresh if value is not None), None)


def copied_thread(saver: InMemorySaver, thread: str) -> str:
    """The id of a new thread that holds all that another one holds, its subgraphs and open pauses included."""
    new = uuid.uuid4().hex
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


def _question(state: Mapping[str, Any]) -> object:
    """What a paused graph asks; None where it did not pause."""
    pauses = state.get(_INTERRUPT) or ()
    return next((pause.value for pause in pauses if pause.value is not None), None)


def _as_text(question: object) -> str:
    return question if isinstance(question, str) else json.dumps(question, default=str)
