"""An AutoGen team with a person in it: a `UserProxyAgent` that reads from the terminal."""

from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.conditions import TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient

assistant = AssistantAgent(
    "assistant", model_client=OpenAIChatCompletionClient(model="gpt-4o-2024-08-06", max_retries=0)
)
person = UserProxyAgent("user_proxy", input_func=input)

team = RoundRobinGroupChat([assistant, person], termination_condition=TextMentionTermination("exit"))
person_first = RoundRobinGroupChat([person, assistant], termination_condition=TextMentionTermination("exit"))
one_each = RoundRobinGroupChat([assistant, person], max_turns=1)
