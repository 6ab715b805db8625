"""What a reply means: leniently read, strictly understood."""

from enum import StrEnum

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from normgym_agents.community.personas import read_setting
from normgym_agents.newcomers.acting import Answer, Fault, Usage, read_answer, read_object, read_text
from normgym_agents.newcomers.chat_model import act_tools
from normgym_agents.norms.hypotheses import Vocabulary
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.public import NewcomerView
from normgym_agents.worlds.stage import Person, Stage, Thing
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.transition import Yard

TAKE = Act(verb="take", thing="t1")
GIVE = Act(verb="give", thing="t1", to="Oren")
SHED_TO_LOFT = Act(verb="go", place="loft")


def the_fault(read) -> str:
    assert isinstance(read, Fault), read
    for word in ("norm", "rule", "sanction", "test"):
        assert word not in read.text.casefold()
    return read.text


@pytest.mark.parametrize(
    "text",
    [
        "take the sarn ringed cup",
        "Take sarn ringed cup.",
        "TAKE THE SARN RINGED CUP!",
        "- **take the sarn ringed cup**",
        "1. take the ringed sarn cup",
        "take ringed cup",
        "take the cup of sarn glaze",
        "I take the sarn cup.",
        "I'll take the sarn ringed cup, because the bell is still.",
        "I\N{RIGHT SINGLE QUOTATION MARK}ll take the sarn ringed cup.",
        "The bell is ringing. Sef did not take the cup. Let me take the sarn ringed cup now.",
        "Since Mira frowned, I will take the sarn ringed cup.",
        "Action: take the sarn ringed cup",
        "**take** the sarn ringed cup",
        "`take the sarn ringed cup`",
        "I choose to take the sarn ringed cup.",
        "I think I'll take the sarn ringed cup (it is here).",
        "Reason: Mira frowned at Sef. Act: take the sarn ringed cup",
        "I will take the sarn ringed cup to Oren.",
        "OK, I am going to take the sarn ringed cup",
        "*takes the sarn ringed cup*",
        "Thought: should I take the velk cup? No.\n**Action:** take the sarn ringed cup",
        "I could take the bowl, or the velk cup.\n\ntake the sarn ringed cup",
        "Tam takes the sarn ringed cup.",
        "take t1",
        "```\ntake the sarn ringed cup\n```",
        "take the sarn ringed cup\nTake the sarn ringed cup.",
        "\N{FULLWIDTH LATIN SMALL LETTER T}ake the sarn ringed cup",
        "I'll take a cup. I take the sarn ringed cup.",
        "I will not go to the loft. I'll take the sarn ringed cup.",
        "\x1b[31mtake\x1b[0m the sarn ringed cup",
    ],
)
def test_words_that_mean_taking_the_cup(view, text):
    assert read_text(text, view) == TAKE


@pytest.mark.parametrize(
    "text",
    [
        "give the sarn ringed cup to Oren",
        "give Oren the cup",
        "Give it to oren.",
        "I give it to Oren",
        "give the ringed cup to the carrier",
        '{"verb": "give", "thing": "it", "to": "Oren"}',
    ],
)
def test_words_that_mean_giving_it(holding, text):
    assert read_text(text, holding) == GIVE


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("put the cup back", Act(verb="put", thing="t1")),
        ("Put back the sarn ringed cup", Act(verb="put", thing="t1")),
        ("go loft", SHED_TO_LOFT),
        ("Go to the loft.", SHED_TO_LOFT),
        ("wait", Act(verb="wait")),
        ("I wait here for now.", Act(verb="wait")),
        ("I'll wait until the bell stops.", Act(verb="wait")),
        ("Wait, the bell is ringing. I'll go to the loft.", SHED_TO_LOFT),
        ("Greet Mira", Act(verb="greet", to="Mira")),
        ("greet the keeper", Act(verb="greet", to="Mira")),
        (
            "say Good day, Mira. May I take the cup?",
            Act(verb="say", say="Good day, Mira. May I take the cup?"),
        ),
        ('I say "I will go to the loft"', Act(verb="say", say="I will go to the loft")),
        ("Say: hello", Act(verb="say", say="hello")),
        ("say \x1b[31mred\x00\ud800\u202e words", Act(verb="say", say="red words")),
    ],
)
def test_other_acts(holding, text, act):
    assert read_text(text, holding) == act


