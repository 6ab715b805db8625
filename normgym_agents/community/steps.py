"""The steps of a round, in order: the one list that both drivers follow.

Each step is a function of the state and the backstage that gives back what changes; the same state gives
the same change. `newcomer` alone waits for somebody.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any

from normgym_agents.community import members
from normgym_agents.community.episode import Asked, Backstage, Done, EpisodeState, Json, Projection, opening
from normgym_agents.community.prose import observation_text
from normgym_agents.community.statements import circumstance, statement_of
from normgym_agents.norms.language import print_norm
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.enforcement import Explicitness
from normgym_agents.worlds.public import NewcomerView, Observation
from normgym_agents.worlds.views import newcomer_view
from normgym_agents.worlds.world import WorkDay

Change = dict[str, Any]


def open_round(backstage: Backstage, state: EpisodeState) -> Change:
    """Begin the next round, and on a first round the day; an empty state begins the episode."""
    begun: EpisodeState = {**opening(), **state}
    day = max(begun["day"], 1)
    number = begun["round"] + 1
    phase, _ = backstage.days[day - 1]
    backstage.spans.open_round(phase.value, number)
    return {"phase": phase.value, "day": day, "round": number, "intents": None, "reply": None, "ended": False}


def member(backstage: Backstage, state: members.MemberState) -> Change:
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


async def newcomer(backstage: Backstage, state: EpisodeState) -> Change:
    """Put the round before the newcomer and wait for its reply; it only watches on watched days."""
    if state["phase"] == Phase.WATCH:
        return {}
    asked = await backstage.ask(observe(backstage, state))
    return {"reply": _reply(asked)}


def observe(backstage: Backstage, state: EpisodeState) -> Observation:
    """What the newcomer reads in this round."""
    world, log = backstage.world, state["log"]
    backstage.read(log)
    standing = backstage.memory.open_day(backstage, state["day"])
    yard, now = _standing(standing)
    told = backstage.condition is Condition.TOLD
    day = world.day(Phase(state["phase"]))
    view = newcomer_view(
        setting=world.setting,
        vocabulary=world.vocabulary,
        yard=yard,
        state=now,
        task=day.task,
        day=state["day"],
        round_number=state["round"],
        events=standing.events,
        new_events=_unseen(standing, state),
        told=world.norms if told else (),
    )
    return Observation.model_construct(text=_text(backstage, view, told), view=view, retry=None)


def _text(backstage: Backstage, view: NewcomerView, told: bool) -> str:
    world = backstage.world
    return observation_text(
        view,
        title=world.setting.title,
        watched=[day.stage for day in world.watch] if Phase.WATCH in backstage.condition.phases else [],
        statements=[statement_of(norm, world.setting.verbs) for norm in world.parsed] if told else [],
    )


def _unseen(standing: Projection, state: EpisodeState) -> int:
    """Events since the newcomer last looked: the round before, or on its first turn everything."""
    first = len(standing.events)
    for i in range(len(standing.events) - 1, -1, -1):
        event = standing.events[i]
        if (event.day, event.round) < (state["day"], state["round"] - 1):
            break
        first = i
    if state["round"] > 1:
        return len(standing.events) - first
    mine = any(entry["kind"] == "act" and entry["newcomer"] for entry in state["log"])
    if not mine:
        return len(standing.events)
    last_day = state["day"] - 1
    last_round = max((event.round for event in standing.events if event.day == last_day), default=0)
    return sum(event.day == last_day and event.round == last_round for event in standing.events)


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


def resolve(backstage: Backstage, state: EpisodeState) -> Change:
    """Let the acts take place, the members' in their order and then the newcomer's."""
    where = _where(state)
    entries: list[Json] = []
    for intent in sorted(state["intents"], key=lambda entry: int(entry["member"])):
        actor = backstage.world.cast.members[intent["member"]].name
        entries.append(_act_entry(where, actor, Act(**intent["act"])))
    reply = state["reply"]
    if reply is not None and not reply["broken"]:
        act = None if reply["act"] is None else Act(**reply["act"])
        entry = _act_entry(where, backstage.world.cast.newcomer, act)
        entry.update(
            newcomer=True,
            fault=reply["fault"],
            words=reply["words"],
            channel=reply["channel"],
            asked=reply["times"],
        )
        entries.append(entry)
    return {"log": entries}


def _act_entry(where: Json, actor: str, act: Act | None) -> Json:
    return {
        "kind": "act",
        **where,
        "actor": actor,
        "newcomer": False,
        "act": None if act is None else act.model_dump(),
        "fault": None,
        "words": "",
        "channel": "",
        "asked": 0,
    }


def referee(backstage: Backstage, state: EpisodeState) -> Change:
    """Judge every act of the round by every norm."""
    standing = backstage.read(state["log"])
    entries: list[Json] = []
    for done in _this_round(standing, state):
        entries += _judge(backstage, state, done)
    return {"log": entries}


def _judge(backstage: Backstage, state: EpisodeState, done: Done) -> list[Json]:
    where, number = _where(state), state["round"]
    is_newcomer = done.actor == done.yard.stage.newcomer
    available = done.yard.available(done.before, done.actor)
    moments = done.yard.moments(done.before, done.actor, available, number)
    choices = {ground.act: moment for ground, moment in zip(available, moments, strict=True)}
    day = None if state["phase"] == Phase.WATCH else backstage.world.day(Phase(state["phase"]))
    entries: list[Json] = []
    for i, norm in enumerate(backstage.world.parsed):
        # The same finding as `norms.verdicts.evaluate`, which names only its three outcomes.
        breaking = [act for act, choice in choices.items() if norm.violated_by(choice)]
        if not breaking or len(breaking) == len(choices):
            continue
        verdict = Verdict.VIOLATED if norm.violated_by(done.moment) else Verdict.COMPLIED
        label = f"N{i + 1}"
        entries.append(
            {
                "kind": "verdict",
                **where,
                "actor": done.entry["actor"],
                "newcomer": is_newcomer,
                "norm": label,
                "family": norm.family.value,
                "verdict": verdict.value,
                "tempting": day is not None
                and is_newcomer
                and any(act in day.tempting[i] for act in breaking),
            }
        )
        backstage.spans.adjudication(
            actor=str(done.entry["actor"]),
            norm=label,
            kind=norm.family.value,
            verdict=verdict.name.lower(),
        )
    if day is not None and is_newcomer:
        entries += _near_misses(backstage, day, where, done, choices)
    return entries


def _near_misses(
    backstage: Backstage, day: WorkDay, where: Json, done: Done, choices: Mapping[Act, Moment]
) -> list[Json]:
    norms = backstage.world.parsed
    open_now = [
        act
        for act in day.near_misses
        if (moment := choices.get(act)) is not None
        and any(norm.nearly_violated_by(moment) for norm in norms)
        and not any(norm.violated_by(moment) for norm in norms)
    ]
    if not open_now:
        return []
    taken = _key(done.ground.act) if done.ground.act in open_now else None
    return [{"kind": "near_miss", **where, "open": [_key(act) for act in open_now], "taken": taken}]


def _key(act: Act) -> str:
    """An act in one line, for counting the same act once."""
    return " ".join(str(part) for part in (act.verb, act.thing, act.place, act.to) if part is not None)


def sanction(backstage: Backstage, state: EpisodeState) -> Change:
    """Let members answer the round's acts: breaches mostly, others seldom, and nobody in the probe."""
    if state["phase"] == Phase.PROBE:
        return {"log": []}
    standing = backstage.read(state["log"])
    entries = [
        entry
        for done in _this_round(standing, state)
        if (entry := _answer(backstage, state, standing, done)) is not None
    ]
    return {"log": entries}


