"""Plain functions: of a text, of an observation, of a view, of a conversation, in one piece or streamed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial

from langchain_core.messages import AIMessage, BaseMessage

from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.public import NewcomerView, Observation, Reply


def of_text(text: str) -> str:
    return "wait"


async def of_text_async(text):
    await asyncio.sleep(0)
    return "wait"


def of_observation(observation: Observation) -> Reply:
    return Reply(act=Act(verb="wait"), words=observation.text[:10])


async def of_view(view: NewcomerView) -> Act:
    return next(act for act in view.available if act.verb == "wait")


def of_dicts(messages: list[dict]) -> dict:
    """As providers' APIs have it: the whole conversation in, one message out."""
    assert [m["role"] for m in messages] == (["user", "assistant"] * len(messages))[: len(messages)]
    return {"role": "assistant", "content": f"Turn {len(messages) // 2 + 1}, my friends."}


def of_messages(messages: list[BaseMessage]) -> AIMessage:
    return AIMessage(f"Turn {len(messages) // 2 + 1}, my friends.")


async def streamed(text: str) -> AsyncIterator[str]:
    for piece in ("wa", "it"):
        yield piece


def streamed_in_a_thread(text: str):
    yield "wa"
    yield "it"


async def thinks_then_acts(view: NewcomerView):
    yield "Let me see ..."
    yield Act(verb="wait")


class Called:
    async def __call__(self, observation: Observation) -> dict:
        return {"verb": "wait"}


called = Called()
filled = partial(lambda greeting, text: "wait", "hello")


def of_two(text: str, history: list) -> str:
    """Nobody can know what `history` is to be."""
    return "wait"
