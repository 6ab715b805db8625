"""Which adapter fits an object. Adapters are imported only when one is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from normgym_agents.errors import BadInput
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory

RECURSION_LIMIT: Final = 50
"""The most steps of a graph in one turn."""

_ACCEPTED: Final = (
    "a LangGraph graph (compiled or not), an AutoGen agent, a LangChain chat model, a function from text to text, "
    "or a function without arguments that makes one of these"
)


@dataclass(frozen=True, kw_only=True)
class Adapted:
    """An object made into newcomers.

    Attributes:
        kind: `langgraph`, `autogen`, `chat_model`, `callable`, `newcomer` or `factory`.
        factory: Makes the newcomer of one episode.
    """

    kind: str
    factory: NewcomerFactory


def adapt(
    obj: object,
    name: str = "the newcomer",
    *,
    model: str | None = None,
    recursion_limit: int = RECURSION_LIMIT,
) -> Adapted:
    """Make newcomers of an agent, without changing it.

    Args:
        obj: A graph, an agent, a chat model, a function, or a factory of these (sync or async, also an
            async context manager); a factory is called once per episode.
        name: What messages call it.
        model: A model's name for whatever takes one; see `newcomers.factories` and `newcomers.langgraph`.
        recursion_limit: The most steps of a graph in one turn, at least 1.

    Raises:
        BadInput: Nothing fits the object.
    """
    ready = adapt_ready(obj, name, model=model, recursion_limit=recursion_limit)
    if ready is not None:
        return ready
    if callable(obj):
        from normgym_agents.newcomers.factories import adapt_factory, is_factory

        if is_factory(obj):
            return Adapted(
                kind="factory", factory=adapt_factory(obj, name, model=model, recursion_limit=recursion_limit)
            )
        from normgym_agents.newcomers.callables import adapt_callable

        return Adapted(kind="callable", factory=adapt_callable(obj))
    kind = f"{type(obj).__module__}.{type(obj).__qualname__}"
    raise BadInput(f"{name} is a {kind}, which cannot take part", expected=_ACCEPTED)


def adapt_ready(obj: object, name: str, *, model: str | None, recursion_limit: int) -> Adapted | None:
    """The adapter of something that is an agent as it stands; None for functions and whatever else."""
    rooms = {kind.__module__.partition(".")[0] for kind in type(obj).__mro__}
    if rooms & {"autogen_agentchat", "autogen_core", "autogen_ext"}:
        from normgym_agents.newcomers.autogen import adapt_agent

        return Adapted(kind="autogen", factory=adapt_agent(obj, name))
    if "langgraph" in rooms and (graph := _graph(obj, name, model, recursion_limit)):
        return Adapted(kind="langgraph", factory=graph)
    if "langchain_core" in rooms and (chat := _chat_model(obj)):
        return Adapted(kind="chat_model", factory=chat)
    if _is_newcomer(obj):
        # Not ours to copy: whoever gives one object gives it for all episodes.
        newcomer: Newcomer = obj  # type: ignore[assignment] # has the contract's methods
        return Adapted(kind="newcomer", factory=lambda _: newcomer)
    return None


def _graph(obj: object, name: str, model: str | None, recursion_limit: int) -> NewcomerFactory | None:
    from langgraph.graph import StateGraph
    from langgraph.pregel import Pregel

    from normgym_agents.newcomers.langgraph import adapt_graph

    if not isinstance(obj, Pregel | StateGraph):
        return None
    return adapt_graph(obj, name, model=model, recursion_limit=recursion_limit)


def _chat_model(obj: object) -> NewcomerFactory | None:
    from langchain_core.language_models import BaseChatModel

    from normgym_agents.newcomers.chat_model import adapt_chat_model

    return adapt_chat_model(obj) if isinstance(obj, BaseChatModel) else None


def _is_newcomer(obj: object) -> bool:
    methods: tuple[Callable[..., object] | None, ...] = tuple(
        getattr(obj, method, None) for method in ("join", "turn", "leave")
    )
    return not isinstance(obj, type) and all(callable(method) for method in methods)
