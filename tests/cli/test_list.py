"""What `normgym list` checks beside listing."""

import shutil

import pytest

from normgym_agents import assets
from normgym_agents.cli.app import execute


@pytest.mark.parametrize("room", ["cards", "personas"])
def test_listing_personas_finds_a_fault_in_what_was_written_about_them(tmp_path, monkeypatch, capsys, room):
    shutil.copytree(assets.asset("personas"), tmp_path / "personas")
    file = tmp_path / "personas" / room / "sef.yaml"
    file.write_text(file.read_text() + "mood: sour\n")
    monkeypatch.setattr(assets, "asset", lambda *parts: tmp_path.joinpath(*parts))
    assert execute(["list", "personas"]) == 2
    said = capsys.readouterr().err
    assert f"{room}/sef.yaml:" in said
    assert "mood" in said
