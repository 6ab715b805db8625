"""JSON files of the user's, read whole and in one way; what they may hold is for others to say."""

from __future__ import annotations

import json
from pathlib import Path

from normgym_agents.errors import BadInput


def read_json(file: Path, most_bytes: int) -> object:
    """What a file holds.

    Args:
        file: The file.
        most_bytes: How large it may be.

    Raises:
        BadInput: It cannot be read, is larger than that, or is not JSON.
    """
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", file=file) from error
    if len(raw) > most_bytes:
        raise BadInput("is too large", file=file, expected=f"at most {most_bytes:,} bytes")
    try:
        data: object = json.loads(raw)
    except json.JSONDecodeError as error:
        raise BadInput(f"is not JSON: {error.msg}", file=file, line=error.lineno) from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise BadInput("is not JSON", file=file) from error
    return data
