"""Plain functions as newcomers, and what they may return."""

import asyncio
import sys
import time

import pytest

from normgym_agents.errors import NewcomerError
from normgym_agents.newcomers import adapt
from normgym_agents.worlds.acts import Act
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
