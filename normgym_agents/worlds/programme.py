"""The days of an episode, one after the other, as a condition asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import Bearer, Norm
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.alignment import family_of
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.days import Day, Judged
from normgym_agents.worlds.draws import Draws, uniform
from normgym_agents.worlds.retelling import Swapped, WithHabits, in_stead
from normgym_agents.worlds.scripts import Rounds, Script
from normgym_agents.worlds.settings import Slot
from normgym_agents.worlds.transition import Yard
from normgym_agents.worlds.world import ScriptedAct, WatchDay, WorkDay, World

OWN_DAYS: Final = 3
"""Days of practice under `own`."""

Transcript = tuple[tuple[Act | None, ...], ...]
"""Per day of practice, per round, what a newcomer did; None where its turn held no act that could be done."""


def peer_of(world: World) -> int | None:
    """Index of the member that stands for the newcomer, of the same role; None if nobody has it."""
    if world.peer is not None:
        return world.peer
    roles = [member.role for member in world.cast.members]
    return roles.index(world.cast.role) if world.cast.role in roles else None


def habit_of(world: World) -> Act | None:
    """What members of the world keep saying."""
    says = next((n for n, verb in world.setting.verbs.items() if verb.slots == (Slot.WORDS,)), None)
    if says is None or not world.setting.habits:
        return None
    return Act(verb=says, say=Draws("habit", world.coins).pick(world.setting.habits))


def for_the_overseer(world: World) -> tuple[Norm, ...]:
    """The world's norms as they stand under `wrong-role`: for a role that the newcomer never has."""
    bearer = Bearer(role=world.vocabulary.overseer)
    return tuple(_bound_to(norm, bearer) for norm in world.parsed)


def rules_of_probe(world: World, condition: Condition) -> RuleSet:
    """The norms in force on the scored day; they may bind others than the newcomer, or there may be none."""
    return Programme(world, condition, 0).probe().in_force.rules


