"""What a graph's runs need besides their input: a context, configured keys, a store of the episode's own."""

from __future__ import annotations

import copy
import linecache
from collections.abc import Collection, Iterator, Mapping
from types import CodeType, FunctionType, MethodType
from typing import Any, Final

from langgraph.pregel import Pregel
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from pydantic import ValidationError

from normgym_agents.errors import BadInput, NotConnected
from normgym_agents.newcomers._failures import chain, first_fault
from normgym_agents.newcomers._schemas import hints, makes_objects, required
from normgym_agents.newcomers.exports import of_a_framework
from normgym_agents.newcomers.talking import lacking_key
from normgym_agents.newcomers.wiring import Wiring

Graph = Pregel[Any, Any, Any, Any]

_MOST_SEEN: Final = 2_000
_STORES: Final = frozenset({"store", "get_store"})
_INSIDE: Final = ("func", "afunc", "coroutine", "bound", "steps", "tools_by_name", "nodes")
"""Where runnables and tools keep the functions that they run."""


class _Context(dict[str, Any]):
    """A context that is a dict. LangGraph takes an empty one for none, and some graphs break on None."""

    def __bool__(self) -> bool:
        return True


def takes_model(graph: Any) -> bool:
    """Whether the graph's context has a field `model`."""
    return "model" in hints(graph.context_schema)


def context_for(graph: Graph, wiring: Wiring, name: str) -> Any:
    """The context of a graph's runs: what the mapping says and the model, as an object of the graph's own class.

    A graph that has a class for it may not look whether there is any, so it always gets one.

    Raises:
        BadInput: A field is missing that has no default, or one is given that there is none of; names it.
    """
    schema, mapped = graph.context_schema, wiring.mapping.context
    if schema is None:
        return dict(mapped) or None
    given = {**({"model": wiring.model} if wiring.model and takes_model(graph) else {}), **mapped}
    if not makes_objects(schema):
        return _Context(given)
    fields = required(schema)
    unknown = [key for key in mapped if key not in fields]
    if unknown:
        raise BadInput(
            f"{name} has no such field in its context",
            field=f"mapping.context.{unknown[0]}",
            expected=" | ".join(fields),
        )
    missing = [key for key, needed in fields.items() if needed and key not in given]
    if missing:
        wanted = ",".join(f"context.{key}=VALUE" for key in missing)
        raise BadInput(f"{name} needs {', '.join(missing)} in its context", expected=f"--mapping {wanted}")
    try:
        return schema(**given)
    except ValidationError as error:
        raise BadInput(f"the context of {name}: {first_fault(error)}", field="mapping.context") from error


def lacking(error: BaseException, name: str, asked_of: Collection[str] = ()) -> NotConnected | None:
    """What to say of a run that broke because it was not configured; None where something else was the trouble.

    Args:
        error: What the run raised.
        name: What messages call the graph.
        asked_of: Keys of its state that nothing has been put under.
    """
    for one in chain(error):
        if isinstance(one, KeyError) and one.args and isinstance(key := one.args[0], str):
            part = _looked_in(one)
            if part is not None:
                return NotConnected(
                    f"{name} needs {key!r} in its {part}", expected=f"--mapping {part}.{key}=VALUE"
                )
            if key in asked_of:
                return lacking_key(name, key)
    return None


def _looked_in(error: KeyError) -> str | None:
    """Where a missing key was looked for, by the line that looked."""
    trace = error.__traceback__
    if trace is None:
        return None
    while trace.tb_next is not None:
        trace = trace.tb_next
    frame = trace.tb_frame
    line = linecache.getline(frame.f_code.co_filename, trace.tb_lineno)
    if "configurable" in line or any(
        isinstance(value, Mapping) and "thread_id" in value for value in frame.f_locals.values()
    ):
        return "configurable"
    return "context" if "context" in line else None


def store_for(graph: Graph) -> BaseStore | None:
    """A store of one episode's own.

    An owner's store in memory is copied with what it holds; another kind is the owner's to keep apart. A graph that
    has none gets an empty one if its code asks for a store, as it would where LangGraph serves it.
    """
    store = graph.store
    if store is None:
        return InMemoryStore() if _asks_for_store(graph) else None
    if type(store) is not InMemoryStore:
        return store
    own = copy.copy(store)
    for held in ("_data", "_vectors"):
        setattr(own, held, _copied(getattr(store, held)))
    return own


def _copied(held: Any) -> Any:
    """Nested dicts copied, and what is in them kept."""
    if not isinstance(held, dict):
        return held
    own = copy.copy(held)  # a defaultdict stays one
    for key, value in held.items():
        own[key] = _copied(value)
    return own


def _asks_for_store(graph: Graph) -> bool:
    return any(_STORES & _names(function.__code__) for function in _functions(graph))


def _names(code: CodeType) -> set[str]:
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    inner = (_names(one) for one in code.co_consts if isinstance(one, CodeType))
    return {*code.co_names, *arguments}.union(*inner)


def _functions(graph: Graph) -> Iterator[FunctionType]:
    """The functions of the agent's own that a graph runs, and those that these call by name."""
    seen: set[int] = set()
    waiting: list[Any] = [graph]
    while waiting and len(seen) < _MOST_SEEN:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, MethodType):
            one = one.__func__
        if isinstance(one, FunctionType):
            waiting += [cell.cell_contents for cell in one.__closure__ or () if _filled(cell)]
            waiting.append(getattr(one, "__wrapped__", None))
            if not one.__module__.partition(".")[0].startswith(("langgraph", "langchain")):
                waiting += [
                    called for key in one.__code__.co_names if _is_code(called := one.__globals__.get(key))
                ]
                yield one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
        elif of_a_framework(one):
            waiting += [getattr(one, inside, None) for inside in _INSIDE]


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # not assigned yet
        return False


def _is_code(value: object) -> bool:
    return isinstance(value, FunctionType | MethodType) or of_a_framework(value)
