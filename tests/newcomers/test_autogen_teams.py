"""Real AutoGen teams as newcomers, turn by turn, against a scripted model."""

import asyncio
import json
import runpy
from types import SimpleNamespace
from typing import Any

import pytest

from normgym_agents.errors import BadInput, ModelError, NewcomerError
from normgym_agents.newcomers import adapt, load_newcomer
from normgym_agents.newcomers.contract import waits_for_model
from normgym_agents.newcomers.wiring import Wiring
from normgym_agents.testing import CallTool, Fail, Hang, Say
from normgym_agents.worlds.acts import Act
from tests.newcomers.taking_part import TAKE, TAKING, WAIT, take_part


def by_role(**answers: Any):
    """A script that answers by a word of the system message, or of the last one."""

    def script(request):
        for word, answer in answers.items():
            if word in request.system or word in request.last_text:
                return answer(request) if callable(answer) else answer
        raise AssertionError(f"nobody speaks as {request.system!r} to {request.last_text!r}")

    return script


async def replies(spec, *texts, observe, model=None):
    loaded = load_newcomer(spec, model=model)
    try:
        return await take_part(loaded, *map(observe, texts))
    finally:
        loaded.close()


def module(agents, name):
    """What a file of agents holds, as if it were imported for the first time."""
    return SimpleNamespace(**runpy.run_path(str(agents / f"{name}.py")))


async def settled(tasks):
    """See that nothing runs on but what did before; clients close their connections in the background."""
    async with asyncio.timeout(5):
        while asyncio.all_tasks() - tasks:  # noqa: ASYNC110 # nobody tells when they are through
            await asyncio.sleep(0.01)


def heard(request):
    """What a member of a team was told, without the system message."""
    return [m["content"] for m in request.messages if m["role"] == "user"]


@pytest.mark.parametrize("attribute", ["team", "get_team"])
async def test_a_round_robin(scripted_endpoint, observe, agents, attribute):
    endpoint = scripted_endpoint(by_role(writer=Say(TAKING), critic=Say("APPROVE")))
    spec = f"{agents / 'autogen_round_robin.py'}:{attribute}"
    first, second = await replies(spec, "You are new.", "You hold a cup.", observe=observe)
    # What the critic says only stops the team.
    assert (first.act, first.words, first.model_calls) == (TAKE, TAKING, 2)
    assert first.input_tokens and first.output_tokens
    assert second.model_calls == 2
    assert heard(endpoint.requests[2]) == ["You are new.", "APPROVE", "You hold a cup."]


async def test_episodes_of_a_ready_team_have_nothing_in_common(scripted_endpoint, observe, agents):
    endpoint = scripted_endpoint(by_role(writer=Say("wait"), critic=Say("Good. APPROVE")))
    loaded = load_newcomer(f"{agents / 'autogen_round_robin.py'}:team")
    episodes = [take_part(loaded, observe(f"Day {n}."), observe("Go on.")) for n in range(3)]
    for first, second in await asyncio.gather(*episodes):
        assert first.words == second.words == "Good."
    days = [[text for text in heard(r) if text.startswith("Day")] for r in endpoint.requests]
    assert all(len(set(told)) == 1 for told in days)
    loaded.close()


async def test_the_owners_team_is_left_as_it_was(scripted_endpoint, observe, agents):
    scripted_endpoint(by_role(writer=Say("wait"), critic=Say("APPROVE")))
    team = module(agents, "autogen_round_robin").get_team()
    before = dict(vars(team))
    agents_before = [dict(vars(agent)) for agent in team._participants]
    await take_part(adapt(team), observe())
    assert vars(team) == before and not team._initialized
    assert [dict(vars(agent)) for agent in team._participants] == agents_before


def test_a_ready_team_outlives_its_event_loop(scripted_endpoint, observe, agents):
    scripted_endpoint(by_role(writer=Say("wait"), critic=Say("APPROVE")))
    loaded = load_newcomer(f"{agents / 'autogen_round_robin.py'}:team")
    for _ in range(2):
        assert asyncio.run(take_part(loaded, observe()))[0].act == WAIT
    loaded.close()


