"""Sits at a real pseudo-terminal, types, and reads what the screen gets."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType

from tests.cli.command import environment

_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][A-Z0-9]|[=>])")
_WHERE = b"\x1b[6n"
"""How a program asks a terminal where its cursor is; a real one answers."""


class Seat:
    """`normgym` in a pseudo-terminal, from which nobody else reads.

    Args:
        arguments: What follows `normgym`.
        cwd: Where it runs.
        size: Rows and columns.
        more: Of the environment.
    """

    def __init__(self, *arguments: str, cwd: Path, size: tuple[int, int] = (30, 100), **more: str) -> None:
        self._said = b""
        self._read = 0
        self._terminal, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "normgym_agents.cli", *arguments],
            cwd=cwd,
            env=environment(TERM="xterm-256color", **more),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> Seat:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)

    @property
    def raw(self) -> str:
        """All that came, escapes included."""
        return self._said.decode(errors="replace")

    def type(self, keys: str) -> None:
        """Type."""
        os.write(self._terminal, keys.encode())

    def until(self, words: str, seconds: float = 60.0) -> str:
        """What comes, up to these words, as plain text; what came before was read already."""
        end = time.monotonic() + seconds
        while words not in (plain := self._plain()):
            if time.monotonic() > end or not self._more(end):
                raise AssertionError(f"no {words!r} in {plain[-2000:]!r}")
        place = plain.index(words) + len(words)
        self._read += place
        return plain[:place]

    def end(self, seconds: float = 60.0) -> tuple[int, str]:
        """Its exit status, and what came until then."""
        end = time.monotonic() + seconds
        while self._more(end):
            pass
        return self._process.wait(10), self._plain()

    def _plain(self) -> str:
        return _ESCAPES.sub("", self.raw)[self._read :]

    def _more(self, end: float) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return False
        try:
            new = os.read(self._terminal, 65536)
        except OSError:  # the other end is closed
            return False
        if _WHERE in new:
            os.write(self._terminal, b"\x1b[1;1R")
        self._said += new
        return bool(new)
