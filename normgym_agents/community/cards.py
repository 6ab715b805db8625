"""Dealing private cards to the members of a world."""

from __future__ import annotations

from hashlib import blake2b

from normgym_agents.community.personas import AuthoredMember, HeldNorm, NormCard
from normgym_agents.community.statements import statement_of
from normgym_agents.errors import BadInput
from normgym_agents.worlds.world import World


def canary_of(world: World, member: str) -> str:
    """A mark on a member's card. Whoever sees it outside the card has found a leak."""
    return "canary-" + blake2b(f"{world.digest}/{member}".encode(), digest_size=8).hexdigest()


def deal_cards(world: World, people: dict[str, AuthoredMember]) -> tuple[NormCard, ...]:
    """One card per member of the world, in the world's order: its own way of answering, the world's norms.

    Args:
        world: The world.
        people: The authored members by persona id.

    Raises:
        BadInput: A member of the world is none of these people.
    """
    for member in world.cast.members:
        if member.persona not in people:
            raise BadInput(
                f"world {world.id} has a member {member.persona!r} whom nobody wrote",
                field="cast",
                expected=" | ".join(sorted(people)),
            )
    held = tuple(
        HeldNorm(rule=text, statement=statement_of(norm, world.setting.verbs))
        for text, norm in zip(world.norms, world.parsed, strict=True)
    )
    return tuple(
        people[member.persona].card.dealt(held, canary_of(world, member.name))
        for member in world.cast.members
    )
