"""What an AutoGen agent keeps from turn to turn, from episode to episode, and for a question at the end."""

from typing import Any

import pytest
from pydantic import BaseModel

from normgym_agents.newcomers import adapt, load_newcomer
from normgym_agents.testing import CallTool, Say, Structured
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.asking import Question
from tests.newcomers.taking_part import TAKE, TAKING, WAIT, take_part


def client() -> Any:
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    return OpenAIChatCompletionClient(model="gpt-4o-2024-08-06", max_retries=0)


def heard(request):
    return [m["content"] for m in request.messages if m["role"] == "user"]


def replaying(*answers):
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.teams import RoundRobinGroupChat
    from autogen_ext.models.replay import ReplayChatCompletionClient

    member = AssistantAgent("a", ReplayChatCompletionClient(list(answers)))
    return RoundRobinGroupChat([member], max_turns=1)


async def test_a_replayed_model_begins_again(observe):
    adapted = adapt(replaying(TAKING, "wait"))
    for _ in range(2):
        first, second = await take_part(adapted, observe(), observe())
        assert (first.act, second.act, first.model_calls) == (TAKE, WAIT, 1)


async def test_a_team_that_its_factory_has_told_things(observe, scripted_endpoint):
    endpoint = scripted_endpoint(Say("wait"))

    async def make():
        from autogen_agentchat.agents import AssistantAgent
        from autogen_agentchat.teams import RoundRobinGroupChat

        team = RoundRobinGroupChat([AssistantAgent("a", client())], max_turns=1)
        await team.run(task="Mind the bell.")
        return team

    await take_part(adapt(make), observe("You are new."))
    assert heard(endpoint.requests[-1]) == ["Mind the bell.", "You are new."]


class Choice(BaseModel):
    """What to do."""

    verb: str
    thing: str


# AutoGen logs the SDK's parsed answer by dumping it, which pydantic comments on.
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")
async def test_a_structured_answer_of_a_team(observe, scripted_endpoint):
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.messages import StructuredMessage
    from autogen_agentchat.teams import RoundRobinGroupChat

    scripted_endpoint(Structured({"verb": "take", "thing": "sarn ringed cup"}))
    member = AssistantAgent("a", client(), output_content_type=Choice)
    kinds: list[Any] = [StructuredMessage[Choice]]
    adapted = adapt(RoundRobinGroupChat([member], max_turns=1, custom_message_types=kinds))
    first, second = await take_part(adapted, observe(), observe())
    assert (first.act, first.channel, second.act) == (TAKE, "structured", TAKE)


async def test_a_streaming_member(observe, scripted_endpoint):
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.teams import RoundRobinGroupChat

    scripted_endpoint(Say(TAKING))
    member = AssistantAgent("a", client(), model_client_stream=True)
    (reply,) = await take_part(adapt(RoundRobinGroupChat([member], max_turns=1)), observe())
    assert (reply.act, reply.model_calls) == (TAKE, 1)


async def test_an_agent_used_as_a_tool_forgets_between_episodes(observe, scripted_endpoint):
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.tools import AgentTool

    def script(request):
        if "helper" in request.system:
            return Say("Take it.")
        return (
            Say("wait") if request.messages[-1]["role"] == "tool" else CallTool("helper", {"task": "Well?"})
        )

    endpoint = scripted_endpoint(script)
    helper = AssistantAgent("helper", client(), system_message="You are the helper.")
    owner = AssistantAgent("owner", client(), tools=[AgentTool(helper)], reflect_on_tool_use=True)
    adapted = adapt(owner)
    for _ in range(2):
        (reply,) = await take_part(adapted, observe())
        assert (reply.act, reply.model_calls) == (WAIT, 3)
    asked = [heard(request) for request in endpoint.requests if "helper" in request.system]
    assert asked == [["Well?"], ["Well?"]]


@pytest.mark.parametrize("name", ["round_robin:team", "round_robin:get_team", "human:team", "society:agent"])
async def test_asking_leaves_no_trace(observe, scripted_endpoint, agents, view, name):
    def script(request):
        return Say("APPROVE" if "critic" in request.system else "Nothing is forbidden.")

    endpoint = scripted_endpoint(script)
    file, _, attribute = name.partition(":")
    loaded = load_newcomer(f"{agents / f'autogen_{file}.py'}:{attribute}")
    newcomer: Any = loaded.factory(0)
    await newcomer.join("Tam")
    await newcomer.turn(observe("You are new."))
    told = await newcomer.report(Question(text="What may one do?", view=view))
    assert told == "Nothing is forbidden."
    asked = [r for r in endpoint.requests if "What may one do?" in str(r.messages)]
    assert "You are new." in str(asked[0].messages), "whoever is asked remembers"
    await newcomer.turn(observe("Go on."))
    after = [r for r in endpoint.requests if "Go on." in str(r.messages)]
    assert after and not any("What may one do?" in str(r.messages) for r in after)
    await newcomer.leave()
    loaded.close()


async def test_markers_are_no_part_of_what_is_said(observe):
    for said in (f"{TAKING} TERMINATE", f"TERMINATE\n{TAKING}", f"{TAKING}\n\n**TERMINATE**."):
        (reply,) = await take_part(adapt(replaying(said)), observe())
        assert (reply.act, reply.words) == (TAKE, TAKING)
    (reply,) = await take_part(adapt(replaying("TERMINATE")), observe())
    assert reply.act != Act(verb="wait") and reply.words == "TERMINATE"
