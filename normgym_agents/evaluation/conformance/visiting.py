"""A visit: the first turns of an episode, by the same code that runs episodes, and all that can be seen of them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from normgym_agents.community.cards import deal_cards
from normgym_agents.community.episode import Asked, Backstage
from normgym_agents.community.loop import play_loop
from normgym_agents.errors import BadInput, NormgymError
from normgym_agents.evaluation.config import Limits
from normgym_agents.evaluation.episodes import people
from normgym_agents.evaluation.table import Table
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.newcomers.pausing import Heard, pauses_heard
from normgym_agents.telemetry import NO_SPANS
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.public import Observation, Reply

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World

_SEED: Final = 7
_SYLLABLES: Final = "bra cor dul fen gor hul jev kir lom mev nar ost pel quo rin sul tor uld vex wim".split()


def new_token() -> str:
    """A person's name that nothing can have heard before, also not in an earlier check."""
    first, last = (
        "".join(secrets.choice(_SYLLABLES) for _ in range(length)).capitalize() for length in (2, 4)
    )
    return f"{first} {last}"


@dataclass(kw_only=True)
class Turn:
    """One turn.

    Attributes:
        text: What was observed.
        reply: What came back; None where the agent or its model broke.
        asked: How often it was asked.
        seconds: How long it took.
        requests: What the scripted model had been asked before the turn, and after it.
    """

    text: str
    reply: Reply | None
    asked: int
    seconds: float
    requests: tuple[int, int]


@dataclass(kw_only=True)
class Visit:
    """What was seen of one.

    Attributes:
        world: The world.
        token: The name that was put into the first observation, and into no other.
        turns: Its turns, until it broke.
        failure: What ended it before its time.
        missing: What the agent needs that nobody gave, in words.
        left_badly: How leaving went wrong, if it did.
        joined: Whether it got as far as the first turn.
        pauses: What it paused to ask.
    """

    world: World
    token: str
    turns: list[Turn] = field(default_factory=list)
    failure: NormgymError | None = None
    missing: NormgymError | None = None
    left_badly: str | None = None
    joined: bool = False
    pauses: list[Heard] = field(default_factory=list)

    @property
    def acts(self) -> int:
        """Turns in which an act could be read."""
        return sum(turn.reply is not None and turn.reply.act is not None for turn in self.turns)

    @property
    def broke(self) -> NormgymError | None:
        """What went wrong, if anything did."""
        return self.missing or self.failure

    def said(self) -> list[str]:
        """What came back in each turn, the token left out, so that equal visits can be compared."""
        return [
            turn.reply.model_dump_json(include={"act", "words", "fault"}).replace(self.token, "")
            for turn in self.turns
            if turn.reply is not None
        ]


async def visit(
    world: World,
    factory: NewcomerFactory,
    *,
    turns: int,
    limits: Limits,
    counted: Callable[[], int] = lambda: 0,
    token: str | None = None,
) -> Visit:
    """Play the first turns of an episode under `live`.

    Args:
        world: The world.
        factory: Makes the newcomer.
        turns: How many turns.
        limits: What it is allowed.
        counted: How often the scripted model has been asked.
        token: The name that the first observation holds; None for a new one.
    """
    seen = Visit(world=world, token=new_token() if token is None else token)
    table = Table(factory, _SEED, limits, NO_SPANS, world.cast.newcomer)

    async def ask(observation: Observation) -> Asked:
        if len(seen.turns) == turns:
            return Asked(None, 1)  # which ends the episode
        text = observation.text
        if not seen.turns:
            text = f"{seen.token} walks by and greets you.\n{text}"
        before, begun = counted(), time.monotonic()
        asked = await table.ask(observation.model_copy(update={"text": text}))
        seen.turns.append(
            Turn(
                text=text,
                reply=asked.reply,
                asked=asked.times,
                seconds=time.monotonic() - begun,
                requests=(before, counted()),
            )
        )
        return asked

    arrangement = arrange(world, Condition.LIVE)
    with pauses_heard() as seen.pauses:
        try:
            seen.joined = await table.seat(world.cast.newcomer)
            if seen.joined:
                cards = deal_cards(arrangement, people(world.setting.name))
                await play_loop(Backstage(arrangement=arrangement, cards=cards, ask=ask))
        except BadInput as error:  # a factory made what is no newcomer
            seen.missing = error
        finally:
            await table.clear()
    seen.failure, seen.left_badly = table.failure, table.left_badly
    seen.missing = seen.missing or table.refused
    return seen
