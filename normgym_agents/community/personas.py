"""Personas, private norm cards and authored communities, read together from the files that people wrote.

A persona is who somebody is; a card is what they privately hold. They are kept apart because the same
people meet newcomers in many worlds, each with norms of its own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from normgym_agents.assets import asset
from normgym_agents.community.agreement import faults_of_cards
from normgym_agents.community.composing import Composed, Keys, binding, compose, dotted
from normgym_agents.community.held import CardFile, HeldNorm, NormCard
from normgym_agents.community.negotiation import wrong_with
from normgym_agents.community.written import (
    MOST_LOOKS,
    AuthoredMember,
    CommunityFile,
    Disclosure,
    MemberEntry,
    Persona,
    Words,
)
from normgym_agents.errors import BadInput
from normgym_agents.files import faults_of_yaml, line_of, read_yaml
from normgym_agents.norms.norm import NAME_PATTERN
from normgym_agents.worlds.settings import Setting

__all__ = [
    "AuthoredMember",
    "CardFile",
    "CommunityFile",
    "Disclosure",
    "HeldNorm",
    "MemberEntry",
    "NormCard",
    "Persona",
    "Words",
    "faults_of_community",
    "find_written",
    "read_community",
    "read_setting",
]

_ModelT = TypeVar("_ModelT", bound=BaseModel)


def read_setting(name: str, folder: Path | None = None) -> Setting:
    """Read a setting by name: one in `settings` of a folder, else a bundled one.

    Raises:
        BadInput: There is none, or it is wrong.
    """
    file = find_written("settings", name, folder)
    setting = read_yaml(file, Setting)
    if setting.name != name:
        raise BadInput("its name is not that of its file", file=file, field="name", expected=name)
    return setting


def read_community(
    name: str, folder: Path | None = None, *, guest: str | None = None
) -> tuple[CommunityFile, tuple[AuthoredMember, ...]]:
    """Read a community with its personas and cards.

    Args:
        name: Name of its file.
        folder: Where `communities`, `personas`, `cards` and `settings` of one's own lie; what is not there is taken
            from the bundled ones. None for the bundled ones alone.
        guest: Somebody who does not live there, by the name of the persona's file and the card's, and who comes in the
            first member's place; what the community agreed on is left out then, as the guest had no vote.

    Raises:
        BadInput: A file is missing or wrong, or a norm on a card does not fit the community; the message names
            file, line and field.
    """
    file = find_written("communities", name, folder)
    community = read_yaml(file, CommunityFile)
    if guest is not None and guest not in [entry.persona for entry in community.members]:
        community = _with_guest(community, guest, file)
    read = _read(file, community, folder)
    for fault in read.faults:
        raise fault
    return read.community, read.members


def faults_of_community(file: Path, folder: Path | None) -> list[BadInput]:
    """Everything that `read_community` would refuse; of the files that it names, the first fault of each."""
    faults = faults_of_yaml(file, CommunityFile)
    if faults:
        return faults
    return list(dict.fromkeys(_read(file, read_yaml(file, CommunityFile), folder).faults))


def find_written(kind: str, name: str, folder: Path | None) -> Path:
    """The file of this name: in a folder, else among the bundled ones.

    Args:
        kind: The folder that it lies in, e.g. `cards`.
        name: Its name, without `.yaml`.
        folder: Where that folder lies; None for the bundled ones alone.

    Raises:
        BadInput: There is none.
    """
    places = [] if folder is None else [folder / kind]
    if folder is None or folder.is_dir():
        places.append(asset("personas", kind))
    if re.fullmatch(NAME_PATTERN, name):
        for place in places:
            if (place / f"{name}.yaml").is_file():
                return place / f"{name}.yaml"
    known = sorted({path.stem for place in places for path in place.glob("*.yaml")})
    near = difflib.get_close_matches(name, known, n=1)
    hint = f": did you mean {near[0]!r}?" if near else ""
    expected = f"one of {', '.join(known) or 'none'}"
    raise BadInput(f"there is no {kind}/{name}.yaml{hint}", file=places[0].parent, expected=expected)


def _with_guest(community: CommunityFile, guest: str, file: Path) -> CommunityFile:
    first, *others = community.members
    try:
        entry = MemberEntry(persona=guest, card=guest, role=first.role)
    except ValidationError as error:
        raise BadInput(f"{guest!r} is no name of a file", file=file, expected="a-z, 0-9, - and _") from error
    return community.model_copy(update={"members": (entry, *others), "agreements": ()})


class _Read(NamedTuple):
    community: CommunityFile
    members: tuple[AuthoredMember, ...]
    faults: list[BadInput]


def _read(file: Path, community: CommunityFile, folder: Path | None) -> _Read:
    """A community, with everything that is wrong; members that cannot be read are left out, and are faults."""
    faults = [*_faults_within(file, community), *_faults_of_roles(file, community)]
    try:
        setting = read_setting(community.setting, folder)
    except BadInput as fault:
        return _Read(community, (), [*faults, _meant(fault, file, ("setting",))])
    faults += _faults_of_words(community, setting, file)
    found: list[tuple[MemberEntry, Persona, CardFile, Path]] = []
    for i, entry in enumerate(community.members):
        try:
            persona, _ = _named("personas", entry.persona, Persona, file, ("members", i, "persona"), folder)
            card, card_file = _named("cards", entry.card, CardFile, file, ("members", i, "card"), folder)
            found.append((entry, persona, card, card_file))
        except BadInput as fault:
            faults.append(fault)
    faults += _faults_of_names(community, [persona for _, persona, _, _ in found], file)
    if faults:
        return _Read(community, (), faults)
    names = {entry.persona: persona.name for entry, persona, _, _ in found}
    composed = [compose(community, file, entry, card, path, names) for entry, _, card, path in found]
    members = tuple(
        AuthoredMember(key=entry.persona, persona=persona, card=one.card, role=entry.role)
        for (entry, persona, _, _), one in zip(found, composed, strict=True)
    )
    faults += _faults_of_rejected(community, members, composed, file)
    sources = [one.sources for one in composed]
    faults += faults_of_cards(community.name, community.words, setting, members, sources)
    return _Read(community, members, faults)


def _named(
    kind: str, name: str, model: type[_ModelT], file: Path, keys: Keys, folder: Path | None
) -> tuple[_ModelT, Path]:
    """A file that a community names, and where it is."""
    try:
        found = find_written(kind, name, folder)
    except BadInput as fault:
        raise _meant(fault, file, keys) from None
    return read_yaml(found, model), found


def _meant(fault: BadInput, file: Path, keys: Keys) -> BadInput:
    """That something is not there, said of the place that asks for it; what is wrong in it is said of itself."""
    if fault.line is not None or fault.field is not None:
        return fault
    return _at(file, keys, fault.message, fault.expected)


def _at(file: Path, keys: Keys, message: str, expected: str | None = None) -> BadInput:
    return BadInput(message, file=file, line=line_of(file, *keys), field=dotted(keys), expected=expected)


def _faults_within(file: Path, community: CommunityFile) -> Iterator[BadInput]:
    """What a community's file says against itself."""
    words = community.words
    if community.name != file.stem:
        yield _at(file, ("name",), "its name is not that of its file", file.stem)
    named: list[tuple[Keys, str]] = [
        *((("members", i, "role"), entry.role) for i, entry in enumerate(community.members)),
        (("words", "newcomer_role"), words.newcomer_role),
        *((("roles", role), role) for role in community.roles),
    ]
    for keys, role in named:
        if role not in words.roles:
            message = f"role {role!r} is not among words.roles"
            yield _at(file, keys, message, f"one of {', '.join(words.roles)}")
    keys_of_members = [entry.persona for entry in community.members]
    for i, key in enumerate(keys_of_members):
        if key in keys_of_members[:i]:
            yield _at(file, ("members", i, "persona"), f"{key!r} stands twice", "each person once")
    for i, agreement in enumerate(community.agreements):
        for wrong in wrong_with(agreement, keys_of_members):
            yield _at(file, ("agreements", i, *wrong.place), wrong.message, wrong.expected)


