"""What `normgym list` checks beside listing."""

import json
import re
import shutil
from pathlib import Path

import pytest

from normgym_agents import assets
from normgym_agents.cli.app import execute
from normgym_agents.community import personas
from normgym_agents.newcomers.naming import naming_of
from normgym_agents.specs import FORMS


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


def test_every_form_of_a_spec_is_in_the_help_the_listing_and_the_error(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    said = []
    for command in ("run --help", "check --help", "list newcomers"):
        assert execute(command.split()) == 0
        said.append(capsys.readouterr().out)
    for form in FORMS:
        assert all(form.text in text and form.names in text for text in said), form
    assert execute(["run", "nobody"]) == 2
    refused = capsys.readouterr().err
    assert all(form.text in refused for form in FORMS if form.text != "NAME")


def test_what_reads_specs_knows_every_prefix_that_is_listed():
    prefixed = [form.text for form in FORMS if re.match(r"[a-z-]+:", form.text)]
    assert len(prefixed) == 6
    assert [text for text in prefixed if naming_of(text) is None] == ["reference:NAME"]


def test_the_docs_name_every_prefix():
    docs = Path(__file__).parents[2]
    text = "".join(file.read_text("utf-8") for file in (docs / "README.md", *(docs / "docs").glob("*.md")))
    for form in FORMS:
        if prefix := re.match(r"[a-z-]+:", form.text):
            assert f"`{prefix[0]}" in text or f" {prefix[0]}" in text, form


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_metrics_stand_under_their_themes(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    assert execute(["list", "metrics"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= int(width) and "…" not in text
    assert text.index("SUCCESS") < text.index("joint_success\n") < text.index("KEEPING THE NORMS")
    assert "CONTRASTS OF CONDITIONS\njoint_success_CONDITION_minus_none\n" in text
