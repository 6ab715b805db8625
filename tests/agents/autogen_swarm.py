"""An AutoGen swarm that hands over to its user when it needs one."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import Handoff
from autogen_agentchat.conditions import HandoffTermination, TextMentionTermination
from autogen_agentchat.teams import Swarm
from autogen_ext.models.openai import OpenAIChatCompletionClient

model_client = OpenAIChatCompletionClient(model="gpt-4o-2024-08-06", parallel_tool_calls=False, max_retries=0)

scout = AssistantAgent(
    "scout",
    model_client=model_client,
    handoffs=["porter"],
    system_message="You are the scout. Hand over to the porter.",
)
porter = AssistantAgent(
    "porter",
    model_client=model_client,
    handoffs=[Handoff(target="user", message="I'll take the sarn ringed cup.")],
    system_message="You are the porter. Hand over to the user to get a thing done.",
)
termination = HandoffTermination(target="user") | TextMentionTermination("TERMINATE")
team = Swarm([scout, porter], termination_condition=termination)

# Nobody thought of what happens when the user is handed over to, nor worded the handing over.
careless = Swarm([AssistantAgent("clerk", model_client=model_client, handoffs=["user"])])