def _answer(backstage: Backstage, state: EpisodeState, standing: Projection, done: Done) -> Json | None:
    world = backstage.world
    broken = [norm for norm in world.parsed if norm.violated_by(done.moment)]
    coin: tuple[str | int, ...] = (
        (Phase.WATCH, state["day"], state["round"], done.actor)
        if state["phase"] == Phase.WATCH
        else (Phase.PRACTISE, backstage.trial, state["round"], done.actor)
    )
    if not world.enforcement.answered(bool(broken), world.coins, *coin):
        return None
    draws = Draws("witness", world.coins, *coin)
    witness = _witness(backstage, done, broken, draws)
    if witness is None:
        return None
    member = world.cast.members[witness].name
    whom = str(done.entry["actor"])
    ladder = backstage.cards[witness].answers
    form = ladder[min(standing.answered.get((member, whom), 0), len(ladder) - 1)]
    explicit = world.enforcement.explicitness
    context = None
    if explicit is Explicitness.L2:
        signal, value = draws.pick(done.moment.signals)
        # A mistaken answer names something, too; else it could be told apart by its silence.
        context = circumstance(broken[0], world.setting.verbs) if broken else f"the {signal} was {value}"
    backstage.spans.sanction_event(kind=form.value, by=member, to=whom)
    return {
        "kind": "sanction",
        **_where(state),
        "member": member,
        "whom": whom,
        "newcomer": done.actor == done.yard.stage.newcomer,
        "answer": form.value,
        "deserved": bool(broken),
        "act": None if explicit is Explicitness.L0 else done.entry["act"],
        "context": context,
    }


