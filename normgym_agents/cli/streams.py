"""Our stdout is for results. Whatever a newcomer prints while it is loaded or plays goes to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Final

_INPUT, _OUTPUT, _ERRORS = 0, 1, 2
_FLAGS: Final = {_INPUT: os.O_RDONLY, _OUTPUT: os.O_WRONLY, _ERRORS: os.O_WRONLY}


@contextmanager
def stdout_kept() -> Iterator[None]:
    """Send what is printed meanwhile to stderr: by Python, and by programs that a newcomer starts."""
    sys.stdout.flush()
    kept = os.dup(_OUTPUT)
    try:
        os.dup2(_ERRORS, _OUTPUT)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, _OUTPUT)
        os.close(kept)


def open_missing_streams() -> None:
    """Give a process that was started with closed streams some that lead nowhere.

    Otherwise the next file that is opened takes their number, and what is printed would end up in it.
    """
    for number, flags in _FLAGS.items():
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, flags)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
    if sys.stdout is None:
        sys.stdout = open(_OUTPUT, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = open(_ERRORS, "w", encoding="utf-8", closefd=False)


def give_up_stdout() -> None:
    """After a write to stdout failed: Python would complain once more when it flushes at the end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
