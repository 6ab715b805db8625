"""LangChain runnables as newcomers: chains, runnable functions, agents of the older kind.

A runnable says by its input schema what it takes: words, a conversation, or an object with one key for either. It
keeps nothing itself, so whatever takes a conversation is sent the whole of it.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from langchain_core.language_models import BaseLanguageModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.output_parsers import BaseLLMOutputParser
from langchain_core.prompt_values import PromptValue
from langchain_core.prompts import BasePromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSequence
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.tools import BaseTool

from normgym_agents.errors import BadInput
from normgym_agents.newcomers.callables import CallableNewcomer
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory
from normgym_agents.newcomers.talking import Place, answer_at, answer_key
from normgym_agents.newcomers.wiring import StateMapping, Wiring

_PARTS: Final = {
    BaseTool: "a tool",
    BasePromptTemplate: "a prompt",
    BaseLLMOutputParser: "an output parser",
    BaseRetriever: "a retriever",
}
_TALKING: Final = ("message", "history", "chat", "conversation")


class _Taken(NamedTuple):
    """What a runnable takes.

    Attributes:
        key: The key that an observation goes under; None for the whole input.
        whole: Whether that is the conversation, and not the observation alone.
        history: The key of what was said before, where there is one beside.
        further: What else it is given.
    """

    key: str | None
    whole: bool
    history: str | None = None
    further: Mapping[str, Any] = {}


def adapt_runnable(runnable: Runnable[Any, Any], name: str, wiring: Wiring) -> NewcomerFactory:
    """A factory of newcomers that are this runnable, each with a conversation and a session of its own.

    Args:
        runnable: The runnable.
        name: What messages call it.
        wiring: How it is connected: of the mapping `input` and `output` are keys of what it takes and gives, `state`
            is what else it takes.

    Raises:
        BadInput: It is a part of an agent, or what it takes cannot be told.
    """
    for kind, what in _PARTS.items():
        if isinstance(runnable, kind):
            raise BadInput(
                f"{name} is {what}, which is a part of an agent", expected="the agent that uses it"
            )
    taken = _taken(runnable, name, wiring.mapping)

    def make(_: int) -> Newcomer:
        return _newcomer(runnable, taken, wiring.mapping)

    return make


def _newcomer(runnable: Runnable[Any, Any], taken: _Taken, mapping: StateMapping) -> Newcomer:
    """One episode: a session of its own, where the runnable keeps such."""
    session = uuid.uuid4().hex
    config: RunnableConfig = {
        "configurable": {"session_id": session, "thread_id": session, **mapping.configurable}
    }
    before: list[BaseMessage] = []

    async def ask(given: Any) -> object:
        sent = given if taken.key is None else {**taken.further, taken.key: given}
        if taken.history is not None:
            sent[taken.history] = list(before)
        said = _said(await runnable.ainvoke(sent, config), mapping)
        if taken.history is not None:
            answer = said if isinstance(said, BaseMessage) else AIMessage(str(said))
            before.extend((HumanMessage(given), answer))
        return said

    place = Place(path=(), form="messages" if taken.whole else "text", note=Any)
    return CallableNewcomer(ask, "talk" if taken.whole else "text", place)


def _said(output: Any, mapping: StateMapping) -> object:
    """What a function would have returned in its stead."""
    if mapping.output is not None:
        output = answer_at(output, tuple(mapping.output.split(".")))
    elif isinstance(output, Mapping) and "messages" not in output and (key := answer_key(output)) is not None:
        output = output[key]
    return output.to_messages() if isinstance(output, PromptValue) else output


def _taken(runnable: Runnable[Any, Any], name: str, mapping: StateMapping) -> _Taken:
    if _begins_with_a_model(runnable):
        return _Taken(None, whole=True)
    schema = runnable.get_input_jsonschema()
    properties: Mapping[str, Any] = schema.get("properties", {}) if schema.get("type") == "object" else {}
    asked = [key for key in properties if key not in mapping.state]
    needed = [key for key in asked if key in schema.get("required", ())] or asked
    talking = [key for key in asked if _talks(key, properties[key])]
    if mapping.input is not None:
        history = next((key for key in talking if key != mapping.input), None)
        whole = mapping.input in talking
        return _Taken(mapping.input, whole, None if whole else history, dict(mapping.state))
    if not properties:
        return _Taken(None, _talks("", schema))
    texts = [key for key in needed if key not in talking]
    if len(texts) == 1:
        return _Taken(texts[0], whole=False, history=next(iter(talking), None), further=dict(mapping.state))
    if not texts and len(talking) == 1:
        return _Taken(talking[0], whole=True, further=dict(mapping.state))
    raise BadInput(
        f"{name} takes {', '.join(properties)}: which of them is told what is observed?",
        expected=f"--mapping input={(texts or [*properties])[0]}"
        + "".join(f",state.{key}=VALUE" for key in texts[1:])
        + f"; or a function: def agent(text): return {name.rpartition(':')[2]}.invoke(…)",
    )


def _begins_with_a_model(runnable: Runnable[Any, Any]) -> bool:
    while isinstance(runnable, RunnableSequence | RunnableBindingBase):
        runnable = runnable.first if isinstance(runnable, RunnableSequence) else runnable.bound
    return isinstance(runnable, BaseLanguageModel)


def _talks(key: str, schema: Mapping[str, Any]) -> bool:
    """Whether something holds a conversation."""
    if schema.get("type") == "array":
        return True
    return "type" not in schema and any(word in key.casefold() for word in _TALKING)
