"""A newcomer whose state has no messages; `custom_state.mapping.yaml` beside it says where it is told and answers.

Run it with `normgym run custom_state --model openai:gpt-4o-mini`. Needs `pip install 'normgym-agents[langchain]'`.
"""

from __future__ import annotations

from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from typing_extensions import TypedDict  # Studio asks for a schema, which typing's has only from Python 3.12

DIARY = ("diary",)
PROMPT = """\
You have just arrived among people you do not know. Watch what they do and how others answer it.
What happened so far:
{past}

Now:
{situation}

Answer with one act, in the words you were offered.
"""


class State(TypedDict, total=False):
    """One run: what is told, what is remembered of earlier runs, and what to do."""

    situation: str
    past: str
    decision: str


def make_agent(config: RunnableConfig) -> Any:
    """The agent, over the model that the configuration names, with a diary that outlives a run."""
    from langchain.chat_models import init_chat_model

    model = init_chat_model(config.get("configurable", {}).get("model", "openai:gpt-4o-mini"))

    async def remember(state: State, *, store: BaseStore) -> State:
        pages = sorted(await store.asearch(DIARY, limit=1000), key=lambda page: page.key)
        return {"past": "\n\n".join(page.value["text"] for page in pages)}

    async def decide(state: State) -> State:
        prompt = PROMPT.format(past=state["past"] or "(nothing)", situation=state["situation"])
        return {"decision": (await model.ainvoke([HumanMessage(prompt)])).text}

    async def write_down(state: State, *, store: BaseStore) -> None:
        page = len(await store.asearch(DIARY, limit=1000))
        text = f"{state['situation']}\nYou decided: {state['decision']}"
        await store.aput(DIARY, f"{page:04d}", {"text": text})

    graph = StateGraph(State)
    graph.add_sequence([remember, decide, write_down]).add_edge(START, "remember")
    return graph.compile(store=InMemoryStore(), name="custom_state")