async def test_a_team_without_an_end_speaks_once_each(scripted_endpoint, observe, agents):
    endpoint = scripted_endpoint(by_role(planner=Say("Take the cup first."), actor=Say(TAKING)))
    spec = f"{agents / 'autogen_endless.py'}:team"
    first, second = await replies(spec, "You are new.", "You hold a cup.", observe=observe)
    assert (first.act, first.model_calls, second.model_calls) == (TAKE, 2, 2)
    assert len(endpoint.requests) == 4


async def test_a_team_whose_end_never_comes(scripted_endpoint, observe, agents):
    scripted_endpoint(by_role(Select=Say("looker"), look=Say("Two cups."), decide=Say("wait")))
    made = module(agents, "autogen_selector").make_team
    adapted = adapt(made(), wiring=Wiring(recursion_limit=4))
    first, second = await take_part(adapted, observe(), observe())
    assert first.act == second.act == WAIT
    assert first.model_calls == 4 + 1  # four messages; once there is a choice of who speaks


async def test_a_selector(scripted_endpoint, observe, agents):
    endpoint = scripted_endpoint(
        by_role(Select=Say("looker"), look=Say("Two cups."), decide=Say(f"{TAKING}\n\nTERMINATE"))
    )
    spec = f"{agents / 'autogen_selector.py'}:team"
    first, second = await replies(spec, "You are new.", "You hold a cup.", observe=observe)
    assert (first.act, first.words, first.model_calls) == (TAKE, TAKING, 3)
    assert (second.words, len(endpoint.requests)) == (TAKING, 5)


async def test_a_swarm_hands_over_to_its_user(scripted_endpoint, observe, agents):
    endpoint = scripted_endpoint(
        by_role(scout=CallTool("transfer_to_porter", {}), porter=CallTool("transfer_to_user", {}))
    )
    spec = f"{agents / 'autogen_swarm.py'}:team"
    first, second = await replies(spec, "You are new.", "You hold a cup.", observe=observe)
    assert (first.act, second.words) == (TAKE, TAKING)
    # The porter goes on, whom the user had been handed to by.
    assert len(endpoint.requests) == 3
    assert heard(endpoint.requests[-1])[-1] == "You hold a cup."


async def test_a_swarm_that_hands_over_to_nobody_it_knows(scripted_endpoint, observe, agents):
    endpoint = scripted_endpoint(CallTool("transfer_to_user", {}, text=TAKING))
    spec = f"{agents / 'autogen_swarm.py'}:careless"
    first, second = await replies(spec, "You are new.", "You hold a cup.", observe=observe)
    # It said nothing in handing over but what it said along with it.
    assert (first.act, second.words) == (TAKE, TAKING)
    assert len(endpoint.requests) == 2


# AutoGen logs the SDK's parsed answer by dumping it, which pydantic comments on.
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")
async def test_a_team_with_an_orchestrator(scripted_endpoint, observe, agents):
    def ledger(request):
        done = "Take the cup." in "".join(str(m["content"]) for m in request.messages)
        keys = {
            "is_request_satisfied": done,
            "is_in_loop": False,
            "is_progress_being_made": True,
            "next_speaker": "helper",
            "instruction_or_question": "What now?",
        }
        return Say(json.dumps({key: {"answer": value, "reason": ""} for key, value in keys.items()}))

    scripted_endpoint(
        by_role(
            is_request_satisfied=ledger,
            completed=Say(TAKING),
            **{"You are the helper": Say("Take the cup."), "": Say("A plan.")},
        )
    )
    spec = f"{agents / 'autogen_magentic_one.py'}:team"
    first, second = await replies(spec, "You are new.", "You hold a cup.", observe=observe)
    assert first.act == TAKE
    assert first.model_calls and first.model_calls > 3
    assert second.words == TAKING


async def test_a_graph_flow(scripted_endpoint, observe, agents):
    scripted_endpoint(by_role(bold=Say("Take it!"), wary=Say("Better wait."), judge=Say(TAKING)))
    spec = f"{agents / 'autogen_graph_flow.py'}:flow"
    first, second = await replies(spec, "You are new.", "You hold a cup.", observe=observe)
    assert (first.act, first.model_calls) == (TAKE, 3)
    assert (second.words, second.model_calls) == (TAKING, 3)


