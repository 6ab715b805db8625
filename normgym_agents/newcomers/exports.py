"""What people export instead of an agent: an object or a class that has one, or a method that makes one.

Told by the names that such methods and attributes have in the wild; an object that is an agent as it stands is
never looked into.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

from normgym_agents.newcomers._parameters import is_factory, parameters_of

_MAKERS: Final = (
    "load",
    "get_graph",
    "build_graph",
    "create_graph",
    "build",
    "get_agent",
    "build_agent",
    "create_agent",
    "compile",
    "create",
)
_HOLDERS: Final = ("graph", "agent", "app", "workflow", "runnable")
_FRAMEWORKS: Final = frozenset(
    {"langgraph", "langchain", "langchain_core", "autogen_agentchat", "autogen_core", "autogen_ext"}
)


def maker_of(obj: object) -> Callable[..., Any] | None:
    """What gives the agent that an object has: a method that makes it, or an attribute that holds it.

    None for what is no such object: functions, classes, and whatever belongs to a framework, where such
    names mean something else (every runnable of LangChain has a `get_graph` that draws it).
    """
    if callable(obj) or of_a_framework(obj):
        return None
    for name in _MAKERS:
        method = getattr(obj, name, None)
        if callable(method) and is_factory(method):
            return method  # type: ignore[no-any-return] # it is callable
    held = next((name for name in _HOLDERS if getattr(obj, name, None) is not None), None)
    return None if held is None else lambda: getattr(obj, held)


def of_a_framework(obj: object) -> bool:
    """Whether an object's class, or one that it comes from, is of an agent framework."""
    return any(kind.__module__.partition(".")[0] in _FRAMEWORKS for kind in type(obj).__mro__)


def has_of_its_own(kind: type, name: str) -> bool:
    """Whether a class has something itself, and not only the objects that are made of it."""
    found = inspect.getattr_static(kind, name, None)
    if found is None:
        return not _set_on_objects(kind, name)
    return not (inspect.isfunction(found) or isinstance(found, property | functools.cached_property))


def of_an_object(kind: type, name: str) -> Callable[..., Any]:
    """A factory of what an object of a class has by a name, each time of an object of its own.

    A method that makes an agent is called; one that is an agent (it takes text) is given as it is. The factory
    takes what the constructor takes, and what such a method takes.
    """
    method = inspect.getattr_static(kind, name, None)
    function = method if inspect.isfunction(method) else None
    makes = function is not None and is_factory(functools.partial(function, None))
    made_with = parameters_of(kind)
    called_with: Mapping[str, inspect.Parameter] = (
        parameters_of(functools.partial(function, None)) if function is not None and makes else {}
    )

    def make(**given: Any) -> Any:
        obj = kind(**{key: value for key, value in given.items() if key in made_with})
        found = getattr(obj, name)
        return found(**{key: value for key, value in given.items() if key in called_with}) if makes else found

    both = {**called_with, **made_with}
    keywords = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in both.values()]
    make.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined] # as `inspect` reads it
    make.__name__ = make.__qualname__ = f"{kind.__name__}.{name}"
    return make


def _set_on_objects(kind: type, name: str) -> bool:
    """Whether a constructor seems to set an attribute."""
    fields = {*getattr(kind, "__annotations__", {})}
    return name in fields or any(
        name in getattr(getattr(base, "__init__", None), "__code__", _NO_CODE).co_names
        for base in kind.__mro__
    )


class _NoCode:
    co_names: tuple[str, ...] = ()


_NO_CODE: Final = _NoCode()
