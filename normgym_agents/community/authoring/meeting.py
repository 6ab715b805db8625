"""Meeting one member for a day, or a whole community.

It is the community's own machine that plays it, over the same steps as any episode, so what is seen is what a newcomer
would see of these people.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from normgym_agents.community.authoring.seating import Seat, in_force
from normgym_agents.community.episode import Asked, Backstage, Interrupted, Json
from normgym_agents.community.held import NormCard
from normgym_agents.community.loop import play_loop
from normgym_agents.community.written import Persona
from normgym_agents.errors import LeftEarly
from normgym_agents.worlds.arrangement import Arrangement, arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.public import Observation, Reply
from normgym_agents.worlds.world import World

if TYPE_CHECKING:
    from normgym_agents.community.minds.models import MemberModels

Turn = Callable[[Observation], Awaitable[Reply]]
"""Puts an observation before the person who meets somebody, and brings back what they do."""


async def meet(seat: Seat, turn: Turn, models: MemberModels | None = None) -> list[Json]:
    """Meet somebody for a day, on which nobody else minds anything and every breach is answered.

    Args:
        seat: Whom.
        turn: Reaches the person who meets them; raises `LeftEarly` where that one gets up.
        models: What speaks for the one who is met; None for templates.

    Returns:
        The log of the day; an empty one if the person left.

    Raises:
        CommunityError: A model failed.
    """
    world = _alone(seat)
    cards = tuple(
        card if i == seat.member else card.dealt((), card.canary) for i, card in enumerate(seat.cards)
    )
    arrangement = arrange(world, Condition.LIVE)
    day = replace(arrangement, days=arrangement.days[:1])
    return await _played(day, cards, seat.personas, turn, models)


async def visit(
    world: World,
    cards: tuple[NormCard, ...],
    personas: tuple[Persona, ...],
    turn: Turn,
    models: MemberModels | None = None,
) -> list[Json]:
    """Come to a community as its newcomer: watch, work a day among its people, and one where nobody answers any more.

    Args:
        world: The community as a world.
        cards: Its members' cards.
        personas: Who they are.
        turn: As for `meet`.
        models: What speaks for the members; None for templates.

    Returns:
        The log; an empty one if the person left.

    Raises:
        CommunityError: A model failed.
    """
    return await _played(arrange(world, Condition.LIVE), cards, personas, turn, models)


async def _played(
    arrangement: Arrangement,
    cards: tuple[NormCard, ...],
    personas: tuple[Persona, ...],
    turn: Turn,
    models: MemberModels | None,
) -> list[Json]:
    ensemble = None
    if models is not None:
        from normgym_agents.community.minds.ensemble import Ensemble

        ensemble = Ensemble(models, arrangement.world, cards, personas)

    async def ask(observation: Observation) -> Asked:
        reply = await turn(observation)
        while reply.act is None:
            fault = reply.fault or "That is nothing that can be done here."
            reply = await turn(Observation.model_construct(text=fault, view=observation.view, retry=fault))
        return Asked(reply, 1)

    backstage = Backstage(arrangement=arrangement, cards=cards, ask=ask, personas=personas, ensemble=ensemble)
    try:
        return await play_loop(backstage)
    except Interrupted as error:
        if isinstance(error.__cause__, LeftEarly):
            return []
        raise


def _alone(seat: Seat) -> World:
    """The world's day of practice, with the newcomer where the member is, and the others elsewhere."""
    world = in_force(seat.world, [held.rule for held in seat.cards[seat.member].norms])
    stage = world.practise.stage
    here = stage.people[seat.member].place
    elsewhere = next(place for place in stage.places if place != here)
    people = [
        person.model_copy(update={"place": here if i in (seat.member, stage.newcomer) else elsewhere})
        for i, person in enumerate(stage.people)
    ]
    day = world.practise.model_copy(update={"stage": stage.model_copy(update={"people": tuple(people)})})
    sure = world.enforcement.model_copy(update={"detection": 1.0, "false_sanctions": 0.0})
    return world.model_copy(update={"watch": (), "practise": day, "enforcement": sure}).sealed()
