"""AutoGen's components as files: an agent or team that was written out with `dump_component`, or in its Studio.

Only read here; what becomes of it is AutoGen's adapter's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from normgym_agents.errors import BadInput
from normgym_agents.newcomers._json_files import read_json
from normgym_agents.newcomers._legacy import TO_PORT

_MAX_BYTES: Final = 5_000_000
_OF_LANGGRAPH: Final = "graphs"
_OF_THE_OLD: Final = frozenset({"llm_config", "config_list", "human_input_mode"})


def read_component(file: Path) -> Mapping[str, Any] | None:
    """What the file holds; None for a configuration of LangGraph.

    Raises:
        BadInput: It cannot be read, or holds no component.
    """
    data = read_json(file, _MAX_BYTES)
    if isinstance(data, Mapping) and _OF_LANGGRAPH in data:
        return None
    if isinstance(data, Mapping) and isinstance(data.get("provider"), str):
        return data
    if any(_OF_THE_OLD & set(one) for one, _ in mappings(data)):
        raise BadInput("is a configuration of AutoGen 0.2", file=file, expected=TO_PORT)
    inner = [(one, path) for one, path in mappings(data) if _plays(one)]
    if inner:
        label, place = inner[0][0].get("label") or inner[0][0]["provider"], inner[0][1]
        raise BadInput(
            f"holds components of AutoGen inside of something else, {label!r} for one",
            file=file,
            field=place,
            expected="a file of that part alone",
        )
    raise BadInput(
        "holds no component of AutoGen",
        file=file,
        field="provider",
        expected='what `dump_component()` gives: {"provider": "autogen_agentchat.…", "config": …}',
    )


def _plays(data: Mapping[str, Any]) -> bool:
    """Whether something is written out that is an agent or a team."""
    return isinstance(data.get("provider"), str) and data.get("component_type") in ("agent", "team")


def mappings(data: object, path: str = "") -> Iterator[tuple[Mapping[str, Any], str]]:
    """All objects in some JSON, the outermost first, and where they are."""
    if isinstance(data, Mapping):
        yield data, path
        for key, value in data.items():
            yield from mappings(value, f"{path}.{key}" if path else str(key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from mappings(value, f"{path}[{index}]")
