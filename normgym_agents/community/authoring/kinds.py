"""The kinds of file that people write, and how a file's kind is told."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from normgym_agents.community.held import CardFile
from normgym_agents.community.written import CommunityFile, Persona
from normgym_agents.errors import BadInput
from normgym_agents.files import keys_of_yaml
from normgym_agents.worlds.settings import Setting

_FOLDERS: Final = {
    "persona": "personas",
    "card": "cards",
    "community": "communities",
    "setting": "settings",
}
_MODELS: Final[dict[str, type[BaseModel]]] = {
    "persona": Persona,
    "card": CardFile,
    "community": CommunityFile,
    "setting": Setting,
}


class Kind(StrEnum):
    """A kind of file."""

    PERSONA = "persona"
    CARD = "card"
    COMMUNITY = "community"
    SETTING = "setting"

    @property
    def folder(self) -> str:
        """The folder that files of this kind lie in."""
        return _FOLDERS[self.value]

    @property
    def model(self) -> type[BaseModel]:
        """What such a file must hold."""
        return _MODELS[self.value]


def kind_of(file: Path) -> Kind:
    """The kind of a file: that of the folder it lies in, else the one whose keys it has.

    Raises:
        BadInput: It lies elsewhere and has no keys by which to tell, or cannot be read.
    """
    for kind in Kind:
        if file.absolute().parent.name == kind.folder:
            return kind
    found = keys_of_yaml(file)
    shared = {kind: len(found & set(kind.model.model_fields)) for kind in Kind}
    best = max(shared.values())
    kinds = [kind for kind in Kind if shared[kind] == best]
    if best == 0 or len(kinds) > 1:
        folders = ", ".join(kind.folder for kind in Kind)
        raise BadInput("nothing tells what it is to be", file=file, expected=f"a file in a folder {folders}")
    return kinds[0]
