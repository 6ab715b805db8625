"""Random draws that are a pure function of their key.

Worlds must be the same on every machine and with every version of numpy, and a draw must not depend on
how many others were made before it: so each is a hash of a key.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")

_SCALE = 2.0**-53


def uniform(*key: str | int) -> float:
    """A number in [0, 1) that depends on the key alone."""
    text = "\x1f".join(str(part) for part in key)
    digest = blake2b(text.encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) * _SCALE


class Draws:
    """A stream of draws under one key."""

    def __init__(self, *key: str | int) -> None:
        self._key, self._count = key, 0

    def apart(self, *key: str | int) -> Draws:
        """A stream of its own under a longer key."""
        return Draws(*self._key, *key)

    def uniform(self) -> float:
        """The next number in [0, 1)."""
        self._count += 1
        return uniform(*self._key, self._count)

    def integer(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included."""
        return low + int(self.uniform() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.integer(0, len(items) - 1)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All items in a drawn order (Fisher and Yates)."""
        order = list(items)
        for i in range(len(order) - 1, 0, -1):
            j = self.integer(0, i)
            order[i], order[j] = order[j], order[i]
        return order
