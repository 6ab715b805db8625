"""Say in one line what is wrong with a file that does not fit its model.

pydantic reports every mistake in terms of Python; the author of a YAML file needs the first one to mend, its
line, and what would have been right. Unknown keys come first: a misspelt key is also a missing one, and the
spelling is what has to be mended.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, RootModel, ValidationError
from pydantic_core import ErrorDetails

from normgym_agents.errors import BadInput

_Loc = tuple[int | str, ...]
_SHOULD = re.compile(r"^\w+ should (?:be )?(?P<right>.+)$", re.DOTALL)


def explain(error: ValidationError, *, root: yaml.Node, model: type[BaseModel], file: Path) -> BadInput:
    """Turn pydantic's list of mistakes into the one error to show.

    Args:
        error: What pydantic raised.
        root: The document that was validated.
        model: The model it was validated against.
        file: Where the document came from.
    """
    details, places = _placed(error, root)
    first = min(range(len(details)), key=lambda i: (details[i]["type"] != "extra_forbidden", places[i][0]))
    line, field = places[first]
    message, expected = _reword(details[first], model)
    more = len({field for _, field in places}) - 1
    if more:
        message += f"; {more} more to mend"
    return BadInput(message, file=file, line=line, field=field or None, expected=expected)


def explain_all(
    error: ValidationError, *, root: yaml.Node, model: type[BaseModel], file: Path
) -> list[BadInput]:
    """Turn pydantic's list of mistakes into one error for each, in the order of the file; takes what `explain` takes."""
    found: dict[str, tuple[int, BadInput]] = {}
    details, places = _placed(error, root)
    inner = {detail["loc"][:n] for detail in details for n in range(len(detail["loc"]))}
    for detail, (line, field) in zip(details, places, strict=True):
        if detail["type"] == "too_short" and detail["loc"] in inner:
            continue  # pydantic does not count what does not fit, and that is told
        message, expected = _reword(detail, model)
        fault = BadInput(message, file=file, line=line, field=field or None, expected=expected)
        found.setdefault(str(fault), (line, fault))
    return [fault for _, fault in sorted(found.values(), key=lambda one: one[0])]


def _placed(error: ValidationError, root: yaml.Node) -> tuple[list[ErrorDetails], list[tuple[int, str]]]:
    details = error.errors(include_url=False)
    return details, [_locate(root, detail) for detail in details]


def find_line(root: yaml.Node, keys: Iterable[int | str]) -> int | None:
    """The line of a value, by the keys and indices that lead to it; None where they lead nowhere."""
    node, line = root, root.start_mark.line + 1
    for key in keys:
        found = _child(node, key)
        if found is None:
            return None
        line, node = found
    return line


def _locate(root: yaml.Node, detail: ErrorDetails) -> tuple[int, str]:
    """Line and path of a mistake. Parts of pydantic's own (the member of a union, say) lead nowhere."""
    node, line, path = root, root.start_mark.line + 1, ""
    for part in detail["loc"]:
        found = _child(node, part)
        if found is not None:
            line, node = found
            path += f"[{part}]" if isinstance(part, int) else _dotted(path, part)
    if detail["type"] == "missing":
        path += _dotted(path, str(detail["loc"][-1]))
    return line, path


def _child(node: yaml.Node, part: int | str) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return key.start_mark.line + 1, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part].start_mark.line + 1, node.value[part]
    return None


def _dotted(path: str, key: str) -> str:
    shown = key if re.fullmatch(r"[\w-]{1,60}", key) else repr(key[:60])
    return f".{shown}" if path else shown


def _reword(detail: ErrorDetails, model: type[BaseModel]) -> tuple[str, str | None]:
    if detail["type"] == "extra_forbidden":
        known = _known_keys(model, detail["loc"])
        near = difflib.get_close_matches(str(detail["loc"][-1]), known, n=1)
        hint = f": did you mean {near[0]!r}?" if near else ""
        return f"is not a known key{hint}", "one of " + ", ".join(known) if known else "no such key"
    if detail["type"] == "missing":
        return "is missing", "this key with a value"
    if detail["type"] == "value_error":
        return " ".join(str(detail["ctx"]["error"]).split()), None
    text = " ".join(detail["msg"].split())
    should = _SHOULD.match(text.replace("an object", "a mapping"))  # pydantic speaks of JSON here
    return (text, None) if should is None else (f"{_shown(detail['input'])} does not fit", should["right"])


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = json.dumps(value, default=repr)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _known_keys(model: type[BaseModel], loc: _Loc) -> list[str]:
    """The keys allowed where the last part of `loc` was found, as far as the annotations tell."""
    candidates = [model]
    for part in loc[:-1]:
        fields = [
            field
            for candidate in candidates
            for name, field in candidate.model_fields.items()
            if part in (name, field.alias)
        ]
        named = [candidate for candidate in candidates if _is_labelled(candidate, part)]
        if fields:
            candidates = [found for field in fields for found in _models_in(field.annotation, set())]
        elif named:
            candidates = named
    return sorted(set(_keys(candidates)))


def _is_labelled(model: type[BaseModel], part: int | str) -> bool:
    """Whether pydantic names this member of a union so: by its class, or by the tag that tells it apart."""
    tags = (tag for field in model.model_fields.values() for tag in get_args(field.annotation))
    return part == model.__name__ or part in tags


def _keys(models: Iterable[type[BaseModel]]) -> Iterator[str]:
    for model in models:
        if not issubclass(model, RootModel):
            yield from (field.alias or name for name, field in model.model_fields.items())


def _models_in(annotation: Any, seen: set[int]) -> Iterator[type[BaseModel]]:
    if id(annotation) in seen:  # a type that contains itself
        return
    seen.add(id(annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        if issubclass(annotation, RootModel):
            yield from _models_in(annotation.model_fields["root"].annotation, seen)
    for part in (*get_args(annotation), *filter(None, [getattr(annotation, "__value__", None)])):
        yield from _models_in(part, seen)
