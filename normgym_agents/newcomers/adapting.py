"""Which adapter fits an object. Adapters are imported only when one is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from normgym_agents.errors import BadInput
from normgym_agents.newcomers._legacy import TO_PORT, is_legacy
from normgym_agents.newcomers._parameters import is_factory, required_of, takes_model
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory
from normgym_agents.newcomers.exports import maker_of
from normgym_agents.newcomers.registry import adapted_by, adapter_for, broken_plug_ins
from normgym_agents.newcomers.wiring import Wiring

ModelEffect = Literal["none given", "taken", "offered", "ignored"]
"""What becomes of a model that was asked for: the agent is built on it (`taken`), it lies where graphs look
for one and may not be looked at (`offered`), or nothing of the agent could see it (`ignored`)."""

_ACCEPTED: Final = (
    "a LangGraph graph (compiled or not), an AutoGen agent, a LangChain chat model or chain, a function from text to "
    "text, "
    "a function or class that makes one of these, or an object that has one (`load`, `get_graph`, `build`, `graph`)"
)


@dataclass(frozen=True, kw_only=True)
class Adapted:
    """An object made into newcomers.

    Attributes:
        kind: `langgraph`, `remote_graph`, `autogen`, `chat_model`, `runnable`, `callable`, `newcomer`, `factory` or an
            adapter's of another package.
        factory: Makes the newcomer of one episode.
        model_effect: What became of the model that was asked for.
    """

    kind: str
    factory: NewcomerFactory
    model_effect: ModelEffect


def adapt(obj: object, name: str = "the newcomer", wiring: Wiring | None = None) -> Adapted:
    """Make newcomers of an agent, without changing it.

    Args:
        obj: A graph, an agent, a chat model, a function, or a factory of these (sync or async, also an
            async context manager); a factory is called once per episode.
        name: What messages call it.
        wiring: How it is connected; None for the defaults.

    Raises:
        BadInput: Nothing fits the object.
    """
    wiring = wiring or Wiring()
    ready = adapt_ready(obj, name, wiring)
    if ready is not None:
        return ready
    if callable(obj):
        if is_factory(obj):
            return _factory(obj, name, wiring)
        if isinstance(obj, type):
            needed = ", ".join(f"`{one}`" for one in required_of(obj))
            raise BadInput(
                f"{name} is a class needing {needed}",
                expected=f"an object of it, or a factory: def agent(): return {obj.__name__}(…)",
            )
        from normgym_agents.newcomers.callables import adapt_callable

        factory = adapt_callable(obj, name)
        return Adapted(kind="callable", factory=factory, model_effect=_effect(wiring, "ignored"))
    maker = maker_of(obj)
    if maker is not None:
        return _factory(maker, name, wiring)
    kind = type(obj).__qualname__
    if type(obj).__module__ != "builtins":
        kind = f"{type(obj).__module__}.{kind}"
    broken = "".join(f"; {one}" for one in broken_plug_ins())
    raise BadInput(f"{name} is a {kind}, which cannot take part{broken}", expected=_ACCEPTED)


def adapt_ready(obj: object, name: str, wiring: Wiring) -> Adapted | None:
    """The adapter of something that is an agent as it stands; None for functions and whatever else."""
    rooms = {kind.__module__.partition(".")[0] for kind in type(obj).__mro__}
    if any(map(is_legacy, rooms)):
        raise BadInput(f"{name} is a {type(obj).__name__} of AutoGen 0.2", expected=TO_PORT)
    if rooms & {"autogen_agentchat", "autogen_core", "autogen_ext"}:
        from normgym_agents.newcomers.autogen import adapt_agent

        return Adapted(
            kind="autogen", factory=adapt_agent(obj, name, wiring), model_effect=_effect(wiring, "ignored")
        )
    if "langgraph" in rooms and (graph := _graph(obj, name, wiring)):
        return graph
    if "langchain_core" in rooms and (chat := _chat_model(obj)):
        return Adapted(kind="chat_model", factory=chat, model_effect=_effect(wiring, "ignored"))
    if "langchain_core" in rooms and (runnable := _runnable(obj, name, wiring)):
        return Adapted(kind="runnable", factory=runnable, model_effect=_effect(wiring, "ignored"))
    if _is_newcomer(obj):
        # Not ours to copy: whoever gives one object gives it for all episodes.
        newcomer: Newcomer = obj  # type: ignore[assignment] # has the contract's methods
        effect = _effect(wiring, "ignored")
        return Adapted(kind="newcomer", factory=lambda _: newcomer, model_effect=effect)
    if (adapter := adapter_for(obj)) is not None:
        factory = adapted_by(adapter, obj, name, wiring)
        return Adapted(kind=adapter.kind, factory=factory, model_effect=_effect(wiring, "offered"))
    return None


def _effect(wiring: Wiring, effect: ModelEffect) -> ModelEffect:
    return "none given" if wiring.model is None else effect


def _factory(make: Callable[..., Any], name: str, wiring: Wiring) -> Adapted:
    from normgym_agents.newcomers.factories import adapt_factory

    factory = adapt_factory(make, name, wiring)
    # Without such a parameter it still goes to the graph that the factory may make.
    effect = _effect(wiring, "taken" if takes_model(make) else "offered")
    return Adapted(kind="factory", factory=factory, model_effect=effect)


def _graph(obj: object, name: str, wiring: Wiring) -> Adapted | None:
    from langgraph.graph import StateGraph
    from langgraph.pregel import Pregel
    from langgraph.pregel.remote import RemoteGraph

    from normgym_agents.newcomers._runtime import takes_model as context_takes_model
    from normgym_agents.newcomers.langgraph import adapt_graph

    if isinstance(obj, RemoteGraph):
        from normgym_agents.newcomers.remote import adapt_remote

        return Adapted(
            kind="remote_graph", factory=adapt_remote(obj, wiring), model_effect=_effect(wiring, "offered")
        )
    if not isinstance(obj, Pregel | StateGraph):
        return None
    factory = adapt_graph(obj, name, wiring)
    effect = _effect(wiring, "taken" if context_takes_model(obj) else "offered")
    return Adapted(kind="langgraph", factory=factory, model_effect=effect)


def _chat_model(obj: object) -> NewcomerFactory | None:
    from langchain_core.language_models import BaseChatModel

    from normgym_agents.newcomers.chat_model import adapt_chat_model

    return adapt_chat_model(obj) if isinstance(obj, BaseChatModel) else None


def _runnable(obj: object, name: str, wiring: Wiring) -> NewcomerFactory | None:
    from langchain_core.runnables import Runnable
    from langgraph.pregel import Pregel

    if not isinstance(obj, Runnable) or isinstance(obj, Pregel):
        return None
    from normgym_agents.newcomers.runnables import adapt_runnable

    return adapt_runnable(obj, name, wiring)


def _is_newcomer(obj: object) -> bool:
    methods: tuple[Callable[..., object] | None, ...] = tuple(
        getattr(obj, method, None) for method in ("join", "turn", "leave")
    )
    return not isinstance(obj, type) and all(callable(method) for method in methods)