async def test_a_society_of_mind(scripted_endpoint, observe, agents):
    endpoint = scripted_endpoint(
        by_role(dreamer=Say("Cups!"), doubter=Say("Which?"), **{"Earlier you": Say(TAKING)})
    )
    spec = f"{agents / 'autogen_society.py'}:agent"
    first, second = await replies(spec, "You are new.", "You hold a cup.", observe=observe)
    assert (first.act, first.model_calls) == (TAKE, 3)
    assert second.words == TAKING
    told = [heard(request) for request in endpoint.requests if "dreamer" in request.system]
    assert any("You are new." in str(text) for text in told[-1]), "it remembers the turn before"


async def test_a_custom_agent(observe, agents):
    loaded = load_newcomer(f"{agents / 'autogen_custom.py'}:agent")
    episodes = [take_part(loaded, observe(), observe()) for _ in range(3)]
    for said in await asyncio.gather(*episodes):
        assert [reply.act for reply in said] == [Act(verb="say", say="1"), Act(verb="say", say="2")]
    loaded.close()


async def test_a_team_with_a_custom_agent_takes_turns(observe, agents):
    from autogen_agentchat.teams import RoundRobinGroupChat

    counting: Any = module(agents, "autogen_custom").CountingAgent
    team = RoundRobinGroupChat([counting("one"), counting("two")], max_turns=2)
    adapted = adapt(team)
    for said in await asyncio.gather(*(take_part(adapted, observe(), observe()) for _ in range(2))):
        # The second hears the first as well.
        assert [reply.act.say for reply in said] == ["2", "4"]


async def test_a_team_in_a_team(scripted_endpoint, observe, agents):
    from autogen_agentchat.teams import RoundRobinGroupChat

    counting: Any = module(agents, "autogen_custom").CountingAgent
    scripted_endpoint(by_role(planner=Say("Plan."), actor=Say("Act.")))
    team = RoundRobinGroupChat([module(agents, "autogen_endless").team, counting()], max_turns=2)
    (reply,) = await take_part(adapt(team), observe())
    assert reply.act == Act(verb="say", say="3")
    assert reply.model_calls == 2


# --- A person in it ----------------------------------------------------------------------------------------


async def test_what_is_observed_answers_for_the_person(scripted_endpoint, observe, agents):
    endpoint = scripted_endpoint(Say(TAKING))
    spec = f"{agents / 'autogen_human.py'}:team"
    said = await replies(spec, "You are new.", "You hold a cup.", "You are in the loft.", observe=observe)
    assert [reply.words for reply in said] == [TAKING] * 3
    assert [reply.model_calls for reply in said] == [1, 1, 1]
    assert heard(endpoint.requests[-1]) == ["You are new.", "You hold a cup.", "You are in the loft."]


@pytest.mark.parametrize("attribute", ["person_first", "one_each"])
async def test_a_person_is_asked_before_anything_is_said(scripted_endpoint, observe, agents, attribute):
    endpoint = scripted_endpoint(Say(TAKING))
    spec = f"{agents / 'autogen_human.py'}:{attribute}"
    said = await replies(spec, "You are new.", "You hold a cup.", "You are in the loft.", observe=observe)
    assert [reply.words for reply in said] == [TAKING] * 3
    assert heard(endpoint.requests[-1])[-1] == "You are in the loft."


async def test_a_person_by_itself_is_asked_the_question(observe):
    from autogen_agentchat.agents import UserProxyAgent

    (reply,) = await take_part(adapt(UserProxyAgent("user_proxy")), observe())
    assert reply.act is None and reply.fault


# --- Factories ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("attribute", ["by_name", "by_annotation", "asynchronous"])
async def test_factories_get_a_client(scripted_endpoint, observe, agents, attribute):
    endpoint = scripted_endpoint(Say(TAKING))
    spec = f"{agents / 'autogen_factories.py'}:{attribute}"
    first, second = await replies(
        spec, "New.", "Later.", observe=observe, model="openai:gpt-4o-mini-2024-07-18"
    )
    assert (first.act, second.words) == (TAKE, TAKING)
    assert endpoint.requests[0].model == "gpt-4o-mini-2024-07-18"


async def test_a_factory_gets_what_asks_its_user(scripted_endpoint, observe, agents):
    endpoint = scripted_endpoint(Say(TAKING))
    spec = f"{agents / 'autogen_factories.py'}:with_person"
    said = await replies(spec, "You are new.", "You hold a cup.", observe=observe)
    assert [reply.words for reply in said] == [TAKING] * 2
    assert heard(endpoint.requests[-1]) == ["You are new.", "You hold a cup."]