class Programme:
    """Builds the days of one arrangement.

    Args:
        world: The world.
        condition: The condition; the world has what it shows.
        trial: Which trial, from 0.
    """

    def __init__(self, world: World, condition: Condition, trial: int) -> None:
        self.world, self.condition, self.trial = world, condition, trial

    def days(self, transcript: Transcript | None) -> tuple[Day, ...]:
        """All days, the watched ones first.

        Args:
            transcript: What is watched under `yoked`.
        """
        days = self._watched(transcript)
        # Norms may change with the day after those that were watched.
        evident = days[-1].evidence if days else None
        for phase, repetition in self._working():
            days.append(self._work_day(len(days) + 1, phase, repetition, after=evident))
            evident = None
        return tuple(days)

    def probe(self) -> Day:
        """The scored day, as if it were the first."""
        return self._work_day(1, Phase.PROBE, 0, after=None)

    def _working(self) -> list[tuple[Phase, int]]:
        practise = {Condition.LIVE: 1, Condition.OWN: OWN_DAYS}.get(self.condition, 0)
        return [*((Phase.PRACTISE, i) for i in range(practise)), (Phase.PROBE, 0)]

    def _watched(self, transcript: Transcript | None) -> list[Day]:
        match self.condition:
            case Condition.NONE | Condition.TOLD | Condition.OWN:
                return []
            case Condition.COMPLIANCE:
                return self._watch_days("choices", self.world.choices)
            case Condition.REPLAY_OWN | Condition.REPLAY_OTHERS:
                return self._watch_days("replay", self.world.replay)
            case Condition.YOKED:
                return self._yoked_days(transcript or ())
            case Condition.CHANGE:
                before = self._watch_days("watch", self.world.watch, before=True)
                return [*before, *self._watch_days("watch", self.world.watch, after=len(before))]
            case _:
                return self._watch_days("watch", self.world.watch)

    def _watch_days(
        self, kind: str, days: tuple[WatchDay, ...], *, before: bool = False, after: int = 0
    ) -> list[Day]:
        return [
            self._watch_day(after + i, i, self._script(kind, i, day), before=before)
            for i, day in enumerate(days, start=1)
        ]

    def _watch_day(self, number: int, evidence_day: int, script: Script, *, before: bool = False) -> Day:
        judged = self._judged(evidence_day, None, before=before)
        return Day(
            number=number,
            phase=Phase.WATCH,
            yard=script.yard,
            script=script,
            evidence=evidence_day,
            judged=judged,
            coins=(Phase.WATCH, evidence_day),
            turns=_turns(script),
            announced=self._announced(number, evidence_day, judged),
        )

    def _announced(self, number: int, evidence_day: int, judged: tuple[Judged, ...]) -> bool:
        """Whether it is said on the morning of a day that norms change with it."""
        if self.condition is Condition.CHANGE and evidence_day == 1 < number:
            return uniform("announced", self.world.coins) < 0.5
        changes = [norm.successor for one in judged if one.bound for norm in one.norms]
        return any(c is not None and c.announced and c.day == evidence_day - 1 for c in changes)

    def _script(self, kind: str, number: int, day: WatchDay) -> Script:
        """The day's script in this condition; whatever looks the same is worked out once per world."""
        base = self._kept(("script", kind, number), lambda: self._plain(kind, number, day))
        if self.condition is Condition.REPLAY_OWN:
            return self._kept(("swapped", kind, number), lambda: Swapped(base, self._peer()))
        habit = habit_of(self.world) if self.condition is Condition.HABITS else None
        if habit is not None:
            return self._kept(("habits", kind, number), lambda: WithHabits(base, habit))
        return base

    def _plain(self, kind: str, number: int, day: WatchDay) -> Script:
        yard = Yard(day.stage, self.world.setting.verbs)
        return Script(f"{self.world.id}: {kind} day {number}", yard, day.script)

    def _kept(self, key: tuple[str | int, ...], make: Callable[[], Script]) -> Script:
        if key not in self.world.memo:
            self.world.memo[key] = make()
        script: Script = self.world.memo[key]
        return script

    def _peer(self) -> int:
        peer = peer_of(self.world)
        if peer is None:
            raise ValueError(f"{self.world.id}: no member has the newcomer's role")
        return peer

    def _yoked_days(self, transcript: Transcript) -> list[Day]:
        stage, peer = self.world.practise.stage, self._peer()
        days = []
        for i, acts in enumerate(transcript):
            rounds: Rounds = tuple(
                () if act is None else (ScriptedAct(person=stage.newcomer, act=act),) for act in acts
            )
            shown, rounds = in_stead(stage, rounds, peer)
            script = Script(
                f"{self.world.id}: own day {i + 1}", Yard(shown, self.world.setting.verbs), rounds
            )
            days.append(
                Day(
                    number=i + 1,
                    phase=Phase.WATCH,
                    yard=script.yard,
                    script=script,
                    judged=self._judged(None, None),
                    coins=self._practise_coins(i),
                    turns=_turns(script),
                    stands_for={peer: stage.newcomer},
                )
            )
        return days

    def _practise_coins(self, repetition: int) -> tuple[str | int, ...]:
        return (Phase.PRACTISE, self.trial, *([f"again {repetition}"] if repetition else []))

    def _work_day(self, number: int, phase: Phase, repetition: int, *, after: int | None) -> Day:
        """A working day.

        Args:
            number: Which day of the episode it is.
            phase: Its phase.
            repetition: How often the same day was lived through before.
            after: The world's watched day of the day before; None if that was none.
        """
        work = self.world.day(phase)
        judged = self._judged(None, work)
        return Day(
            number=number,
            phase=phase,
            yard=self.world.yard(phase),
            work=work,
            judged=judged,
            announced=after is not None and self._announced(number, after + 1, judged),
            coins=self._practise_coins(repetition) if phase is Phase.PRACTISE else (Phase.PROBE, self.trial),
            turns=tuple(range(1, work.task.budget + 1)),
        )

    def _judged(
        self, evidence_day: int | None, work: WorkDay | None, *, before: bool = False
    ) -> tuple[Judged, ...]:
        """The norms of a day: in force first.

        Args:
            evidence_day: Which of the world's watched days it is; None for those that come after them.
            work: What the day's score looks at.
            before: Whether the norms of the world's twin are still in force.
        """
        world, condition = self.world, self.condition
        tempting = () if work is None else work.tempting
        bound = not before and condition not in (Condition.ABSENT, Condition.WRONG_ROLE)
        own = self._set("N", world.parsed, evidence_day, bound)._replace(tempting=tempting)
        if condition is Condition.WRONG_ROLE:
            return (self._set("W", for_the_overseer(world), evidence_day, True), own)
        if condition is Condition.CHANGE:
            rival = tuple(map(parse_norm, world.rival))
            former = self._set("P", rival, evidence_day, before)
            return (former, own) if before else (own, former)
        return (own,)

    def _set(self, label: str, norms: tuple[Norm, ...], evidence_day: int | None, bound: bool) -> Judged:
        rows = self._rules(norms).rows
        families = tuple(
            family_of(norm if row is None else row, self.world.setting)
            for norm, row in zip(norms, rows, strict=True)
        )
        standing = tuple(norm.at(evidence_day) for norm in norms)
        return Judged(label, norms, self._rules(standing), families, bound)

    def _rules(self, norms: tuple[Norm, ...]) -> RuleSet:
        """The norms as they hold together, worked out once per world."""
        key = ("rules", norms)
        if key not in self.world.memo:
            self.world.memo[key] = RuleSet(norms)
        rules: RuleSet = self.world.memo[key]
        return rules


def _bound_to(norm: Norm, bearer: Bearer) -> Norm:
    """The same norm for somebody else, before and after it changes."""
    change = norm.successor
    if change is not None:
        later = change.norm.model_copy(update={"bearer": bearer})
        change = change.model_copy(update={"norm": later})
    return norm.model_copy(update={"bearer": bearer, "successor": change})


def _turns(script: Script) -> tuple[int, ...]:
    """Per round the number that its coins are tossed under: rounds of habits come in between."""
    turns, number = [], 0
    for i in range(1, len(script.rounds) + 1):
        number += i not in script.habits
        turns.append(number)
    return tuple(turns)
