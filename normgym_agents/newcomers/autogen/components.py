"""Agents and teams that were written out as data: checked part by part, then made.

A component names the class that is made of it, which would be imported whatever it is, and some carry code or
commands. So nothing is made before every part of the file is known to be plain data of AutoGen's own, or its owner
is trusted.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from autogen_agentchat.agents import CodeExecutorAgent
from autogen_core import ComponentLoader, ComponentModel, is_component_class
from autogen_core._component_config import WELL_KNOWN_PROVIDERS
from autogen_core.code_executor import CodeExecutor
from autogen_core.tools import FunctionTool
from pydantic import ValidationError

from normgym_agents.errors import BadInput
from normgym_agents.newcomers._cleaning import one_line
from normgym_agents.newcomers._component_files import mappings
from normgym_agents.newcomers._failures import first_fault
from normgym_agents.newcomers._keys import TO_SET, missing_key
from normgym_agents.newcomers._legacy import TO_PORT, is_legacy
from normgym_agents.newcomers.autogen.newcomer import adapt_agent
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.newcomers.wiring import Wiring

_OWN: Final = frozenset({"autogen_agentchat", "autogen_core", "autogen_ext"})
_PLAIN: Final = (
    "autogen_agentchat.",
    "autogen_core.memory.",
    "autogen_core.model_context.",
    "autogen_core.tools.",
    "autogen_ext.models.",
    "autogen_ext.agents.magentic_one.",
)
"""Where AutoGen's components are plain data; its others run commands, read files or unpickle."""
_RUNS_CODE: Final = (FunctionTool, CodeExecutor, CodeExecutorAgent)


def adapt_component(
    data: Mapping[str, Any], file: Path, name: str, wiring: Wiring | None = None
) -> NewcomerFactory:
    """A factory of newcomers that are the agent or team of a component.

    Args:
        data: What the file holds.
        file: The file, for messages.
        name: What messages call it.
        wiring: How it is connected; whether code in it may be run.

    Raises:
        BadInput: Part of it carries code and is not trusted, is not known here, is of another version, or cannot
            be made; or the whole is no agent or team.
    """
    wiring = wiring or Wiring()
    for part, path in mappings(data):
        if isinstance(part.get("provider"), str) and "config" in part:
            _check(part, path, file, trust=wiring.trust)
    return adapt_agent(_made(data, file), name, wiring)


def _check(part: Mapping[str, Any], path: str, file: Path, *, trust: bool) -> None:
    """See that a component can be made, and may be."""
    field = f"{path}.provider" if path else "provider"
    named = part["provider"]
    provider = WELL_KNOWN_PROVIDERS.get(named, named)
    if is_legacy(provider):
        raise BadInput(f"{provider} is of AutoGen 0.2", file=file, field=field, expected=TO_PORT)
    if provider.partition(".")[0] not in _OWN and not trust:
        raise _untrusted(f"{provider} is code of its owner's", file, field)
    kind = _kind(provider, file, field)
    plain = kind.__module__.startswith(_PLAIN) and not issubclass(kind, _RUNS_CODE)
    if not trust and not plain:
        raise _untrusted(f"{provider} runs code or reaches out", file, field)
    _check_version(part, kind, file, path)
    try:
        ComponentModel.model_validate(part)
        kind.component_config_schema.model_validate(part["config"])
    except ValidationError as error:
        raise BadInput(
            f"{provider} cannot be made: {first_fault(error)}", file=file, field=_config(path)
        ) from error


def _kind(provider: str, file: Path, field: str) -> Any:
    """The class of a component."""
    module, _, name = provider.rpartition(".")
    try:
        kind = getattr(importlib.import_module(module), name, None) if module else None
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise _lacking(provider, error, file, field) from error
        kind = None
    except ImportError as error:
        raise _lacking(provider, error, file, field) from error
    except Exception as error:  # the owner's code, trusted, which may raise anything
        raise BadInput(
            f"{provider} cannot be imported: {one_line(str(error))}", file=file, field=field
        ) from error
    if not isinstance(kind, type) or not is_component_class(kind):
        raise BadInput(
            f"there is no component {provider!r}",
            file=file,
            field=field,
            expected="a component of the AutoGen that is installed here, 0.7",
        )
    return kind


def _check_version(part: Mapping[str, Any], kind: Any, file: Path, path: str) -> None:
    given, known = part.get("component_version"), kind.component_version
    if not isinstance(given, int) or given == known:
        return
    reads_older = "_from_config_past_version" in {key for base in kind.__mro__[:-1] for key in _own(base)}
    if given > known or not reads_older:
        raise BadInput(
            f"{part['provider']} is of version {given}, and version {known} is installed",
            file=file,
            field=f"{path}.component_version" if path else "component_version",
            expected=f"version {known}: write it out again with the AutoGen that is installed here",
        )


def _own(kind: type) -> Mapping[str, Any]:
    """What a class defines; AutoGen's own base only says that older versions cannot be read."""
    return {} if kind.__module__ == "autogen_core._component_config" else vars(kind)


def _made(data: Mapping[str, Any], file: Path) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what AutoGen says of options of its own
        try:
            made: object = ComponentLoader.load_component(
                ComponentModel.model_validate(data), expected=object
            )
        except Exception as error:  # clients and trusted code have exceptions of their own
            key = missing_key(error)
            if key is not None:
                raise BadInput(
                    f"needs {key}, which is not set", file=file, expected=TO_SET.format(key=key)
                ) from error
            raise BadInput(f"cannot be made: {one_line(str(error))}", file=file, field="config") from error
    return made


def _untrusted(what: str, file: Path, field: str) -> BadInput:
    return BadInput(what, file=file, field=field, expected="--trust, if you trust whoever wrote the file")


def _lacking(provider: str, error: ImportError, file: Path, field: str) -> BadInput:
    return BadInput(
        f"{provider} needs something that is not installed: {one_line(str(error))}",
        file=file,
        field=field,
        expected=f"pip install 'autogen-ext[{provider.split('.')[-2]}]'",
    )


def _config(path: str) -> str:
    return f"{path}.config" if path else "config"
