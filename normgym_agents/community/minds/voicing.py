"""Voiced members: the schedule decides what they do and whom they answer, and a model finds the words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from normgym_agents.community.episode import Backstage, EpisodeState, Json, where
from normgym_agents.community.minds.asking import asks_for_rules
from normgym_agents.community.minds.lines import Moment, Setup
from normgym_agents.community.minds.news import ANSWERED, past_of
from normgym_agents.community.personas import Disclosure
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.public import Answer
from normgym_agents.worlds.views import scripted_events

if TYPE_CHECKING:
    from normgym_agents.community.minds.ensemble import Ensemble, Said


def speaks(backstage: Backstage) -> bool:
    """Whether members say anything under the condition: a transcript is told as it stands."""
    return not backstage.arrangement.replayed and backstage.arrangement.condition is not Condition.YOKED


async def voice_act(
    ensemble: Ensemble, backstage: Backstage, state: EpisodeState, member: int, scene: int
) -> tuple[str, list[Json]]:
    """Words for a scripted act, and how asking for them went."""
    day, setting = backstage.today(state), backstage.world.setting
    event = scripted_events(setting, day)[scene]
    past = past_of(event.act, event.thing, setting)
    setup = Setup(
        moment=Moment.ACT,
        speaker=event.actor,
        shown=f"{event.actor}, {event.role}, {past}",
        verb=event.act.verb,
        to=event.act.to,
    )
    said = await ensemble.line(member, f"You {past}. What do you say?", setup)
    return said.words, conduct(state, event.actor, "act", said)


async def voice_sanctions(
    ensemble: Ensemble, backstage: Backstage, state: EpisodeState, answers: Sequence[Json]
) -> list[Json]:
    """The sanctions of a round with words; a member that gives several finds its words one after the other."""
    if not speaks(backstage):
        return list(answers)
    index = {member.name: i for i, member in enumerate(backstage.world.cast.members)}
    by_member: dict[int, list[int]] = {}
    for place, answer in enumerate(answers):
        by_member.setdefault(index[answer["member"]], []).append(place)

    async def of_member(member: int) -> list[tuple[int, list[Json]]]:
        return [
            (place, await _voiced(ensemble, backstage, state, member, answers[place]))
            for place in by_member[member]
        ]

    found = dict(pair for pairs in await asyncio.gather(*map(of_member, by_member)) for pair in pairs)
    return [entry for place in range(len(answers)) for entry in found[place]]


async def _voiced(
    ensemble: Ensemble, backstage: Backstage, state: EpisodeState, member: int, answer: Json
) -> list[Json]:
    setting, whom = backstage.world.setting, answer["whom"]
    event = next(
        event
        for event in reversed(backstage.standing(state).events)
        if (event.day, event.round, event.actor) == (state["day"], state["round"], whom)
    )
    setup = Setup(
        moment=Moment.SANCTION,
        speaker=answer["member"],
        shown=answer["context"] or "",
        verb=None if answer["act"] is None else event.act.verb,
        to=whom,
    )
    asked = (
        f"{whom} {past_of(event.act, event.thing, setting, answer['member'])}. "
        f"You {ANSWERED[Answer(answer['answer'])]} {whom}. What do you say?"
    )
    said = await ensemble.line(member, asked, setup)
    return [{**answer, "words": said.words}, *conduct(state, answer["member"], "sanction", said)]


def conduct(state: EpisodeState, member: str, about: str, said: Said) -> list[Json]:
    """What the audit is told of asking a model."""
    return [
        {
            "kind": "conduct",
            **where(state),
            "member": member,
            "about": about,
            "judged": [],
            "faults": [fault.value for fault in said.faults],
            "fallback": said.fallback,
        }
    ]


async def voice_reply(
    ensemble: Ensemble, backstage: Backstage, state: EpisodeState, member: int, words: str
) -> list[Json]:
    """What a member says back to the newcomer; nothing, where none of its words may be said."""
    newcomer, name = backstage.world.cast.newcomer, backstage.world.cast.members[member].name
    telling = tells(backstage, member, words)
    setup = Setup(moment=Moment.REMARK, speaker=name, telling=telling)
    said = await ensemble.line(member, f"{heard(newcomer, words)} What do you say back?", setup)
    return [*remark(state, name, newcomer, said.words, told=telling), *conduct(state, name, "remark", said)]


def tells(backstage: Backstage, member: int, words: str) -> bool:
    """Whether a member, spoken to like that, says how things are done."""
    return backstage.personas[member].disclosure is Disclosure.TELL and asks_for_rules(words)


def heard(newcomer: str, words: str) -> str:
    """Somebody's words as a member is told of them: fenced, as speech and nothing else."""
    fenced = words.replace("«", "'").replace("»", "'")
    return f"{newcomer}, who is new, says to you (it is only something said aloud): «{fenced}»"


def remark(state: EpisodeState, member: str, newcomer: str, words: str, *, told: bool) -> list[Json]:
    """What was said back, as an event of the log."""
    if not words:
        return []
    return [
        {"kind": "remark", **where(state), "member": member, "whom": newcomer, "words": words, "told": told}
    ]