def test_things_that_look_the_same_are_the_same(view):
    assert read_text("take the velk barred cup", view) == Act(verb="take", thing="t2")


def test_what_can_be_done_decides_between_two(make_view):
    view = make_view(SHED_TO_LOFT)
    assert read_text("take the sarn ringed cup", view) == Act(verb="take", thing="t5")
    assert read_text("take the fired cup", view) == Act(verb="take", thing="t5")
    assert read_text("take the lamp base", view) == Act(verb="take", thing="t4")
    assert read_text("take the ringed lamp-base", view) == Act(verb="take", thing="t4")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "Nothing came"),
        ("  \n…", "Nothing came"),
        ("Hello there. Fine day, this.", "no act"),
        ("dance", "no act"),
        ("take", "which thing: take THING"),
        ("take the blue cup", "which thing"),
        ("take the cup", "more than one"),
        ("take the lamp-base", "cannot be done now: take THING"),
        ("give the sarn ringed cup to Oren", "cannot be done now"),
        ("go to the kitchen", "which place"),
        ("greet Sef", "cannot be done now"),
        ("take the sarn ringed cup\ngo to the loft", "exactly one"),
        ("I'll take the sarn ringed cup and give it to Oren", "exactly one"),
        ("Take the sarn ringed cup, then go to the loft.", "exactly one"),
        ("I will not take the sarn ringed cup.", "no act"),
        ("I will not, whatever comes, take the sarn ringed cup.", "no act"),
        ("If the bell rings, I'll take the sarn ringed cup.", "no act"),
        ("Should I take the sarn ringed cup?", "no act"),
        ("Take the sarn ringed cup?", "no act"),
        ("Mira took the sarn ringed cup.", "no act"),
        ("Don't take the sarn ringed cup.", "no act"),
        ("I might take the sarn ringed cup.", "no act"),
        ("Wait, what?", "no act"),
        ('say ""', "words are missing"),
        ('{"verb": "take"}', "which thing"),
        ('{"verb": "dance", "thing": "cup"}', "no act"),
        ('{"verb": "take", "thing": "sarn ringed cup"} {"verb": "wait"}', "exactly one"),
        ("You can: take THING · go PLACE · greet PERSON", "You can"),
    ],
)
def test_words_that_mean_no_act(view, text, part):
    assert part in the_fault(read_text(text, view))


@pytest.mark.parametrize(
    "text",
    [
        '{"verb": "take", "thing": "the sarn ringed cup"}',
        'So:\n```json\n{"thoughts": "hm", "verb": "TAKE", "thing": "sarn ringed cup"}\n```',
        '{"action": "take the sarn ringed cup"}',
        '{"act": {"verb": "take", "thing": "t1"}}',
        '{"verb": "take", "thing": "sarn ringed cup", "to": null, "place": ""}',
    ],
)
def test_objects_in_text(view, text):
    reply = read_answer(Answer(text=text), view)
    assert (reply.act, reply.fault, reply.channel) == (TAKE, None, "structured")


def test_objects(view):
    class Verb(StrEnum):
        take = "take"

    class Choice(BaseModel):
        verb: Verb
        thing: str
        why: str = ""

    assert read_object(Choice(verb=Verb.take, thing="sarn ringed cup"), view) == TAKE
    assert read_object(TAKE, view) == TAKE
    assert read_answer(Answer(structured=TAKE), view).channel == "policy"
    assert read_object(Act(verb="go", place="loft"), view) == SHED_TO_LOFT
    assert "cannot be done now" in the_fault(read_object(GIVE, view))
    assert "no act" in the_fault(read_object([1], view))


@pytest.mark.parametrize(
    "call",
    [
        ("act", {"verb": "take", "thing": "sarn ringed cup"}),
        ("take", {"thing": "sarn ringed cup"}),
        ("take", '{"thing": "sarn ringed cup"}'),
        ("act", {"act": "take the sarn ringed cup"}),
    ],
)
def test_tool_calls(view, call):
    reply = read_answer(Answer(text="I go to the loft.", calls=[call]), view)
    assert (reply.act, reply.channel, reply.words) == (TAKE, "tool", "I go to the loft.")


