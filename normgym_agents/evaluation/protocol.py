"""The exact text that a newcomer gets, without running it.

What is shown is made by the same code that an episode runs, up to the moment at which the newcomer would be asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from normgym_agents.community.cards import deal_cards
from normgym_agents.community.episode import Asked, Backstage
from normgym_agents.community.loop import play_loop
from normgym_agents.community.question import question_for
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.episodes import people
from normgym_agents.evaluation.plan import Plan
from normgym_agents.newcomers.acting import Answer, read_answer
from normgym_agents.newcomers.pausing import Given, Pause, answer, decide
from normgym_agents.newcomers.wiring import OBSERVATION, OnInterrupt
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.public import Observation
from normgym_agents.worlds.world import World


class Paused(BaseModel):
    """What becomes of a pause.

    Attributes:
        asks: What the agent asks, as it gives it to `interrupt`.
        reply: Whether that is its reply to the observation, so that it goes on at its next turn.
        told: What it goes on with; the next observation stands in it as `{observation}`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    asks: Any
    reply: bool
    told: Any


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
        later: What it reads in its second, having waited; None where there is none.
        again: What it reads once more in the same turn if it did not answer.
        pauses: What it is told where it pauses to ask, by example; none for what cannot pause.
        question: What it is asked when the acting is over; None if it is not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    newcomer: str
    kind: str
    world: str
    condition: str
    system: str | None
    tools: Sequence[dict[str, Any]]
    observation: str
    later: str | None
    again: str
    pauses: Sequence[Paused]
    question: str | None


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
    kind, config = plan.newcomer.kind, plan.config
    observation, *further = await _observations(episode.world, episode.condition, episode.trial, whole=True)
    system, tools = _offered(kind, observation)
    last = (observation, *further)[-1]  # the question is about what was seen last
    question = question_for(last.view, episode.world.setting.title).text if config.report else None
    return Protocol(
        newcomer=plan.newcomer.name,
        kind=kind,
        world=episode.world.id,
        condition=episode.condition.value,
        system=system,
        tools=tools,
        observation=observation.text,
        later=further[0].text if further else None,
        again=read_answer(Answer(), observation.view).fault or "",
        pauses=[_paused(asks, config.on_interrupt) for asks in _PAUSES] if kind in _PAUSING else [],
        question=question,
    )


_PAUSING: Final = frozenset({"langgraph", "remote_graph", "factory", "autogen"})
"""Kinds that may pause in the middle of a turn."""

_PAUSES: Final = (
    "May I wait?",
    {"question": "May I wait?"},
    {
        "action_requests": [{"name": "wait", "args": {}}],
        "review_configs": [{"action_name": "wait", "allowed_decisions": ["approve", "reject", "respond"]}],
    },
)
"""A question in words, one in an object, and a review of LangChain's."""


def _paused(asks: object, policy: OnInterrupt) -> Paused:
    pause = Pause(id="", value=asks)
    decided = decide(pause, policy)
    if isinstance(decided, Given):
        return Paused(asks=asks, reply=False, told=decided.value)
    return Paused(asks=asks, reply=True, told=answer(pause, decided, OBSERVATION))


async def first_observation(world: World, condition: Condition, trial: int = 0) -> Observation:
    """What a newcomer reads in its first turn; not of a world under `yoked`, which shows what is not yet."""
    return (await _observations(world, condition, trial, whole=False))[0]


async def _observations(world: World, condition: Condition, trial: int, *, whole: bool) -> list[Observation]:
    """What a newcomer reads that waits at every turn, or else breaks at its first."""
    seen: list[Observation] = []

    async def ask(observation: Observation) -> Asked:
        seen.append(observation)
        return Asked(read_answer(Answer(text="wait"), observation.view) if whole else None, 1)

    arrangement = arrange(world, condition, trial)
    cards = deal_cards(arrangement, people(world.setting.name))
    await play_loop(Backstage(arrangement=arrangement, cards=cards, ask=ask))
    return seen


def _offered(kind: str, observation: Observation) -> tuple[str | None, Sequence[dict[str, Any]]]:
    if kind in ("chat_model", "endpoint"):
        from normgym_agents.newcomers.chat_model import act_tools, prompt

        return prompt().format(name=observation.view.name), act_tools(observation.view)
    if kind == "factory":
        from normgym_agents.newcomers.chat_model import common_tools

        return None, common_tools()
    return None, ()
