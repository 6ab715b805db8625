"""How an agent is connected belongs to a run: kept by content, and the same when it is resumed."""

import json
import shutil
from pathlib import Path

import pytest

from normgym_agents import evaluate
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import RunConfig, parse_config
from normgym_agents.newcomers.wiring import PauseRules, StateMapping


@pytest.fixture
def agent(tmp_path):
    """A copy of an agent whose mapping lies beside it."""
    folder = Path(__file__).parents[1] / "agents"
    for name in ("langgraph_mapped.py", "langgraph_mapped.mapping.yaml"):
        shutil.copy(folder / name, tmp_path / name)
    return tmp_path / "langgraph_mapped.py"


async def test_a_run_keeps_what_a_file_said(agent, tmp_path):
    asked = {"worlds": 2, "conditions": ["told"], "driver": "loop", "out": tmp_path / "run"}
    result = await evaluate(f"{agent}:graph", **asked)
    assert result.unscored == 0
    stored = json.loads((tmp_path / "run" / "run.json").read_text())["config"]["mapping"]
    assert (stored["input"], stored["output"]) == ("request.text", "drafts.-1.answer")
    agent.with_name("langgraph_mapped.mapping.yaml").unlink()
    with pytest.raises(BadInput, match="--mapping"):
        await evaluate(f"{agent}:graph", resume=True, **asked)
    again = await evaluate(f"{agent}:graph", resume=True, mapping=stored, **asked)
    assert again.to_json() == result.to_json()
    with pytest.raises(BadInput, match="mapping: this run was begun with"):
        await evaluate(f"{agent}:graph", resume=True, mapping={**stored, "state": {"limit": 1}}, **asked)


def test_the_forms_of_a_command_line(tmp_path):
    answers = tmp_path / "answers.yaml"
    answers.write_text("rules:\n  - answer: fine\n")
    given = {"mapping": "input=topic,state.n=3,configurable.user=007x", "on_interrupt": str(answers)}
    config = parse_config({"newcomer": "x", **given})
    assert config.mapping == StateMapping(input="topic", state={"n": 3}, configurable={"user": "007x"})
    assert isinstance(config.on_interrupt, PauseRules) and config.on_interrupt.rules[0].answer == "fine"
    answers.unlink()
    assert RunConfig.model_validate_json(config.model_dump_json()) == config
    assert parse_config({"concurrency": 2}, base=config).on_interrupt == config.on_interrupt


async def test_a_run_whose_agent_lacks_something_is_refused_and_not_scored():
    folder = Path(__file__).parents[1] / "agents"
    spec = f"{folder / 'langgraph_runtime.py'}:configured"
    for driver in ("loop", "graph"):
        with pytest.raises(BadInput, match=r"needs 'user_id' in its configurable \(expected: --mapping"):
            await evaluate(spec, worlds=2, conditions=["told"], driver=driver)
    result = await evaluate(
        spec, worlds=2, conditions=["told"], driver="loop", mapping="configurable.user_id=ann"
    )
    assert result.unscored == 0
