"""Whether what people wrote is right: every fault of every file, not only the first.

A file is checked by itself, and a community together with all that it names; at the end it is opened, as to play it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from normgym_agents.community.authored import open_authored
from normgym_agents.community.authoring.kinds import Kind, kind_of
from normgym_agents.community.personas import faults_of_community
from normgym_agents.errors import BadInput
from normgym_agents.files import faults_of_yaml, line_of, read_yaml
from normgym_agents.norms.norm import NAME_PATTERN
from normgym_agents.worlds.settings import Setting


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What came of checking.

    Attributes:
        files: The files that were looked at.
        faults: What is wrong with them.
    """

    files: tuple[Path, ...]
    faults: tuple[BadInput, ...]


def home_of(start: Path) -> Path | None:
    """The folder with `personas`, `cards` and so on that is meant at some place: it, or its `personas`."""
    for folder in (start / Kind.PERSONA.folder, start):
        if any((folder / kind.folder).is_dir() for kind in Kind):
            return folder
    return None


def check(paths: Iterable[Path]) -> Checked:
    """Check files, and folders with all that lies in them.

    Raises:
        BadInput: A path leads nowhere, or a folder holds nothing to check.
    """
    paths = list(paths)
    files = list(dict.fromkeys(file for path in paths for file in _files_at(path)))
    found = [fault for path in paths for fault in _strays(path)]
    communities: list[Path] = []
    for file in files:
        try:
            kind = kind_of(file)
        except BadInput as fault:
            found.append(fault)
            continue
        if kind is Kind.COMMUNITY:
            communities.append(file)
        else:
            found += _faults_of_file(file, kind)
    told = {fault.file for fault in found}
    for file in communities:
        found += [
            fault for fault in _faults_of_community(file) if fault.file == file or fault.file not in told
        ]
    distinct = {str(fault): fault for fault in found}
    return Checked(files=tuple(files), faults=tuple(distinct.values()))


def _files_at(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise BadInput("there is nothing here", file=path, expected="a file, or a folder")
    folders = [path / kind.folder for kind in Kind if (path / kind.folder).is_dir()] or [path]
    found = [file for folder in folders for file in sorted(folder.iterdir()) if _is_yaml(file)]
    if not found:
        wanted = ", ".join(kind.folder for kind in Kind)
        raise BadInput(
            "there is nothing to check in it", file=path, expected=f".yaml files, or folders {wanted}"
        )
    return found


def _strays(path: Path) -> Iterator[BadInput]:
    """Files that lie beside the folders in which they would be found."""
    if path.absolute().name == Kind.PERSONA.folder and any((path / kind.folder).is_dir() for kind in Kind):
        for file in sorted(path.iterdir()):
            if _is_yaml(file):
                wanted = " | ".join(kind.folder for kind in Kind)
                yield BadInput("nothing looks for it here", file=file, expected=f"it in {wanted}")


def _is_yaml(file: Path) -> bool:
    return file.suffix.lower() in (".yaml", ".yml") and not file.name.startswith(".")


def _faults_of_file(file: Path, kind: Kind) -> list[BadInput]:
    found = [*_faults_of_name(file), *faults_of_yaml(file, kind.model)]
    if kind is Kind.SETTING and not found and (name := read_yaml(file, Setting).name) != file.stem:
        message = f"{name!r} is not the name of its file"
        found.append(
            BadInput(message, file=file, line=line_of(file, "name"), field="name", expected=file.stem)
        )
    return found


def _faults_of_name(file: Path) -> Iterator[BadInput]:
    if file.suffix != ".yaml":
        yield BadInput("its name is never looked for", file=file, expected=f"{file.stem}.yaml")
    if not re.fullmatch(NAME_PATTERN, file.stem):
        yield BadInput(
            "nothing can name it like that",
            file=file,
            expected="a name of a-z, 0-9, - and _, as in ida-2.yaml",
        )


def _faults_of_community(file: Path) -> Sequence[BadInput]:
    if file.absolute().parent.name != Kind.COMMUNITY.folder:
        beside = f"a folder {Kind.COMMUNITY.folder}, beside {Kind.PERSONA.folder} and {Kind.CARD.folder}"
        return [
            *faults_of_yaml(file, Kind.COMMUNITY.model),
            BadInput("it lies elsewhere", file=file, expected=beside),
        ]
    folder = file.absolute().parent.parent
    found = [*_faults_of_name(file), *faults_of_community(file, folder)]
    if found:
        return found
    try:
        open_authored(file.stem, folder=folder)
    except BadInput as fault:
        if fault.file is not None:
            return [fault]
        return [BadInput(fault.message, file=file, field=fault.field, expected=fault.expected)]
    return []