async def test_an_agent_of_ones_own_may_ask_its_user(observe, agents):
    counting: Any = module(agents, "autogen_custom").CountingAgent

    def make(input_func):
        class Asking(counting):  # type: ignore[misc] # known when it runs
            async def on_messages(self, messages, cancellation_token):
                self._heard.append(await input_func("take the sarn ringed cup"))
                return await super().on_messages([], cancellation_token)

        return Asking()

    first, second = await take_part(adapt(make), observe("New."), observe("Yes."))
    # What it was told answers its first question, since it has said nothing yet.
    assert (first.act, second.act) == (Act(verb="say", say="1"), Act(verb="say", say="2"))


async def test_a_factory_gets_tools_to_act_with(scripted_endpoint, observe, agents):
    endpoint = scripted_endpoint(CallTool("act", {"verb": "take", "thing": "sarn ringed cup"}))
    spec = f"{agents / 'autogen_factories.py'}:with_tools"
    first, second = await replies(spec, "You are new.", "You hold a cup.", observe=observe)
    assert (first.act, first.channel, second.act) == (TAKE, "tool", TAKE)
    assert set(endpoint.requests[0].tools) == {"act", "say", "wait", "look"}


async def test_a_team_that_waited_for_its_user_acts_in_the_turn_it_goes_on_in(scripted_endpoint, observe):
    def make(tools):
        from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
        from autogen_agentchat.teams import RoundRobinGroupChat
        from autogen_ext.models.openai import OpenAIChatCompletionClient

        client = OpenAIChatCompletionClient(model="gpt-4o-2024-08-06", max_retries=0)
        return RoundRobinGroupChat([AssistantAgent("a", client, tools=tools), UserProxyAgent("person")])

    def script(request):
        return CallTool(
            "act",
            {"verb": "take", "thing": "sarn ringed cup"}
            if "cup" in str(request.messages[1:])
            else {"verb": "wait"},
        )

    scripted_endpoint(script)
    first, second = await take_part(adapt(make), observe("You are new."), observe("There is a cup."))
    assert (first.act, second.act) == (WAIT, TAKE)


# --- What goes wrong ---------------------------------------------------------------------------------------


async def test_a_teams_provider_fails(scripted_endpoint, observe, agents):
    scripted_endpoint(Fail(500, "Out of clay"))
    with pytest.raises(ModelError, match="Out of clay"):
        await replies(f"{agents / 'autogen_round_robin.py'}:team", "New.", observe=observe)


async def test_a_teams_provider_refuses_what_it_is_sent(scripted_endpoint, observe, agents):
    scripted_endpoint(Fail(400, "Too long"))
    with pytest.raises(NewcomerError, match="Too long"):
        await replies(f"{agents / 'autogen_round_robin.py'}:team", "New.", observe=observe)


async def test_a_member_breaks(observe, agents):
    from autogen_agentchat.teams import RoundRobinGroupChat

    counting: Any = module(agents, "autogen_custom").CountingAgent

    class Broken(counting):  # type: ignore[misc] # known when it runs
        async def on_messages(self, messages, cancellation_token):
            if messages[-1].to_text() == "New.":
                raise ValueError("no such jar")
            return await super().on_messages(messages, cancellation_token)

    newcomer = adapt(lambda: RoundRobinGroupChat([Broken()], max_turns=1)).factory(0)
    await newcomer.join("Tam")
    with pytest.raises(NewcomerError) as caught:
        await newcomer.turn(observe("New."))
    assert str(caught.value) == "ValueError: no such jar"
    assert (await newcomer.turn(observe("Later."))).act == Act(verb="say", say="2")
    await newcomer.leave()


