"""LangGraph's own configuration file, `langgraph.json`: names of graphs and where they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from normgym_agents.errors import BadInput

GRAPH_FILE: Final = "langgraph.json"
_MAX_BYTES: Final = 1_000_000


@dataclass(frozen=True, kw_only=True)
class GraphEntry:
    """One graph of the file.

    Attributes:
        spec: `path/to/file.py:name` or `package.module:name`, with a path made absolute.
        roots: Folders that the file names as dependencies.
    """

    spec: str
    roots: tuple[Path, ...]


def find_graph(file: Path, name: str) -> GraphEntry:
    """The entry of a name.

    Raises:
        BadInput: The file cannot be read or is not what LangGraph takes, or has no such name.
    """
    data = _read(file)
    graphs = data.get("graphs")
    if not isinstance(graphs, Mapping) or not graphs:
        raise BadInput(
            "has no graphs", file=file, field="graphs", expected='{"NAME": "path/to/file.py:name"}'
        )
    if name not in graphs:
        raise BadInput(
            f"there is no graph {name!r}", file=file, field="graphs", expected=" | ".join(sorted(graphs))
        )
    entry = graphs[name]
    spec = entry.get("path") if isinstance(entry, Mapping) else entry
    if not isinstance(spec, str) or ":" not in spec:
        raise BadInput(
            "does not say where it is", file=file, field=f"graphs.{name}", expected="path/to/file.py:name"
        )
    place, _, attribute = spec.rpartition(":")
    if place.endswith(".py") or "/" in place:
        place = str(file.parent / place)
    dependencies = data.get("dependencies", [])
    if not isinstance(dependencies, list) or not all(isinstance(d, str) for d in dependencies):
        raise BadInput("is not a list of texts", file=file, field="dependencies")
    roots = tuple(file.parent / d for d in dependencies if d.startswith("."))
    return GraphEntry(spec=f"{place}:{attribute}", roots=roots)


def _read(file: Path) -> Mapping[str, Any]:
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", file=file) from error
    if len(raw) > _MAX_BYTES:
        raise BadInput("is too large", file=file, expected=f"at most {_MAX_BYTES:,} bytes")
    try:
        data = json.loads(raw)
    except json.JSONDecodeError as error:
        raise BadInput(f"is not JSON: {error.msg}", file=file, line=error.lineno) from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise BadInput("is not JSON", file=file) from error
    if not isinstance(data, Mapping):
        raise BadInput("is not an object", file=file, expected='{"graphs": {…}}')
    return data
