"""Environment variables that stand while an agent is in use, and not longer."""

from __future__ import annotations

import os
from collections.abc import Mapping


class Variables:
    """Sets variables, but none that is set already: what a user exports counts more than what a file says.

    Args:
        wanted: Names and values.
    """

    def __init__(self, wanted: Mapping[str, str]) -> None:
        self._set = {name: value for name, value in wanted.items() if name not in os.environ}
        os.environ.update(self._set)

    def close(self) -> None:
        """Take off again what nobody has changed since; more than once is harmless."""
        for name, value in self._set.items():
            if os.environ.get(name) == value:
                del os.environ[name]
        self._set.clear()
