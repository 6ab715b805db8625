from __future__ import annotations

import re

import pytest

from normgym_agents import assets
from normgym_agents.assets import ROOMS, asset
from normgym_agents.errors import BadInput


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_there(room):
    assert asset(room).is_dir()
    assert asset(room, "__init__.py").is_file()


def test_parts_may_come_in_one_piece_or_several():
    assert asset("tracing", "recipes.md") == asset("tracing") / "recipes.md"


def test_an_unknown_room_names_the_rooms():
    with pytest.raises(
        BadInput, match=r"there is no room 'plots' \(expected: graphs \| personas \| tracing\)"
    ):
        asset("plots")


def test_a_missing_file_is_named_with_what_is_there():
    with pytest.raises(BadInput, match=r"there is no 'tracing/recepies\.md' \(expected: .*recipes\.md"):
        asset("tracing", "recepies.md")


def test_a_file_in_a_missing_folder_names_the_folder_that_exists():
    with pytest.raises(BadInput, match=r"'tracing/no/such/file' \(expected: .*recipes\.md"):
        asset("tracing", "no", "such", "file")


@pytest.mark.parametrize("parts", [("..",), ("..", "graphs"), ("/etc/passwd",), ("x/../../pyproject.toml",)])
def test_nothing_outside_the_room_is_reached(parts):
    with pytest.raises(BadInput, match="leads out of 'personas'"):
        asset("personas", *parts)


def test_a_name_that_no_path_can_have():
    with pytest.raises(BadInput, match="is not a path"):
        asset("personas", "a\0b")


def test_an_installation_without_its_files_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(assets, "_PACKAGE", tmp_path / "site-packages" / "normgym_agents")
    with pytest.raises(BadInput, match="lacks its 'graphs' folder"):
        asset("graphs", "community.py")


def test_a_strangers_folder_beside_an_installation_is_never_ours(tmp_path, monkeypatch):
    stranger = tmp_path / "site-packages" / "graphs"
    stranger.mkdir(parents=True)
    monkeypatch.setattr(assets, "_PACKAGE", tmp_path / "site-packages" / "normgym_agents")
    with pytest.raises(BadInput, match=re.escape(str(stranger.parent / "normgym_agents" / "graphs"))):
        asset("graphs")
