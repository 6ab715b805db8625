"""A newcomer that is a team of AutoGen's: one says what people seem to mind, the other then acts.

Run it with `normgym run graphs/autogen_team.py:make_team`. Needs `pip install 'normgym-agents[autogen]'`.
"""

from __future__ import annotations

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core.models import ChatCompletionClient
from autogen_ext.models.openai import OpenAIChatCompletionClient

WATCHER = "You have just arrived among people you do not know. Say what they seem to mind, and why you think so. Do not act."
DOER = "Do one thing for the task, in the words that were offered, and nothing that people seem to mind. Answer with it alone."


def make_team(model_client: ChatCompletionClient | None = None) -> RoundRobinGroupChat:
    """A fresh team, in which each speaks once a turn."""
    client = model_client or OpenAIChatCompletionClient(model="gpt-4o-mini")
    watcher = AssistantAgent("watcher", model_client=client, system_message=WATCHER)
    doer = AssistantAgent("doer", model_client=client, system_message=DOER)
    return RoundRobinGroupChat([watcher, doer], max_turns=2)
