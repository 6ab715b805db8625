from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import normgym_agents
from normgym_agents import evaluate, evaluate_sync, load_newcomer, load_suite
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import Limits
from normgym_agents.evaluation.fingerprints import fingerprint
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.worlds.conditions import Condition

NONE = (Condition.NONE,)


async def test_a_spec_is_evaluated_in_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = await evaluate("reference:told-oracle", worlds=2, conditions=["told", "none"], driver="loop")
    assert result.conditions[Condition.TOLD].metrics["joint_success"].value == 1.0
    assert result.conditions[Condition.NONE].metrics["twin_success"].value == 0.0
    assert result.contrasts["joint_success_told_minus_none"].n == 2
    assert {record.outcome for record in result.records} == {Outcome.COMPLETED}
    assert result.folder is None and list(tmp_path.iterdir()) == []


async def test_drivers_give_equal_records_for_loaded_newcomers_and_suites():
    suite, newcomer = load_suite("quick"), load_newcomer("reference:random")
    results = [await evaluate(newcomer, suite, worlds=2, driver=driver) for driver in ("graph", "loop")]
    lines = [[record.timeless() for record in result.records] for result in results]
    assert len(lines[0]) == 8
    assert lines[0] == lines[1]


def wait(observation: str) -> str:
    return "wait"


async def test_an_agent_itself_takes_part_and_a_run_is_kept(tmp_path):
    result = await evaluate(wait, worlds=2, conditions=NONE, out=tmp_path / "run")
    assert result.newcomer == "wait"
    assert result.conditions[Condition.NONE].metrics["task_success"].value == 0.0
    assert (tmp_path / "run" / "summary.json").read_text() == result.to_json()
    assert (tmp_path / "run" / "report.html").exists()
    again = await evaluate(wait, worlds=2, conditions=NONE, out=tmp_path / "run", resume=True)
    assert again.records == result.records


def test_there_is_a_synchronous_twin():
    result = evaluate_sync(wait, worlds=1, conditions=NONE, driver="loop")
    assert len(result.records) == 1


async def test_inside_a_loop_the_synchronous_twin_says_what_to_do():
    with pytest.raises(BadInput, match=r"an event loop is running here \(expected: await evaluate"):
        evaluate_sync(wait)


async def test_a_slow_turn_ends_at_its_deadline():
    async def dawdle(observation: str) -> str:
        await asyncio.sleep(60)
        return "wait"

    limits = Limits(deadline=0.05)
    result = await evaluate(dawdle, worlds=1, conditions=NONE, limits=limits, driver="loop")
    assert result.records[0].outcome is Outcome.NEWCOMER_FAILED
    assert result.unscored == 0


async def test_what_cannot_take_part_is_refused():
    with pytest.raises(BadInput, match="cannot take part"):
        await evaluate(42)


def test_public_names_are_imported_when_used():
    script = (
        "import sys, normgym_agents\n"
        "before = 'normgym_agents.evaluation' in sys.modules\n"
        "names = [getattr(normgym_agents, name) for name in normgym_agents.__all__]\n"
        "print(before, set(normgym_agents.__all__) <= set(dir(normgym_agents)), len(names))"
    )
    home = Path(normgym_agents.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=home, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True", str(len(normgym_agents.__all__))]
    with pytest.raises(AttributeError, match="nothing"):
        _ = normgym_agents.nothing


def seen(spec: str, model: str | None = None) -> str:
    loaded = load_newcomer(spec, model=model)
    loaded.close()
    return fingerprint(loaded.name, model, loaded.source)


def test_a_changed_file_changes_the_fingerprint_and_its_folder_does_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("a", "b"):
        Path(folder).mkdir()
        Path(folder, "agent.py").write_text("def agent(text: str) -> str:\n    return text\n")
    first = seen("a/agent.py:agent")
    assert seen("b/agent.py:agent") == first
    assert seen("a/agent.py:agent", "openai:x") != first
    Path("a/agent.py").write_text("def agent(text: str) -> str:\n    return text + text\n")
    assert seen("a/agent.py:agent") != first


def test_the_fingerprint_follows_a_graph_file_and_a_module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("langgraph.json").write_text('{"graphs": {"mine": "./seen_by_fingerprint.py:agent"}}')
    module = Path("seen_by_fingerprint.py")
    module.write_text("def agent(text: str) -> str:\n    return text\n")
    specs = ("mine", "langgraph.json:mine", "seen_by_fingerprint:agent")
    before = [seen(spec) for spec in specs]
    module.write_text("def agent(text: str) -> str:\n    return text + text\n")
    after = [seen(spec) for spec in specs]
    assert all(one != other for one, other in zip(before, after, strict=True))


def test_a_reference_leads_to_no_file():
    assert load_newcomer("reference:random").source is None