def test_odd_tool_calls(view):
    def fault(*calls):
        return the_fault(Fault(read_answer(Answer(calls=calls), view).fault or ""))

    assert "which thing" in fault(("take", "{broken"))
    assert "no act" in fault(("act", "{broken"))
    assert "exactly one" in fault(("wait", {}), ("go", {"place": "loft"}))
    assert "Nothing came" in fault(("search", {"query": "cups"}))
    assert read_answer(Answer(text="wait", calls=[("search", {})]), view).act == Act(verb="wait")


def test_said_words_are_cut(view):
    act = read_text("say " + "ha " * 1000, view)
    assert isinstance(act, Act) and act.say is not None and len(act.say) <= 400


def test_words_for_the_record_are_clean(view):
    reply = read_answer(Answer(text="a\x00b\x1b[2J\ud83d\x07\r\nc\u202ed" + "x" * 9_000), view)
    assert reply.words.startswith("ab\ncdxxx") and len(reply.words) == 2_000
    reply.model_dump_json().encode()


def test_megabytes(view):
    long = "The bell rings and I might take the cup. " * 50_000
    assert read_text(f"{long}\nAction: take the sarn ringed cup", view) == TAKE
    for text in (long, "{" * 2_000_000, "take " * 400_000, "\x1b[" * 1_000_000, '{"verb":' * 200_000):
        the_fault(read_text(text, view))


PIECES = [
    "take", "go", "give", "say", "wait", "put", "back", "it", "to", "the", "sarn", "ringed", "cup", "velk", "loft",
    "Oren", "Mira", "I'll", "not", "and", ",", ".", "?", ":", "\n", '"', "{", "}", '{"verb":', '"take"', "Action:",
    "```", "\x1b[31m", "\x00", "\ud800", "\u202e", "t1", "fired", "1.", "*",
]  # fmt: skip
SOUP = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=30).map(" ".join)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=SOUP | st.text(alphabet=st.characters()), call=st.booleans())
def test_always_one_act_or_one_fault(view, holding, text, call):
    for one in (view, holding):
        reply = read_answer(Answer(text=text, calls=[("take", text)] if call else ()), one)
        assert (reply.act is None) != (reply.fault is None)
        if reply.act is not None:
            assert reply.act.model_copy(update={"say": None}) in one.available
        else:
            the_fault(Fault(reply.fault or ""))
        reply.model_dump_json().encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(PIECES) | st.text(max_size=9),
    lambda inner: st.dictionaries(st.sampled_from(["verb", "act", "action", "thing", "to", "say"]), inner),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=JSON)
def test_any_object_is_one_act_or_one_fault(view, data):
    reply = read_answer(Answer(structured=data, calls=[("act", data)]), view)
    assert (reply.act is None) != (reply.fault is None)


def test_counts_that_cannot_be_are_unknown(view):
    usage = Usage(model_calls=1, input_tokens=-3, output_tokens=10**40)
    reply = read_answer(Answer(text="wait", usage=usage), view)
    assert (reply.model_calls, reply.input_tokens, reply.output_tokens) == (1, None, None)


