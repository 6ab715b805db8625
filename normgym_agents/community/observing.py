"""What the newcomer gets to see in its turn: the public log, projected and put into words."""

from __future__ import annotations

from normgym_agents.community.episode import Backstage, EpisodeState
from normgym_agents.community.prose import observation_text
from normgym_agents.community.standing import Standing
from normgym_agents.community.statements import statement_of
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.public import Observation
from normgym_agents.worlds.views import newcomer_view


def observe(backstage: Backstage, state: EpisodeState) -> Observation:
    """What the newcomer reads in this round."""
    world = backstage.world
    standing = backstage.standing(state)
    told = backstage.condition is Condition.TOLD
    looked = _last_looked(state)
    view = newcomer_view(
        setting=world.setting,
        vocabulary=world.vocabulary,
        yard=standing.yard,
        state=standing.now,
        task=world.day(Phase(state["phase"])).task,
        day=state["day"],
        round_number=state["round"],
        events=standing.events,
        new_events=_since(looked, standing),
        told=world.norms if told else (),
    )
    text = observation_text(
        view,
        first=looked is None,
        title=world.setting.title,
        watched=[day.stage for day in world.watch] if Phase.WATCH in backstage.condition.phases else [],
        statements=[statement_of(norm, world.setting.verbs) for norm in world.parsed] if told else [],
    )
    # Both are whitelists of checked types; checking them once more would double the price of a round.
    return Observation.model_construct(text=text, view=view, retry=None)


def _last_looked(state: EpisodeState) -> tuple[int, int] | None:
    """Day and round of the newcomer's last turn, an invalid one included; None before its first."""
    for entry in reversed(state["log"]):
        if entry["kind"] == "act" and entry["newcomer"]:
            return entry["day"], entry["round"]
    return None


def _since(looked: tuple[int, int] | None, standing: Standing) -> int:
    """How many events are new: it looked before the acts of that round took place."""
    if looked is None:
        return len(standing.events)
    new = 0
    for event in reversed(standing.events):
        if (event.day, event.round) < looked:
            break
        new += 1
    return new
