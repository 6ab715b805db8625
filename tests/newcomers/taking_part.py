"""Taking part in an episode of a few turns, for tests of what connects agents."""

from typing import Any

from langgraph.graph import END, START, MessagesState, StateGraph

from normgym_agents.worlds.acts import Act

TAKE = Act(verb="take", thing="t1")
WAIT = Act(verb="wait")
TAKING = "I'll take the sarn ringed cup."


async def take_part(adapted, *observations):
    """One episode; the replies."""
    newcomer = adapted.factory(7)
    await newcomer.join("Tam")
    try:
        return [await newcomer.turn(observation) for observation in observations]
    finally:
        await newcomer.leave()


def say(text):
    """A graph of one node that says something, or what a function of the state says."""

    def node(state: MessagesState) -> dict[str, Any]:
        said = text(state) if callable(text) else text
        return {"messages": [("ai", said)]}

    return StateGraph(MessagesState).add_node("say", node).add_edge(START, "say").add_edge("say", END)
