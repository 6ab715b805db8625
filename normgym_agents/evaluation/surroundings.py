"""What an agent's code can change for the whole process, kept from one episode to the next.

Where episodes follow one another, each begins with what there was before the first. Where they run side by side
nothing can be put back, since another may be counting on it; then what has changed is said at the end of the run, by
name alone: values may be secret.
"""

from __future__ import annotations

import contextlib
import logging
import os
import random
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class _State:
    """The state of a process, as far as agents tend to change it."""

    environ: dict[str, str]
    folder: str | None
    path: tuple[str, ...]
    level: int
    disabled: int
    drawn: object
    drawn_by_numpy: Any

    @classmethod
    def now(cls) -> _State:
        return cls(
            dict(os.environ),
            _folder(),
            tuple(sys.path),
            logging.root.level,
            logging.root.manager.disable,
            random.getstate(),
            np.random.get_state(),  # noqa: NPY002 # an agent's, which is only put back
        )

    def put_back(self) -> None:
        for name in os.environ.keys() - self.environ.keys():
            del os.environ[name]
        os.environ.update(self.environ)
        if self.folder is not None and self.folder != _folder():
            with contextlib.suppress(OSError):  # it may be gone
                os.chdir(self.folder)
        sys.path[:] = self.path
        logging.root.setLevel(self.level)
        logging.disable(self.disabled)
        random.setstate(self.drawn)  # type: ignore[arg-type] # what getstate gave
        np.random.set_state(self.drawn_by_numpy)  # noqa: NPY002 # likewise

    def changed(self) -> Iterator[str]:
        """What is different now, in words."""
        here = dict(os.environ)
        for name in sorted(self.environ.keys() | here.keys()):
            if self.environ.get(name) != here.get(name):
                yield f"the environment variable {name}"
        if self.folder != _folder():
            yield "the current folder"
        if self.path != tuple(sys.path):
            yield "sys.path"
        if (self.level, self.disabled) != (logging.root.level, logging.root.manager.disable):
            yield "the level of logging"


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None


class _Process:
    """What the process was like before the episodes that run now, whatever run they are part of.

    There is one for all runs: were there one for each, a run that ends last would put back what another's agent left.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # runs may have loops of their own, in threads of their own
        self._before: _State | None = None
        self._filters = warnings.catch_warnings()
        self._running = 0

    def enter(self) -> None:
        """An episode begins."""
        with self._lock:
            if not self._running:
                self._before = _State.now()
                self._filters = warnings.catch_warnings()
                self._filters.__enter__()
            self._running += 1

    def leave(self) -> Iterable[str]:
        """An episode ends: put back what there was, or give what is different by name while others run."""
        with self._lock:
            self._running -= 1
            assert self._before is not None
            if self._running:
                return list(self._before.changed())
            self._before.put_back()
            self._filters.__exit__(None, None, None)
            return ()


_PROCESS = _Process()


class Surroundings:
    """Keeps the episodes of one run apart, as far as that can be."""

    def __init__(self) -> None:
        self._leaked: dict[str, None] = {}

    @contextlib.contextmanager
    def episode(self) -> Iterator[None]:
        """One episode, which may run beside others, also of other runs."""
        _PROCESS.enter()
        try:
            yield
        finally:
            self._leaked |= dict.fromkeys(_PROCESS.leave())

    def warnings(self) -> tuple[str, ...]:
        """What to say at the end of a run."""
        if not self._leaked:
            return ()
        return (
            f"episodes that ran side by side shared what one of them changed: {', '.join(self._leaked)}; "
            "--concurrency 1 keeps them apart",
        )
