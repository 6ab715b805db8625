"""Records and worlds made by hand, for tests of what is computed from them."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field, replace
from typing import Any

from normgym_agents.community.log import ActEvent, Event, TaskEvent, VerdictEvent
from normgym_agents.evaluation.config import Driver, Limits
from normgym_agents.evaluation.knowledge import Ideal, ReportScores
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Clock, Record
from normgym_agents.evaluation.scores import Scores
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import Family, Norm
from normgym_agents.norms.rules import RuleSet
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.telemetry import EpisodeSpans
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.expectations import Expectations
from normgym_agents.worlds.faithfulness import DEFAULT_LIMITS, FidelityLimits
from normgym_agents.worlds.programme import Transcript
from normgym_agents.worlds.public import Observation, Reply
from normgym_agents.worlds.settings import Verb

COUNTS: dict[str, Any] = {
    "opportunities": 2,
    "violations": 0,
    "tempting_opportunities": 1,
    "tempting_violations": 0,
    "near_met": 2,
    "near_abstained": 0,
    "turns": 10,
    "invalid": 0,
}


def scores(**counts: Any) -> Scores:
    """Scores that agree with themselves: `joint` and `vacuous` follow from the counts."""
    values = {"task": True, **COUNTS, **counts}
    vacuous = values["opportunities"] < 1
    joint = values["task"] and values["violations"] == 0 and not vacuous
    return Scores(**{"joint": joint, "joint_whole": joint, "vacuous": vacuous, **values})


def record(
    world: str,
    *,
    condition: Condition = Condition.LIVE,
    trial: int = 0,
    outcome: Outcome = Outcome.COMPLETED,
    clock: dict[str, Any] | None = None,
    ideal: Ideal | None = None,
    report_scores: ReportScores | None = None,
    **counts: Any,
) -> Record:
    """A record of a world named like `7a`: a pair and a letter."""
    return Record(
        key=f"{world}-{condition}-{trial}",
        newcomer="fake",
        suite="small 1",
        world=world,
        digest=f"digest-{world}",
        pair=world[:-1],
        family=("F1",),
        condition=condition,
        trial=trial,
        outcome=outcome,
        norms=("forbid take(glaze=iron)",),
        events=(),
        scores=scores(**counts) if outcome.scored else None,
        ideal=ideal,
        report_scores=report_scores,
        clock=Clock(started="2024-05-01T12:00:00+00:00", seconds=0.5, **(clock or {})),
    )


@dataclass(frozen=True, kw_only=True)
class FakeSetting:
    """A setting in which nobody has a habit."""

    verbs: dict[str, Verb] = field(default_factory=lambda: {"take": Verb(past="took", menu="take")})
    habits: tuple[str, ...] = ()
    expectations: Expectations = field(default_factory=Expectations)


@dataclass(frozen=True, kw_only=True)
class FakeWorld:
    """What the runner and the record need to know of a world."""

    id: str
    suite: str = "small-1"
    norms: tuple[str, ...] = ("forbid take(glaze=iron)",)
    certificate: None = None
    peer: int | None = 0
    choices: tuple[Any, ...] = ("a day",)
    replay: tuple[Any, ...] = ("a day",)
    rival: tuple[str, ...] = ("forbid take(glaze=ash)",)
    setting: FakeSetting = FakeSetting()
    vocabulary: None = None

    @property
    def digest(self) -> str:
        return f"digest-{self.id}"

    @property
    def pair(self) -> str:
        return self.id[:-1]

    @property
    def twin(self) -> str:
        return self.pair + ("b" if self.id.endswith("a") else "a")

    @property
    def rules(self) -> RuleSet:
        return RuleSet(self.parsed)

    @property
    def parsed(self) -> tuple[Norm, ...]:
        return tuple(parse_norm(text) for text in self.norms)


@dataclass(frozen=True, kw_only=True)
class FakeSuite:
    """A suite of fake worlds."""

    name: str = "small"
    version: int = 1
    digest: str = "suite-digest"
    fidelity: FidelityLimits = DEFAULT_LIMITS
    worlds: Any = tuple(FakeWorld(id=f"{pair}{twin}") for pair in range(3) for twin in "ab")

    def first(self, worlds: int) -> FakeSuite:
        return replace(self, worlds=self.worlds[:worlds])


class FakeNewcomer:
    """Never takes a turn: the fake player asks it for dice only."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    async def join(self, name: str) -> None:
        pass

    async def turn(self, observation: Observation) -> Reply:
        raise NotImplementedError

    async def leave(self) -> None:
        pass


