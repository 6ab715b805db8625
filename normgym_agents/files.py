"""Read the files that people write, strictly, and write ours so that nobody ever sees half of one.

Every mistake in a file ends in one `BadInput` that names the file, the line, the field and what would have
been right; nothing in a file is skipped, guessed or run. This is the only door for authored YAML.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from normgym_agents._yaml_errors import explain, explain_all, find_line
from normgym_agents._yaml_nodes import NotPlainYaml, compose, plain
from normgym_agents.errors import BadInput

MAX_BYTES: Final = 1_000_000

ModelT = TypeVar("ModelT", bound=BaseModel)


def read_yaml(path: Path | str, model: type[ModelT]) -> ModelT:
    """Read one YAML file as a model, refusing whatever is not exactly right.

    The model is validated by pydantic's strict rules for JSON: a list may fill a tuple or a set, and text an
    enum or a date, but `"5"` is no number and `5` no text. Give the model `extra="forbid"` and `frozen=True`.

    Args:
        path: The file, of at most `MAX_BYTES` bytes of UTF-8.
        model: What it must hold.

    Returns:
        The validated model.

    Raises:
        BadInput: The file cannot be read, is no plain YAML (anchors, aliases, tags, repeated keys and
            several documents are refused), or does not fit the model. Also what the model's own validators
            raise as `BadInput`, with the file added.
    """
    path = Path(path)
    root, data = _parsed(path)
    try:
        return model.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        raise explain(error, root=root, model=model, file=path) from error
    except BadInput as error:
        raise _of_the_file(error, path) from error


def faults_of_yaml(path: Path | str, model: type[BaseModel]) -> list[BadInput]:
    """Everything that `read_yaml` would refuse in a file, in the order of its lines; empty for a good one.

    What is no YAML at all, or cannot be read, is one fault.
    """
    path = Path(path)
    try:
        root, data = _parsed(path)
        model.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        return explain_all(error, root=root, model=model, file=path)
    except BadInput as error:
        return [error if error.file is not None else _of_the_file(error, path)]
    return []


def keys_of_yaml(path: Path | str) -> frozenset[str]:
    """The keys at the top of a file, none where it is no mapping.

    Raises:
        BadInput: It cannot be read, or is no plain YAML.
    """
    _, data = _parsed(Path(path))
    return frozenset(data) if isinstance(data, dict) else frozenset()


def _parsed(path: Path) -> tuple[yaml.Node, Any]:
    text = read_text(path)
    try:
        root = compose(text)
        return root, plain(root)
    except NotPlainYaml as error:
        raise BadInput(error.message, file=path, line=error.line, expected=error.expected) from error


def _of_the_file(error: BadInput, path: Path) -> BadInput:
    """What a model's own validator said. A line of its own counts within some text, and is no line of the file."""
    message = error.message if error.line is None else f"line {error.line}: {error.message}"
    return BadInput(message, file=path, field=error.field, expected=error.expected)


def line_of(path: Path | str, *keys: str | int) -> int | None:
    """The line of a value in a YAML file that `read_yaml` has read; None where it has changed since."""
    try:
        return find_line(compose(read_text(Path(path))), keys)
    except NotPlainYaml:
        return None


def read_text(path: Path) -> str:
    """A file of at most `MAX_BYTES` bytes of UTF-8, without its byte order mark.

    Raises:
        BadInput: It is none, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise BadInput(f"cannot be read: {_reason(error)}", file=path) from error
    if len(raw) > MAX_BYTES:
        raise BadInput("is too large", file=path, expected=f"at most {MAX_BYTES:,} bytes")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise BadInput("is not UTF-8 text", file=path, line=line, expected="a file saved as UTF-8") from error


def write_atomic(path: Path | str, text: str) -> None:
    """Write a whole file or nothing: a reader sees the old one or the new one, even after a power cut.

    Args:
        path: Where to; its folder must exist.
        text: What to write, as UTF-8, its line ends as they are.

    Raises:
        BadInput: The place cannot be written.
        UnicodeEncodeError: The text holds half of a surrogate pair; nothing is written.
    """
    path, data = Path(path), text.encode("utf-8")
    # In the same folder, because a rename is atomic only within one file system.
    temporary = path.parent / f".{path.name}.{secrets.token_hex(4)}.tmp"
    try:
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:  # an interrupt too must leave nothing behind
            with contextlib.suppress(OSError, ValueError):
                temporary.unlink()
            raise
        _sync_folder(path.parent)
    except (OSError, ValueError) as error:
        raise BadInput(f"cannot be written: {_reason(error)}", file=path) from error


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where folders can be synced."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
