"""Episodes of an agent that makes spans of its own, and the tree that comes of one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from opentelemetry import trace

from normgym_agents.telemetry.export import RunTelemetry

Agent = Callable[[str], Awaitable[None]]


async def thinking(name: str) -> None:
    """An agent with spans of its own, made as any library makes them."""
    tracer = trace.get_tracer("agent")
    with tracer.start_as_current_span(f"think {name}"):
        await asyncio.sleep(0)
        with tracer.start_as_current_span(f"call model {name}"):
            await asyncio.sleep(0)


async def episode(run: RunTelemetry, agent: Agent, name: str = "tam", rounds: int = 1) -> str | None:
    spans = run.episode_spans()
    with spans.episode(world="quick-1", condition="live", trial=0, newcomer=name):
        for number in range(1, rounds + 1):
            with spans.round("practise", number):
                with spans.turn(name, "You are in the shed.") as turn:
                    await agent(name)
                    turn.reply("take ash")
                spans.adjudication(actor="Tam", norm="N1", kind="F1", verdict="violated")
                spans.sanction_event(kind="frown", by="Mira", to="Tam")
        spans.evaluation_result("joint_success", 0.0, "fail")
        spans.outcome("completed")
    return spans.trace_id


SHAPE: Any = (
    "episode",
    [
        (
            "round",
            [("invoke_agent tam", [("think tam", [("call model tam", [])])]), ("adjudication", [])],
        )
    ],
)
