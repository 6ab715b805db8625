"""A program for AutoGen 0.2, which is another library than the one of today: refused, and told so."""

import autogen

assistant = autogen.AssistantAgent("assistant", llm_config={"config_list": [{"model": "gpt-4"}]})
user_proxy = autogen.UserProxyAgent("user_proxy", human_input_mode="NEVER")
