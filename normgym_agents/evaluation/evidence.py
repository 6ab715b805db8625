"""What of a world and of other records an episode under a condition needs, and whether it is there."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from normgym_agents.community.log import ActEvent
from normgym_agents.evaluation.records import Record
from normgym_agents.worlds.arrangement import lacks
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.programme import Transcript

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World


def playable(world: World, condition: Condition) -> bool:
    """Whether a world may be measured in under a condition: it shows what is needed, and that suffices.

    A world of which nothing was proved of channels is certified for what needs nothing beyond its own days.
    """
    if lacks(world, condition) is not None:
        return False
    certificate = world.certificate
    if certificate is None or not certificate.channels:
        return True
    return certificate.certified_for(condition)


def transcript_of(record: Record) -> Transcript:
    """What the newcomer did on its days of practice; a turn that was invalid did nothing."""
    turns = [e for e in record.events if isinstance(e, ActEvent) and e.newcomer and e.phase is Phase.PRACTISE]
    return tuple(tuple(turn.act for turn in day) for _, day in groupby(turns, key=lambda turn: turn.day))
