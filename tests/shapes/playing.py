"""One episode of each shape in the catalogue, against a scripted model, and what came of it."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.surroundings import Surroundings
from normgym_agents.newcomers import load_newcomer
from normgym_agents.newcomers._completions import KEY
from normgym_agents.testing import CallTool, ChatRequest, Say, ScriptedEndpoint
from normgym_agents.worlds.conditions import Condition
from tests.agents import langgraph_states
from tests.community.playing import play, small_world
from tests.newcomers.langgraph_server import serving
from tests.shapes.catalogue import SERVER, Coming, Shape

AGENTS = Path(__file__).parents[1] / "agents"

_OF_AUTOGEN = ("Pydantic serializer warnings",)
"""What AutoGen has to say of the answers of a scripted model."""


@dataclass(frozen=True)
class Played:
    """What came of a shape.

    Attributes:
        shape: The shape.
        came_to: What came of it.
        told: What was said of it, where it did not take part.
    """

    shape: Shape
    came_to: Coming
    told: str = ""


async def played(shapes: Sequence[Shape]) -> list[Played]:
    """An episode of each, one after the other."""
    endpoint = ScriptedEndpoint(_answer)
    with endpoint, serving(agent=langgraph_states.typed_dict) as server:
        keys = {**endpoint.env(), KEY: endpoint.api_key}
        with mock.patch.dict(os.environ, keys), warnings.catch_warnings():
            for message in _OF_AUTOGEN:
                warnings.filterwarnings("ignore", message, UserWarning)
            url = {"langgraph": server.url, "endpoint": endpoint.base_url.removesuffix("/v1")}
            found = [
                await _played(shape, shape.spec.replace(SERVER, url.get(shape.spec.partition(":")[0], "")))
                for shape in shapes
            ]
        assert not endpoint.errors, endpoint.errors
    return found


async def _played(shape: Shape, spec: str) -> Played:
    if shape.comes_to == "elsewhere":
        return Played(shape, "elsewhere")
    try:
        loaded = load_newcomer(spec, folder=AGENTS, **shape.options)
    except BadInput as error:
        return Played(shape, "refused", str(error).replace(f"{AGENTS}{os.sep}", ""))
    try:
        with Surroundings().episode():
            record = await play(small_world(), Condition.NONE, loaded.factory)
    except BadInput as error:
        return Played(shape, "refused", str(error))
    finally:
        loaded.close()
    if record.outcome is Outcome.NEWCOMER_FAILED:
        return Played(shape, "newcomer_failed", record.error or "")
    assert record.outcome is Outcome.COMPLETED, (spec, record.outcome, record.error)
    acts = [event for event in record.events if event.kind == "act" and event.newcomer]
    assert any(event.act is not None for event in acts), f"{spec} was never understood"
    return Played(shape, "takes part")


def _answer(request: ChatRequest) -> Say | CallTool:
    """One model for all of them: it uses the tool it was given, else says its part, else waits."""
    told = request.system + request.last_text
    for tool in request.tools:
        if tool == "ponder" or tool.startswith("transfer_to_"):
            return CallTool(tool, {"thought": "hm"} if tool == "ponder" else {})
        if tool in ("remember", "send_word") and request.turn == 0:
            return CallTool(tool, {"note": "a bell"} if tool == "remember" else {"to": "Mira"})
        if tool == "act" and request.turn % 2 == 0:
            return CallTool(tool, {"verb": "wait"})
    if "is_request_satisfied" in told:
        return Say(json.dumps(_ledger(done="I take" in str(request.messages))))
    if "APPROVE" in request.system:
        return Say("APPROVE")
    if "Select one of" in told:
        return Say("doer")
    return Say("wait\n\nTERMINATE" if "TERMINATE" in request.system else "wait")


def _ledger(*, done: bool) -> dict[str, object]:
    """What an orchestrator of AutoGen's asks its model to fill in."""
    values = {
        "is_request_satisfied": done,
        "is_in_loop": False,
        "is_progress_being_made": True,
        "next_speaker": "helper",
        "instruction_or_question": "I take it that you have a look?",
    }
    return {key: {"answer": value, "reason": ""} for key, value in values.items()}
