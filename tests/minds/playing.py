"""Models of members for tests: one that words, and one that keeps to its card and answers what breaks it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from normgym_agents.evaluation.results import RunResult
from normgym_agents.testing import ChatRequest, Say, ScriptedEndpoint

MODEL = "openai:gpt-4o-mini"
LINES = ("Rain by supper, mark me.", "My back will remember this one.", "Is it me, or is it cold in here?")


def decides(request: ChatRequest) -> bool:
    """Whether an autonomous member is asked."""
    return "JSON object and nothing else" in request.system


def turn(
    act: str = "", answers: tuple[Mapping[str, object], ...] = (), words: str = "", reply: str = ""
) -> Say:
    """A turn as a model writes it."""
    return Say(json.dumps({"answers": list(answers), "act": act, "words": words, "reply": reply}))


def offered(request: ChatRequest) -> list[str]:
    """The acts that a member is offered."""
    found = re.search(r"You can: (.*)", _asked(request))
    return found[1].split(" | ") if found else []


def judged(request: ChatRequest) -> list[str]:
    """Whose acts it may answer."""
    found = re.search(r"Yours to answer, or to let pass: (.*)", _asked(request))
    return found[1].split(", ") if found else []


def faithful(request: ChatRequest) -> Say:
    """Words that fit anything; or a turn that keeps a plain `Nobody may take anything that is WORD`, and answers breaches."""
    if not decides(request):
        return Say(LINES[request.index % len(LINES)])
    card = re.search(r"1\. Nobody may take anything that is (\w+)", request.system)
    word = card[1] if card else "?"
    kept = [act for act in offered(request) if not re.search(rf"^take .*\b{word}\b", act)]
    meant = re.search(r"You had meant to (.*?)\. You can", _asked(request))
    act = meant[1] if meant and meant[1] in kept else (kept or offered(request) or [""])[0]
    rounds = [line for line in _asked(request).splitlines() if line.startswith("Day ")]
    broke = [who for who in judged(request) if re.search(rf"{who} took the [\w ]*\b{word}\b", rounds[-1])]
    answers = tuple({"whom": who, "how": "gesture", "over": 1, "words": ""} for who in broke)
    return turn(act, answers)


def _asked(request: ChatRequest) -> str:
    return str(request.messages[-1]["content"])


def lines_of(result: RunResult) -> list[str]:
    """The records of a run, without what differs between equal runs."""
    return sorted(record.timeless() for record in result.records)


def answering(script: Callable[[ChatRequest], Say]) -> ScriptedEndpoint:
    """An endpoint that answers so."""
    return ScriptedEndpoint(script)
