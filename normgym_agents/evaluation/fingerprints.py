"""What tells a newcomer from a changed one of the same name, as far as that can be seen from outside.

Records of two versions of an agent must not be mixed when a run is resumed. Seen are the spec, the model, and
the file that the spec leads to; not seen are modules which that file imports, and what a provider changes
behind a model's name.
"""

from __future__ import annotations

import importlib.util
from hashlib import sha256
from pathlib import Path

from normgym_agents.newcomers._graph_files import GRAPH_FILE, find_graph
from normgym_agents.newcomers.models import is_model_spec

_HERE = Path()


def fingerprint(spec: str, name: str, model: str | None, base: Path = _HERE) -> str:
    """Hash of what can be seen of a loaded newcomer.

    Args:
        spec: What it was loaded from.
        name: What it is known by, which does not depend on the folder.
        model: The model that was handed to it, if any.
        base: What relative paths are relative to.

    Returns:
        16 hex digits.
    """
    digest = sha256(f"{name}\n{model}\n".encode("utf-8", "surrogateescape"))
    for path in _sources(spec, base):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sources(spec: str, base: Path) -> list[Path]:
    """Files that the spec leads to; a model's name or a reference newcomer leads to none."""
    if is_model_spec(spec) or spec.startswith("reference:"):
        return []
    place, _, attribute = spec.rpartition(":")
    graphs = base / (place or GRAPH_FILE)
    if graphs.suffix == ".json" and graphs.is_file():
        inner = find_graph(graphs, attribute).spec
        return [graphs, *_sources(inner, base)] if ".json" not in inner else [graphs]
    if place and (base / place).is_file():
        return [base / place]
    if place.replace(".", "").isidentifier():
        found = importlib.util.find_spec(place)
        if found is not None and found.origin is not None and Path(found.origin).is_file():
            return [Path(found.origin)]
    return []
