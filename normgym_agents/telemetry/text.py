"""Text that any exporter and backend can carry.

What an agent says may hold lone surrogates (which neither protobuf nor UTF-8 can hold) or run to
megabytes. Everything that becomes an attribute of ours passes through here, so that odd text costs a
replacement and never a span.
"""

from __future__ import annotations

MAX_CHARS = 16_384
"""Longest text of ours in one attribute, in characters."""


def clean(text: str) -> str:
    """Return `text` with lone surrogates written as visible escapes; other text comes back unchanged."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def clip(text: str, limit: int = MAX_CHARS) -> str:
    """Return `clean(text)`, cut at `limit` characters with a note of how many were left out."""
    if len(text) <= limit:
        return clean(text)
    return f"{clean(text[:limit])}… [{len(text) - limit} characters more]"
