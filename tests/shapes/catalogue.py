"""Every agent of `tests/agents`, as each of them is loaded, and what is to come of it.

What the page says beside these lines is not written here: it is what came of an episode (`playing`), the first
line of the agent's file and the tests that name it (`page`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Coming = Literal["takes part", "newcomer_failed", "refused", "elsewhere"]
"""`elsewhere`: the tests that go deeper show what comes of it, as it takes a deadline, or a process of its own."""


@dataclass(frozen=True)
class Shape:
    """One way to load an agent.

    Attributes:
        spec: As on the command line, in the folder of agents; `SERVER` stands for a server's address.
        comes_to: What is to come of it.
        options: Options of `load_newcomer`.
        title: The shape in plain words, where its file does not say it; of `elsewhere`, what is said of it.
        beside: The agent's file, where the spec does not name it, as the agent is a process of its own.
    """

    spec: str
    comes_to: Coming = "takes part"
    options: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    beside: str = ""

    @property
    def file(self) -> str:
        """The file of the agent; empty where there is none."""
        place = self.spec.partition(":")[0]
        return place if place.endswith((".py", ".json")) else self.beside


SERVER = "http://HOST:PORT"
MODEL = "openai:gpt-4o-mini"
RESEARCH = "input=research_topic,output=running_summary"


def _each(
    file: str, names: str, comes_to: Coming = "takes part", *, title: str = "", **options: Any
) -> list[Shape]:
    return [Shape(f"{file}:{name}", comes_to, options, title) for name in names.split()]


LANGGRAPH = [
    *_each("langgraph_uncompiled.py", "builder"),
    *_each("langgraph_factories.py", "make_graph make_graph_async make_graph_with_loop"),
    *_each("langgraph_factories.py", "make_graph_from_config make_graph_from_cfg make_graph_from_tools"),
    *_each("langgraph_factories.py", "make_graph_from_config", mapping="configurable.greeting=hey"),
    *_each("langgraph_context_managers.py", "make_graph make_graph_sync make_graph_generator"),
    *_each("langgraph_objects.py", "loader provider agent Loader Agent"),
    *_each("langgraph_objects.py", "Agent.build Agent.graph Agent.lazy agent.build agent.graph"),
    *_each("langgraph_entrypoint.py", "agent without_checkpointer without_memory of_a_dict of_words"),
    *_each(
        "langgraph_states.py", "typed_dict pydantic dataclass_ one_list no_reducer only_the_reply objects"
    ),
    *_each("langgraph_states.py", "in_a_humans_name"),
    *_each("langgraph_custom_state.py", "graph", mapping=RESEARCH),
    *_each("langgraph_mapped.py", "graph"),
    *_each("langgraph_runtime.py", "defaults loose own_store needs_store needs_ambient_store no_store"),
    *_each("langgraph_runtime.py", "user", mapping="context.user_id=ann"),
    *_each("langgraph_runtime.py", "configured", mapping="configurable.user_id=ann"),
    *_each("langgraph_pauses.py", "words an_object approval requests two for_ever"),
    *_each("langgraph_pauses.py", "words approval requests two", on_interrupt="approve"),
    *_each("langgraph_pauses.py", "words approval requests", on_interrupt="reject"),
    *_each("langgraph_breakpoints.py", "before_tools before_human"),
    *_each("langgraph_review.py", "make_agent per_call"),
    *_each("langgraph_review.py", "make_agent per_call", on_interrupt="approve"),
    *_each("langgraph_required.py", "typed_dict pydantic", mapping="state.user_name=Ann"),
    *_each("langchain_agent.py", "graph"),
    *_each(
        "langchain_chains.py", "chain with_history of_messages in_sessions of_words of_an_answer of_a_message"
    ),
    *_each("langchain_chains.py", "of_two", mapping="input=scene,state.name=Ann"),
    *_each("acting_tools_agent.py", "graph"),
    *_each("tools_factory.py", "make_graph"),
    Shape(f"langgraph:{SERVER}/agent", title="A graph that a LangGraph server runs."),
]

AUTOGEN = [
    *_each("autogen_agent.py", "agent make_agent"),
    *_each("autogen_custom.py", "agent make_unforgetting"),
    *_each("autogen_round_robin.py", "team get_team"),
    *_each("autogen_endless.py", "team"),
    *_each("autogen_selector.py", "team make_team"),
    *_each("autogen_swarm.py", "team careless"),
    *_each("autogen_magentic_one.py", "team make_team"),
    *_each("autogen_graph_flow.py", "flow"),
    *_each("autogen_society.py", "agent"),
    *_each("autogen_human.py", "team person_first one_each"),
    *_each("autogen_factories.py", "by_name by_annotation asynchronous", model=MODEL),
    *_each("autogen_factories.py", "with_person with_tools"),
    *_each("autogen_tools_factory.py", "make_agent"),
    Shape("autogen_team.json", title="An AutoGen team that was written out with `dump_component`."),
    Shape(
        "autogen_with_code.json",
        options={"trust": True},
        title="An AutoGen agent that was written out with the code of its tool in it.",
    ),
]

OTHERS = [
    *_each("functions.py", "of_text of_text_async of_observation of_view of_dicts of_messages"),
    *_each("functions.py", "streamed streamed_in_a_thread thinks_then_acts called filled"),
    *_each("leaky_process.py", "agent"),
    Shape(MODEL, title="A chat model by its name, with a prompt of ours."),
    Shape(f"endpoint:{SERVER}/v1#MODEL", title="An OpenAI-compatible endpoint by its address."),
    Shape("http-agent:8700", "elsewhere", beside="http_agent.py"),
]

FAILING = [
    *_each("broken_nodes.py", "failing circling", "newcomer_failed"),
    *_each("broken_nodes.py", "sleeping hanging", "elsewhere", title="no reply within the deadline"),
    *_each("broken_nodes.py", "blocking spinning", "elsewhere", title="its code blocked the event loop"),
    *_each("endless_loop.py", "graph", "newcomer_failed"),
    *_each("langgraph_pauses.py", "for_ever", "newcomer_failed", on_interrupt="approve"),
    *_each("langgraph_breakpoints.py", "before_human", "newcomer_failed", on_interrupt="approve"),
]


def _refused(title: str, spec: str, **options: Any) -> Shape:
    return Shape(spec, "refused", options, title)


_RESEARCH = "langgraph_custom_state.py:graph"

REFUSED = [
    _refused("A state without messages, and no mapping", _RESEARCH),
    _refused("A mapping that names a key which is not there", _RESEARCH, mapping="input=topic,output=notes"),
    _refused("A mapping that says half", _RESEARCH, mapping="input=research_topic"),
    _refused("A context that must be given", "langgraph_runtime.py:user"),
    _refused("A configured key that must be given", "langgraph_runtime.py:configured"),
    _refused("A key of its state that must be given", "langgraph_required.py:typed_dict"),
    _refused("A field of its state that must be given", "langgraph_required.py:pydantic"),
    _refused("A chain of two gaps, and no mapping", "langchain_chains.py:of_two"),
    _refused("A class, where an object of it is an agent", "langchain_chains.py:Needy"),
    _refused("No way to answer a pause", "langgraph_pauses.py:words", on_interrupt="maybe"),
    _refused("A name that the file does not have", "langgraph_factories.py:make_graf"),
    _refused("A function of more than it can be given", "functions.py:of_two"),
    _refused("A factory that needs a model", "autogen_factories.py:by_name"),
    _refused("An AutoGen agent that cannot be made to forget", "autogen_custom.py:unforgetting"),
    _refused("A program for AutoGen 0.2", "autogen_v02.py:assistant"),
    _refused("Something of AutoGen's that is no agent", "autogen_endless.py:model_client"),
    _refused("A component with code in it", "autogen_with_code.json"),
]

SECTIONS = {"LangGraph and LangChain": LANGGRAPH, "AutoGen": AUTOGEN, "Functions, models, processes": OTHERS}

TESTED = {
    "acting_tools_agent.py": "newcomers/test_toolset.py",
    "autogen_": "newcomers/test_autogen_teams.py",
    "autogen_agent.py": "newcomers/test_autogen.py",
    "autogen_team.json": "newcomers/test_autogen_components.py",
    "autogen_tools_factory.py": "newcomers/test_toolset.py",
    "autogen_v02.py": "newcomers/test_autogen_components.py",
    "autogen_with_code.json": "newcomers/test_autogen_components.py",
    "broken_nodes.py": "evaluation/test_outcomes.py",
    "endless_loop.py": "evaluation/test_outcomes.py",
    "endpoint:": "newcomers/test_endpoint.py",
    "functions.py": "newcomers/test_functions.py",
    "http-agent:": "newcomers/test_http_agent.py",
    "langchain_agent.py": "newcomers/test_langgraph.py",
    "langchain_chains.py": "newcomers/test_runnables.py",
    "langgraph:": "newcomers/test_langgraph_remote.py",
    "langgraph_": "newcomers/test_langgraph_shapes.py",
    "langgraph_review.py": "newcomers/test_langgraph_review.py",
    "leaky_process.py": "evaluation/test_surroundings.py",
    "openai:": "newcomers/test_chat_models.py",
    "tools_factory.py": "newcomers/test_toolset.py",
}
"""Where each is tested in more depth, by how its spec begins; the longest beginning counts."""
