"""LangGraph's own configuration file, `langgraph.json`: names of graphs, where they are, and what they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dotenv import dotenv_values

from normgym_agents.errors import BadInput
from normgym_agents.newcomers._json_files import read_json

GRAPH_FILE: Final = "langgraph.json"
_MAX_BYTES: Final = 1_000_000


@dataclass(frozen=True, kw_only=True)
class GraphEntry:
    """One graph of the file.

    Attributes:
        spec: `path/to/file.py:name` or `package.module:name`, with a path made absolute.
        roots: Folders that the file names as dependencies.
        variables: What it sets in the environment.
    """

    spec: str
    roots: tuple[Path, ...]
    variables: Mapping[str, str]


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
    return GraphEntry(
        spec=f"{place}:{attribute}", roots=_roots(file, data), variables=_variables(file, data.get("env"))
    )


def _roots(file: Path, data: Mapping[str, Any]) -> tuple[Path, ...]:
    dependencies = data.get("dependencies", [])
    if not isinstance(dependencies, list) or not all(isinstance(d, str) for d in dependencies):
        raise BadInput("is not a list of texts", file=file, field="dependencies")
    roots: list[Path] = []
    for folder in (file.parent / d for d in dependencies if d.startswith(".")):
        # A project of that layout is installed from there when LangGraph serves it.
        roots += [folder, folder / "src"] if (folder / "src").is_dir() else [folder]
    return tuple(roots)


def _variables(file: Path, given: object) -> dict[str, str]:
    """What `env` says: an object, or the path of a file of `NAME=value` lines."""
    if given is None:
        return {}
    if isinstance(given, str):
        place = file.parent / given
        if not place.is_file():
            raise BadInput(
                f"there is no file {given!r}", file=file, field="env", expected="the path of a .env file"
            )
        try:
            read = dotenv_values(place)
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{given!r} cannot be read: {error}", file=file, field="env") from error
        return {name: value for name, value in read.items() if value is not None}
    if not isinstance(given, Mapping) or not all(isinstance(v, str | int | float) for v in given.values()):
        raise BadInput(
            "sets nothing", file=file, field="env", expected='{"NAME": "value"}, or the path of a .env file'
        )
    return {name: _text(value) for name, value in given.items()}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(file: Path) -> Mapping[str, Any]:
    data = read_json(file, _MAX_BYTES)
    if not isinstance(data, Mapping):
        raise BadInput("is not an object", file=file, expected='{"graphs": {…}}')
    return data
