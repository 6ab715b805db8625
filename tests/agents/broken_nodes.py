"""Graphs whose nodes fail, sleep, block the loop, hang, or go round in circles."""

import asyncio
import time

from langgraph.graph import START, MessagesState, StateGraph


def compiled(node, *, again=False):
    builder = StateGraph(MessagesState)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    if again:
        builder.add_edge("node", "node")
    return builder.compile()


def fail(state):
    raise ValueError("I dropped it")


def sleep(state):
    time.sleep(4)
    return {"messages": [("ai", "wait")]}


async def block(state):
    time.sleep(30)  # noqa: ASYNC251 # what is to be told
    return {"messages": [("ai", "wait")]}


async def spin(state):
    while True:
        try:
            sum(range(100_000))
        except Exception:  # noqa: BLE001 # as people write it
            continue


async def hang(state):
    await asyncio.Event().wait()


def around(state):
    return {"messages": [("ai", "wait")]}


failing = compiled(fail)
sleeping = compiled(sleep)
blocking = compiled(block)
spinning = compiled(spin)
hanging = compiled(hang)
circling = compiled(around, again=True)
