"""Wiring as people write it: on a command line, in Python, or in a YAML file beside the agent.

Whatever the form, what comes of it is the content, so that a run can be resumed when the file is gone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from normgym_agents.errors import BadInput
from normgym_agents.files import read_yaml
from normgym_agents.newcomers.wiring import POLICIES, OnInterrupt, PauseRules, StateMapping

ModelT = TypeVar("ModelT", bound=BaseModel)

MappingGiven = StateMapping | Mapping[str, object] | Path | str | None
"""A mapping in any of its forms; None for one that says nothing."""
PolicyGiven = OnInterrupt | Mapping[str, object] | Path | str

_PAIRS: Final = "FILE, or input=KEY,output=KEY,state.KEY=VALUE,configurable.KEY=VALUE,context.KEY=VALUE"
_PARTS: Final = ("state", "configurable", "context")


def mapping_from(given: MappingGiven) -> StateMapping:
    """The mapping that was given.

    Args:
        given: A mapping, its fields, the path of a YAML file of them, or `key=value,…`.

    Raises:
        BadInput: It does not read as one; names the option or the file, and what would have been right.
    """
    if given is None:
        return StateMapping()
    if isinstance(given, StateMapping):
        return given
    if isinstance(given, Mapping):
        return _checked(given, StateMapping, "mapping")
    if isinstance(given, Path) or "=" not in given or Path(given).is_file():
        return read_yaml(given, StateMapping)
    return _checked(_pairs(given), StateMapping, "mapping")


def policy_from(given: PolicyGiven) -> OnInterrupt:
    """What happens at a pause, as it was given.

    Args:
        given: `reply`, `approve` or `reject`, rules, their fields, or the path of a YAML file of them.

    Raises:
        BadInput: It does not read as one of these.
    """
    if isinstance(given, PauseRules):
        return given
    if isinstance(given, Mapping):
        return _checked(given, PauseRules, "on_interrupt")
    for policy in POLICIES:
        if given == policy:
            return policy
    if isinstance(given, Path) or Path(given).suffix in (".yaml", ".yml") or Path(given).is_file():
        return read_yaml(given, PauseRules)
    raise BadInput(
        f"{given!r} is no answer to a pause",
        field="on_interrupt",
        expected=" | ".join([*POLICIES, "FILE.yaml"]),
    )


def mapping_beside(source: Path) -> StateMapping:
    """The mapping in `<stem>.mapping.yaml` beside an agent's file; one that says nothing where there is none.

    Raises:
        BadInput: There is such a file, and it does not read as a mapping.
    """
    file = source.with_name(f"{source.stem}.mapping.yaml")
    return read_yaml(file, StateMapping) if file.is_file() else StateMapping()


def _pairs(text: str) -> dict[str, object]:
    fields: dict[str, object] = {}
    parts: dict[str, dict[str, JsonValue]] = {name: {} for name in _PARTS}
    for pair in text.split(","):
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not (key and equals and value):
            raise BadInput(f"cannot read {pair!r}", field="mapping", expected=_PAIRS)
        part, _, inner = key.partition(".")
        target: dict[str, JsonValue] | dict[str, object] = fields
        if part in parts and inner:
            target, key = parts[part], inner
        if key in target:
            raise BadInput(f"{key!r} stands twice", field="mapping")
        target[key] = value if target is fields else _value(value)
    return fields | {name: values for name, values in parts.items() if values}


def _value(text: str) -> JsonValue:
    """A number, a truth value or null as JSON has it; anything else is text, quoted or not."""
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    return value


def _checked(given: Mapping[str, object], model: type[ModelT], field: str) -> ModelT:
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join([field, *map(str, first["loc"])])
        if first["type"] == "extra_forbidden":
            known = " | ".join(model.model_fields)
            raise BadInput("is unknown", field=place, expected=known) from error
        raise BadInput(first["msg"].removeprefix("Value error, "), field=place) from error
