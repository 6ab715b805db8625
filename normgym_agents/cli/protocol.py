"""`--protocol`: print what a newcomer would read, and run nothing."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from normgym_agents.evaluation.plan import Plan
    from normgym_agents.evaluation.protocol import Paused, Protocol


def tell_protocol(plan: Plan, *, as_json: bool) -> None:
    """Print the protocol of a run's first episode, as it is or as JSON."""
    from normgym_agents.evaluation.protocol import protocol_of

    protocol = asyncio.run(protocol_of(plan))
    typer.echo(protocol.model_dump_json(indent=2) if as_json else _told(protocol))


def _told(protocol: Protocol) -> str:
    parts = [f"# {protocol.newcomer} in {protocol.world}, {protocol.condition}: what it gets"]
    if protocol.system is not None:
        parts += ["## System prompt", protocol.system]
    parts += ["## First observation", protocol.observation]
    if protocol.tools:
        where = " (where the factory has a parameter `tools`)" if protocol.kind == "factory" else ""
        parts += [f"## Tools{where}", *map(_json, protocol.tools)]
    if protocol.later is not None:
        parts += ["## Next observation, had it waited", protocol.later]
    parts += ["## Asked again, once, where there was no answer", protocol.again]
    if protocol.pauses:
        parts += ["## Told where it pauses to ask, for example", *map(_of_pause, protocol.pauses)]
    if protocol.question is not None:
        parts += ["## Asked when the acting is over, in a copy", protocol.question]
    return "\n\n".join(parts)


def _of_pause(pause: Paused) -> str:
    when = "its reply; at its next turn told" if pause.reply else "told at once"
    return f"{_json(pause.asks)}\n→ {when}: {_json(pause.told)}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
