"""One member's conversation with its model. It only ever grows, so that providers can keep its beginning."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable
from langchain_core.runnables.config import var_child_runnable_config
from opentelemetry import context as otel_context

from normgym_agents.community.minds.models import MemberUsage, Voice
from normgym_agents.errors import CommunityError

LONGEST_ANSWER: Final = 2_000
"""Characters of an answer that are read, and kept in the conversation."""

_SUPPRESSED: Final = "suppress_instrumentation"
"""The key by which OpenTelemetry's instrumentors are told to let a call pass."""

_OF_THE_ANSWER: Final = frozenset(
    {"LengthFinishReasonError", "ContentFilterFinishReasonError", "OutputParserException"}
)
"""Exceptions about what the model wrote, not about the service."""


class Spent(Exception):
    """The budget of calls is used up."""


class Conversation:
    """A member and its model.

    Args:
        member: Index of the member.
        name: What messages call it.
        voice: Its model.
        system: What it is told first.
        usage: Where it is counted, with the other members' of the episode.
        deadline: Seconds for a call.
        most_calls: Calls of all members in the episode; None for any number.
    """

    def __init__(
        self,
        member: int,
        name: str,
        voice: Voice,
        system: str,
        usage: MemberUsage,
        *,
        deadline: float,
        most_calls: int | None,
    ) -> None:
        self._member, self._name, self._voice, self._usage = member, name, voice, usage
        self._deadline, self._most_calls = deadline, most_calls
        self._messages: list[BaseMessage] = [SystemMessage(system)]
        self._runnables: dict[str, Runnable[Any, Any]] = {}

    async def ask(self, text: str, schema: dict[str, Any] | None = None) -> str:
        """What the model answers, cut to `LONGEST_ANSWER`.

        Args:
            text: What it is told.
            schema: JSON Schema of the answer, for models that can be held to one; None for plain text.

        Raises:
            Spent: The budget of calls is used up; the model was not asked.
            CommunityError: Its provider failed, or did not answer in time.
        """
        if self._most_calls is not None and self._usage.calls >= self._most_calls:
            raise Spent
        messages = [*self._messages, HumanMessage(text)]
        self._usage.prompted(self._member, "\n".join(f"{one.type}: {one.content}" for one in messages))
        try:
            async with asyncio.timeout(self._deadline):
                answer = await self._call(messages, schema)
        except TimeoutError as error:
            raise CommunityError(
                f"the model of {self._name} ({self._voice.spec}) gave no answer within {self._deadline:g} s"
            ) from error
        answer = answer.strip()[:LONGEST_ANSWER]
        self._messages = [*messages, AIMessage(answer or "…")]  # some providers refuse empty messages
        return answer

    async def _call(self, messages: list[BaseMessage], schema: dict[str, Any] | None) -> str:
        runnable = self._runnable(schema)
        async with self._voice.gate:
            # What a member is told is private: neither the community's run, nor whoever traces the newcomer's
            # calls may take it along.
            ambient = var_child_runnable_config.set(None)
            quiet = otel_context.attach(otel_context.set_value(_SUPPRESSED, True))
            try:
                got = await runnable.ainvoke(messages, {"callbacks": []})
            except Exception as error:
                # Each provider's client has exceptions of its own; whichever comes, the member has no answer.
                if type(error).__name__ in _OF_THE_ANSWER:
                    return ""
                said = " ".join(str(error).split())[:300]
                raise CommunityError(
                    f"the model of {self._name} ({self._voice.spec}) failed: {type(error).__name__}: {said}"
                ) from error
            finally:
                otel_context.detach(quiet)
                var_child_runnable_config.reset(ambient)
        message: BaseMessage = got["raw"] if isinstance(got, dict) else got
        if isinstance(message, AIMessage):
            self._usage.answered(message.usage_metadata)
            if message.tool_calls and schema is not None:
                return json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
        return str(message.text)

    def _runnable(self, schema: dict[str, Any] | None) -> Runnable[Any, Any]:
        if schema is None:
            return self._voice.model
        title = schema["title"]
        if title not in self._runnables:
            self._runnables[title] = _held_to(self._voice.model, schema)
        return self._runnables[title]


def _held_to(model: BaseChatModel, schema: dict[str, Any]) -> Runnable[Any, Any]:
    """The model, held to a schema where its class knows how."""
    try:
        return model.with_structured_output(schema, include_raw=True)
    except NotImplementedError:  # how LangChain says that a model cannot
        return model