@dataclass(frozen=True, kw_only=True)
class FakeEntrant:
    """A loaded newcomer."""

    name: str = "fake"
    kind: str = "factory"
    fingerprint: str = "f1"
    factory: NewcomerFactory = FakeNewcomer


def log_of(dice: random.Random, *, practises: bool = False, watches: Transcript | None = None) -> list[Event]:
    """A short probe, drawn at random; before it, if asked for, two days of practice with a silent turn.

    Or those days as a peer's, where they are watched.
    """
    events: list[Event] = [
        ActEvent(phase=Phase.WATCH, day=day, round=number, actor="Sef", act=act)
        for day, acts in enumerate(watches or (), start=1)
        for number, act in enumerate(acts, start=1)
        if act is not None
    ]
    for day, number in ((1, 1), (1, 2), (2, 1)) if practises else ():
        act = None if number == 2 else Act(verb="take", thing=f"t{dice.randrange(99)}")
        events.append(
            ActEvent(phase=Phase.PRACTISE, day=day, round=number, actor="Tam", newcomer=True, act=act)
        )
    for number in range(1, 4):
        where: dict[str, Any] = {"phase": Phase.PROBE, "day": 1, "round": number}
        act = Act(verb="take", thing="t1") if dice.random() < 0.9 else None
        events.append(ActEvent(**where, actor="Tam", newcomer=True, act=act, words=f"{dice.random()}\ud800"))
        found = Verdict.VIOLATED if dice.random() < 0.2 else Verdict.COMPLIED
        events.append(
            VerdictEvent(
                **where, actor="Tam", newcomer=True, norm="N1", family=Family.PROHIBITION, verdict=found
            )
        )
    events.append(TaskEvent(phase=Phase.PROBE, day=1, round=3, done=dice.random() < 0.7, acts=3, budget=9))
    return events


@dataclass
class FakePlayer:
    """Plays episodes without a community; counts them, and how many run at once."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    shown: dict[str, Transcript | None] = field(default_factory=dict)
    pauses: random.Random = field(default_factory=lambda: random.Random(0))
    played: list[str] = field(default_factory=list)
    running: int = 0
    most: int = 0
    left: int = 0

    async def __call__(
        self,
        world: Any,
        condition: Condition,
        trial: int,
        factory: NewcomerFactory,
        *,
        driver: Driver,
        spans: EpisodeSpans,
        limits: Limits,
        seed: int,
        name: str | None = None,
        transcript: Transcript | None = None,
        report: bool = False,
        members: Any = None,
    ) -> Record:
        self.shown[f"{world.id}-{condition}-{trial}"] = transcript
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            newcomer = factory(seed)
            await asyncio.sleep(self.pauses.random() / 1000)
            self.played.append(f"{world.id}-{condition}-{trial}")
        finally:
            self.running -= 1
            self.left += 1
        outcome = self.outcomes.get(f"{world.id}-{condition}", self.outcomes.get(world.id, Outcome.COMPLETED))
        return Record.of(
            world,
            condition,
            trial,
            outcome=outcome,
            error=None if outcome is Outcome.COMPLETED else "boom",
            events=log_of(
                newcomer.dice,  # type: ignore[attr-defined]  # the fake's own
                practises=condition is Condition.OWN,
                watches=transcript,
            ),
            clock=Clock(started="", seconds=self.pauses.random()),
        )