@pytest.mark.parametrize("attribute", ["team", "get_team"])
async def test_a_deadline_in_mid_turn(scripted_endpoint, observe, agents, attribute):
    slow = True
    endpoint = scripted_endpoint(
        by_role(
            writer=lambda _: Say(TAKING if slow else "wait"),
            critic=lambda _: Hang(60) if slow else Say("APPROVE"),
        )
    )
    loaded = load_newcomer(f"{agents / 'autogen_round_robin.py'}:{attribute}")
    newcomer = loaded.factory(0)
    await newcomer.join("Tam")
    tasks = asyncio.all_tasks()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await newcomer.turn(observe("New."))
    assert waits_for_model(newcomer)
    await settled(tasks)
    slow = False
    assert (await newcomer.turn(observe("Later."))).act == WAIT
    # What it was told is not lost; what came of it is.
    assert heard(endpoint.requests[-2]) == ["New.", "Later."]
    await newcomer.leave()
    loaded.close()


async def test_a_tool_that_does_not_come_back(scripted_endpoint, observe):
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.teams import RoundRobinGroupChat
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    called = asyncio.Event()

    async def think() -> str:
        """Think."""
        called.set()
        await asyncio.Event().wait()
        return "never"

    def script(request):
        # A conversation with an open call would be refused.
        return CallTool("think", {}) if request.last_text == "New." else Say("wait")

    scripted_endpoint(script)
    client = OpenAIChatCompletionClient(model="gpt-4o-2024-08-06", max_retries=0)
    for agent in (
        AssistantAgent("a", client, tools=[think]),
        RoundRobinGroupChat([AssistantAgent("a", client, tools=[think])], max_turns=1),
    ):
        newcomer = adapt(agent).factory(0)
        await newcomer.join("Tam")
        turn = asyncio.create_task(newcomer.turn(observe("New.")))
        waiting = asyncio.ensure_future(called.wait())
        await asyncio.wait([waiting, turn], return_when=asyncio.FIRST_COMPLETED)
        assert not turn.done(), await turn
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert not waits_for_model(newcomer)
        assert (await newcomer.turn(observe("Later."))).act == WAIT
        await newcomer.leave()
        called.clear()


async def test_a_member_that_heeds_no_token(observe, agents):
    from autogen_agentchat.teams import RoundRobinGroupChat

    counting: Any = module(agents, "autogen_custom").CountingAgent

    class Stubborn(counting):  # type: ignore[misc] # known when it runs
        async def on_messages(self, messages, cancellation_token):
            if messages[-1].to_text() == "New.":
                await asyncio.Event().wait()
            return await super().on_messages(messages, cancellation_token)

    newcomer = adapt(RoundRobinGroupChat([Stubborn()], max_turns=1)).factory(0)
    await newcomer.join("Tam")
    tasks = asyncio.all_tasks()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await newcomer.turn(observe("New."))
    await settled(tasks)
    assert (await newcomer.turn(observe("Later."))).act == Act(verb="say", say="2")
    await newcomer.leave()


async def test_a_deadline_while_the_person_is_asked(scripted_endpoint, observe, agents):
    scripted_endpoint(lambda request: Hang(60) if request.last_text == "Slow." else Say(TAKING))
    newcomer = load_newcomer(f"{agents / 'autogen_human.py'}:team").factory(0)
    await newcomer.join("Tam")
    assert (await newcomer.turn(observe("New."))).act == TAKE
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await newcomer.turn(observe("Slow."))
    assert (await newcomer.turn(observe("Later."))).words == TAKING
    await newcomer.leave()


async def test_one_may_leave_while_the_person_is_asked(scripted_endpoint, observe, agents):
    scripted_endpoint(Say(TAKING))
    before = asyncio.all_tasks()
    await replies(f"{agents / 'autogen_human.py'}:team", "New.", observe=observe)
    await settled(before)


def test_a_team_at_work_on_another_loop(observe, agents):
    import threading

    from autogen_agentchat.teams import RoundRobinGroupChat

    counting: Any = module(agents, "autogen_custom").CountingAgent

    started = threading.Event()

    class Slow(counting):  # type: ignore[misc] # known when it runs
        async def on_messages(self, messages, cancellation_token):
            started.set()
            await asyncio.sleep(60)

    team = RoundRobinGroupChat([Slow()], max_turns=1)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    running = asyncio.run_coroutine_threadsafe(team.run(task="Work."), loop)
    started.wait()
    with pytest.raises(BadInput, match="another event loop"):
        asyncio.run(take_part(adapt(team), observe()))

    async def stop():
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0.05)

    asyncio.run_coroutine_threadsafe(stop(), loop).result()
    running.cancel()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
