"""The community as a graph to open in LangGraph Studio, or to invoke: six members and a newcomer.

The newcomer here takes the cheapest way and ignores what others make of it, so that there is something to
see. Invoke it with `opening()`, or in Studio with the empty input; the channel `log` tells the story.
"""

from normgym_agents.community.authored import open_authored
from normgym_agents.community.episode import Asked, Backstage, opening
from normgym_agents.community.graph import community_graph
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.policies import NormBlind
from normgym_agents.worlds.public import Observation, Reply

__all__ = ["graph", "opening"]

_newcomer = NormBlind()


async def _ask(observation: Observation) -> Asked:
    return Asked(Reply(act=_newcomer.choose(observation.view), channel="policy"), 1)


_world, _cards = open_authored("pottery-yard")
graph = community_graph(
    Backstage(arrangement=arrange(_world, Condition.LIVE), cards=_cards, ask=_ask)
).with_config(recursion_limit=1000)
