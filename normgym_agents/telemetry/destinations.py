"""The two places spans go: a file of JSON lines, and a receiver."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from opentelemetry.sdk.trace import ReadableSpan

from normgym_agents.errors import BadInput
from normgym_agents.telemetry.otlp import encode
from normgym_agents.telemetry.otlp_http import OtlpClient
from normgym_agents.telemetry.otlp_json import render
from normgym_agents.telemetry.pump import Delivery

LONGEST_LINE: Final = 900_000
"""Bytes. Readers of JSON lines (the collector's among them) cut lines at 1 MiB unless told otherwise."""
_LARGEST_REQUEST: Final = 4_000_000
"""Bytes. A common limit of receivers; only a single span may exceed it."""

_UNENCODABLE: Final = "spans that OTLP cannot hold"


def _both(first: Delivery, second: Delivery) -> Delivery:
    return Delivery(
        exported=first.exported + second.exported,
        dropped=first.dropped + second.dropped,
        problem=first.problem or second.problem,
    )


class SpansFile:
    """Appends requests to `spans.jsonl`.

    A torn last line, left by a process that was killed while writing, is cut off when the file is opened:
    the episode it belonged to is owed again anyway, and a torn line in the middle would spoil the file.

    Args:
        path: The file; made if it is missing, appended to if it is not.

    Raises:
        BadInput: If it cannot be opened for writing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            # Unbuffered: a line is in the file or it is not, and a failed write can be taken back.
            self._file = path.open("ab+", buffering=0)
            _cut_torn_line(self._file.fileno())
        except OSError as error:
            raise BadInput(f"spans cannot be written: {error.strerror}", file=path) from error

    @property
    def name(self) -> str:
        """The path, as given."""
        return str(self._path)

    def deliver(self, spans: Sequence[ReadableSpan]) -> Delivery:
        """Append a batch, as several lines where one would be too long."""
        line, unfit = render(spans)
        lost = Delivery(exported=0, dropped=unfit, problem=_UNENCODABLE if unfit else None)
        if unfit == len(spans):
            return lost
        if len(line) > LONGEST_LINE and len(spans) > 1:
            half = len(spans) // 2
            return _both(self.deliver(spans[:half]), self.deliver(spans[half:]))
        try:
            self._append(line)
        except OSError as error:
            return Delivery(exported=0, dropped=len(spans), problem=f"cannot be written: {error.strerror}")
        return _both(Delivery(exported=len(spans) - unfit), lost)

    def _append(self, line: bytes) -> None:
        """Write a whole line or, by taking back what got in of it, none of it."""
        descriptor = self._file.fileno()
        before = os.fstat(descriptor).st_size
        try:
            _write_all(descriptor, line)
        except OSError:
            if os.fstat(descriptor).st_size > before:
                os.ftruncate(descriptor, before)
            raise

    def hurry(self) -> None:
        """Nothing to hurry: a file has no retries."""

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Receiver:
    """Posts batches to an OTLP/HTTP receiver.

    Args:
        url: As `otlp_http.traces_url` takes it.

    Raises:
        BadInput: If the address is not one.
    """

    def __init__(self, url: str) -> None:
        self._client = OtlpClient(url)

    @property
    def name(self) -> str:
        """The address that is posted to."""
        return self._client.url

    def deliver(self, spans: Sequence[ReadableSpan]) -> Delivery:
        """Post a batch, as several requests where one would be too large."""
        request, unfit = encode(spans)
        lost = Delivery(exported=0, dropped=unfit, problem=_UNENCODABLE if unfit else None)
        if unfit == len(spans):
            return lost
        if request.ByteSize() > _LARGEST_REQUEST and len(spans) > 1:
            half = len(spans) // 2
            return _both(self.deliver(spans[:half]), self.deliver(spans[half:]))
        fit = len(spans) - unfit
        answer = self._client.post(request)
        rejected = fit if answer.problem is not None and not answer.rejected else min(answer.rejected, fit)
        return _both(Delivery(exported=fit - rejected, dropped=rejected, problem=answer.problem), lost)

    def hurry(self) -> None:
        """Retry nothing any more."""
        self._client.hurry()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _cut_torn_line(descriptor: int) -> None:
    size = end = os.fstat(descriptor).st_size
    while end > 0:
        start = max(0, end - 65536)
        at = os.pread(descriptor, end - start, start).rfind(b"\n")
        if at >= 0:
            end = start + at + 1
            break
        end = start
    if end < size:
        os.ftruncate(descriptor, end)
