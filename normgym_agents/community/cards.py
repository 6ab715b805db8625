"""Dealing private cards to the members of a world."""

from __future__ import annotations

from hashlib import blake2b

from normgym_agents.community.personas import AuthoredMember, HeldNorm, NormCard
from normgym_agents.community.statements import statement_of
from normgym_agents.errors import BadInput
from normgym_agents.norms.language import print_norm
from normgym_agents.worlds.arrangement import Arrangement
from normgym_agents.worlds.world import World


def canary_of(world: World, member: str) -> str:
    """A mark on a member's card. Whoever sees it outside the card has found a leak."""
    return "canary-" + blake2b(f"{world.digest}/{member}".encode(), digest_size=8).hexdigest()


def deal_cards(arrangement: Arrangement, people: dict[str, AuthoredMember]) -> tuple[NormCard, ...]:
    """One card per member of the world, in the world's order: its own way of answering, the norms it enforces.

    Args:
        arrangement: The world under a condition: the norms that are in force on any of its days.
        people: The authored members by persona id.

    Raises:
        BadInput: A member of the world is none of these people.
    """
    world = arrangement.world
    for member in world.cast.members:
        if member.persona not in people:
            raise BadInput(
                f"world {world.id} has a member {member.persona!r} whom nobody wrote",
                field="cast",
                expected=" | ".join(sorted(people)),
            )
    norms = dict.fromkeys(norm for day in arrangement.days for norm in day.in_force.norms)
    held = tuple(
        HeldNorm(rule=print_norm(norm), statement=statement_of(norm, world.setting.verbs)) for norm in norms
    )
    return tuple(
        people[member.persona].card.dealt(held, canary_of(world, member.name))
        for member in world.cast.members
    )
