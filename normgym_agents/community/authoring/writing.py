"""Writing what was drafted or imported: all of it or nothing, and never over what somebody wrote.

Text goes out in double quotes wherever a reader of YAML could take it for something else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel

from normgym_agents.errors import BadInput

_BARE: Final = re.compile(r"(?!(null|true|false)\Z)[a-z][a-z_]*")


class _Dumper(yaml.SafeDumper):
    """Writes values of JSON, lists below their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None if _BARE.fullmatch(text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def yaml_text(model: BaseModel) -> str:
    """A model as YAML that `read_yaml` reads back; what has its default is left out."""
    data: dict[str, Any] = model.model_dump(mode="json", exclude_defaults=True)
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=2**20)


def write_new(files: Mapping[Path, str]) -> None:
    """Write files that are not there yet, with their folders: all of them, or none.

    Raises:
        BadInput: One is there already, or cannot be written. Then nothing is left of the others.
    """
    for file in files:
        if os.path.lexists(file):
            raise BadInput("is there already", file=file, expected="a new name")
    made: list[Path] = []
    for file, text in files.items():
        try:
            _make_folders(file.parent, made)
            with file.open("xb") as new:
                made.append(file)
                new.write(text.encode("utf-8"))
                new.flush()
                os.fsync(new.fileno())
        except BaseException as error:  # an interrupt too must leave nothing behind
            _take_back(made)
            if isinstance(error, OSError | ValueError):
                reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
                raise BadInput(f"cannot be written: {reason}", file=file) from error
            raise


def _make_folders(folder: Path, made: list[Path]) -> None:
    for one in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        one.mkdir()
        made.append(one)


def _take_back(made: list[Path]) -> None:
    for place in reversed(made):
        with suppress(OSError):
            if place.is_dir():
                place.rmdir()
            else:
                place.unlink()
