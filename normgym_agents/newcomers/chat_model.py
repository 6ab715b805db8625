"""A bare chat model as a newcomer: our short prompt, its whole conversation, acts as tools where it can.

The prompt is naive on purpose (it says nothing of what is to be found out) and lies beside this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

from normgym_agents.newcomers._messages import Meter, open_calls, results_for, words_of
from normgym_agents.newcomers.acting import Answer
from normgym_agents.newcomers.containment import contained
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory
from normgym_agents.newcomers.offering import LOOK_TOOL, offered
from normgym_agents.newcomers.toolset import acting_tools
from normgym_agents.worlds.asking import Question
from normgym_agents.worlds.public import NewcomerView, Observation, Reply
from normgym_agents.worlds.settings import Slot

MOST_LOOKS: Final = 3
"""How often a model may look again in one turn."""

_DESCRIBED: Final = {
    Slot.THING: "The thing, as it is called.",
    Slot.PLACE: "The place.",
    Slot.PERSON: "The person's name.",
    Slot.WORDS: "The words.",
    Slot.TOPIC: "What it is about.",
    Slot.ADDRESS: "What the person is called.",
}


@cache
def prompt() -> str:
    """The system prompt, with `{name}` for what the newcomer is called."""
    text = files("normgym_agents.newcomers").joinpath("chat_model.txt").read_text(encoding="utf-8").strip()
    text.format(name="")  # a missing key shows here, and not in the middle of a run
    return text


def adapt_chat_model(model: BaseChatModel) -> NewcomerFactory:
    """A factory of newcomers that are this model, each in a conversation of its own."""

    def make(_: int) -> Newcomer:
        return ChatModelNewcomer(model)

    return make


class ChatModelNewcomer:
    """A chat model in one episode.

    Args:
        model: The model; it is called as it is configured.
    """

    def __init__(self, model: BaseChatModel) -> None:
        self._model = model
        self._bound: Runnable[Any, BaseMessage] | None = None
        self._messages: list[BaseMessage] = []
        self._meter = Meter()

    @property
    def waiting_for_model(self) -> bool:
        """Whether the model was asked in the last turn and has not answered."""
        return self._meter.waiting

    async def join(self, name: str) -> None:
        """Begin the conversation."""
        self._messages = [SystemMessage(prompt().format(name=name))]

    async def leave(self) -> None:
        """Forget the conversation."""
        self._messages = []

    async def turn(self, observation: Observation) -> Reply:
        """Ask the model."""
        said: list[BaseMessage] = [*self._messages, HumanMessage(observation.text)]
        meter = self._meter = Meter()

        async def run() -> BaseMessage:
            if self._bound is None:
                self._bound = _with_tools(self._model, observation.view)
            return await self._bound.ainvoke(said, {"callbacks": [meter]})

        with offered(observation) as offer:
            for looks in range(MOST_LOOKS + 1):
                message = await contained(run)
                calls = open_calls([message])
                looking = {name for _, name, _ in calls} == {LOOK_TOOL} and looks < MOST_LOOKS
                said += [message, *results_for(calls, offer.text if looking else None)]
                if not looking:
                    break
            self._messages = said
            called = [(name, data) for _, name, data in calls]
            return offer.read(Answer(text=words_of([message]), calls=called, usage=meter.usage()))

    async def report(self, question: Question) -> str:
        """Ask the model in a copy of the conversation. Providers want the tools that it has used, so they stay."""
        sent = [*self._messages, HumanMessage(question.text)]
        meter = self._meter = Meter()
        model = self._bound or self._model
        return words_of([await contained(lambda: model.ainvoke(sent, {"callbacks": [meter]}))])


def _with_tools(model: BaseChatModel, view: NewcomerView) -> Runnable[Any, BaseMessage]:
    try:
        return model.bind_tools(act_tools(view))
    except NotImplementedError:  # how LangChain says that a model takes no tools
        return model


def act_tools(view: NewcomerView) -> Sequence[dict[str, Any]]:
    """One tool per verb of the setting, and those that every setting has; the same at every turn."""
    return [
        *(_tool(name, verb.menu, verb.slots) for name, verb in view.verbs.items()),
        *(tool for tool in common_tools() if tool["function"]["name"] not in view.verbs),
    ]


@cache
def common_tools() -> Sequence[dict[str, Any]]:
    """The tools that every setting has."""
    return [convert_to_openai_tool(tool) for tool in acting_tools()]


def _tool(name: str, menu: str, slots: Sequence[Slot]) -> dict[str, Any]:
    properties = {slot.value: {"type": "string", "description": _DESCRIBED[slot]} for slot in slots}
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": menu, "parameters": parameters}}
