"""The steps of a round, in order: the one list that both drivers follow.

Each step is a function of the backstage and the state that gives back what changes; the same state gives
the same change, whatever was asked before. `newcomer` alone waits for somebody.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from normgym_agents.community import members
from normgym_agents.community.episode import Asked, Backstage, EpisodeState, Json, opening, where
from normgym_agents.community.observing import observe
from normgym_agents.community.referee import referee
from normgym_agents.community.sanctions import sanction
from normgym_agents.worlds.conditions import Phase


def open_round(backstage: Backstage, state: EpisodeState) -> Json:
    """Begin the next round; before the first one, or where an episode has ended, begin the episode."""
    begun: EpisodeState = {**opening(), **state}
    anew = begun["ended"] or not begun["day"]
    day, number = (1, 1) if anew else (begun["day"], begun["round"] + 1)
    phase = backstage.days[day - 1].phase
    backstage.spans.open_round(phase.value, number, day=day)
    return {
        "phase": phase.value,
        "day": day,
        "round": number,
        "log": None if anew else [],
        "intents": None,
        "reply": None,
        "ended": False,
    }


def member(backstage: Backstage, state: members.MemberState) -> Json:
    """One member's round."""
    now: members.MemberState = {**state}
    for _, step in members.STEPS:
        now.update(step(backstage, now))  # type: ignore[typeddict-item]  # steps give back member channels
    return {"intents": now.get("intents", [])}


def members_due(backstage: Backstage, state: EpisodeState) -> list[members.MemberState]:
    """What each member is sent."""
    return [
        {"member": i, "day": state["day"], "round": state["round"]}
        for i in range(len(backstage.world.cast.members))
    ]


async def newcomer(backstage: Backstage, state: EpisodeState) -> Json:
    """Put the round before the newcomer and wait for its reply; it only watches on watched days."""
    if state["phase"] == Phase.WATCH:
        return {}
    return {"reply": _reply(await backstage.ask(observe(backstage, state)))}


def _reply(asked: Asked) -> Json:
    """The reply as plain JSON; `broken` where there was none."""
    if asked.reply is None:
        return {"broken": True, "times": asked.times}
    reply = asked.reply
    return {
        "broken": False,
        "times": asked.times,
        "act": None if reply.act is None else reply.act.model_dump(),
        "fault": reply.fault,
        "words": reply.words,
        "channel": reply.channel,
    }


def resolve(backstage: Backstage, state: EpisodeState) -> Json:
    """Let the acts take place, the members' in their order and then the newcomer's."""
    day = backstage.today(state)
    habit = day.is_habit(state["round"])
    entries: list[Json] = []
    for intent in sorted(state["intents"], key=lambda entry: int(entry["member"])):
        actor = day.stage.people[intent["member"]].name
        entries.append(_act_entry(state, actor, intent["act"]) | {"habit": habit})
    reply = state["reply"]
    if reply is not None and not reply["broken"]:
        own = {
            "newcomer": True,
            "fault": reply["fault"],
            "words": reply["words"],
            "channel": reply["channel"],
            "asked": reply["times"],
            "seen": backstage.arrangement.seen(day, state["round"]),
        }
        entries.append(_act_entry(state, backstage.world.cast.newcomer, reply["act"]) | own)
    return {"log": entries}


def _act_entry(state: EpisodeState, actor: str, act: Json | None) -> Json:
    return {
        "kind": "act",
        **where(state),
        "actor": actor,
        "newcomer": False,
        "act": act,
        "fault": None,
        "words": "",
        "channel": "",
        "asked": 0,
    }


def close_round(backstage: Backstage, state: EpisodeState) -> Json:
    """End the round; end the day when its task is done or its acts are used up; end the episode."""
    backstage.spans.close_round()
    day = backstage.today(state)
    broken = state["reply"] is not None and state["reply"]["broken"]
    entries: list[Json] = []
    over = state["round"] >= day.rounds
    if day.work is not None:
        task = day.work.task
        standing = backstage.standing(state)
        done = task.done(standing.yard.stage, standing.now)
        over = over or done or broken
        if over:
            acts = state["round"] - broken
            entries.append(
                {"kind": "task", **where(state), "done": done, "acts": acts, "budget": task.budget}
            )
    if not over:
        return {"log": entries}
    if broken or state["day"] == len(backstage.days):
        return {"log": entries, "ended": True}
    return {"log": entries, "day": state["day"] + 1, "round": 0}


Step = Callable[[Backstage, EpisodeState], Json | Awaitable[Json]]

AFTER_MEMBERS: tuple[tuple[str, Step], ...] = (
    ("newcomer", newcomer),
    ("resolve", resolve),
    ("referee", referee),
    ("sanction", sanction),
    ("close_round", close_round),
)
"""What follows once every member has decided, in order."""


STEP_NAMES = ("open_round", "member", *(name for name, _ in AFTER_MEMBERS))
"""All steps of a round, in order."""
