"""What a condition makes of a world: the one place that turns it into days.

Certificates are proved by playing an arrangement, and the community plays the same one, so what a condition
means is said here once: what happens on which day, under which norms, who is answered, and what is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import Bearer, Norm
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.draws import Draws, uniform
from normgym_agents.worlds.scripts import Rounds, Script
from normgym_agents.worlds.settings import Slot
from normgym_agents.worlds.stage import Stage
from normgym_agents.worlds.transition import Yard
from normgym_agents.worlds.world import ScriptedAct, WatchDay, WorkDay, World

OWN_DAYS: Final = 3
"""Days of practice under `own`."""

HABIT_AFTER: Final = 2
"""Under `habits` members say their habit after every so many rounds."""

Transcript = tuple[tuple[Act | None, ...], ...]
"""Per day of practice, per round, what a newcomer did; None where its turn held no act that could be done."""


class Judged(NamedTuple):
    """Norms that acts of a day are judged by.

    Attributes:
        label: What the labels of its norms begin with: `N` for the world's norms, `P` for those that were
            in force before (its twin's), `W` for the world's norms made to bind another role.
        norms: The norms, as they stand on that day.
        bound: Whether they are in force; else they are only measured, and nobody answers for them.
        tempting: Per norm, the acts of the cheapest norm-ignoring plan of the day that break it.
    """

    label: str
    norms: tuple[Norm, ...]
    bound: bool
    tempting: tuple[tuple[Act, ...], ...]

    def broken_by(self, moment: Moment) -> tuple[int, ...]:
        """Which of the norms an act breaks."""
        return tuple(i for i, norm in enumerate(self.norms) if norm.violated_by(moment))

    def nearly_broken_by(self, moment: Moment) -> bool:
        """Whether the act breaks none of the norms and differs in one literal from one that would."""
        return not self.broken_by(moment) and any(norm.nearly_violated_by(moment) for norm in self.norms)


NOTHING_IN_FORCE: Final = Judged("N", (), True, ())


@dataclass(frozen=True, kw_only=True)
class Day:
    """One day of an episode.

    Attributes:
        number: Which, from 1.
        phase: Its phase.
        yard: Its transition model.
        script: What members do, where it is watched.
        work: The newcomer's task, where it acts.
        judged: The norms that acts are judged by; at most one set is in force.
        coins: What the coins of its answers begin with.
        turns: Per round the number that its coins are tossed under.
        announced: Whether it is said in the morning that things are done differently from today.
    """

    number: int
    phase: Phase
    yard: Yard
    script: Script | None = None
    work: WorkDay | None = None
    judged: tuple[Judged, ...]
    coins: tuple[str | int, ...]
    turns: tuple[int, ...]
    announced: bool = False

    @property
    def stage(self) -> Stage:
        """Its set-up."""
        return self.yard.stage

    @property
    def rounds(self) -> int:
        """How many rounds it has at most."""
        if self.script is not None:
            return len(self.script.rounds)
        return 0 if self.work is None else self.work.task.budget

    @cached_property
    def in_force(self) -> Judged:
        """The norms in force."""
        return next((judged for judged in self.judged if judged.bound), NOTHING_IN_FORCE)

    @cached_property
    def own(self) -> Judged:
        """The world's own norms, in force or not."""
        return next(judged for judged in self.judged if judged.label == "N")

    def is_habit(self, round_number: int) -> bool:
        """Whether members only say what they always say in that round."""
        return self.script is not None and round_number in self.script.habits


@dataclass(frozen=True, kw_only=True)
class Arrangement:
    """A world as an episode under a condition plays it.

    Attributes:
        world: The world.
        condition: The condition.
        trial: Which trial, from 0: what happens in practice and probe tosses other coins in each.
        days: The days, in order.
        told: The norms that the newcomer is told, in the norm language.
        quiet: Members (by index) who never answer anybody.
    """

    world: World
    condition: Condition
    trial: int
    days: tuple[Day, ...]
    told: tuple[str, ...] = ()
    quiet: frozenset[int] = field(default=frozenset())

    def day(self, number: int) -> Day:
        """A day by its number, from 1."""
        return self.days[number - 1]

    @property
    def replayed(self) -> bool:
        """Whether the watched days are told as a transcript, so that only who acts can differ."""
        return self.condition in (Condition.REPLAY_OWN, Condition.REPLAY_OTHERS)

    def answered(self, day: Day, round_number: int, person: int, *, broken: bool) -> bool:
        """Whether somebody answers an act; the world tosses the coin.

        Args:
            day: The day.
            round_number: Which round of it, from 1.
            person: Index of who acted.
            broken: Whether the act breaks a norm in force.
        """
        if day.phase is Phase.PROBE or self.condition in _NEVER_ANSWERED or day.is_habit(round_number):
            return False
        if self.condition is Condition.SHUFFLED:
            return (day.number, round_number, person) in self._dealt
        return self._by_coin(day, round_number, person, broken)

    def _by_coin(self, day: Day, round_number: int, person: int, broken: bool) -> bool:
        return self.world.enforcement.answered(broken, *self.coin(day, round_number, person))

    def coin(self, day: Day, round_number: int, person: int) -> tuple[str | int, ...]:
        """The key under which everything about the answer to an act is drawn."""
        return (self.world.coins, *day.coins, day.turns[round_number - 1], person)

    @cached_property
    def _dealt(self) -> frozenset[tuple[int, int, int]]:
        """The acts that are answered once the answers are dealt to the watched acts anew."""
        turns: list[tuple[int, int, int]] = []
        answered: list[bool] = []
        for day in self.days:
            for scene in day.script.scenes if day.script is not None else ():
                broken = bool(day.in_force.broken_by(scene.moment))
                turns.append((day.number, scene.round, scene.person))
                answered.append(self._by_coin(day, scene.round, scene.person, broken))
        dealt = Draws("shuffled", self.world.coins).shuffled(answered)
        return frozenset(turn for turn, one in zip(turns, dealt, strict=True) if one)

    def seen(self, day: Day, round_number: int) -> bool | None:
        """Whether somebody looks the newcomer's way in a round of the probe; None where it is not said."""
        if self.condition is not Condition.UNOBSERVED or day.phase is not Phase.PROBE:
            return None
        return uniform("seen", self.world.coins, self.trial, round_number) < 0.5


_NEVER_ANSWERED = frozenset({Condition.GHOST, Condition.COMPLIANCE})


def arrange(
    world: World, condition: Condition, trial: int = 0, *, transcript: Transcript | None = None
) -> Arrangement:
    """Arrange a world for an episode.

    Args:
        world: The world.
        condition: The condition.
        trial: Which trial, from 0.
        transcript: What the same newcomer did under `own` in the same trial; for `yoked` alone.

    Raises:
        ValueError: The world lacks what the condition shows (`lacks` says what), or there is no transcript.
    """
    missing = lacks(world, condition)
    if missing is not None:
        raise ValueError(f"{world.id} cannot be played under {condition.value}: {missing}")
    if (transcript is None) == (condition is Condition.YOKED):
        raise ValueError(f"{condition.value}: a transcript is for yoked episodes, and for them alone")
    build = _Builder(world, condition, trial)
    days = build.days(transcript)
    last = days[-1].own.norms
    peer = peer_of(world)
    return Arrangement(
        world=world,
        condition=condition,
        trial=trial,
        days=days,
        told=tuple(map(print_norm, last)) if condition is Condition.TOLD else (),
        # A yoked transcript is watched as this member's; it can be no witness of its own acts.
        quiet=frozenset({peer} if condition in (Condition.OWN, Condition.YOKED) and peer is not None else ()),
    )


def peer_of(world: World) -> int | None:
    """Index of the member that stands for the newcomer, of the same role; None if nobody has it."""
    if world.peer is not None:
        return world.peer
    roles = [member.role for member in world.cast.members]
    return roles.index(world.cast.role) if world.cast.role in roles else None


def lacks(world: World, condition: Condition) -> str | None:
    """What a world would have to hold to be played under a condition; None if nothing is missing."""
    if condition is Condition.COMPLIANCE and not world.choices:
        return "it has no days of choices"
    if condition in (Condition.REPLAY_OWN, Condition.REPLAY_OTHERS) and not world.replay:
        return "it has no days to replay"
    if condition in (Condition.REPLAY_OWN, Condition.YOKED) and peer_of(world) is None:
        return "no member has the newcomer's role"
    if condition is Condition.HABITS and _habit(world) is None:
        return "its setting has no habits, or no verb for saying them"
    if condition is Condition.CHANGE and not world.rival:
        return "it has no norms that could have been in force before"
    return None


def _habit(world: World) -> Act | None:
    """What members of the world keep saying."""
    says = next((n for n, verb in world.setting.verbs.items() if verb.slots == (Slot.WORDS,)), None)
    if says is None or not world.setting.habits:
        return None
    return Act(verb=says, say=Draws("habit", world.coins).pick(world.setting.habits))


class _Builder:
    """Builds the days of one arrangement."""

    def __init__(self, world: World, condition: Condition, trial: int) -> None:
        self.world, self.condition, self.trial = world, condition, trial

    def days(self, transcript: Transcript | None) -> tuple[Day, ...]:
        watched = self._watched(transcript)
        worked = [
            self._work_day(len(watched) + i, phase, repetition)
            for i, (phase, repetition) in enumerate(self._working(), start=1)
        ]
        return (*watched, *worked)

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
            judged=judged,
            coins=(Phase.WATCH, evidence_day),
            turns=_turns(script),
            announced=self._announced(number, evidence_day),
        )

    def _announced(self, number: int, evidence_day: int) -> bool:
        """Whether the change of norms is announced on the morning of a day."""
        if self.condition is Condition.CHANGE:
            return evidence_day == 1 < number and uniform("announced", self.world.coins) < 0.5
        return False

    def _script(self, kind: str, number: int, day: WatchDay) -> Script:
        """The day's script in this condition; whatever looks the same is worked out once per world."""
        swapped = self.condition is Condition.REPLAY_OWN
        habits = self.condition is Condition.HABITS
        key = (kind, number, swapped, habits)
        if key not in self.world.memo:
            name = f"{self.world.id}: {kind} day {number}"
            stage, rounds, said = day.stage, day.script, frozenset[int]()
            if swapped:
                stage, rounds = _swapped(stage, rounds, self._peer())
            elif habits:
                stage, rounds, said = _with_habits(stage, rounds, _habit(self.world))
            self.world.memo[key] = Script(name, Yard(stage, self.world.setting.verbs), rounds, said)
        script: Script = self.world.memo[key]
        return script

    def _peer(self) -> int:
        peer = peer_of(self.world)
        if peer is None:
            raise ValueError(f"{self.world.id}: no member has the newcomer's role")
        return peer

    def _yoked_days(self, transcript: Transcript) -> list[Day]:
        stage = self.world.practise.stage
        days = []
        for i, acts in enumerate(transcript):
            rounds: Rounds = tuple(
                () if act is None else (ScriptedAct(person=stage.newcomer, act=act),) for act in acts
            )
            shown, rounds = _swapped(stage, rounds, self._peer())
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
                )
            )
        return days

    def _practise_coins(self, repetition: int) -> tuple[str | int, ...]:
        return (Phase.PRACTISE, self.trial, *([f"again {repetition}"] if repetition else []))

    def _work_day(self, number: int, phase: Phase, repetition: int) -> Day:
        work = self.world.day(phase)
        return Day(
            number=number,
            phase=phase,
            yard=self.world.yard(phase),
            work=work,
            judged=self._judged(None, work),
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
        own = _standing(world.parsed, evidence_day)
        tempting = () if work is None else work.tempting
        bound = not before and condition not in (Condition.ABSENT, Condition.WRONG_ROLE)
        measured = Judged("N", own, bound, tempting)
        if condition is Condition.WRONG_ROLE:
            overseer = Bearer(role=world.vocabulary.overseer)
            others = tuple(norm.model_copy(update={"bearer": overseer}) for norm in own)
            return (Judged("W", others, True, ()), measured)
        if condition is Condition.CHANGE:
            rival = _standing(tuple(map(parse_norm, world.rival)), evidence_day)
            former = Judged("P", rival, before, ())
            return (former, measured) if before else (measured, former)
        return (measured,)


def _standing(norms: tuple[Norm, ...], evidence_day: int | None) -> tuple[Norm, ...]:
    """The norms as they stand on a day."""
    return norms


def _turns(script: Script) -> tuple[int, ...]:
    """Per round the number that its coins are tossed under: rounds of habits come in between."""
    turns, number = [], 0
    for i in range(1, len(script.rounds) + 1):
        number += i not in script.habits
        turns.append(number)
    return tuple(turns)


def _swapped(stage: Stage, rounds: Rounds, peer: int) -> tuple[Stage, Rounds]:
    """A day in which the peer and the newcomer bear each other's names, wherever these stand."""
    people = list(stage.people)
    one, other = people[peer], people[-1]
    names: Mapping[str, str] = {one.name: other.name, other.name: one.name}
    people[peer], people[-1] = (
        one.model_copy(update={"name": other.name}),
        other.model_copy(update={"name": one.name}),
    )
    acts = tuple(tuple(_renamed(scripted, names) for scripted in acts) for acts in rounds)
    return stage.model_copy(update={"people": tuple(people)}), acts


def _renamed(scripted: ScriptedAct, names: Mapping[str, str]) -> ScriptedAct:
    def renamed(act: Act) -> Act:
        return act if act.to not in names else act.model_copy(update={"to": names[act.to]})

    passed = None if scripted.passed is None else renamed(scripted.passed)
    return scripted.model_copy(update={"act": renamed(scripted.act), "passed": passed})


def _with_habits(stage: Stage, rounds: Rounds, habit: Act | None) -> tuple[Stage, Rounds, frozenset[int]]:
    """A day in which, after every second round, each member says what members here always say."""
    if habit is None:
        return stage, rounds, frozenset()
    says = tuple(ScriptedAct(person=i, act=habit) for i in range(stage.newcomer))
    longer: list[tuple[ScriptedAct, ...]] = []
    shown: list[int] = []
    habits: list[int] = []
    for i, acts in enumerate(rounds):
        longer.append(acts)
        shown.append(i)
        if (i + 1) % HABIT_AFTER == 0:
            longer.append(says)
            shown.append(i)
            habits.append(len(longer))
    signals = {name: tuple(values[i] for i in shown) for name, values in stage.signals.items()}
    longer_stage = stage.model_copy(update={"signals": signals, "rounds": len(shown)})
    return longer_stage, tuple(longer), frozenset(habits)