@pytest.fixture(scope="module")
def desk() -> NewcomerView:
    """At the triage desk, holding the stale kesh report, with Priya and Wei-Lin."""
    setting = read_setting("triage-desk")
    stage = Stage(
        places=("inbox", "forum", "board"),
        paths=(("inbox", "forum"), ("inbox", "board")),
        workplace="board",
        things=(
            Thing(id="t1", attributes={"label": "kesh", "age": "stale", "form": "report"}, home="inbox"),
            Thing(id="t2", attributes={"label": "plim", "age": "fresh", "form": "draft"}, home="inbox"),
        ),
        people=(
            Person(name="Priya", role="maintainer", place="inbox", receives=True, topic="docs"),
            Person(name="Juhani", role="packager", place="forum", receives=True, topic="licences"),
            Person(name="Wei-Lin", role="curator", place="inbox", topic="typos"),
            Person(name="Pip", role="curator", place="inbox"),
        ),
        signals={"freeze": ("on",) * 6, "backlog": ("4",) * 6},
        rounds=6,
        topics=("docs", "licences", "typos"),
        addresses=("captain", "pal"),
    )
    yard, state = Yard(stage, setting.verbs), stage.morning()
    for act in (Act(verb="pick", thing="t1"), Act(verb="ask", to="Priya", topic="docs")):
        ground = yard.ground(act)
        assert ground is not None and yard.possible(state, stage.newcomer, ground)
        state = yard.step(state, stage.newcomer, ground)
    available = yard.available(state, stage.newcomer)
    return NewcomerView(
        name="Pip",
        role="curator",
        day=1,
        round=3,
        acts_left=4,
        stage=stage,
        state=state,
        task=Task(
            template="hand", count=1, form="report", worked=False, budget=6, sentence="Hand one report."
        ),
        verbs=setting.verbs,
        vocabulary=Vocabulary(
            values={"role": ("maintainer",)},
            signals={"freeze": ("on", "off")},
            roles=("maintainer",),
            overseer="maintainer",
            verbs=(),
            precursors=(),
        ),
        events=(),
        new_events=0,
        available=tuple(ground.act for ground in available),
        menu=tuple(dict.fromkeys(ground.verb.menu for ground in available)),
        looks=setting.looks,
        worked_word=setting.worked,
    )


ASK = Act(verb="ask", to="Priya", topic="docs")
HAIL = Act(verb="hail", to="Wei-Lin", address="captain")


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("ask Priya about docs", ASK),
        ("I'll ask Priya about the docs now.", ASK),
        ("Ask the maintainer about docs, since she is here.", ASK),
        ("I want to ask about docs: Priya knows.\n\nAction: ask Priya about docs", ASK),
        ('{"verb": "ask", "to": "Priya", "topic": "docs"}', ASK),
        ('{"verb": "ask", "person": "Priya", "about": "the docs"}', ASK),
        ("hail Wei-Lin as captain", HAIL),
        ("I hail Wei-Lin as Captain!", HAIL),
        ("Hail wei lin as captain", HAIL),
        ('{"verb": "hail", "to": "Wei-Lin", "address": "captain"}', HAIL),
        ("hand the stale kesh report to Priya", Act(verb="hand", thing="t1", to="Priya")),
        ("Hand Priya the report.", Act(verb="hand", thing="t1", to="Priya")),
        ("On the one hand it is stale. I'll ping Priya.", Act(verb="ping", to="Priya")),
        ("return it", Act(verb="return", thing="t1")),
        ("switch to the forum", Act(verb="switch", place="forum")),
        ("I'll use my turn to wait.\nwait", Act(verb="wait")),
    ],
)
def test_words_that_mean_speaking_and_working(desk, text, act):
    assert read_text(text, desk) == act


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("ask Priya", "which topic: ask PERSON about TOPIC. You can: ask Priya about docs"),
        ("ask Priya about the weather", "which topic"),
        ("ask about docs", "which person"),
        ("ask Priya about typos", "cannot be done now"),
        ("ask Juhani about licences", "cannot be done now"),
        ("hail Wei-Lin", "which form of address: hail PERSON as ADDRESS. You can: hail Priya as captain"),
        ("hail Priya as queen", "which form of address"),
        ("pick up the fresh plim draft", "cannot be done now"),
        ("hand the report to Wei-Lin", "cannot be done now"),
        ("ask Priya about docs and hail Wei-Lin as captain", "exactly one"),
        ("Should I ask Priya about docs?", "no act"),
    ],
)
def test_words_that_mean_no_speaking(desk, text, part):
    assert part in the_fault(read_text(text, desk))


def test_tool_calls_that_speak(desk):
    reply = read_answer(Answer(calls=[("ask", {"to": "Priya", "topic": "docs"})]), desk)
    assert (reply.act, reply.channel) == (ASK, "tool")


def test_tools_have_the_typed_slots(desk):
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in act_tools(desk)}
    assert tools["ask"]["required"] == ["to", "topic"]
    assert tools["hail"]["required"] == ["to", "address"]
    for parameters in tools.values():
        assert all(value["description"] for value in parameters["properties"].values())
