"""A newcomer that learns from what it sees: it believes, then it plans, without a model.

It holds the exact posterior over every set of up to two norms that the setting's words can express, and
takes the least risky way to its task. It reads the `view` channel, the observation as data; a graph over
messages gets the same facts as prose. Asked what one may and must not do, it says what it believes.
"""

from typing import Annotated, Any

from langgraph.channels import UntrackedValue
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict  # Studio asks for a schema, which typing's has only from Python 3.12

from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.knowing import known
from normgym_agents.worlds.policies import IdealObserverPolicy
from normgym_agents.worlds.public import NewcomerView


class State(TypedDict, total=False):
    """The observation that comes in, the same once checked, and the act that goes out; a question and its answer."""

    view: Annotated[dict[str, Any], UntrackedValue]
    seen: Annotated[NewcomerView, UntrackedValue]
    act: dict[str, Any]
    question: Annotated[str, UntrackedValue]
    report: list[dict[str, Any]]


def make_learner() -> CompiledStateGraph[Any, Any, Any, Any]:
    """A learner with a mind of its own, for one episode."""
    mind = IdealObserverPolicy(Enforcement().rates)

    def believe(state: State) -> State:
        seen = NewcomerView.model_validate(state["view"])
        mind.learn(seen)
        return {"seen": seen}

    def plan(state: State) -> State:
        return {"act": mind.choose(state["seen"]).model_dump()}

    def tell(state: State) -> State:
        return {"report": [norm.model_dump() for norm in known(mind, state["seen"])]}

    def what_next(state: State) -> str:
        return "tell" if state.get("question") else "plan"

    graph = StateGraph(State)
    graph.add_node("believe", believe)
    graph.add_node("plan", plan)
    graph.add_edge(START, "believe")
    graph.add_node("tell", tell)
    graph.add_conditional_edges("believe", what_next, ["plan", "tell"])
    graph.add_edge("plan", END)
    graph.add_edge("tell", END)
    return graph.compile(name="learner")