def _faults_of_roles(file: Path, community: CommunityFile) -> Iterator[BadInput]:
    """Norms that are written under a role and bind somebody else."""
    for role, brought in community.roles.items():
        for i, held in enumerate(brought.owes):
            if binding(held, role) is None:
                message = f"{held.rule!r} binds others than every {role}"
                yield _at(
                    file, ("roles", role, "owes", i, "rule"), message, f"'for {role}', or no 'for' at all"
                )


def _faults_of_rejected(
    community: CommunityFile, members: Sequence[AuthoredMember], composed: Sequence[Composed], file: Path
) -> Iterator[BadInput]:
    """Norms that were rejected, and that somebody holds all the same."""
    for i, agreement in enumerate(community.agreements):
        if agreement.adopted:
            continue
        for member, one in zip(members, composed, strict=True):
            for held, source in zip(one.card.norms, one.sources, strict=True):
                if " ".join(held.rule.split()) == " ".join(agreement.settled.rule.split()):
                    where = f"{source.file.name}: {source.field}"
                    message = f"it was rejected, but {member.key!r} holds it ({where})"
                    keys: Keys = ("agreements", i, "outcome")
                    yield _at(file, keys, message, "a rejected norm on nobody's card")


def _faults_of_words(community: CommunityFile, setting: Setting, file: Path) -> Iterator[BadInput]:
    words = community.words
    if set(words.attributes) != set(setting.attributes):
        message = f"the setting {community.setting!r} names things by other attributes"
        yield _at(file, ("words", "attributes"), message, ", ".join(sorted(setting.attributes)))
    looks = prod(len(values) for values in words.attributes.values())
    if looks > MOST_LOOKS:
        message = f"they make {looks} things that look different"
        yield _at(file, ("words", "attributes"), message, f"at most {MOST_LOOKS}")
    for name, pool, said in (
        ("topics", setting.topics, words.topics),
        ("addresses", setting.addresses, words.addresses),
    ):
        if (pool is None) is bool(said):
            has, wanted = ("no", "nothing") if pool is None else ("some", f"words, e.g. {pool.pool[0]}")
            message = f"the setting {community.setting!r} has {has} {name}"
            yield BadInput(
                message, file=file, line=line_of(file, "words", name), field=f"words.{name}", expected=wanted
            )


def _faults_of_names(community: CommunityFile, personas: Sequence[Persona], file: Path) -> Iterator[BadInput]:
    """People go by their names in the log, so no two may share one."""
    names = [community.words.newcomer, *(persona.name for persona in personas)]
    for i, name in enumerate(names):
        if name in names[:i]:
            yield _at(file, ("members",), f"two people are called {name!r}", "each name once")
