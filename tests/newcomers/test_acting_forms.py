"""Every row of the table in `docs/acting.md`, and no row without its test."""

import time
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import BaseModel

from normgym_agents import acting_functions
from normgym_agents.errors import NewcomerError
from normgym_agents.newcomers import adapt
from normgym_agents.newcomers.acting import Answer, read_answer
from normgym_agents.worlds.acts import Act

DOCS = Path(__file__).parents[2] / "docs" / "acting.md"
TAKE = Act(verb="take", thing="t1")
CUP = "sarn ringed cup"
ANNOUNCED = "I'll take the sarn ringed cup, since nobody minds."
MEGABYTES = "The bell rings and I might take the cup. " * 50_000
BLOCKS: list[str | dict[Any, Any]] = [
    {"type": "reasoning", "reasoning": "I take the bowl."},
    {"type": "thinking", "thinking": "go to the loft"},
    {"type": "image_url", "image_url": {"url": "data:,"}},
    {"type": "text", "text": "take the sarn "},
    {"type": "text"},
    "ringed cup",
]


class Choice(BaseModel):
    verb: str = "take"
    thing: str = CUP
    why: str = "It is there."


def said(words: str) -> Act:
    return Act(verb="say", say=words)


ACTS: list[tuple[str, Answer, Act]] = [
    ("a tool call that nobody has run, of `act` or of a verb", Answer(calls=[("take", {"thing": CUP})]), TAKE),
    ("structured output that names a verb", Answer(structured=Choice()), TAKE),
    ("a JSON object in text, fenced or not", Answer(text=Choice().model_dump_json()), TAKE),
    ("a JSON object in text, fenced or not", Answer(text='```json\n{"act": "take the sarn cup"}\n```'), TAKE),
    ("plain words that are an act, marked or announced", Answer(text=f"take {CUP}"), TAKE),
    ("plain words that are an act, marked or announced", Answer(text=f"Hm.\nAction: take {CUP}"), TAKE),
    ("plain words that are an act, marked or announced", Answer(text=ANNOUNCED), TAKE),
    *(
        ("one plain sentence about nothing that can be done", Answer(text=words), said(words))
        for words in ("Hello there.", "Good morning, Mira!", "Hello Mira", "Why did you frown, Oren?", "Hi")
    ),
    ("one plain sentence about nothing that can be done", Answer(text='"Nice day."'), said("Nice day.")),
    ("a slot that the verb does not have", Answer(calls=[("wait", {"thing": CUP})]), Act(verb="wait")),
    ("a slot that the verb does not have", Answer(structured={"verb": "take", "thing": CUP, "to": "x"}), TAKE),
    ("the same act twice", Answer(calls=[("take", {"thing": CUP})] * 2), TAKE),
    ("the same act twice", Answer(text=f"take {CUP}\nAgain: I'll take the {CUP}."), TAKE),
    ("an act inside prose", Answer(text=f"The bell is still. Mira is here. {ANNOUNCED} Wish me luck!"), TAKE),
    ("an act inside a code fence", Answer(text=f"So:\n```text\ntake the {CUP}\n```"), TAKE),
    ("another language", Answer(text=f"Ich denke nach.\nAction: take {CUP}"), TAKE),
    ("two megabytes of text", Answer(text=f"{MEGABYTES}\nAction: take the {CUP}"), TAKE),
    ("reasoning, as blocks or between `<think>` marks", Answer(text=f"<think>go loft</think>\ntake {CUP}"), TAKE),
    ("reasoning, as blocks or between `<think>` marks", Answer(text=f"go loft</think>take {CUP}"), TAKE),
    ("terminal codes, NUL, marks that reorder text", Answer(text=f"\x1b[31mta\x00ke\x1b[0m \u202e{CUP}"), TAKE),
    ("lone surrogates", Answer(text=f"take \ud83d{CUP}\udc00"), TAKE),
    ("an open call of a tool that is not ours", Answer(text=f"take {CUP}", calls=[("search", {})]), TAKE),
    (
        "an act beside words that say otherwise",
        Answer(text="I go to the loft.", calls=[("act", {"verb": "take", "thing": CUP})]),
        TAKE,
    ),
]  # fmt: skip

