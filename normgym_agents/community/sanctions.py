"""Sanctions: what members do in public about the acts of a round.

Whether an act is answered is a coin of the world, the same one that its certificate was proved with; this
decides by whom, in which form and how explicitly.
"""

from __future__ import annotations

from normgym_agents.community.episode import Backstage, EpisodeState, Json, where
from normgym_agents.community.standing import Done, Standing
from normgym_agents.community.statements import circumstance
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import Norm
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.enforcement import Explicitness


def sanction(backstage: Backstage, state: EpisodeState) -> Json:
    """Let members answer the round's acts: breaches mostly, others seldom, and nobody in the probe."""
    if state["phase"] == Phase.PROBE:
        return {"log": []}
    standing = backstage.standing(state)
    answers = (_answer(backstage, state, standing, done) for done in standing.done_in(state["round"]))
    return {"log": [answer for answer in answers if answer is not None]}


def _answer(backstage: Backstage, state: EpisodeState, standing: Standing, done: Done) -> Json | None:
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
    held = _held(backstage)
    witness = _witness(held, done, broken, draws)
    if witness is None:
        return None
    member, whom = world.cast.members[witness].name, str(done.entry["actor"])
    ladder = backstage.cards[witness].answers
    form = ladder[min(standing.answered.get((member, whom), 0), len(ladder) - 1)]
    backstage.spans.sanction_event(kind=form.value, by=member, to=whom)
    explicit = world.enforcement.explicitness
    context = None
    if explicit is Explicitness.L2:
        # A mistaken answer names something, too, and in the same way; else it could be told apart.
        meant = [norm for norm in held[witness] if norm in broken] or held[witness]
        context = circumstance(draws.pick(meant), done.moment, world.setting.verbs) if meant else None
    return {
        "kind": "sanction",
        **where(state),
        "member": member,
        "whom": whom,
        "newcomer": done.actor == standing.yard.stage.newcomer,
        "answer": form.value,
        "deserved": bool(broken),
        "act": None if explicit is Explicitness.L0 else done.entry["act"],
        "context": context,
    }


def _held(backstage: Backstage) -> list[tuple[Norm, ...]]:
    """Per member the norms on its card."""
    return [tuple(parse_norm(norm.rule) for norm in card.norms) for card in backstage.cards]


def _witness(held: list[tuple[Norm, ...]], done: Done, broken: list[Norm], draws: Draws) -> int | None:
    """Who answers: somebody whose card holds a broken norm, there if possible; never the actor."""
    others = [
        i
        for i, norms in enumerate(held)
        if i != done.actor and (not broken or any(norm in broken for norm in norms))
    ]
    near = [i for i in others if done.before.places[i] == done.before.places[done.actor]]
    return draws.pick(near or others) if others else None
