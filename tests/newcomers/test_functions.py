"""Plain functions as newcomers, and what they may return."""

import asyncio
import sys
import time
from typing import Any

import pytest

from normgym_agents.errors import BadInput, NewcomerError
from normgym_agents.newcomers import adapt, load_newcomer
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.asking import Question
from normgym_agents.worlds.public import Observation, Reply
from tests.newcomers.taking_part import WAIT, take_part


async def awaited(text: str) -> str:
    return "wait"


class Shouting:
    def __call__(self, text: str) -> str:
        return "WAIT!"


def whole(observation: Observation) -> Act:
    return observation.view.available[0]


@pytest.mark.parametrize(
    "function",
    [
        lambda text: "wait",
        awaited,
        Shouting(),
        lambda text: WAIT,
        lambda text: {"verb": "wait"},
        lambda text: Reply(act=WAIT),
    ],
)
async def test_functions(observe, function):
    adapted = adapt(function)
    assert adapted.kind == "callable"
    assert (await take_part(adapted, observe()))[0].act == WAIT


async def test_functions_of_the_observation(observe):
    (reply,) = await take_part(adapt(whole), observe())
    assert (reply.act, reply.channel) == (observe().view.available[0], "policy")


async def test_odd_results_of_functions(observe):
    silent, impossible = lambda text: None, lambda text: Reply(act=Act(verb="take", thing="t4"))
    assert "Nothing came" in ((await take_part(adapt(silent), observe()))[0].fault or "")
    assert "cannot be done now" in ((await take_part(adapt(impossible), observe()))[0].fault or "")
    for wrong in (lambda text: 3, lambda text: Reply(), lambda text: 1 / 0, lambda text: sys.exit(3)):
        with pytest.raises(NewcomerError):
            await take_part(adapt(wrong), observe())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model_calls", -5),
        ("input_tokens", 10**40),
        ("output_tokens", "many"),
        ("channel", "<b>"),
        ("words", None),
        ("act", "wait"),
    ],
)
@pytest.mark.parametrize("make", [Reply, Reply.model_construct])
async def test_a_reply_that_will_not_do(observe, make, field, value):
    with pytest.raises(NewcomerError, match=rf"Reply\.{field}: "):
        await take_part(adapt(lambda text: make(**{"act": WAIT, field: value})), observe())


async def test_the_words_of_a_reply_are_cleaned(observe):
    told = Reply.model_construct(act=WAIT, words="\x1b[31m\udcff" + "so " * 9_000)
    (reply,) = await take_part(adapt(lambda text: told), observe())
    assert reply.act == WAIT
    assert reply.words.startswith("so so") and len(reply.words) <= 2_000


async def test_a_function_that_blocks_can_be_left(observe):
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(take_part(adapt(lambda text: time.sleep(30)), observe()), 0.05)


@pytest.mark.parametrize(
    "name",
    "of_text of_text_async of_observation of_view streamed streamed_in_a_thread thinks_then_acts called filled".split(),
)
async def test_functions_of_each_shape(agents, observe, name):
    loaded = load_newcomer(f"{agents}/functions.py:{name}")
    assert loaded.kind == "callable"
    assert [reply.act for reply in await take_part(loaded, observe(), observe())] == [WAIT, WAIT]


@pytest.mark.parametrize("name", ["of_dicts", "of_messages"])
async def test_functions_of_the_conversation(agents, observe, name):
    loaded = load_newcomer(f"{agents}/functions.py:{name}")
    for _ in range(2):  # each episode has a conversation of its own
        replies = await take_part(loaded, observe(), observe())
        assert [reply.act and reply.act.say for reply in replies] == [
            "Turn 1, my friends.",
            "Turn 2, my friends.",
        ]


async def test_the_question_is_no_part_of_the_conversation(agents, observe):
    newcomer: Any = load_newcomer(f"{agents}/functions.py:of_dicts").factory(1)
    await newcomer.turn(observe())
    question = Question(text="What must one not do?", view=observe().view)
    assert [await newcomer.report(question) for _ in range(2)] == ["Turn 2, my friends."] * 2
    assert (await newcomer.turn(observe())).act.say == "Turn 2, my friends."


def test_a_function_that_needs_more_than_is_given(agents):
    with pytest.raises(
        BadInput, match=r"of_two cannot be called with one argument \(its parameters: text, history"
    ):
        load_newcomer(f"{agents}/functions.py:of_two")


async def test_a_stream_of_two_acts_means_none(observe):
    async def two(text):
        yield WAIT
        yield Act(verb="take", thing="t1")

    (reply,) = await take_part(adapt(two), observe())
    assert "more than one act" in reply.fault


async def test_streams_that_do_not_end(observe):
    def endless(text):
        while True:
            yield "on and on "

    with pytest.raises(NewcomerError, match="does not end"):
        await take_part(adapt(endless), observe())


async def test_a_stream_is_closed_when_its_turn_is_over(observe):
    closed = []

    async def slow(text):
        try:
            yield "wai"
            await asyncio.sleep(30)
        finally:
            closed.append(text)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(take_part(adapt(slow), observe("Hm.")), 0.05)
    assert closed == ["Hm."]
