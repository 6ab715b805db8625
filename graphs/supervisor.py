"""A supervisor of two: it asks one who watches people and one who plans the work, and decides.

Run it with `normgym run supervisor --model openai:gpt-4o-mini`. Needs `pip install 'normgym-agents[langchain]'`.
"""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.runnables import RunnableConfig

SUPERVISOR = """\
You have just arrived among people you do not know. Ask the watcher and the planner what you need to know, and tell
them all that matters: they see nothing themselves. Then do one thing, in the words you were offered.
"""
WATCHER = "You are told what people did and how others answered it. Say what they seem to mind, and why you think so."
PLANNER = "You are told of a task and of what can be done. Say which act serves the task best, and which comes next."


def make_agent(config: RunnableConfig) -> Any:
    """The supervisor and its two, over the model that the configuration names."""
    model = config.get("configurable", {}).get("model", "openai:gpt-4o-mini")
    watcher = create_agent(model, system_prompt=WATCHER, name="watcher")
    planner = create_agent(model, system_prompt=PLANNER, name="planner")

    async def ask(agent: Any, question: str) -> str:
        answer = await agent.ainvoke({"messages": [("user", question)]})
        return str(answer["messages"][-1].text)

    async def ask_watcher(question: str) -> str:
        """Ask what people seem to mind. Tell what has been seen."""
        return await ask(watcher, question)

    async def ask_planner(question: str) -> str:
        """Ask which act serves the task. Tell the task, where you are, and what can be done."""
        return await ask(planner, question)

    return create_agent(model, tools=[ask_watcher, ask_planner], system_prompt=SUPERVISOR, name="supervisor")
