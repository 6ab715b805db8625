"""Adapters and newcomers that other packages bring: entry points of the group `normgym_agents.newcomers`.

An entry point leads to an `Adapter`, which fits agents of a framework that is not known here, or to a newcomer, which
`plug-in:NAME` then names. A package that fails to load takes nothing with it: it is told of where what was asked for
cannot be had without it.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from normgym_agents.errors import BadInput, NormgymError
from normgym_agents.newcomers._cleaning import one_line
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.newcomers.wiring import Wiring

GROUP: Final = "normgym_agents.newcomers"

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Adapter:
    """Fits agents of one kind.

    Attributes:
        kind: What reports call the kind, e.g. `agent_framework`.
        fits: Whether an object is one. It is asked about whatever is no function, no class and of no kind that is
            known here, so it should import nothing: an object's classes tell where it comes from.
        adapt: Makes a factory of newcomers (`Newcomer`) from the object, what messages call it and how it is
            connected. Raises `BadInput` where the object will not do.
    """

    kind: str
    fits: Callable[[object], bool]
    adapt: Callable[[object, str, Wiring], NewcomerFactory]


@dataclass(frozen=True, kw_only=True)
class PlugIn:
    """An entry point, as it is listed.

    Attributes:
        name: Its name.
        package: The package that brings it; None where that is not known.
        adapts: The kind of agents that it adapts; None for a newcomer.
        broken: Why it cannot be loaded; None if it can.
    """

    name: str
    package: str | None
    adapts: str | None = None
    broken: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Loaded:
    """What the entry points of this environment lead to, and those that lead to nothing."""

    adapters: tuple[tuple[EntryPoint, Adapter], ...]
    listed: tuple[PlugIn, ...]


def adapter_for(obj: object) -> Adapter | None:
    """The adapter of another package that fits an object.

    Raises:
        BadInput: Two say that they do.
    """
    if inspect.isroutine(obj) or isinstance(obj, type | partial):
        return None
    fitting = [(point, adapter) for point, adapter in _load().adapters if _fits(point, adapter, obj)]
    if len(fitting) > 1:
        names = ", ".join(_named(point) for point, _ in fitting)
        raise BadInput(
            f"several plug-ins adapt a {type(obj).__qualname__}: {names}", expected="one of them installed"
        )
    return fitting[0][1] if fitting else None


def adapted_by(adapter: Adapter, obj: object, name: str, wiring: Wiring) -> NewcomerFactory:
    """What an adapter makes of an object.

    Raises:
        BadInput: It fails, or makes no factory.
    """
    try:
        factory = adapter.adapt(obj, name, wiring)
    except NormgymError:
        raise
    except Exception as error:
        raise BadInput(f"the plug-in for {adapter.kind} cannot adapt {name}: {_told(error)}") from error
    if not callable(factory):
        raise BadInput(f"the plug-in for {adapter.kind} made a {type(factory).__name__}, and no factory")
    return factory


def broken_plug_ins() -> tuple[str, ...]:
    """What could not be loaded, each in a sentence."""
    return tuple(one.broken for one in _load().listed if one.broken is not None)


def plug_ins() -> tuple[PlugIn, ...]:
    """All entry points, loaded, also those that cannot be."""
    return _load().listed


def plug_in_names() -> list[str]:
    """The names of all entry points, adapters included, without loading any."""
    return sorted(point.name for point in _points())


def plug_in(name: str) -> object:
    """The newcomer that an entry point leads to.

    Raises:
        BadInput: There is none, it cannot be loaded, or it is an adapter.
    """
    points = [point for point in _points() if point.name == name]
    if not points:
        known = " | ".join(f"plug-in:{known}" for known in plug_in_names())
        raise BadInput(
            f"no installed package brings a newcomer {name!r}", expected=known or "none is installed"
        )
    if len({point.value for point in points}) > 1:
        raise BadInput(f"several packages bring {name!r}: {', '.join(map(_named, points))}")
    try:
        found: object = points[0].load()
    except Exception as error:
        raise BadInput(f"the plug-in {_named(points[0])} cannot be loaded: {_told(error)}") from error
    if isinstance(found, Adapter):
        raise BadInput(
            f"plug-in:{name} adapts agents, and is none", expected="path/to/file.py:name of an agent"
        )
    return found


def _points() -> tuple[EntryPoint, ...]:
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)))


@cache
def _load() -> _Loaded:
    adapters: list[tuple[EntryPoint, Adapter]] = []
    listed: list[PlugIn] = []
    for point in _points():
        package = None if point.dist is None else point.dist.name
        try:
            found = point.load()
        except Exception as error:  # noqa: BLE001 # another package's module, which may raise anything
            broken = f"the plug-in {_named(point)} cannot be loaded: {_told(error)}"
            listed.append(PlugIn(name=point.name, package=package, broken=broken))
            _LOG.warning("%s", broken)
        else:
            adapts = found.kind if isinstance(found, Adapter) else None
            listed.append(PlugIn(name=point.name, package=package, adapts=adapts))
            if isinstance(found, Adapter):
                adapters.append((point, found))
    return _Loaded(adapters=tuple(adapters), listed=tuple(listed))


def _fits(point: EntryPoint, adapter: Adapter, obj: object) -> bool:
    try:
        return bool(adapter.fits(obj))
    except Exception as error:  # noqa: BLE001 # likewise
        _LOG.warning("the plug-in %s cannot tell what it fits: %s", _named(point), _told(error))
        return False


def _named(point: EntryPoint) -> str:
    package = "" if point.dist is None else f" of {point.dist.name}"
    return f"{point.name!r}{package}"


def _told(error: Exception) -> str:
    return one_line(f"{type(error).__name__}: {error}")