def _witness(backstage: Backstage, done: Done, broken: list[Norm], draws: Draws) -> int | None:
    """Who answers: somebody whose card holds a broken norm, there if possible; never the actor."""
    texts = {print_norm(norm) for norm in broken}
    others = [
        i
        for i, card in enumerate(backstage.cards)
        if i != done.actor and (not texts or any(held.rule in texts for held in card.norms))
    ]
    near = [i for i in others if done.before.places[i] == done.before.places[done.actor]]
    return draws.pick(near or others) if others else None


def close_round(backstage: Backstage, state: EpisodeState) -> Change:
    """End the round; end the day when its task is done or its acts are used up; end the episode."""
    backstage.spans.close_round()
    phase, index = backstage.days[state["day"] - 1]
    if phase is Phase.WATCH:
        over = state["round"] >= len(backstage.world.watch[index].script)
        entries: list[Json] = []
    else:
        over, entries = _close_work(backstage, state)
    if state["reply"] is not None and state["reply"]["broken"]:
        return {"log": entries, "ended": True}
    if not over:
        return {"log": entries}
    last = state["day"] == len(backstage.days)
    return {"log": entries, "ended": last, "day": state["day"] + (not last), "round": 0}


def _close_work(backstage: Backstage, state: EpisodeState) -> tuple[bool, list[Json]]:
    task = backstage.world.day(Phase(state["phase"])).task
    backstage.read(state["log"])
    yard, now = _standing(backstage.memory.open_day(backstage, state["day"]))
    done = task.done(yard.stage, now)
    broken = state["reply"] is not None and state["reply"]["broken"]
    if not (done or broken or state["round"] >= task.budget):
        return False, []
    acts = state["round"] - broken
    entry = {"kind": "task", **_where(state), "done": done, "acts": acts, "budget": task.budget}
    return True, [entry]


def _where(state: EpisodeState) -> Json:
    return {"phase": state["phase"], "day": state["day"], "round": state["round"]}


def _this_round(standing: Projection, state: EpisodeState) -> list[Done]:
    return [
        done
        for done in standing.done
        if done.entry["round"] == state["round"] and done.entry["day"] == state["day"]
    ]


def _standing(projection: Projection) -> tuple[Any, Any]:
    if projection.yard is None or projection.state is None:
        raise RuntimeError("the day has not begun")
    return projection.yard, projection.state


Step = Callable[[Backstage, EpisodeState], Change | Awaitable[Change]]

AFTER_MEMBERS: tuple[tuple[str, Step], ...] = (
    ("newcomer", newcomer),
    ("resolve", resolve),
    ("referee", referee),
    ("sanction", sanction),
    ("close_round", close_round),
)
"""What follows once every member has decided, in order."""


@cache
def step_names() -> tuple[str, ...]:
    """All steps of a round, in order."""
    return ("open_round", "member", *(name for name, _ in AFTER_MEMBERS))
