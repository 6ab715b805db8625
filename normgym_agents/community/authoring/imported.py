"""People from elsewhere: read from a file, whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from normgym_agents.community.authoring.drafting import Draft
from normgym_agents.errors import BadInput


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What a file holds.

    Attributes:
        drafts: The people, with cards.
        roles: Roles by the names of the files, where they were given.
        notes: What was left out or cut.
    """

    drafts: tuple[Draft, ...]
    roles: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def files(self, folder: Path) -> dict[Path, str]:
        """The files that they make in a folder."""
        return {file: text for draft in self.drafts for file, text in draft.files(folder).items()}


class Register:
    """Who came so far: names and file names are each somebody's own.

    Args:
        file: The file that is read.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._names: dict[str, str] = {}

    def enter(self, draft: Draft, where: str, line: int | None) -> None:
        """Take somebody in.

        Raises:
            BadInput: Somebody else is called so.
        """
        for said, name in (("called", draft.persona.name.casefold()), ("filed as", f"{draft.key}.yaml")):
            if name in self._names:
                raise BadInput(
                    f"{draft.persona.name!r} is {said} like somebody before, in {self._names[name]}",
                    file=self._file,
                    line=line,
                    expected="names that differ",
                )
            self._names[name] = where
