"""What an agent or team remembers, taken out and put into another cast of the same.

A run that is cancelled leaves half-sent messages and a dead runtime behind where there is a team, which goes on
from what it remembered before; an agent by itself keeps what it heard and did, with the calls closed that nobody
will answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from autogen_agentchat.agents import SocietyOfMindAgent
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import AssistantMessage, FunctionExecutionResult, FunctionExecutionResultMessage

from normgym_agents.newcomers.autogen.casting import Player, players

_CUT_OFF: Final = "This call was cut off; there is no answer."


@dataclass(frozen=True)
class Memory:
    """The state of an agent or team.

    Attributes:
        state: As it saves it.
        minds: What AutoGen leaves out of that: the conversations of its societies of mind.
    """

    state: Mapping[str, Any]
    minds: Sequence[Mapping[str, Any]]


async def saved(player: Player) -> Memory:
    """What the player remembers now; may be asked in the middle of a run that waits for its user."""
    return Memory(
        await player.save_state(), [await mind.model_context.save_state() for mind in _minds(player)]
    )


async def load(memory: Memory, player: Player) -> None:
    """Let the player remember that, and nothing else."""
    await player.load_state(memory.state)
    for mind, state in zip(_minds(player), memory.minds, strict=True):
        await mind.model_context.load_state(state)


async def close_calls(player: Player) -> None:
    """Answer the calls that a run which was cut off left open: providers refuse a conversation with such."""
    context = getattr(player, "model_context", None)
    if not isinstance(context, ChatCompletionContext):
        return
    for message in (await context.get_messages())[-1:]:
        if isinstance(message, AssistantMessage) and isinstance(message.content, list):
            results = [
                FunctionExecutionResult(content=_CUT_OFF, call_id=call.id, name=call.name, is_error=True)
                for call in message.content
            ]
            await context.add_message(FunctionExecutionResultMessage(content=results))


def _minds(player: Player) -> list[SocietyOfMindAgent]:
    return [one for one in players(player) if isinstance(one, SocietyOfMindAgent)]
