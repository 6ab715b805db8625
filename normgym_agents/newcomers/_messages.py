"""Reading LangChain messages and events: words, calls that nobody ran, what a provider counted or still owes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from normgym_agents.errors import ModelError
from normgym_agents.newcomers._failures import crossed
from normgym_agents.newcomers.acting import Usage
from normgym_agents.newcomers.spending import spending


class Meter(BaseCallbackHandler):
    """Counts model calls and tokens, also of calls that leave no message behind, and those under way."""

    def __init__(self) -> None:
        self._calls = 0
        self._input: int | None = None
        self._output: int | None = None
        self._under_way: set[UUID] = set()
        self._spending = spending()

    @property
    def waiting(self) -> bool:
        """Whether a call has begun and not come back; one that was cancelled counts as such."""
        return bool(self._under_way)

    def on_llm_start(self, serialized: dict[str, Any], prompts: list[str], *, run_id: UUID, **_: Any) -> None:
        """A model that completes text is asked."""
        self._asked(run_id)

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **_: Any
    ) -> None:
        """A chat model is asked."""
        self._asked(run_id)

    def _asked(self, run_id: UUID) -> None:
        self._under_way.add(run_id)
        if self._spending is not None:
            self._spending.asked(run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """One call failed."""
        if isinstance(error, asyncio.CancelledError):
            return
        self._under_way.discard(run_id)
        if self._spending is not None:
            failed = isinstance(crossed(error), ModelError)
            (self._spending.failed if failed else self._spending.dropped)(run_id)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """Add up one call."""
        self._under_way.discard(run_id)
        self._calls += 1
        tokens = 0
        for generations in response.generations:
            for generation in generations[:1]:
                message = generation.message if isinstance(generation, ChatGeneration) else None
                used = message.usage_metadata if isinstance(message, AIMessage) else None
                if used is not None:
                    self._input = (self._input or 0) + used["input_tokens"]
                    self._output = (self._output or 0) + used["output_tokens"]
                    tokens += used["input_tokens"] + used["output_tokens"]
        if self._spending is not None:
            self._spending.answered(run_id, tokens)

    def usage(self) -> Usage:
        """The sums; None for calls where no model was seen at all."""
        return Usage(model_calls=self._calls or None, input_tokens=self._input, output_tokens=self._output)


def words_of(messages: Sequence[BaseMessage]) -> str:
    """The text of the last message."""
    return str(messages[-1].text) if messages else ""


def open_calls(messages: Sequence[BaseMessage]) -> list[tuple[str, str, object]]:
    """Tool calls without a result, as id, name and arguments; broken ones with their raw text."""
    run = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
    calls: list[tuple[str, str, object]] = []
    for message in messages:
        if isinstance(message, AIMessage):
            calls += [(c["id"] or "", c["name"], c["args"]) for c in message.tool_calls if c["id"] not in run]
            broken = (c for c in message.invalid_tool_calls if c["id"] not in run)
            calls += [(c["id"] or "", c["name"] or "", c["args"] or "") for c in broken]
    return calls


def results_for(calls: Sequence[tuple[str, str, object]], result: str | None = None) -> list[BaseMessage]:
    """Results that close calls which nobody ran: providers refuse a conversation with open ones."""
    said = "ok" if result is None else result
    return [ToolMessage(content=said, tool_call_id=key, name=name) for key, name, _ in calls if key]
