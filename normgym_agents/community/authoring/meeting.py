"""Meeting one member: a day at its place, on which nobody else minds anything and every breach is answered.

It is the community's own machine that plays the day, over the same steps as any episode, so what is seen is what a
newcomer would see of that member.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from normgym_agents.community.authoring.seating import Seat, in_force
from normgym_agents.community.episode import Asked, Backstage, Interrupted, Json
from normgym_agents.community.loop import play_loop
from normgym_agents.errors import LeftEarly
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.public import Observation, Reply
from normgym_agents.worlds.world import World

if TYPE_CHECKING:
    from normgym_agents.community.minds.models import MemberModels

Turn = Callable[[Observation], Awaitable[Reply]]
"""Puts an observation before the person who meets somebody, and brings back what they do."""


async def meet(seat: Seat, turn: Turn, models: MemberModels | None = None) -> list[Json]:
    """Meet somebody for a day.

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
    ensemble = None
    if models is not None:
        from normgym_agents.community.minds.ensemble import Ensemble

        ensemble = Ensemble(models, world, cards, seat.personas)
    arrangement = arrange(world, Condition.LIVE)

    async def ask(observation: Observation) -> Asked:
        reply = await turn(observation)
        while reply.act is None:
            fault = reply.fault or "That is nothing that can be done here."
            reply = await turn(Observation.model_construct(text=fault, view=observation.view, retry=fault))
        return Asked(reply, 1)

    backstage = Backstage(
        arrangement=replace(arrangement, days=arrangement.days[:1]),
        cards=cards,
        ask=ask,
        personas=seat.personas,
        ensemble=ensemble,
    )
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
