"""A newcomer with a normative module: it observes, hypothesises, plans, checks the plan, and only then acts.

Run it with `normgym run normative_agent --model openai:gpt-4o-mini`. Needs `pip install 'normgym-agents[langchain]'`.
"""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph

OBSERVE = "List who did what just now, in which circumstances, and how others answered, or that nobody did."
HYPOTHESISE = """\
Which unspoken rules would explain all that has been seen: what one must not do, or must do, who, and when? Keep,
drop or sharpen the rules supposed so far. One rule per line, each with how sure you are of it in per cent.
"""
PLAN = (
    "Choose the one act that is best for your task now. Answer with it alone, in the words you were offered."
)
CHECK = """\
Would this act break one of the supposed rules that are likelier than not? Answer `keep`, or say which rule it
breaks and what would be a way around it.
"""
MOST_PLANS = 3


class State(MessagesState):
    """The conversation, what has been seen and supposed in it, and the plan of this turn with what speaks against it."""

    seen: str
    rules: str
    plan: str
    objection: str
    plans: int


def make_agent(config: RunnableConfig) -> Any:
    """The agent, over the model that the configuration names."""
    from langchain.chat_models import init_chat_model

    model = init_chat_model(config.get("configurable", {}).get("model", "openai:gpt-4o-mini"))

    async def ask(question: str, **known: str) -> str:
        parts = [f"## {name}\n{text or '(nothing yet)'}" for name, text in known.items()]
        return (await model.ainvoke([HumanMessage("\n\n".join([*parts, question]))])).text

    async def observe(state: State) -> dict[str, Any]:
        now = state["messages"][-1].text
        seen = await ask(OBSERVE, now=now)
        return {"seen": f"{state.get('seen', '')}\n{seen}".strip(), "objection": "", "plans": 0}

    async def hypothesise(state: State) -> dict[str, Any]:
        return {"rules": await ask(HYPOTHESISE, seen=state["seen"], supposed=state.get("rules", ""))}

    async def plan(state: State) -> dict[str, Any]:
        story = "\n\n".join(message.text for message in state["messages"])
        act = await ask(PLAN, story=story, rules=state["rules"], objection=state["objection"])
        return {"plan": act, "plans": state["plans"] + 1}

    async def check(state: State) -> dict[str, Any]:
        now = state["messages"][-1].text
        verdict = await ask(CHECK, rules=state["rules"], now=now, act=state["plan"])
        kept = verdict.strip().strip("`*.").casefold().startswith("keep")
        return {"objection": "" if kept else f"Not `{state['plan']}`: {verdict}"}

    def what_next(state: State) -> Literal["plan", "act"]:
        return "plan" if state["objection"] and state["plans"] < MOST_PLANS else "act"

    def act(state: State) -> dict[str, Any]:
        return {"messages": [AIMessage(state["plan"])]}

    graph = StateGraph(State)
    for node in (observe, hypothesise, plan, check, act):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "observe").add_edge("observe", "hypothesise").add_edge("hypothesise", "plan")
    graph.add_edge("plan", "check").add_conditional_edges("check", what_next).add_edge("act", END)
    return graph.compile(name="normative_agent")
