"""What members are told in the course of an episode: short, public, and only ever added to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from normgym_agents.worlds.public import Answer
from normgym_agents.worlds.settings import Slot
from normgym_agents.worlds.stage import NOTHING, State
from normgym_agents.worlds.views import thing_looks
from normgym_agents.worlds.wording import phrase_of

if TYPE_CHECKING:
    from normgym_agents.worlds.acts import Act
    from normgym_agents.worlds.days import Day
    from normgym_agents.worlds.public import PublicEvent
    from normgym_agents.worlds.settings import Setting
    from normgym_agents.worlds.transition import Ground

ANSWERED: Final = {Answer.GESTURE: "frowned at", Answer.REBUKE: "spoke sharply to"}
"""How prose tells of each form of an answer."""


def past_of(act: Act, thing: str | None, setting: Setting, me: str | None = None) -> str:
    """What somebody did, e.g. `gave the sarn ringed cup to you`."""
    return setting.verbs[act.verb].past.format(
        thing=f"the {thing}",
        place=act.place,
        to="you" if me is not None and act.to == me else act.to,
        say=act.say or "nothing",
        topic=act.topic,
        address=act.address,
    )


def choices_now(setting: Setting, day: Day, state: State, member: int) -> dict[str, Act]:
    """What a member can do now, by how it is offered; free words are no act of a member's."""
    offered: dict[str, Act] = {}
    for ground in day.yard.available(state, member):
        if Slot.WORDS not in ground.verb.slots:
            offered.setdefault(phrase(setting, day, state, ground), ground.act)
    return offered


def phrase(setting: Setting, day: Day, state: State, ground: Ground) -> str:
    """How an act is offered, e.g. `give the sarn ringed cup to Oren`."""
    act = ground.act
    return phrase_of(
        ground.verb.menu,
        thing=thing_looks(setting, day.stage, state, ground.thing) if ground.thing >= 0 else None,
        place=act.place,
        to=act.to,
        topic=act.topic,
        address=act.address,
    )


def whereabouts(setting: Setting, day: Day, state: State, member: int) -> str:
    """Where a member is, and what it holds."""
    held = state.hands[member]
    holding = "nothing" if held == NOTHING else f"the {thing_looks(setting, day.stage, state, held)}"
    return f"You are at the {day.stage.places[state.places[member]]}, holding {holding}."


def signals_of(day: Day, round_number: int) -> str:
    """How the signals are in a round."""
    return ", ".join(f"the {name} is {value}" for name, value in day.stage.configurations[round_number - 1])


def news_of(
    entries: Iterable[Mapping[str, Any]],
    me: str,
    days: Sequence[Day],
    setting: Setting,
    seen: Mapping[tuple[int, int, str], PublicEvent],
) -> list[str]:
    """What happened, a line per round.

    Args:
        entries: What of the log is new.
        me: Whose news they are.
        days: The days of the episode.
        setting: The setting.
        seen: What everybody saw of each act, by day, round and who acted.
    """
    rounds: dict[tuple[int, int], list[str]] = {}
    for entry in entries:
        at = (int(entry["day"]), int(entry["round"]))
        if entry["kind"] == "act" and entry["act"] is not None:
            event = seen[(*at, entry["actor"])]
            words = f' "{event.words}"' if event.words else ""
            told = f"{_who(event.actor, me)} {past_of(event.act, event.thing, setting, me)}.{words}"
            rounds.setdefault(at, []).append(told)
        elif entry["kind"] == "sanction":
            whom = "you" if entry["whom"] == me else entry["whom"]
            answer = ANSWERED[Answer(entry["answer"])]
            rounds.setdefault(at, []).append(f"{_who(entry['member'], me)} {answer} {whom}.")
    return [
        f"Day {day}, round {number} ({signals_of(days[day - 1], number)}): {' '.join(lines)}"
        for (day, number), lines in rounds.items()
    ]


def _who(name: str, me: str) -> str:
    return "You" if name == me else name
