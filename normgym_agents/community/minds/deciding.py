"""Autonomous members: a model reads persona, card and the public log, and decides acts, words and answers.

A member is asked once per round, when the round is over: whom it answers, and what it does next. So everything that
it decides rests on the same news, and a round costs one call. On the first round of a day it is asked before it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from normgym_agents.community.episode import Backstage, EpisodeState, Json, where
from normgym_agents.community.minds.asking import Talk
from normgym_agents.community.minds.ensemble import Ensemble, Offer
from normgym_agents.community.minds.news import choices_now, news_of, whereabouts
from normgym_agents.community.minds.voicing import heard, remark, tells
from normgym_agents.worlds.conditions import Condition

if TYPE_CHECKING:
    from normgym_agents.community.minds.turns import AnswerGiven
    from normgym_agents.community.standing import Done
    from normgym_agents.worlds.acts import Act
    from normgym_agents.worlds.days import Day

FREE: Final = (
    Condition.LIVE,
    Condition.NONE,
    Condition.TOLD,
    Condition.OTHERS,
    Condition.ABSENT,
    Condition.UNOBSERVED,
)
"""Conditions in which members may do as they decide; in the others, what they do is what is varied."""

AnswerOf = Callable[["Done", int, "AnswerGiven"], Json]
"""Makes the event of a member's answer to an act."""


class Asked(NamedTuple):
    """What a member is asked at the end of a round.

    Attributes:
        member: Its index.
        judged: The acts that it may answer.
        talk: What the newcomer said to it, if anything.
        acts_next: The round of the day in which it acts next, if that is the coming one.
    """

    member: int
    judged: Sequence[Done]
    talk: Talk | None
    acts_next: int | None


async def first_act(
    ensemble: Ensemble, backstage: Backstage, state: EpisodeState, member: int
) -> tuple[Json, list[Json]]:
    """The plan of a member for the first round of a day, and how asking for it went."""
    log, plan = await _decided(ensemble, backstage, state, Asked(member, (), None, state["round"]), (), None)
    return plan, log


async def close_of_round(
    ensemble: Ensemble,
    backstage: Backstage,
    state: EpisodeState,
    *,
    judged: Sequence[Done],
    talk: Talk | None,
    scripted: Mapping[int, Sequence[Json]],
    answer_of: AnswerOf,
) -> tuple[list[Json], list[Json]]:
    """What members answer of a round, and what they do in the next.

    Args:
        ensemble: The members.
        backstage: The episode.
        state: The state at the end of the round.
        judged: The acts of the round that may be answered.
        talk: What the newcomer said in the round, and to whom.
        scripted: Per member what it would answer by the schedule, for where its model does not decide.
        answer_of: Makes the event of an answer.

    Returns:
        Events for the log, and the members' plans for the next round.
    """
    day = backstage.today(state)
    asked = []
    for member in range(len(backstage.world.cast.members)):
        mine = Asked(
            member,
            _witnessed(judged, member),
            talk if talk is not None and talk.member == member else None,
            state["round"] + 1 if _acts_in(day, state["round"] + 1, member) else None,
        )
        if mine.judged or mine.talk is not None or mine.acts_next is not None:
            asked.append(mine)
    found = await asyncio.gather(
        *(_decided(ensemble, backstage, state, one, scripted.get(one.member, ()), answer_of) for one in asked)
    )
    plans = [plan for one, (_, plan) in zip(asked, found, strict=True) if one.acts_next is not None]
    # Answers in the order of the acts, whoever gives them; then what was said back, and how asking went.
    place = {
        str(done.entry["actor"]): i
        for i, done in enumerate(backstage.standing(state).done_in(state["round"]))
    }
    log = [entry for entries, _ in found for entry in entries]
    return sorted(
        log, key=lambda entry: place[entry["whom"]] if entry["kind"] == "sanction" else len(place)
    ), plans


def _acts_in(day: Day, round_number: int, member: int) -> bool:
    return day.script is not None and (round_number, member) in day.script.by_turn


def _witnessed(judged: Sequence[Done], member: int) -> list[Done]:
    """The acts of others that a member is there to see; acts that nobody is there to see, everybody hears of."""
    seen = []
    for done in judged:
        members = range(len(done.before.places) - 1)
        near = [
            i for i in members if i != done.actor and done.before.places[i] == done.before.places[done.actor]
        ]
        if done.actor != member and (member in near or not near):
            seen.append(done)
    return seen


