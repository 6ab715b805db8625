"""One person in a community, as whoever speaks for them is told of it: to read, or to meet.

People are shown in an authored community, theirs if they live in one. With norms given, everybody there holds these, as
in a sampled world, where cards are dealt.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from normgym_agents.assets import asset
from normgym_agents.community.agreement import vocabulary_of
from normgym_agents.community.authored import open_authored
from normgym_agents.community.held import HeldNorm, NormCard
from normgym_agents.community.kinds import MemberKind
from normgym_agents.community.minds.lexis import lexis_of
from normgym_agents.community.minds.prompt import member_prompt
from normgym_agents.community.personas import find_written, read_community, read_setting
from normgym_agents.community.statements import statement_of
from normgym_agents.community.written import CommunityFile, Persona
from normgym_agents.errors import BadInput
from normgym_agents.files import read_yaml
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.reachability import check_reachable
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.world import World

DEFAULT: Final = "pottery-yard"
"""The community that people are shown in who live in none."""


@dataclass(frozen=True, kw_only=True)
class Seat:
    """A person in their place.

    Attributes:
        community: Name of the community.
        guest: Whether they do not live there.
        world: It as a world.
        cards: The members' cards, in the world's order.
        personas: Who they are, likewise.
        member: Which of them is the one.
    """

    community: str
    guest: bool
    world: World
    cards: tuple[NormCard, ...]
    personas: tuple[Persona, ...]
    member: int

    def told(self, kind: MemberKind) -> str:
        """What the model of the one is told before anything happens, letter for letter."""
        lexis = lexis_of(self.world, self.cards, self.personas)
        card, persona = self.cards[self.member], self.personas[self.member]
        return member_prompt(kind, persona, card, self.world, self.member, lexis)


def find_persona(name: str, folder: Path | None) -> str:
    """The name of the file of somebody who is named by it, or by what people call them.

    Raises:
        BadInput: There is nobody, or there are two.
    """
    places = [folder / "personas"] if folder is not None else []
    files: dict[str, Path] = {}
    for place in (*places, asset("personas", "personas")):
        for file in sorted(place.glob("*.yaml")):
            files.setdefault(file.stem, file)
    if name in files:
        return name
    called = [
        key for key, file in files.items() if read_yaml(file, Persona).name.casefold() == name.casefold()
    ]
    if len(called) == 1:
        return called[0]
    near = difflib.get_close_matches(name, files, n=1)
    hint = f": did you mean {near[0]!r}?" if near else ""
    message = f"there is nobody called {name!r}{hint}" if not called else f"several are called {name!r}"
    raise BadInput(message, field="NAME", expected=" | ".join(called or files))


def is_community(name: str, folder: Path | None) -> bool:
    """Whether a name is a community's, and nobody's."""
    try:
        find_written("communities", name, folder)
    except BadInput:
        return False
    try:
        find_written("personas", name, folder)
    except BadInput:
        return True
    return False


def seat(
    name: str, *, folder: Path | None = None, community: str | None = None, rules: Sequence[str] = ()
) -> Seat:
    """Somebody in their community.

    Args:
        name: Name of the persona's file, or what people call them.
        folder: An author's own folder, as in `read_community`.
        community: Where; None for the first community that they live in, else `DEFAULT`.
        rules: Norms that everybody holds, in the norm language; none for what is on the cards.

    Raises:
        BadInput: There is no such person, community or norm; or they do not fit each other.
    """
    key = find_persona(name, folder)
    community = community or _home_of(key, folder)
    written, members = read_community(community, folder, guest=key)
    world, cards = open_authored(community, folder=folder, guest=key)
    if rules:
        world, cards = _dealt(world, cards, written, rules, folder)
    file = find_written("communities", community, folder)
    return Seat(
        community=community,
        guest=key not in _people_in(file),
        world=world,
        cards=cards,
        personas=tuple(member.persona for member in members),
        member=[member.key for member in members].index(key),
    )


def _home_of(key: str, folder: Path | None) -> str:
    """The first community that somebody lives in; the author's own come first."""
    places = [folder / "communities"] if folder is not None else []
    for place in (*places, asset("personas", "communities")):
        for file in sorted(place.glob("*.yaml")):
            if key in _people_in(file):
                return file.stem
    return DEFAULT


def _people_in(file: Path) -> list[str]:
    return [entry.persona for entry in read_yaml(file, CommunityFile).members]


def _dealt(
    world: World,
    cards: tuple[NormCard, ...],
    written: CommunityFile,
    rules: Sequence[str],
    folder: Path | None,
) -> tuple[World, tuple[NormCard, ...]]:
    """The same world where everybody holds these norms instead."""
    norms: list[Norm] = []
    for rule in rules:
        try:
            norms.append(parse_norm(rule))
        except BadInput as fault:
            raise BadInput(f"{rule!r}: {fault.message}", field="--norms", expected=fault.expected) from None
    setting = read_setting(written.setting, folder)
    try:
        RuleSet(norms)
        check_reachable(norms, vocabulary_of(written.words, setting, norms))
    except BadInput as fault:
        raise BadInput(fault.message, field="--norms", expected=fault.expected) from None
    held = tuple(
        HeldNorm(rule=print_norm(norm), statement=statement_of(norm, setting.verbs)) for norm in norms
    )
    return in_force(world, [one.rule for one in held]), tuple(card.dealt(held, card.canary) for card in cards)


def in_force(world: World, rules: Sequence[str]) -> World:
    """The same world with other norms in force; nothing is proved of it."""
    empty = tuple(() for _ in rules)
    days = {
        name: day.model_copy(update={"tempting": empty})
        for name, day in (("practise", world.practise), ("probe", world.probe))
    }
    return world.model_copy(update={"norms": tuple(rules), **days}).sealed()
