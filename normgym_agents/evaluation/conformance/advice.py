"""From what went wrong to what its owner can do about it, in one sentence."""

from __future__ import annotations

import re
from typing import Final

from normgym_agents.errors import BadInput, ModelError, NormgymError
from normgym_agents.evaluation.conformance.scripted import Scripted
from normgym_agents.evaluation.texts import on_one_line

LIVE: Final = "Run the check with --live, where the agent uses its own model: about ten turns of it."

_BY_WORDS: Final = (
    (
        re.compile(r"blocked the event loop"),
        "Await what takes time instead of sleeping or computing on the event loop, or make the function synchronous: "
        "it then runs in a thread.",
    ),
    (
        re.compile(r"no reply within|did not join within|turns took more than"),
        "Have the agent end its turn in time, or allow it more with --deadline SECONDS.",
    ),
    (
        re.compile(r"more steps than the limit"),
        "Have the graph come to an end by itself: it went round until the limit of steps.",
    ),
    (
        re.compile(r"paused more than"),
        "Have it ask no more than it needs, or say with --on-interrupt FILE what each of its questions is answered.",
    ),
    (
        re.compile(r"more (model calls|tokens) than"),
        "Allow more with the limits (--turn-calls, --turn-tokens), or have the agent do with less.",
    ),
    (
        re.compile(r"api[_ ]?key|credentials|\b401\b", re.IGNORECASE),
        "Set the key that the agent's client looks for.",
    ),
)

SILENT: Final = (
    "End the turn with one act: the words of the menu, a JSON object, or the tools of "
    "normgym_agents.acting_tools (docs/acting.md); --protocol shows what the agent gets."
)


def advice(error: NormgymError, place: Scripted) -> str:
    """What to do about an error."""
    if place.hosts:
        hosts = ", ".join(place.hosts[:3])
        return f"It wanted to reach {on_one_line(hosts)}, and this check stays on this machine. {LIVE}"
    if any("Unknown request URL" in one for one in place.rejected):
        asked = next(one for one in place.rejected if "Unknown request URL" in one).rpartition(": ")[2]
        return f"It asks for {on_one_line(asked).rstrip('.')}, which the scripted model does not have. {LIVE}"
    if isinstance(error, BadInput) and error.expected:
        return added(error.expected)
    for words, what in _BY_WORDS:
        if words.search(str(error)):
            return what
    if isinstance(error, ModelError):
        return "Make the model's provider answer: key, address, quota; nothing is scored where it fails."
    return "Run the agent by itself on the text that --protocol shows: the exception is its own."


def added(expected: str) -> str:
    """What would have been right: an option to add, or something else."""
    return f"Add {expected}." if expected.startswith("--") else f"Expected: {expected}."
