"""Sanctions: what members do in public about the acts of a round.

Whether an act is answered is a coin of the world, the same one that its certificate was proved with; this
decides by whom, in which form and how explicitly.
"""

from __future__ import annotations

from collections.abc import Sequence

from normgym_agents.community.episode import Backstage, EpisodeState, Json, where
from normgym_agents.community.standing import Done, Standing
from normgym_agents.community.statements import circumstance
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.days import Day
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
    world, arrangement, day = backstage.world, backstage.arrangement, backstage.today(state)
    broken = _broken(day, done)
    if not arrangement.answered(day, state["round"], done.actor, broken=bool(broken)):
        return None
    draws = Draws("witness", *arrangement.coin(day, state["round"], done.actor))
    held = backstage.held_on(day)
    witness = _witness(held, done, broken, draws, arrangement.quiet)
    if witness is None:
        return None
    member, whom = day.stage.people[witness].name, str(done.entry["actor"])
    ladder = backstage.cards[witness].answers
    form = ladder[min(standing.answered.get((member, whom), 0), len(ladder) - 1)]
    backstage.spans.sanction_event(kind=form.value, by=member, to=whom)
    explicit = world.enforcement.explicitness
    context = None
    if explicit is Explicitness.L2:
        # A mistaken answer names something, too, and in the same way; else it could be told apart.
        meant = [i for i in held[witness] if i in broken] or held[witness]
        norm = day.in_force.rules.norms[draws.pick(meant)] if meant else None
        context = None if norm is None else circumstance(norm, done.moment, world.setting.verbs)
    return {
        "kind": "sanction",
        **where(state),
        "member": member,
        "whom": whom,
        "newcomer": bool(done.entry["newcomer"]),
        "answer": form.value,
        "deserved": bool(broken),
        "act": None if explicit is Explicitness.L0 else done.entry["act"],
        "context": context,
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
