"""Personas, private norm cards and authored communities, as people write them in YAML.

A persona is who somebody is; a card is what they privately hold. They are kept apart because the same
people meet newcomers in many worlds, each with norms of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from normgym_agents.assets import asset
from normgym_agents.community.agreement import check_cards
from normgym_agents.errors import BadInput
from normgym_agents.files import read_yaml
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import Name
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.expectations import SignalValue
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


Statement = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""One line that says a norm; one that changes on a day, or one with all its conditions, takes more than a phrase."""


class HeldNorm(_Data):
    """A norm on a card: the rule in the norm language, and how its holder would put it."""

    rule: Annotated[str, AfterValidator(_norm_text)]
    statement: Statement


def _one_set(norms: tuple[HeldNorm, ...]) -> tuple[HeldNorm, ...]:
    try:
        RuleSet(parse_norm(held.rule) for held in norms)
    except BadInput as fault:
        raise ValueError(str(fault)) from None
    return norms


class CardFile(_Data):
    """What one member privately holds, as it is written.

    Attributes:
        norms: The norms it answers breaches of; labels (`overriding N1`) count them from the top.
        answers: How it answers the first, second, … breach of a person; the last form repeats.
    """

    norms: Annotated[tuple[HeldNorm, ...], AfterValidator(_one_set)]
    answers: tuple[Answer, ...] = Field(min_length=1)


class NormCard(CardFile):
    """What one member privately holds in a world.

    Attributes:
        canary: A mark that must never reach a newcomer; dealt with the card, never authored.
    """

    canary: str = Field(default="", max_length=0)

    def dealt(self, norms: tuple[HeldNorm, ...], canary: str) -> NormCard:
        """The same way of answering, holding other norms."""
        return self.model_copy(update={"norms": norms, "canary": canary})


class MemberEntry(_Data):
    """A member of an authored community: a persona, a card and a role."""

    persona: Name
    card: Name
    role: Name


def _distinct(words: tuple[str, ...]) -> tuple[str, ...]:
    for word in words:
        if words.count(word) > 1:
            raise ValueError(f"{word!r} stands twice")
    return words


Distinct = Annotated[tuple[Name, ...], AfterValidator(_distinct)]
"""Words, each once."""


class Words(_Data):
    """The words of an authored community, where a sampled world would draw them.

    Topics and addresses stand where the setting has them, and only there.
    """

    places: Distinct = Field(min_length=2)
    attributes: dict[Name, Annotated[Distinct, Field(min_length=2)]]
    signals: dict[Name, tuple[SignalValue, SignalValue]] = Field(min_length=1)
    roles: Distinct = Field(min_length=2)
    topics: Distinct = ()
    addresses: Distinct = ()
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
        _distinct(tuple(member.persona for member in self.members))
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


def read_community(name: str, folder: Path | None = None) -> tuple[CommunityFile, tuple[AuthoredMember, ...]]:
    """Read a community with its personas and cards.

    Args:
        name: Name of its file.
        folder: Where `communities`, `personas` and `cards` lie; None for the bundled ones.

    Raises:
        BadInput: A file is missing or wrong, or a norm on a card does not fit the community; the message names
            file, line and field.
    """
    file = _find("communities", name, folder)
    community = read_yaml(file, CommunityFile)
    _check_words(community, file)
    members, cards = [], []
    for i, entry in enumerate(community.members):
        try:
            persona, card = _find("personas", entry.persona, folder), _find("cards", entry.card, folder)
        except BadInput as fault:
            raise BadInput(fault.message, file=file, field=f"members.{i}", expected=fault.expected) from None
        cards.append(card)
        members.append(
            AuthoredMember(
                key=entry.persona,
                persona=read_yaml(persona, Persona),
                card=NormCard(**dict(read_yaml(card, CardFile))),
                role=entry.role,
            )
        )
    _check_names(community, members, file)
    check_cards(community.name, community.words, read_setting(community.setting), members, cards)
    return community, tuple(members)


def _find(kind: str, name: str, folder: Path | None) -> Path:
    if folder is None:
        return asset("personas", kind, f"{name}.yaml")
    file = folder / kind / f"{name}.yaml"
    if not file.is_file():
        known = ", ".join(sorted(path.stem for path in (folder / kind).glob("*.yaml")))
        raise BadInput(f"there is no {kind}/{name}.yaml", file=folder, expected=f"one of {known or 'none'}")
    return file


def _check_words(community: CommunityFile, file: Path) -> None:
    setting, words = read_setting(community.setting), community.words
    if set(words.attributes) != set(setting.attributes):
        raise BadInput(
            f"the setting {community.setting!r} names things by other attributes",
            file=file,
            field="words.attributes",
            expected=", ".join(sorted(setting.attributes)),
        )
    for name, pool, said in (
        ("topics", setting.topics, words.topics),
        ("addresses", setting.addresses, words.addresses),
    ):
        if (pool is None) is bool(said):
            has, wanted = ("no", "nothing") if pool is None else ("some", f"words, e.g. {pool.pool[0]}")
            raise BadInput(
                f"the setting {community.setting!r} has {has} {name}",
                file=file,
                field=f"words.{name}",
                expected=wanted,
            )


def _check_names(community: CommunityFile, members: Sequence[AuthoredMember], file: Path) -> None:
    """People go by their names in the log, so no two may share one."""
    names = [community.words.newcomer, *(member.persona.name for member in members)]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"two people are called {name!r}", file=file, field="members")
