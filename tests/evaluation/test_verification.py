from __future__ import annotations

import json
from dataclasses import replace

import pytest

from normgym_agents.cli.app import execute
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.api import prepare, run_prepared
from normgym_agents.evaluation.config import RunConfig
from normgym_agents.evaluation.rescoring import rescore
from normgym_agents.evaluation.runner import run_plan
from normgym_agents.newcomers.loading import load_newcomer
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.fakes import FakePlayer
from tests.evaluation.test_runner import plan

CONFIG = RunConfig(
    newcomer="reference:norm-blind",
    worlds=2,
    conditions=(Condition.NONE,),
    driver="loop",
)


@pytest.fixture
async def run(tmp_path):
    await run_prepared(prepare(CONFIG), folder=tmp_path)
    return tmp_path


def change(folder, line, **fields):
    path = folder / "records.jsonl"
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    for name, value in fields.items():
        holder, _, inner = name.partition("__")
        if inner:
            lines[line - 1][holder][inner] = value
        else:
            lines[line - 1][name] = value
    path.write_text("".join(json.dumps(text) + "\n" for text in lines))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scores__joint", True),
        ("scores__violations", 0),
        ("scores__turns", 99),
        ("scores", None),
        ("events", []),
        ("outcome", "newcomer_failed"),
        ("key", "0" * 24),
        ("newcomer", "somebody"),
        ("suite", "quick-2"),
        ("world", "quick-1-005b"),
        ("digest", "0123456789abcdef"),
        ("pair", "other"),
        ("family", []),
        ("norms", ["forbid wait"]),
        ("condition", "told"),
        ("trial", 7),
    ],
)
async def test_nothing_in_a_record_that_can_be_recomputed_is_believed(run, capsys, field, value):
    change(run, 2, **{field: value})
    name = field.replace("__", ".")
    if name in {"events", "outcome"}:
        name = "scores"  # what they are told from
    for read in (
        lambda: rescore(run, strict=True),
        lambda: run_prepared(prepare(CONFIG), folder=run, resume=True),
    ):
        with pytest.raises(BadInput) as caught:
            done = read()
            if not hasattr(done, "differences"):
                await done
        assert str(caught.value).startswith(f"{run / 'records.jsonl'}:2: {name}")
    assert execute(["score", str(run)]) == 1
    assert f"records.jsonl:2, {name}" in capsys.readouterr().err
    assert execute(["report", str(run)]) == 2
    assert f"records.jsonl:2: {name}" in capsys.readouterr().err


async def test_an_untouched_run_is_believed_and_was_compared_with_its_worlds(run):
    rescored = rescore(run, strict=True)
    assert rescored.differences == () and rescored.uncompared is None
    assert len(rescored.worlds) == 2


async def test_worlds_that_are_other_ones_by_now_are_said_and_not_compared(run):
    path = run / "run.json"
    path.write_text(path.read_text().replace(rescore(run).result.suite.digest, "f" * 16))
    found = rescore(run)
    assert found.uncompared is not None and "other worlds by now" in found.uncompared
    assert found.worlds == {}


async def test_a_manifest_that_contradicts_itself_is_refused(run):
    path = run / "run.json"
    content = json.loads(path.read_text())
    content["suite"]["worlds"] = 1
    path.write_text(json.dumps(content))
    with pytest.raises(BadInput, match=r"run\.json: is no description of a run"):
        rescore(run)


async def test_a_part_of_a_run_never_looks_whole(run, capsys):
    path = run / "records.jsonl"
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    (run / "summary.json").unlink()
    assert execute(["score", str(run)]) == 1
    assert "! only a part of the run: 1 of 2 episodes; 1 owed" in capsys.readouterr().out
    assert execute(["score", str(run), "--json"]) == 1
    content = json.loads(capsys.readouterr().out)
    assert content["partial"] == {"ended": 1, "asked": 2, "owed": 1}
    assert execute(["report", str(run)]) == 1
    assert "1 of 2 episodes; 1 owed" in capsys.readouterr().err
    assert "Only a part of the run: 1 of 2 episodes; 1 owed." in (run / "report.html").read_text()


async def test_a_whole_run_has_nothing_to_say_of_parts(tmp_path):
    result = await run_plan(plan(), FakePlayer(), folder=tmp_path)
    assert result.partial is None
    assert not {"partial", "notes"} & json.loads(result.to_json()).keys()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "def agent(text: str) -> str:\n    return 'wait'\n",
            "model openai:x has no effect on mine.py:agent",
        ),
        (None, "model openai:x has no effect on reference:norm-blind"),
    ],
)
async def test_a_model_that_has_no_effect_is_said_everywhere(tmp_path, monkeypatch, capsys, source, said):
    monkeypatch.chdir(tmp_path)
    newcomer = "reference:norm-blind"
    if source is not None:
        (tmp_path / "mine.py").write_text(source)
        newcomer = "mine.py:agent"
    config = CONFIG.model_copy(update={"newcomer": newcomer, "model": "openai:x"})
    result = await run_prepared(prepare(config), folder=tmp_path / "run")
    assert result.warnings == (said,)
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["notes"] == [said]
    assert said in (tmp_path / "run" / "report.html").read_text()
    assert execute(["score", "run"]) == 0
    assert f"! {said}" in capsys.readouterr().out


async def test_spans_name_the_newcomer_by_its_spec(run):
    spans = (run / "spans.jsonl").read_text()
    assert '"invoke_agent reference:norm-blind"' in spans
    named = {
        attribute["value"]["stringValue"]
        for line in spans.splitlines()
        for resource in json.loads(line)["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
        for attribute in span["attributes"]
        if attribute["key"] == "normgym.newcomer"
    }
    assert named == {"reference:norm-blind"}


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        ("taken", ()),
        (
            "offered",
            ("model openai:x: the graph was offered it in configurable['model'] and may keep its own",),
        ),
        ("ignored", ("model openai:x has no effect on reference:norm-blind",)),
    ],
)
def test_what_became_of_a_model_is_noted(effect, said):
    newcomer = replace(load_newcomer("reference:norm-blind"), model_effect=effect)
    assert prepare(CONFIG.model_copy(update={"model": "openai:x"}), newcomer=newcomer).notes == said
    assert prepare(CONFIG, newcomer=newcomer).notes == ()