async def _decided(
    ensemble: Ensemble,
    backstage: Backstage,
    state: EpisodeState,
    asked: Asked,
    scripted: Sequence[Json],
    answer_of: AnswerOf | None,
) -> tuple[list[Json], Json]:
    """Events of what a member answers and says, and its plan for its next act."""
    member, name = asked.member, backstage.world.cast.members[asked.member].name
    newcomer = backstage.world.cast.newcomer
    offer = _offer(ensemble, backstage, state, asked)
    decided = await ensemble.turn(member, offer)
    log: list[Json] = []
    by_actor = {str(done.entry["actor"]): done for done in asked.judged}
    if decided.turn is None:
        log += scripted
    elif answer_of is not None:
        given = {answer.whom: answer for answer in decided.turn.answers}
        log += [answer_of(by_actor[whom], member, answer) for whom, answer in given.items()]
        log += remark(state, name, newcomer, decided.turn.reply, told=offer.telling)
    log.append(
        {
            "kind": "conduct",
            **where(state),
            "member": name,
            "about": "turn",
            "judged": list(by_actor) if decided.turn is not None else [],
            "faults": [fault.value for fault in decided.faults],
            "fallback": decided.fallback,
        }
    )
    words = "" if decided.turn is None or decided.act is None else decided.turn.words
    chosen = decided.act is not None and not offer.forgets
    act = None if decided.act is None else decided.act.model_dump()
    return log, {"member": member, "act": act, "words": words, "chosen": chosen}


class _Errand(NamedTuple):
    """What the schedule has for a member's turn.

    Attributes:
        choices: The act, by how it is offered; empty if it is not possible as things stand.
        forgets: Whether it breaks what the member holds to.
    """

    choices: dict[str, Act]
    forgets: bool


def _errand(
    backstage: Backstage, day: Day, round_number: int, member: int, choices: Mapping[str, Act]
) -> _Errand:
    """What a member had meant to do: so that a day has its course, whoever decides on it.

    People forget themselves now and then, and where nobody ever did there would be nothing to answer, and nothing
    to learn from answers. When is the world's to say, as for scripted members: such an act is no choice.
    """
    if day.script is None:
        return _Errand({}, False)
    scene = day.script.by_turn[round_number, member]
    broken = set(day.script.broken(day.in_force.rules)[scene]) & set(backstage.held_on(day)[member])
    due = day.script.scenes[scene].ground.act
    return _Errand({phrase: act for phrase, act in choices.items() if act == due}, bool(broken))


def _offer(ensemble: Ensemble, backstage: Backstage, state: EpisodeState, asked: Asked) -> Offer:
    """What a member is told now, and what it may decide."""
    member, setting = asked.member, backstage.world.setting
    day, standing = backstage.today(state), backstage.standing(state)
    me = backstage.world.cast.members[member].name
    seen = {(event.day, event.round, event.actor): event for event in standing.events}
    lines = news_of(state["log"][ensemble.heard[member] :], me, backstage.days, setting, seen)
    ensemble.heard[member] = len(state["log"])
    choices: dict[str, Act] = {}
    forgets = False
    shown: dict[str, str] = {}
    if asked.acts_next is not None:
        choices = choices_now(setting, day, standing.now, member)
        lines.append(whereabouts(setting, day, standing.now, member))
        errand = _errand(backstage, day, asked.acts_next, member, choices)
        forgets = errand.forgets and bool(errand.choices)
        if forgets:
            choices = errand.choices
            lines.append(f"You act next, and this once you forget yourself. You can: {' | '.join(choices)}")
        else:
            meant = "".join(f" You had meant to {phrase}." for phrase in errand.choices)
            lines.append(f"You act next.{meant} You can: {' | '.join(choices)}")
        shown = {phrase: phrase for phrase in choices}
    if asked.judged:
        explicit = backstage.world.enforcement.explicitness.value != "L0"
        names = [str(done.entry["actor"]) for done in asked.judged]
        shown |= {name: "" for name in names if explicit}
        lines.append(f"Yours to answer, or to let pass: {', '.join(names)}")
    if asked.talk is not None:
        lines.append(heard(backstage.world.cast.newcomer, asked.talk.words))
    return Offer(
        news="\n".join(lines),
        choices=choices,
        judged=tuple(str(done.entry["actor"]) for done in asked.judged),
        norms=len(backstage.cards[member].norms),
        spoken_to=asked.talk is not None,
        telling=asked.talk is not None and tells(backstage, member, asked.talk.words),
        shown=shown,
        forgets=forgets,
    )
