"""The exact text that a newcomer gets, without running it.

What is shown is made by the same code that an episode runs, up to the moment at which the newcomer would be asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from normgym_agents.community.cards import deal_cards
from normgym_agents.community.episode import Asked, Backstage
from normgym_agents.community.loop import play_loop
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.episodes import people
from normgym_agents.evaluation.plan import Plan
from normgym_agents.newcomers.acting import Answer, read_answer
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.public import Observation
from normgym_agents.worlds.world import World


class Protocol(BaseModel):
    """What a newcomer gets.

    Attributes:
        newcomer: What it is known by.
        kind: What it is, as `Adapted.kind`.
        world: The world that is shown.
        condition: Under which condition.
        system: The system prompt of a bare chat model; None for an agent, which has its own.
        tools: The tools that it is offered to act with, as JSON; a factory gets them in its parameter `tools`.
        observation: What it reads in its first turn.
        again: What it reads once more in the same turn if it did not answer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    newcomer: str
    kind: str
    world: str
    condition: str
    system: str | None
    tools: Sequence[dict[str, Any]]
    observation: str
    again: str


async def protocol_of(plan: Plan) -> Protocol:
    """The protocol of a run's first episode.

    Args:
        plan: The run.

    Raises:
        BadInput: Every episode of it shows what an earlier one brought about.
    """
    episode = next((one for one in plan.episodes if one.source is None), None)
    if episode is None:
        raise BadInput("what is shown comes from other episodes", field="conditions", expected="another one")
    kind, observation = (
        plan.newcomer.kind,
        await first_observation(episode.world, episode.condition, episode.trial),
    )
    system, tools = _offered(kind, observation)
    return Protocol(
        newcomer=plan.newcomer.name,
        kind=kind,
        world=episode.world.id,
        condition=episode.condition.value,
        system=system,
        tools=tools,
        observation=observation.text,
        again=read_answer(Answer(), observation.view).fault or "",
    )


async def first_observation(world: World, condition: Condition, trial: int = 0) -> Observation:
    """What a newcomer reads in its first turn; not of a world under `yoked`, which shows what is not yet."""
    seen: list[Observation] = []

    async def ask(observation: Observation) -> Asked:
        seen.append(observation)
        return Asked(None, 1)

    arrangement = arrange(world, condition, trial)
    cards = deal_cards(arrangement, people(world.setting.name))
    await play_loop(Backstage(arrangement=arrangement, cards=cards, ask=ask))
    return seen[0]


def _offered(kind: str, observation: Observation) -> tuple[str | None, Sequence[dict[str, Any]]]:
    if kind in ("chat_model", "endpoint"):
        from normgym_agents.newcomers.chat_model import act_tools, prompt

        return prompt().format(name=observation.view.name), act_tools(observation.view)
    if kind == "factory":
        from normgym_agents.newcomers.chat_model import common_tools

        return None, common_tools()
    return None, ()
