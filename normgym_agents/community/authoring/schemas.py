"""JSON Schemas of the files that people write, for editors to complete and check them by.

They come from the models that read the files, and their explanations from the docstrings of these, so that an editor
says what the code means. What no schema can say (whether norms go together, say), `normgym persona check` does.
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from normgym_agents.community.authoring.kinds import Kind

FOLDER: Final = "schemas"
"""The folder beside `personas` and the others in which an author's editor finds them."""

_ATTRIBUTE: Final = re.compile(r"^    (\w+): (.*)$")


class _Explained(GenerateJsonSchema):
    """Schemas whose explanations are those of the models' docstrings, each at what it explains."""

    def model_schema(self, schema: Any) -> dict[str, Any]:
        made = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        summary, attributes = explained(model)
        made["description"] = summary
        for name, text in attributes.items():
            if isinstance(made.get("properties", {}).get(name), dict):
                made["properties"][name]["description"] = text
        return made


def explained(model: type[BaseModel]) -> tuple[str, dict[str, str]]:
    """The first paragraph of a model's docstring, and what it says of each attribute."""
    head, _, tail = inspect.cleandoc(model.__doc__ or "").partition("\nAttributes:\n")
    attributes: dict[str, str] = {}
    name = ""
    for line in tail.splitlines():
        if found := _ATTRIBUTE.match(line):
            name = found[1]
            attributes[name] = found[2]
        elif name and line.startswith("        "):
            attributes[name] += f" {line.strip()}"
    return " ".join(head.split("\n\n")[0].split()), attributes


def schema_of(kind: Kind) -> dict[str, Any]:
    """The JSON Schema of a kind of file."""
    made = kind.model.model_json_schema(schema_generator=_Explained)
    return {"$schema": GenerateJsonSchema.schema_dialect, **made, "title": kind.value}


def schema_text(kind: Kind) -> str:
    """The same as text, as it is published."""
    return json.dumps(schema_of(kind), indent=2, ensure_ascii=False) + "\n"


def file_name(kind: Kind) -> str:
    """What its file is called."""
    return f"{kind.value}.json"


def modeline(kind: Kind) -> str:
    """The line by which an editor finds the schema, for a file in its folder beside the schemas."""
    return f"# yaml-language-server: $schema=../{FOLDER}/{file_name(kind)}\n"


def missing_schemas(folder: Path) -> dict[Path, str]:
    """Schemas that an author's folder lacks, as files to write; those that are there stay."""
    return {
        place: schema_text(kind) for kind in Kind if not (place := folder / FOLDER / file_name(kind)).exists()
    }


def aged_schemas(folder: Path) -> list[Path]:
    """Schemas in an author's folder that another version wrote."""
    places = {folder / FOLDER / file_name(kind): schema_text(kind) for kind in Kind}
    return [
        place
        for place, text in places.items()
        if place.is_file() and place.read_text("utf-8", errors="replace") != text
    ]
