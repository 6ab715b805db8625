"""A memory for graphs that keeps objects as they are, instead of writing them out.

A graph without a checkpointer may hold anything in its state: clients, locks, classes defined in a function.
Writing that out could fail, or give back something else, where the graph alone would have worked.
"""

from __future__ import annotations

from typing import Any


class KeptObjects:
    """A serializer, as LangGraph's savers take one, whose bytes only name what it holds.

    Plain dicts and lists are copied on the way in and out, since graphs change those in place.
    """

    def __init__(self) -> None:
        self._objects: list[Any] = []

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Keep an object."""
        self._objects.append(_copied(obj))
        return "kept", str(len(self._objects) - 1).encode()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The object kept."""
        return _copied(self._objects[int(data[1])])


def _copied(obj: Any) -> Any:
    if type(obj) is dict:
        return {key: _copied(value) for key, value in obj.items()}
    if type(obj) is list:
        return [_copied(value) for value in obj]
    return obj
