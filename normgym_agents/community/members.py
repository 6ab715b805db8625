"""A member: perceive, decide, speak.

One small state graph serves every member; persona and card reach it through a closure, never through a
channel. A scripted member decides by the world's schedule and speaks no words of its own; a voiced one has a model
that finds words; an autonomous one has a model that decides.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from typing_extensions import TypedDict

from normgym_agents.community.episode import Backstage, EpisodeState, Json, opening


class MemberState(TypedDict, total=False):
    """A member's channels in one round.

    Attributes:
        member: Index of the member.
        phase: The phase, by name; only members with a model are sent it, as they are the log and their plan.
        day: The day, from 1.
        round: The round, from 1.
        log: The events so far.
        plan: What it decided when the last round was over, as plain JSON.
        due: The act the schedule has for it, as plain JSON.
        scene: The place of that act in the day's script.
        intents: What it means to do: at most one entry.
        spoken: What it says with that, and how asking its model went: at most one entry.
    """

    member: int
    phase: str
    day: int
    round: int
    log: list[Json]
    plan: Json | None
    due: Json | None
    scene: int | None
    intents: list[Json]
    spoken: list[Json]


def perceive(backstage: Backstage, state: MemberState) -> dict[str, Any]:
    """See what the moment asks of the member. In practice and probe it is neutral: nothing."""
    script = backstage.days[state["day"] - 1].script
    place = None if script is None else script.by_turn.get((state["round"], state["member"]))
    return {"due": None if script is None or place is None else script.dumped[place], "scene": place}


def decide(backstage: Backstage, state: MemberState) -> dict[str, Any] | Awaitable[dict[str, Any]]:
    """Settle on an act: the one that is due, or what the member's model decides."""
    due = state.get("due")
    if due is None:
        return {}
    if backstage.ensemble is None or backstage.ensemble.voiced:
        return {"intents": [{"member": state["member"], "act": due}]}
    return _by_itself(backstage, state, due)


def speak(backstage: Backstage, state: MemberState) -> dict[str, Any] | Awaitable[dict[str, Any]]:
    """Find words for it; a scripted member has none, and one that decided by itself has them already."""
    scene, intents = state.get("scene"), state.get("intents")
    if backstage.ensemble is None or not backstage.ensemble.voiced or scene is None or not intents:
        return {}
    if backstage.days[state["day"] - 1].is_habit(state["round"]):
        return {}
    return _voiced(backstage, state, scene)


STEPS = (("perceive", perceive), ("decide", decide), ("speak", speak))
"""A member's round, in order: the graph and the loop both follow this list."""


async def _by_itself(backstage: Backstage, state: MemberState, due: Json) -> dict[str, Any]:
    """The act that a member decided on; the one that is due where nothing came of that."""
    from normgym_agents.community.minds.deciding import first_act

    plan = state.get("plan")
    asked: list[Json] = []
    if plan is None and backstage.ensemble is not None:
        plan, asked = await first_act(backstage.ensemble, backstage, _episode(state), state["member"])
    if plan is None or plan["act"] is None:
        plan = {"act": due, "words": "", "chosen": False}
    intent = {"member": state["member"], "act": plan["act"], "chosen": plan["chosen"]}
    return {
        "intents": [intent],
        "spoken": [{"member": state["member"], "words": plan["words"], "conduct": asked}],
    }


async def _voiced(backstage: Backstage, state: MemberState, scene: int) -> dict[str, Any]:
    from normgym_agents.community.minds.voicing import speaks, voice_act

    if backstage.ensemble is None or not speaks(backstage):
        return {}
    words, asked = await voice_act(backstage.ensemble, backstage, _episode(state), state["member"], scene)
    return {"spoken": [{"member": state["member"], "words": words, "conduct": asked}]}


def _episode(state: MemberState) -> EpisodeState:
    """The episode, as far as a member is sent it."""
    sent = {"phase": state["phase"], "day": state["day"], "round": state["round"], "log": state["log"]}
    return {**opening(), **sent}  # type: ignore[typeddict-item]  # channels of the episode
