"""Sanctions: what members do in public about the acts of a round.

Whether an act is answered is a coin of the world, the same one that its certificate was proved with; this
decides by whom, in which form and how explicitly.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from normgym_agents.community.episode import Backstage, EpisodeState, Json, where
from normgym_agents.community.minds.asking import talk_in
from normgym_agents.community.standing import Done, Standing
from normgym_agents.community.statements import circumstance
from normgym_agents.norms.norm import Norm
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.days import Day
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.enforcement import Explicitness
from normgym_agents.worlds.public import Answer

if TYPE_CHECKING:
    from normgym_agents.community.minds.ensemble import Ensemble
    from normgym_agents.community.minds.turns import AnswerGiven


def sanction(backstage: Backstage, state: EpisodeState) -> Json | Awaitable[Json]:
    """Let members answer the round's acts: breaches mostly, others seldom, and nobody in the probe."""
    if state["phase"] == Phase.PROBE:
        return {"log": []}
    standing = backstage.standing(state)
    if backstage.ensemble is not None:
        return _with_models(backstage, backstage.ensemble, state, standing)
    return _shown(backstage, _scheduled(backstage, state, standing))


def _shown(backstage: Backstage, log: list[Json]) -> Json:
    """Events for the log, those of sanctions also in the trace."""
    for entry in log:
        if entry["kind"] == "sanction":
            backstage.spans.sanction_event(kind=entry["answer"], by=entry["member"], to=entry["whom"])
    return {"log": log}


def _scheduled(backstage: Backstage, state: EpisodeState, standing: Standing) -> list[Json]:
    """The answers that the world's coins ask for."""
    answers = (_answer(backstage, state, standing, done) for done in standing.done_in(state["round"]))
    return [answer for answer in answers if answer is not None]


async def _with_models(
    backstage: Backstage, ensemble: Ensemble, state: EpisodeState, standing: Standing
) -> Json:
    """The same where models word the answers, or decide them; and what is said back to the newcomer."""
    from normgym_agents.community.minds.deciding import close_of_round
    from normgym_agents.community.minds.voicing import speaks, voice_reply, voice_sanctions

    scheduled, done = _scheduled(backstage, state, standing), standing.done_in(state["round"])
    names = [member.name for member in backstage.world.cast.members]
    talk = talk_in(done, names) if speaks(backstage) else None
    if ensemble.voiced:
        log = await voice_sanctions(ensemble, backstage, state, scheduled)
        if talk is not None:
            log += await voice_reply(ensemble, backstage, state, talk.member, talk.words)
        return _shown(backstage, log)
    scripted: dict[int, list[Json]] = {}
    for answer in scheduled:
        scripted.setdefault(names.index(answer["member"]), []).append(answer)

    def answer_of(one: Done, member: int, given: AnswerGiven) -> Json:
        held = [i for i, norm in enumerate(backstage.held[member]) if norm.deontic != "permit"]
        norm = backstage.held[member][given.over - 1] if given.over - 1 in held else None
        answer = _event(backstage, state, one, member, given.how, norm)
        return answer | {"words": given.words}

    log, plans = await close_of_round(
        ensemble,
        backstage,
        state,
        judged=[one for one in done if _open_to_answers(backstage, state, one)],
        talk=talk,
        scripted=scripted,
        answer_of=answer_of,
    )
    return _shown(backstage, log) | {"plans": plans}


def _open_to_answers(backstage: Backstage, state: EpisodeState, done: Done) -> bool:
    """Whether members may answer an act at all: of breaches, some go unseen by a coin of the world's."""
    day = backstage.today(state)
    if not _broken(day, done):
        return True
    return backstage.arrangement.answered(day, state["round"], done.actor, broken=True)


def _answer(backstage: Backstage, state: EpisodeState, standing: Standing, done: Done) -> Json | None:
    arrangement, day = backstage.arrangement, backstage.today(state)
    broken = _broken(day, done)
    if not arrangement.answered(day, state["round"], done.actor, broken=bool(broken)):
        return None
    draws = Draws("witness", *arrangement.coin(day, state["round"], done.actor))
    held = backstage.held_on(day)
    witness = _witness(held, done, broken, draws, arrangement.quiet)
    if witness is None:
        return None
    member, whom = day.stage.people[witness].name, str(done.entry["actor"])
    # A mistaken answer means something, too, and in the same way; else it could be told apart.
    meant = [i for i in held[witness] if i in broken] or held[witness]
    norm = day.in_force.rules.norms[draws.pick(meant)] if meant else None
    ladder, lightly = backstage.cards[witness].answers, backstage.cards[witness].lightly
    form = ladder[min(standing.answered.get((member, whom), 0), len(ladder) - 1)]
    if norm is not None and lightly and backstage.held[witness].index(norm) in lightly:
        form = Answer.GESTURE
    return _event(backstage, state, done, witness, form, norm)


def _event(
    backstage: Backstage, state: EpisodeState, done: Done, member: int, form: Answer, norm: Norm | None
) -> Json:
    """A member's answer to an act, over a norm, as explicit as the community is."""
    world, day = backstage.world, backstage.today(state)
    name, whom = day.stage.people[member].name, str(done.entry["actor"])
    explicit = world.enforcement.explicitness
    context = None
    if explicit is Explicitness.L2 and norm is not None:
        context = circumstance(norm, done.moment, world.setting.verbs)
    return {
        "kind": "sanction",
        **where(state),
        "member": name,
        "whom": whom,
        "newcomer": bool(done.entry["newcomer"]),
        "answer": form.value,
        "deserved": bool(_broken(day, done)),
        "act": None if explicit is Explicitness.L0 else done.entry["act"],
        "context": context,
        "words": "",
    }


def _broken(day: Day, done: Done) -> tuple[int, ...]:
    """Which of the norms in force the act breaks; of scripted acts that is worked out once per world."""
    rules = day.in_force.rules
    if day.script is not None and done.scene is not None:
        return day.script.broken(rules)[done.scene]
    return rules.broken_by(done.moment)


def _witness(
    held: Sequence[tuple[int, ...]], done: Done, broken: tuple[int, ...], draws: Draws, quiet: frozenset[int]
) -> int | None:
    """Who answers: somebody whose card holds a broken norm, there if possible; never the actor."""
    others = [
        i
        for i, norms in enumerate(held)
        if i != done.actor and i not in quiet and (not broken or any(norm in broken for norm in norms))
    ]
    near = [i for i in others if done.before.places[i] == done.before.places[done.actor]]
    return draws.pick(near or others) if others else None
