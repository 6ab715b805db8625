"""LangChain's human-in-the-loop middleware, in both of its ways of asking."""

import pytest

from normgym_agents.newcomers import load_newcomer
from normgym_agents.testing import CallTool, Say, by_turn
from tests.newcomers.taking_part import WAIT, take_part


@pytest.mark.parametrize("name", ["make_agent", "per_call"])
@pytest.mark.parametrize(
    ("policy", "result"),
    [("reply", "You hear a bell."), ("approve", "sent to Mira"), ("reject", "reject")],
)
async def test_a_reviewed_tool(scripted_endpoint, observe, agents, name, policy, result):
    words = [Say("wait")] if policy == "reply" else [Say("wait"), Say("wait")]
    endpoint = scripted_endpoint(by_turn(CallTool("send_word", {"to": "Mira"}), *words))
    loaded = load_newcomer(f"langgraph_review.py:{name}", folder=agents, on_interrupt=policy)
    try:
        replies = await take_part(loaded, observe("You are new."), observe("You hear a bell."))
    finally:
        loaded.close()
    told = [m["content"] for request in endpoint.requests for m in request.messages if m["role"] == "tool"]
    assert result in told[0]
    if policy == "reply":
        assert "send_word" in replies[0].words and replies[0].act is None
        assert replies[1].act == WAIT
    else:
        assert replies[0].act == WAIT
