"""docs/personas.md, done as a reader would do it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from normgym_agents.cli.app import execute
from normgym_agents.community.authoring.profiles import Profile
from normgym_agents.community.authoring.villagers import NEEDED, OPTIONAL
from normgym_agents.community.held import CardFile
from normgym_agents.community.written import Persona

PAGE_FILE = Path(__file__).parent.parent / "docs" / "personas.md"
PAGE = PAGE_FILE.read_text("utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[list[str]]:
    return [shlex.split(line)[1:] for line in block.replace("\\\n", " ").splitlines()]


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A folder where the page's first block has been run."""
    monkeypatch.chdir(tmp_path)
    for command in commands(blocks("bash")[0]):
        assert execute(command) == 0, command
    return tmp_path


def test_a_persona_and_the_community_she_lives_in(written, capsys):
    (community,) = blocks("yaml")
    name = re.match(r"# (\S+)\n", community)
    assert name
    (written / name[1]).parent.mkdir()
    (written / name[1]).write_text(community)
    capsys.readouterr()
    assert execute(["persona", "check"]) == 0, capsys.readouterr().out
    assert execute(["persona", "show", "odile", "--folder", "personas"]) == 0
    shown = capsys.readouterr()
    assert "in the community kiln-side (where they live)" in shown.err
    assert "Oren wanted instead" in shown.out and "Plates are ours." in shown.out


def test_people_are_imported(written):
    (table,), (profile,) = blocks("csv"), blocks("json")
    (written / "village.csv").write_text(table)
    (written / "profiles.json").write_text(profile)
    for command in commands(blocks("bash")[1]):
        assert execute(command) == 0, command


def test_every_field_is_named():
    for model in (Persona, CardFile):
        for name in model.model_fields:
            assert f"| `{name}` |" in PAGE
    for name in (*NEEDED, *OPTIONAL, *(set(Profile.model_fields) - {"pk"})):
        assert f"`{name}`" in PAGE


def test_links_lead_somewhere():
    for link in re.findall(r"\]\(([^)]+)\)", PAGE):
        assert (PAGE_FILE.parent / link).is_file(), link