ASKED_AGAIN: list[tuple[str, Answer, str]] = [
    *(
        ("an act that is weighed, denied, asked about or made conditional", Answer(text=text), "no act")
        for text in (f"I might take the {CUP}.", f"I won't take the {CUP}.", f"Should I take the {CUP}?",
                     f"If the bell rings, I'll take the {CUP}.")
    ),
    *(
        ("an unknown verb", answer, "no act")
        for answer in (Answer(text="dance"), Answer(text="dance with Mira"), Answer(text="Action: dance"),
                       Answer(calls=[("act", {"verb": "dance"})]), Answer(structured={"verb": "dance"}))
    ),
    ("a slot that is missing or names nothing known", Answer(text="take"), "which thing: take THING. You can: take"),
    ("a slot that is missing or names nothing known", Answer(structured={"verb": "take", "thing": "moon"}), "which"),
    ("a slot that is missing or names nothing known", Answer(calls=[("go", {"thing": CUP})]), "which place"),
    ("a slot that is missing or names nothing known", Answer(calls=[("say", {})]), "words are missing"),
    ("something that cannot be done now", Answer(text=f"give the {CUP} to Oren"), "cannot be done now"),
    ("two acts at once, in whatever form", Answer(text=f"take the {CUP}\ngo to the loft"), "more than one act"),
    ("two acts at once, in whatever form", Answer(text='{"verb": "wait"} {"act": "go loft"}'), "more than one act"),
    ("two acts at once, in whatever form", Answer(calls=[("wait", {}), ("go", {"place": "loft"})]), "more than"),
    *(
        ("another language", Answer(text=text), "no act")
        for text in ("Ich nehme die Tasse.", "Je prends la tasse sarn.", "我拿起杯子。", "Beru si pohár.",
                     "Voy al desván, por favor.")
    ),
    *(
        ("nothing, or white space, or marks alone", Answer(text=text), "Nothing came")
        for text in ("", "  \n\t\r\n ", "\u200b\u2028\ufeff", "…", "<think>take the cup", "\x00\x1b[0m")
    ),
    ("two megabytes of text", Answer(text=MEGABYTES), "no act"),
    ("a tool call with broken arguments", Answer(calls=[("take", '{"thing": "sarn')]), "which thing"),
    ("a tool call with broken arguments", Answer(calls=[("act", "take it")]), "no act"),
    ("an open call of a tool that is not ours", Answer(calls=[("search", {})]), "Nothing came"),
    ("one plain sentence about nothing that can be done", Answer(text="Hello. How are you?"), "no act"),
    ("one plain sentence about nothing that can be done", Answer(text="Good day, I am going to the loft."), "no act"),
]  # fmt: skip

ELSEWHERE = {
    "a call of our tools in the agent's own loop": "test_our_tools",
    "a list of content blocks": "test_content_blocks",
    "a function that returns `None`": "test_functions",
    "a function that returns something else altogether": "test_functions",
}


def rows() -> list[str]:
    table = DOCS.read_text("utf-8").partition("| --- | --- |\n")[2]
    return [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines()]


def test_every_row_has_a_test_and_every_test_a_row():
    tested = {row for row, _, _ in (*ACTS, *ASKED_AGAIN)} | set(ELSEWHERE)
    assert sorted(tested) == sorted(rows())
    assert all(name in globals() for name in ELSEWHERE.values())


@pytest.mark.parametrize(("row", "answer", "act"), ACTS)
def test_an_act(view, row, answer, act):
    began = time.process_time()
    reply = read_answer(answer, view)
    assert (reply.act, reply.fault) == (act, None)
    assert time.process_time() - began < 2
    reply.model_dump_json().encode()


@pytest.mark.parametrize(("row", "answer", "told"), ASKED_AGAIN)
def test_asked_again(view, row, answer, told):
    reply = read_answer(answer, view)
    assert reply.act is None and reply.fault is not None
    assert told in reply.fault
    reply.model_dump_json().encode()


async def test_our_tools(observe):
    act = acting_functions()[0]

    async def agent(text: str) -> str:
        await act(verb="take", thing=CUP)
        return "Off I go."

    assert (await adapt(agent).factory(0).turn(observe())).act == TAKE


async def test_content_blocks(observe):
    builder = StateGraph(MessagesState)
    builder.add_node("speak", lambda state: {"messages": [AIMessage(BLOCKS)]})
    builder.add_edge(START, "speak")
    assert (await adapt(builder).factory(0).turn(observe())).act == TAKE


async def test_functions(observe):
    assert "Nothing came" in ((await adapt(lambda text: None).factory(0).turn(observe())).fault or "")
    with pytest.raises(NewcomerError, match="the agent returned int, and not words"):
        await adapt(lambda text: 3).factory(0).turn(observe())
