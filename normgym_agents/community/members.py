"""A member: perceive, decide, speak.

One small state graph serves every member; persona and card reach it through a closure, never through a
channel. A scripted member decides by the world's schedule and speaks no words of its own.
"""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from normgym_agents.community.episode import Backstage, Json


class MemberState(TypedDict, total=False):
    """A member's channels in one round.

    Attributes:
        member: Index of the member.
        day: The day, from 1.
        round: The round, from 1.
        due: The act the schedule has for it, as plain JSON.
        intents: What it means to do: at most one entry.
    """

    member: int
    day: int
    round: int
    due: Json | None
    intents: list[Json]


def perceive(backstage: Backstage, state: MemberState) -> dict[str, Any]:
    """See what the moment asks of the member. In practice and probe it is neutral: nothing."""
    script = backstage.days[state["day"] - 1].script
    place = None if script is None else script.by_turn.get((state["round"], state["member"]))
    return {"due": None if script is None or place is None else script.dumped[place]}


def decide(_: Backstage, state: MemberState) -> dict[str, Any]:
    """Settle on the act that is due."""
    due = state.get("due")
    return {} if due is None else {"intents": [{"member": state["member"], "act": due}]}


def speak(_: Backstage, __: MemberState) -> dict[str, Any]:
    """Find words for it; a scripted member has none."""
    return {}


STEPS = (("perceive", perceive), ("decide", decide), ("speak", speak))
"""A member's round, in order: the graph and the loop both follow this list."""
