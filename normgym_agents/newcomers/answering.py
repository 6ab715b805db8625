"""Running a graph, wherever it runs, until it has answered or asks what only the next observation can tell."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from normgym_agents.newcomers.acting import Answer
from normgym_agents.newcomers.conversing import Conversation, Heard
from normgym_agents.newcomers.pausing import Pause
from normgym_agents.newcomers.resuming import Pausing


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What one run gave.

    Attributes:
        values: The output of a function, or the values of a state.
        written: An object that it wrote where such are looked for.
        pauses: What it asked.
        stopped: The nodes that it stands before, asking nothing.
    """

    values: Any
    written: object = None
    pauses: Sequence[Pause] = ()
    stopped: tuple[str, ...] = ()


async def answered(
    run: Callable[[Any], Awaitable[Ran]], sent: Any, conversation: Conversation, pausing: Pausing
) -> Answer:
    """The answer of one turn.

    Args:
        run: Runs the graph on an input, or on what it goes on with.
        sent: The first of these.
        conversation: The talk so far.
        pausing: Decides what becomes of its pauses.

    Raises:
        NewcomerError: It pauses again and again.
    """
    pausing.begin()
    heard, structured = Heard(), None
    while True:
        ran = await run(sent)
        heard = conversation.hear(ran.values).after(heard)
        written = heard.structured if ran.written is None else ran.written
        structured = structured if written is None else written
        spoken = bool(heard.text) and not heard.calls
        step = pausing.step(ran.pauses, ran.stopped, spoken=spoken)
        if step is None:
            break
        sent = step.sent
    calls = [(name, data) for _, name, data in heard.calls]
    asked = pausing.asked
    if not asked:
        return Answer(text=heard.text, structured=structured, calls=calls)
    return Answer(
        text="\n".join(pause.words for pause in asked) or heard.text,
        structured=next((pause.value for pause in asked if isinstance(pause.value, Mapping)), structured),
        calls=[*calls, *(call for pause in asked for call in pause.calls)],
    )
