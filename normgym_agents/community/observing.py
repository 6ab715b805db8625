"""What the newcomer gets to see in its turn: the public log, projected and put into words."""

from __future__ import annotations

from normgym_agents.community.episode import Backstage, EpisodeState
from normgym_agents.community.prose import Morning, observation_text
from normgym_agents.community.standing import Standing
from normgym_agents.community.statements import statement_of
from normgym_agents.worlds.public import Observation
from normgym_agents.worlds.views import newcomer_view


def observe(backstage: Backstage, state: EpisodeState) -> Observation:
    """What the newcomer reads in this round.

    Raises:
        RuntimeError: It is a day that is only watched.
    """
    world, arrangement, day = backstage.world, backstage.arrangement, backstage.today(state)
    if day.work is None:
        raise RuntimeError(f"nobody is asked on day {day.number}, which is only watched")
    standing = backstage.standing(state)
    looked = _last_looked(state)
    view = newcomer_view(
        setting=world.setting,
        vocabulary=world.vocabulary,
        yard=standing.yard,
        state=standing.now,
        task=day.work.task,
        day=state["day"],
        round_number=state["round"],
        events=standing.events,
        new_events=_since(looked, standing),
        told=arrangement.told,
        announced=arrangement.announced(day.number),
        seen=arrangement.seen(day, state["round"]),
    )
    text = observation_text(
        view,
        first=looked is None,
        title=world.setting.title,
        watched=[Morning(day.stage, day.announced) for day in arrangement.days if day.script is not None],
        replayed=arrangement.replayed,
        changed=day.announced,
        statements=_statements(backstage),
    )
    # Both are whitelists of checked types; checking them once more would double the price of a round.
    return Observation.model_construct(text=text, view=view, retry=None)


def _statements(backstage: Backstage) -> list[str]:
    """What is told of how things are done, a rule with its exception in one."""
    if not backstage.arrangement.told:
        return []
    rules = backstage.days[-1].own.rules
    return [statement_of(row, backstage.world.setting.verbs) for row in rules.rows if row is not None]


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
