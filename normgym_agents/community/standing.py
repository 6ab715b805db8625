"""How things stand, read off the log.

It is not kept beside the log, so the two can never disagree: whoever replays, forks or resumes a log gets
the same answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from normgym_agents.norms.moments import Moment
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.arrangement import Arrangement
from normgym_agents.worlds.days import Day
from normgym_agents.worlds.public import Answer, PublicEvent, PublicRemark, PublicSanction
from normgym_agents.worlds.stage import State
from normgym_agents.worlds.transition import Ground, Yard
from normgym_agents.worlds.views import public_event, scripted_events
from normgym_agents.worlds.world import World

Entry = Mapping[str, Any]
"""An event of the log as plain JSON."""


class Done(NamedTuple):
    """An act that took place, with what it is judged by.

    Attributes:
        entry: Its event in the log.
        before: How things stood before it.
        actor: Index of who did it.
        ground: The act with its slots resolved.
        moment: The act as norms see it.
        scene: Its place in the day's script; None on a working day.
    """

    entry: Entry
    before: State
    actor: int
    ground: Ground
    moment: Moment
    scene: int | None


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How things stand on a day.

    Attributes:
        yard: The day's transition model.
        now: How things are; in the morning, if nothing has been done on the day yet.
        events: What everybody saw, on all days, answers included.
        done: Acts of the day's latest round that had any, in order.
        answered: How often each member has answered each person, by (member, whom).
    """

    yard: Yard
    now: State
    events: Sequence[PublicEvent]
    done: Sequence[Done]
    answered: Mapping[tuple[str, str], int]

    def done_in(self, round_number: int) -> list[Done]:
        """The acts of that round, if it is the latest one."""
        return [done for done in self.done if done.entry["round"] == round_number]


class Memory:
    """Remembers how things stood after the log it saw last, so that a longer one is read from there.

    A log that does not go on from the remembered one is read anew: nothing but speed depends on what was
    asked before.
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._read: list[Entry] = []
        self._day: Day | None = None
        self._now: State | None = None
        self._events: list[PublicEvent] = []
        self._done: list[Done] = []
        self._answered: dict[tuple[str, str], int] = {}

    def after(self, arrangement: Arrangement, log: Sequence[Entry], day: int) -> Standing:
        """How things stand on a day after a log.

        Args:
            arrangement: The days of the episode.
            log: The log, none of it later than the day.
            day: The day, from 1.
        """
        if self._read != log[: len(self._read)]:
            self._forget()
        for entry in log[len(self._read) :]:
            self._take_in(arrangement, entry)
            self._read.append(entry)
        if self._day is not None and self._now is not None and self._day.number == day:
            yard, now, done = self._day.yard, self._now, self._done
        else:
            yard = arrangement.days[day - 1].yard
            now, done = yard.stage.morning(), []
        return Standing(yard=yard, now=now, events=self._events, done=done, answered=self._answered)

    def _take_in(self, arrangement: Arrangement, entry: Entry) -> None:
        if entry["kind"] == "act" and entry["act"] is not None:
            if self._day is None or self._day.number != entry["day"]:
                self._day = arrangement.days[entry["day"] - 1]
                self._now, self._done = self._day.stage.morning(), []
            self._act(arrangement.world, self._day, entry)
        elif entry["kind"] == "sanction":
            self._sanction(entry)
        elif entry["kind"] == "remark":
            self._remark(entry)

    def _act(self, world: World, day: Day, entry: Entry) -> None:
        before = self._now
        if before is None:
            raise RuntimeError("an act stands in the log before its day")
        actor = day.people[entry["actor"]]
        if self._done and self._done[-1].entry["round"] != entry["round"]:
            self._done = []
        place = _as_scripted(day, entry, actor, before)
        if day.script is not None and place is not None:
            scene = day.script.scenes[place]
            event = scripted_events(world.setting, day)[place]
            ground, self._now = scene.ground, scene.after
        else:
            ground, event = self._unscripted(world, day, entry, actor, before)
        if (
            entry["words"] and not entry["newcomer"]
        ):  # what a newcomer writes beside its act is not said aloud
            event = event.model_copy(update={"words": entry["words"]})
        self._done.append(Done(entry, before, actor, ground, event.moment, place))
        self._events.append(event)

    def _unscripted(
        self, world: World, day: Day, entry: Entry, actor: int, before: State
    ) -> tuple[Ground, PublicEvent]:
        ground = day.yard.ground(Act(**entry["act"]))
        if ground is None or not day.yard.possible(before, actor, ground):
            raise RuntimeError(f"an impossible act stands in the log: {entry['act']}")
        self._now = day.yard.step(before, actor, ground)
        return ground, public_event(
            world.setting, day.yard, before, actor, ground, day=day.number, round_number=entry["round"]
        )

    def _sanction(self, entry: Entry) -> None:
        pair = (entry["member"], entry["whom"])
        self._answered[pair] = self._answered.get(pair, 0) + 1
        sanction = PublicSanction(
            member=entry["member"],
            whom=entry["whom"],
            answer=Answer(entry["answer"]),
            act=None if entry["act"] is None else Act(**entry["act"]),
            context=entry["context"],
            words=entry["words"],
        )
        i = self._about(entry)
        event = self._events[i]
        self._events[i] = event.model_copy(update={"answers": (*event.answers, sanction)})

    def _remark(self, entry: Entry) -> None:
        i = self._about(entry)
        event, remark = self._events[i], PublicRemark(member=entry["member"], words=entry["words"])
        self._events[i] = event.model_copy(update={"remarks": (*event.remarks, remark)})

    def _about(self, entry: Entry) -> int:
        """The place of the act, of the same round, that somebody answers."""
        for i in range(len(self._events) - 1, -1, -1):
            event = self._events[i]
            if event.actor == entry["whom"] and event.round == entry["round"] and event.day == entry["day"]:
                return i
        raise RuntimeError(f"a {entry['kind']} stands in the log without an act")


def _as_scripted(day: Day, entry: Entry, actor: int, before: State) -> int | None:
    """The act's place in the day's script; None if it is none that the script foresaw, as things stand."""
    script = day.script
    place = None if script is None else script.by_turn.get((entry["round"], actor))
    if script is None or place is None:
        return None
    foreseen = script.dumped[place] == entry["act"] and script.scenes[place].before == before
    return place if foreseen else None
