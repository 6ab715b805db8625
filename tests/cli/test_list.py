"""What `normgym list` checks beside listing."""

import json
import shutil

import pytest

from normgym_agents import assets
from normgym_agents.cli.app import execute
from normgym_agents.community import personas


@pytest.mark.parametrize("room", ["cards", "personas"])
def test_listing_personas_finds_a_fault_in_what_was_written_about_them(tmp_path, monkeypatch, capsys, room):
    shutil.copytree(assets.asset("personas"), tmp_path / "personas")
    file = tmp_path / "personas" / room / "sef.yaml"
    file.write_text(file.read_text() + "mood: sour\n")
    # First where it is imported by name: a module imported later would keep the replacement for good.
    for module in (personas, assets):
        monkeypatch.setattr(module, "asset", lambda *parts: tmp_path.joinpath(*parts))
    assert execute(["list", "personas"]) == 2
    said = capsys.readouterr().err
    assert f"{room}/sef.yaml:" in said
    assert "mood" in said


def test_every_metric_is_explained_in_one_line_with_its_range_and_direction(capsys):
    assert execute(["list", "metrics", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["learning_gain_raw"] == {
        "name": "learning_gain_raw",
        "title": "learning gain, raw",
        "theme": "learning",
        "range": "-1 to 1",
        "better": "higher",
        "where": "metrics, not of none, wrong-role, absent; needs none",
        "summary": "compliance minus compliance under `none`; stands in where learning_gain has no value",
    }
    assert rows["vicarious_discount"]["where"] == "contrasts: replay-own, replay-others, none, told"
    assert rows["joint_success_CONDITION_minus_none"]["where"] == "contrasts: CONDITION, none"


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_metrics_stand_under_their_themes(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    assert execute(["list", "metrics"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= int(width) and "…" not in text
    assert text.index("SUCCESS") < text.index("joint_success\n") < text.index("KEEPING THE NORMS")
    assert "CONTRASTS OF CONDITIONS\njoint_success_CONDITION_minus_none\n" in text
