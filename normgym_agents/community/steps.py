"""The steps of a round, in order: the one list that both drivers follow.

Each step is a function of the backstage and the state that gives back what changes; the same state gives
the same change, whatever was asked before. `newcomer` alone waits for somebody.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable

from normgym_agents.community import members
from normgym_agents.community.episode import Asked, Backstage, EpisodeState, Json, opening, where
from normgym_agents.community.observing import observe
from normgym_agents.community.referee import referee
from normgym_agents.community.sanctions import sanction
from normgym_agents.worlds.acts import Act
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
        "spoken": None,
        "reply": None,
        "ended": False,
    }


def member(backstage: Backstage, state: members.MemberState) -> Json | Awaitable[Json]:
    """One member's round; it waits for somebody only where the member has a model."""
    if backstage.ensemble is not None:
        return _with_model(backstage, state)
    now: members.MemberState = {**state}
    for _, step in members.STEPS:
        now.update(step(backstage, now))  # type: ignore[typeddict-item]  # none waits; channels of a member
    return {"intents": now.get("intents", [])}


async def _with_model(backstage: Backstage, state: members.MemberState) -> Json:
    now: members.MemberState = {**state}
    for _, step in members.STEPS:
        change = step(backstage, now)
        now.update(await change if inspect.isawaitable(change) else change)  # type: ignore[typeddict-item]  # as above
    return {"intents": now.get("intents", []), "spoken": now.get("spoken", [])}


def members_due(backstage: Backstage, state: EpisodeState) -> list[members.MemberState]:
    """What each member is sent."""
    due: list[members.MemberState] = [
        {"member": i, "day": state["day"], "round": state["round"]}
        for i in range(len(backstage.world.cast.members))
    ]
    if backstage.ensemble is not None:
        plans = {plan["member"]: plan for plan in state["plans"]}
        for one in due:
            one["phase"], one["log"], one["plan"] = state["phase"], state["log"], plans.get(one["member"])
    return due


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
    spoken = {one["member"]: one for one in state["spoken"]}
    now = None if backstage.ensemble is None else backstage.standing(state).now
    for intent in sorted(state["intents"], key=lambda entry: int(entry["member"])):
        index, act = intent["member"], intent["act"]
        said = spoken.get(index, {"words": "", "conduct": []})
        if now is not None:
            # Members that decide side by side may want the same thing: whoever comes too late does nothing.
            ground = day.yard.ground(Act(**act))
            if ground is None or not day.yard.possible(now, index, ground):
                late = {"fault": "it was no longer possible"}
                entries += [_act_entry(state, day.stage.people[index].name, None) | late, *said["conduct"]]
                continue
            now = day.yard.step(now, index, ground)
        entry = _act_entry(state, day.stage.people[index].name, act)
        more = {"habit": habit, "words": said["words"], "chosen": intent.get("chosen", False)}
        entries += [entry | more, *said["conduct"]]
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
