"""A newcomer made with `create_agent`: its own tool, its own prompt, any chat model.

Run it with `normgym run react_agent --model openai:gpt-4o-mini`. Needs `pip install 'normgym-agents[langchain]'`.
"""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.runnables import RunnableConfig

PROMPT = """\
You have just arrived among people you do not know. Watch what they do and how others answer it.
Think about what that tells you, then do one thing, in the words you were offered.
"""


def make_agent(config: RunnableConfig) -> Any:
    """A fresh agent with a notebook of its own, over the model that the configuration names."""
    model = config.get("configurable", {}).get("model", "openai:gpt-4o-mini")
    notes: list[str] = []

    def note(text: str) -> str:
        """Write something down that you want to remember, and read all your notes."""
        notes.append(text)
        return "\n".join(notes)

    return create_agent(model, tools=[note], system_prompt=PROMPT)
