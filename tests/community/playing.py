"""Episodes for tests: a small day made by hand, newcomers of every sort, and one call to play them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cache
from itertools import count

from normgym_agents.community.cards import deal_cards
from normgym_agents.community.episode import Asked, Backstage
from normgym_agents.community.personas import read_setting
from normgym_agents.evaluation.config import Driver, Limits
from normgym_agents.evaluation.episodes import people, play_episode
from normgym_agents.evaluation.evidence import transcript_of
from normgym_agents.evaluation.records import Record
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.newcomers.reference import POLICIES, PolicyNewcomer
from normgym_agents.norms.hypotheses import VerbSlots, Vocabulary
from normgym_agents.norms.norm import ActPattern, SlotLiteral
from normgym_agents.telemetry import NO_SPANS, EpisodeSpans
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.draws import uniform
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.layout import Cast, Member
from normgym_agents.worlds.public import NewcomerView, Observation, Reply
from normgym_agents.worlds.stage import Person, Stage, Thing
from normgym_agents.worlds.suites import Suite, load_suite
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.world import ScriptedAct, WatchDay, WorkDay, World

PEOPLE = (("mira", "Mira", "keeper"), ("sef", "Sef", "carrier"), ("oren", "Oren", "keeper"))
NORM = "forbid take(glaze=sarn) when bell=ringing"
LIMITS = Limits(deadline=30.0)


@cache
def quick() -> Suite:
    return load_suite("quick")


def _thing(number: int, looks: str, home: str) -> Thing:
    glaze, mark, form = looks.split()
    return Thing(id=f"t{number}", attributes={"glaze": glaze, "mark": mark, "form": form}, home=home)


def _stage(places: str, things: Sequence[Thing], bells: str) -> Stage:
    """A stage; `places` are those of Mira, Sef, Oren and Tam."""
    everybody = [(name, role) for _, name, role in PEOPLE] + [("Tam", "carrier")]
    return Stage(
        places=("shed", "well", "kiln"),
        paths=(("shed", "well"), ("shed", "kiln")),
        workplace="kiln",
        things=tuple(things),
        people=tuple(
            Person(name=name, role=role, place=place, receives=name == "Oren")
            for (name, role), place in zip(everybody, places.split(), strict=True)
        ),
        signals={"bell": tuple(bells.split()), "lamp": ("lit",) * len(bells.split())},
        rounds=len(bells.split()),
    )


def _day(looks: str, task: Task) -> WorkDay:
    things = [
        _thing(1, looks, "shed"),
        _thing(2, "tosh barred cup", "well"),
        _thing(3, "velk ringed bowl", "shed"),
    ]
    stage = _stage("shed shed kiln shed", things, "ringing ringing still still ringing ringing")
    return WorkDay(
        stage=stage,
        task=task,
        tempting=((Act(verb="take", thing="t1"),),),
        near_misses=(Act(verb="take", thing="t2"),),
    )


SURE = Enforcement(detection=1.0, false_sanctions=0.0)


@cache
def small_world(enforcement: Enforcement = SURE) -> World:
    """One watched day of two rounds, then two working days of at most six acts."""
    watched = _stage(
        "shed shed well shed",
        [_thing(1, "sarn ringed bowl", "shed"), _thing(2, "velk barred cup", "shed")],
        "ringing still",
    )
    task = Task(
        template="carry", count=1, form="cup", worked=False, budget=6, sentence="Bring one cup to Oren."
    )
    script = (
        (
            ScriptedAct(person=0, act=Act(verb="take", thing="t2")),
            ScriptedAct(person=1, act=Act(verb="take", thing="t1")),
            ScriptedAct(person=2, act=Act(verb="go", place="shed")),
        ),
        (ScriptedAct(person=1, act=Act(verb="greet", to="Tam")),),
    )
    roles = ("keeper", "carrier", "tender")
    return World(
        id="hand-made-a",
        suite="hand-made",
        pair="hand-made",
        twin="hand-made-b",
        seed=(0, 0),
        setting=read_setting("pottery-yard"),
        vocabulary=Vocabulary(
            values={"glaze": ("sarn", "velk", "tosh"), "role": roles},
            signals={"bell": ("ringing", "still"), "lamp": ("lit", "dark")},
            roles=roles,
            overseer="keeper",
            verbs=(VerbSlots(verb="take", slots=("glaze",)),),
            precursors=(ActPattern(verb="greet", literals=(SlotLiteral(slot="role", value="keeper"),)),),
        ),
        cast=Cast(
            members=tuple(Member(persona=key, name=name, role=role) for key, name, role in PEOPLE),
            newcomer="Tam",
            role="carrier",
        ),
        enforcement=enforcement,
        norms=(NORM,),
        coins="hand-made/0",
        watch=(WatchDay(stage=watched, script=script),),
        practise=_day("sarn barred cup", task),
        probe=_day("sarn ringed cup", task),
        certificate=None,
    ).sealed()


def backstage_of(
    world: World, condition: Condition, act: Callable[[NewcomerView], Act], *, trial: int = 0
) -> Backstage:
    """A backstage whose newcomer does what the function says."""

    async def ask(observation: Observation) -> Asked:
        return Asked(Reply(act=act(observation.view), channel="policy"), 1)

    arrangement = arrange(world, condition, trial)
    cards = deal_cards(arrangement, people(world.setting.name))
    return Backstage(arrangement=arrangement, cards=cards, ask=ask)


async def play(
    world: World,
    condition: Condition,
    factory: NewcomerFactory,
    *,
    driver: Driver = "loop",
    trial: int = 0,
    spans: EpisodeSpans = NO_SPANS,
    limits: Limits = LIMITS,
    seed: int = 0,
    report: bool = False,
) -> Record:
    """An episode; a yoked one is shown what the same newcomer does under `own`."""
    transcript = None
    if condition is Condition.YOKED:
        own = await play_episode(
            world, Condition.OWN, trial, factory, driver="loop", limits=limits, seed=seed
        )
        transcript = transcript_of(own)
    return await play_episode(
        world,
        condition,
        trial,
        factory,
        driver=driver,
        spans=spans,
        limits=limits,
        seed=seed,
        transcript=transcript,
        report=report,
    )


def named(name: str) -> NewcomerFactory:
    """A reference newcomer."""
    return lambda seed: PolicyNewcomer(POLICIES[name](seed))


class Scripted:
    """Does at each turn what a function of turn (from 1, re-asks included) and observation says."""

    def __init__(self, reply: Callable[[int, Observation], Reply | Act]) -> None:
        self._reply, self._turns = reply, count(1)
        self.observations: list[Observation] = []
        self.joined: list[str] = []
        self.left = 0

    async def join(self, name: str) -> None:
        self.joined.append(name)

    async def turn(self, observation: Observation) -> Reply:
        self.observations.append(observation)
        await asyncio.sleep(0)  # lets others in between, as a model would
        reply = self._reply(next(self._turns), observation)
        return Reply(act=reply, channel="policy") if isinstance(reply, Act) else reply

    async def leave(self) -> None:
        self.left += 1


def scripted(reply: Callable[[int, Observation], Reply | Act]) -> Callable[[int], Scripted]:
    return lambda _: Scripted(reply)


def first_possible(_: int, observation: Observation) -> Act:
    """Something that can be done."""
    return observation.view.available[0]


def motley(key: int) -> NewcomerFactory:
    """Acts, speaks, is silent and asks for what cannot be done, in an order that depends on the key alone."""

    def reply(turn: int, observation: Observation) -> Reply | Act:
        view = observation.view
        draw = uniform("motley", key, turn)
        if draw < 0.1:
            return Reply(fault="Nothing came.", words="I will not\nsay")
        if draw < 0.2:
            return Act(verb="take", thing="nowhere")
        if draw < 0.3:
            return Reply(
                act=Act(verb="say", say="Which one may I\x1b[31m take?"), words="curious", channel="text"
            )
        return view.available[int(uniform("motley act", key, turn) * len(view.available))]

    return lambda _: Scripted(reply)


class Holding:
    """A factory that keeps the newcomer it made, for looking at afterwards."""

    def __init__(self, factory: Callable[[int], Scripted]) -> None:
        self._factory = factory
        self.made: list[Scripted] = []

    def __call__(self, seed: int) -> Scripted:
        self.made.append(self._factory(seed))
        return self.made[-1]

    @property
    def one(self) -> Scripted:
        (newcomer,) = self.made
        return newcomer
