"""The tools that an owner may give an agent to act with: `act`, `say`, `wait` and `look`.

The same four for every setting, so that an agent can be built before it is known where it goes. They come
as plain functions, which AutoGen and most other frameworks take as they are, and as LangChain tools, which also
tell LangChain's loops to end there. None of them decides whether an act can be done: they write it down for
the turn (`offering`), where it is read like any other answer.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, Final

from normgym_agents.newcomers.acting import ACT_TOOL
from normgym_agents.newcomers.offering import DONE, NOBODY_WAITS, SAY_TOOL, WAIT_TOOL, current

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

AUTOGEN: Final = frozenset({"autogen_agentchat", "autogen_core", "autogen_ext"})
"""AutoGen's packages."""

ActingFunction = Callable[..., Awaitable[str]]


def act(
    verb: Annotated[str, "What to do: a verb that stands under `You can`, for example go."],
    thing: Annotated[str, "The thing, as it is called, where the verb takes one."] = "",
    place: Annotated[str, "The place, where the verb takes one."] = "",
    to: Annotated[str, "The person's name, where the verb takes one."] = "",
    say: Annotated[str, "The words, where the verb takes words."] = "",
    topic: Annotated[str, "What it is about, where the verb takes a topic."] = "",
    address: Annotated[str, "What the person is called, where the verb takes a form of address."] = "",
) -> str:
    """Do one thing. Your turn ends with it."""
    slots = {"thing": thing, "place": place, "to": to, "say": say, "topic": topic, "address": address}
    return _acted(ACT_TOOL, verb=verb, **{slot: value for slot, value in slots.items() if value})


def say(words: Annotated[str, "The words."]) -> str:
    """Say something to those who are here. Your turn ends with it."""
    return _acted(SAY_TOOL, say=words)


def wait() -> str:
    """Do nothing for now. Your turn ends with it."""
    return _acted(WAIT_TOOL)


def look() -> str:
    """Look again at what you were told last: where you are, what you have seen, what you can do. Not an act."""
    offer = current()
    return NOBODY_WAITS if offer is None else offer.text


_ACTING: Final = (act, say, wait)
_ALL: Final = (*_ACTING, look)


def acting_functions() -> list[ActingFunction]:
    """The tools as asynchronous functions, for example `AssistantAgent(…, tools=acting_functions())`."""
    return [_asynchronous(function) for function in _ALL]


def acting_tools() -> list[BaseTool]:
    """The tools as LangChain and LangGraph take them, to be given to `create_agent` or to a `ToolNode`."""
    from langchain_core.tools import StructuredTool

    return [
        StructuredTool.from_function(
            func=function, coroutine=_asynchronous(function), return_direct=function in _ACTING
        )
        for function in _ALL
    ]


def tools_for(factory: Callable[..., object]) -> list[Any]:
    """The tools as a factory's parameter `tools` gets them: of AutoGen's kind where it makes an agent of AutoGen's."""
    return [*acting_functions()] if _of_autogen(factory) else [*acting_tools()]


def _of_autogen(factory: Callable[..., object], depth: int = 3) -> bool:
    if isinstance(factory, type):
        return any(kind.__module__.partition(".")[0] in AUTOGEN for kind in factory.__mro__)
    function = inspect.unwrap(factory)
    names: tuple[str, ...] = getattr(getattr(function, "__code__", None), "co_names", ())
    space: dict[str, object] = getattr(function, "__globals__", {})
    # What it names may be imported at the head of its module, or first in its body.
    rooms = [*names, *(str(getattr(space.get(name), "__module__", "")) for name in names)]
    if any(room.partition(".")[0] in AUTOGEN for room in rooms):
        return True
    helpers = [found for name in names if inspect.isfunction(found := space.get(name))]
    return depth > 0 and any(_of_autogen(helper, depth - 1) for helper in helpers)


def _acted(name: str, **data: str) -> str:
    offer = current()
    if offer is None:
        return NOBODY_WAITS
    offer.take(name, data)
    return DONE


def _asynchronous(function: Callable[..., str]) -> ActingFunction:
    """The same, on the loop: frameworks run what is not asynchronous in threads, AutoGen without its context."""

    @functools.wraps(function)
    async def call(*given: str, **named: str) -> str:
        return function(*given, **named)

    return call
