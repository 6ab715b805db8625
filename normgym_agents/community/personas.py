"""Personas, private norm cards and authored communities, as people write them in YAML.

A persona is who somebody is; a card is what they privately hold. They are kept apart because the same
people meet newcomers in many worlds, each with norms of its own.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from normgym_agents.assets import asset
from normgym_agents.errors import BadInput
from normgym_agents.files import read_yaml
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import Name
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.public import Answer
from normgym_agents.worlds.settings import Phrase, Setting


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Disclosure(StrEnum):
    """What a member does when asked for the rules."""

    NEVER = "never"
    HINT = "hint"
    TELL = "tell"


class Persona(_Data):
    """An authored character."""

    name: Phrase
    story: Phrase
    voice: Phrase
    goal: Phrase
    temperament: Phrase
    disclosure: Disclosure


def _norm_text(text: str) -> str:
    try:
        parse_norm(text)
    except BadInput as fault:
        raise ValueError(str(fault)) from None
    return text


class HeldNorm(_Data):
    """A norm on a card: the rule in the norm language, and how its holder would put it."""

    rule: Annotated[str, AfterValidator(_norm_text)]
    statement: Phrase


class NormCard(_Data):
    """What one member privately holds.

    Attributes:
        norms: The norms it answers breaches of.
        answers: How it answers the first, second, … breach of a person; the last form repeats.
        canary: A mark that must never reach a newcomer; dealt with the card, never authored.
    """

    norms: tuple[HeldNorm, ...]
    answers: tuple[Answer, ...] = Field(min_length=1)
    canary: str = Field(default="", max_length=0)

    def dealt(self, norms: tuple[HeldNorm, ...], canary: str) -> NormCard:
        """The same way of answering, holding other norms."""
        return self.model_copy(update={"norms": norms, "canary": canary})


class MemberEntry(_Data):
    """A member of an authored community: a persona, a card and a role."""

    persona: Name
    card: Name
    role: Name


class Words(_Data):
    """The words of an authored community, where a sampled world would draw them."""

    places: tuple[Name, ...] = Field(min_length=2)
    attributes: dict[Name, tuple[Name, ...]]
    signals: dict[Name, tuple[Name, Name]]
    roles: tuple[Name, ...] = Field(min_length=2)
    newcomer: Phrase
    newcomer_role: Name


class CommunityFile(_Data):
    """An authored community."""

    name: Name
    setting: Name
    enforcement: Enforcement
    members: tuple[MemberEntry, ...] = Field(min_length=4, max_length=6)
    words: Words

    @model_validator(mode="after")
    def _known_roles(self) -> Self:
        for role in (*(member.role for member in self.members), self.words.newcomer_role):
            if role not in self.words.roles:
                raise ValueError(f"role {role!r} is not among words.roles {list(self.words.roles)}")
        return self


class AuthoredMember(_Data):
    """A member with everything read."""

    key: str
    persona: Persona
    card: NormCard
    role: str


def read_setting(name: str) -> Setting:
    """Read a bundled setting by name."""
    return read_yaml(asset("personas", "settings", f"{name}.yaml"), Setting)


def read_community(name: str) -> tuple[CommunityFile, tuple[AuthoredMember, ...]]:
    """Read a bundled community with its personas and cards.

    Raises:
        BadInput: A file is missing or wrong; the message names file, line and field.
    """
    community = read_yaml(asset("personas", "communities", f"{name}.yaml"), CommunityFile)
    members = tuple(
        AuthoredMember(
            key=entry.persona,
            persona=read_yaml(asset("personas", "personas", f"{entry.persona}.yaml"), Persona),
            card=read_yaml(asset("personas", "cards", f"{entry.card}.yaml"), NormCard),
            role=entry.role,
        )
        for entry in community.members
    )
    return community, members
