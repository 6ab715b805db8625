"""A persona and its card before they are files: put together from answers, profiles or rows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from normgym_agents.community.authoring.kinds import Kind
from normgym_agents.community.authoring.schemas import modeline
from normgym_agents.community.authoring.writing import yaml_text
from normgym_agents.community.held import CardFile
from normgym_agents.community.written import Persona
from normgym_agents.errors import BadInput
from normgym_agents.norms.norm import KEYWORDS

_ModelT = TypeVar("_ModelT", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A persona and its card.

    Attributes:
        key: The name of their files, without `.yaml`.
        persona: Who it is.
        card: What it holds.
    """

    key: str
    persona: Persona
    card: CardFile

    def files(self, folder: Path) -> dict[Path, str]:
        """The files that they make in a folder."""
        return {
            folder / kind.folder / f"{self.key}.yaml": modeline(kind) + yaml_text(model)
            for kind, model in ((Kind.PERSONA, self.persona), (Kind.CARD, self.card))
        }


def key_of(name: str) -> str | None:
    """The file name that a name suggests, e.g. `ana-maria` for Ana María; None where it suggests none."""
    folded = unicodedata.normalize("NFKD", name).casefold()
    plain = "".join(c for c in folded if not unicodedata.combining(c))
    key = re.sub(r"[^a-z0-9]+", "-", plain).strip("-0123456789")[:60].rstrip("-")
    return key if key and key not in KEYWORDS else None


def made(model: type[_ModelT], fields: Mapping[str, Any]) -> _ModelT:
    """A model of such fields.

    Raises:
        BadInput: They do not fit; names the first field at fault.
    """
    try:
        return model.model_validate(dict(fields))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in first["loc"]) or None
        raise BadInput(_said(error), field=path) from error


@cache
def _adapter(of: Any) -> TypeAdapter[Any]:
    return TypeAdapter(of)


def checked(of: Any, text: str) -> Any:
    """A text as one value of some type.

    Raises:
        ValueError: It is none; says why, in one line.
    """
    try:
        return _adapter(of).validate_python(text)
    except ValidationError as error:
        raise ValueError(_said(error)) from error


def _said(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    reason = str(first.get("ctx", {}).get("error") or first["msg"])
    return " ".join(reason.split())
