"""What a run would cost, from a few turns that were measured and the room that its episodes have.

Calls and tokens alone: a price is the provider's to say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from normgym_agents.evaluation.conformance.findings import Estimate
from normgym_agents.evaluation.conformance.scripted import Scripted, tokens_in, tokens_of
from normgym_agents.evaluation.conformance.visiting import Visit
from normgym_agents.evaluation.plan import Episode, Plan
from normgym_agents.evaluation.protocol import first_observation
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition, Phase

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World

_SAMPLED: Final = 4
"""Worlds per condition that are looked into; the others are taken to be like them."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a visit spent.

    Attributes:
        calls: Model calls per turn; None where none could be seen.
        prompts: Tokens of the prompts of each turn; empty where they could not be counted.
        answers: Tokens of the answers per turn; None where that says nothing.
        first: Tokens of the first observation.
    """

    calls: float | None
    prompts: Sequence[int] = ()
    answers: float | None = None
    first: int = 0

    def spent(self, turns: int, first: int) -> float:
        """Tokens of the prompts of an episode, where each turn goes on growing as those that were measured.

        Args:
            turns: Turns of the episode.
            first: Tokens of its first observation.
        """
        longer = first - self.first
        begin, later = self.prompts[0], self.prompts[1:] or self.prompts
        # Whoever sends less in its second turn than in its first does not take the first along.
        carried = longer if later[0] >= begin else 0
        growth = max(0.0, (later[-1] - later[0]) / max(1, len(later) - 1))
        after = turns - 1
        return begin + longer + after * (later[0] + carried) + growth * after * (after - 1) / 2


def measured(visit: Visit, place: Scripted) -> Measured:
    """What a visit spent, as the scripted model saw it, or else as the agent's framework tells."""
    first = tokens_in(visit.turns[0].text)
    if place.script is not None:
        spans = [turn.requests for turn in visit.turns]
        if not any(after > before for before, after in spans):
            return Measured(calls=None, first=first)
        prompts = [sum(map(tokens_of, place.requests[before:after])) for before, after in spans]
        calls = sum(after - before for before, after in spans) / len(spans)
        return Measured(calls=calls, prompts=prompts, first=first)
    replies = [turn.reply for turn in visit.turns if turn.reply is not None]
    known = [reply.model_calls for reply in replies if reply.model_calls is not None]
    told = [reply.input_tokens for reply in replies if reply.input_tokens is not None]
    said = [reply.output_tokens for reply in replies if reply.output_tokens is not None]
    return Measured(
        calls=sum(known) / len(known) if known else None,
        prompts=told if len(told) == len(replies) else (),
        answers=sum(said) / len(said) if said and len(said) == len(replies) else None,
        first=first,
    )


async def estimate(plan: Plan, spent: Measured, *, live: bool) -> Estimate:
    """What a run would cost.

    Args:
        plan: The run.
        spent: What was measured.
        live: Whether it was measured on the agent's own model.
    """
    by_condition: dict[Condition, list[Episode]] = defaultdict(list)
    for episode in plan.episodes:
        by_condition[episode.condition].append(episode)
    turns, prompts = 0.0, 0.0
    for condition, episodes in by_condition.items():
        worlds = list({one.world.id: one.world for one in episodes}.values())[:_SAMPLED]
        rooms = [_room(world, condition) for world in worlds]
        share = len(episodes) / len(worlds)
        turns += share * sum(rooms)
        if spent.prompts:
            firsts = [await _first(world, condition) for world in worlds]
            prompts += share * sum(
                spent.spent(room, first) for room, first in zip(rooms, firsts, strict=True)
            )
    return Estimate(
        suite=plan.suite.name,
        episodes=len(plan.episodes),
        turns=round(turns),
        calls_per_turn=None if spent.calls is None else round(spent.calls, 2),
        calls=None if spent.calls is None else round(turns * spent.calls),
        input_tokens=_two_digits(prompts) if spent.prompts else None,
        output_tokens=None if spent.answers is None else _two_digits(turns * spent.answers),
        note=_note(spent, live=live),
    )


def _room(world: World, condition: Condition) -> int:
    """The most turns of an episode. One that shows another's days has the same probe."""
    shown = Condition.OTHERS if condition is Condition.YOKED else condition
    return sum(day.rounds for day in arrange(world, shown).days if day.phase is not Phase.WATCH)


async def _first(world: World, condition: Condition) -> int:
    shown = Condition.OTHERS if condition is Condition.YOKED else condition
    return tokens_in((await first_observation(world, shown)).text)


def _two_digits(count: float) -> int:
    whole = round(count)
    return round(whole, 2 - len(str(whole)))


def _note(spent: Measured, *, live: bool) -> str:
    if spent.calls is None:
        return "No call of a model could be seen."
    if live:
        return "Measured over a few turns; an upper bound where tasks are done early."
    return (
        "Counted on a scripted model, which calls none of the agent's own tools: a real one may take more calls. "
        "Tokens are a quarter of the characters."
    )
