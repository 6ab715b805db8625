"""What an agent imports is its own, in the order that its owner means, and nobody else's."""

import importlib
import json
import os
import sys
import textwrap
from pathlib import Path

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.newcomers import ImportFailed, load_newcomer
from normgym_agents.newcomers._search_path import SearchPath
from tests.newcomers.taking_part import take_part


@pytest.fixture
def write(tmp_path):
    def write(name: str, text: str):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    return write


@pytest.fixture(autouse=True)
def untouched():
    """Whatever was loaded and closed leaves path, modules and environment as they were."""
    path, modules, environ = list(sys.path), set(sys.modules), set(os.environ)
    yield
    assert sys.path == path
    left = set(sys.modules) - modules
    assert not [n for n in left if n.startswith("normgym_newcomer_") or n in ("tools", "helper", "pack_one")]
    assert not [name for name in set(os.environ) - environ if name.startswith("TEST_")]


async def said(loaded, observe):
    try:
        (reply,) = await take_part(loaded, observe())
    finally:
        loaded.close()
    return reply.act.say


def answering(expression: str) -> str:
    return f"def agent(text): return 'say ' + {expression}"


async def test_a_package_is_not_hidden_by_a_module_in_it(write, tmp_path, observe):
    write("helper/__init__.py", "WORD = 'package'")
    write("helper/helper.py", "WORD = 'module'")
    write("helper/mine.py", f"import helper\n{answering('helper.WORD')}")
    write("langgraph.json", json.dumps({"dependencies": ["."], "graphs": {"mine": "./helper/mine.py:agent"}}))
    assert await said(load_newcomer("mine", folder=tmp_path), observe) == "package"
    assert await said(load_newcomer("helper/mine.py:agent", folder=tmp_path), observe) == "package"


async def test_the_layout_of_a_project(write, tmp_path, observe):
    write("pyproject.toml", "[project]\nname = 'x'\n")
    write("src/pack_one/__init__.py", "")
    write("src/pack_one/words.py", "WORD = 'project'")
    write("agents/mine.py", f"from pack_one.words import WORD\n{answering('WORD')}")
    assert await said(load_newcomer("mine.py:agent", folder=tmp_path / "agents"), observe) == "project"


async def test_relative_imports(write, tmp_path, observe):
    write("pack_one/__init__.py", "")
    write("pack_one/words.py", "class Word(str): pass\nWORD = Word('there')")
    write("pack_one/deep/__init__.py", "")
    both = "from ..words import WORD\nfrom pack_one.words import Word\nassert type(WORD) is Word\n"
    write("pack_one/deep/mine.py", both + answering("WORD"))
    write("loose/words.py", "WORD = 'beside'")
    write("loose/mine.py", f"from .words import WORD\n{answering('WORD')}")
    assert await said(load_newcomer("pack_one/deep/mine.py:agent", folder=tmp_path), observe) == "there"
    assert await said(load_newcomer("loose/mine.py:agent", folder=tmp_path), observe) == "beside"


async def test_a_package_with_the_name_of_another(write, tmp_path, observe):
    write("email/__init__.py", "")
    write("email/words.py", "WORD = 'letter'")
    write("email/mine.py", f"from .words import WORD\n{answering('WORD')}")
    import email

    assert await said(load_newcomer("email/mine.py:agent", folder=tmp_path), observe) == "letter"
    assert sys.modules["email"] is email


async def test_two_agents_with_helpers_of_one_name(write, tmp_path, observe):
    for folder in "ab":
        write(f"{folder}/tools.py", f"WORD = {folder!r}")
        write(f"{folder}/mine.py", f"from tools import WORD\n{answering('WORD')}")
    one, two = (load_newcomer(f"{folder}/mine.py:agent", folder=tmp_path) for folder in "ab")
    assert [await said(one, observe), await said(two, observe)] == ["a", "b"]
    again = load_newcomer("a/mine.py:agent", folder=tmp_path)
    assert await said(again, observe) == "a"


async def test_an_agent_that_was_changed_is_read_anew(write, tmp_path, observe):
    write("mine.py", f"from tools import WORD\n{answering('WORD')}")
    for word in ("first", "second"):
        write("tools.py", f"WORD = {word!r}  # {'.' * len(word)}")
        assert await said(load_newcomer("mine.py:agent", folder=tmp_path), observe) == word


async def test_two_loads_of_one_agent_share_what_they_import(write, tmp_path, observe):
    write("tools.py", "WORD = 'kept'")
    write("mine.py", "def agent(text):\n    import tools\n    return 'say ' + tools.WORD")
    one, two = (load_newcomer("mine.py:agent", folder=tmp_path) for _ in range(2))
    assert [await said(one, observe), await said(two, observe)] == ["kept", "kept"]


@pytest.mark.parametrize("form", ["object", "file"])
async def test_the_environment_of_langgraph_json(write, tmp_path, observe, monkeypatch, form):
    monkeypatch.setenv("ALREADY_SET", "mine")
    values = {"TEST_GREETING": "hello", "ALREADY_SET": "theirs", "TEST_COUNT": 3}
    write(
        "settings.env", "# comment\nexport TEST_GREETING='hello'\nALREADY_SET=theirs\nTEST_COUNT=3\nEMPTY\n"
    )
    write(
        "mine.py", "import os\nW = os.environ['TEST_GREETING']\n" + answering("W + os.environ['TEST_COUNT']")
    )
    env = values if form == "object" else "./settings.env"
    write("langgraph.json", json.dumps({"env": env, "graphs": {"mine": "mine:agent"}, "dependencies": ["."]}))
    loaded = load_newcomer("mine", folder=tmp_path)
    assert os.environ["ALREADY_SET"] == "mine"
    assert await said(loaded, observe) == "hello3"
    assert "TEST_GREETING" not in os.environ


@pytest.mark.parametrize(
    ("env", "told"),
    [
        ("no.env", "env: there is no file 'no.env'"),
        ({"A": [1]}, "env: sets nothing"),
        (3, "env: sets nothing"),
    ],
)
def test_a_bad_environment(write, tmp_path, env, told):
    write("langgraph.json", json.dumps({"env": env, "graphs": {"mine": "./mine.py:agent"}}))
    with pytest.raises(BadInput, match=told):
        load_newcomer("mine", folder=tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "import os\nos.environ['TEST_API_KEY']",
        "from langchain_openai import ChatOpenAI\nChatOpenAI(model='m')",
        "from langgraph.graph import StateGraph\nraise ValueError('please set TEST_API_KEY first')",
    ],
)
def test_a_missing_key_is_named(write, tmp_path, text, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write("mine.py", text)
    with pytest.raises(
        ImportFailed, match=r"needs (TEST|OPENAI)_API_KEY, which is not set \(expected: export"
    ):
        load_newcomer("mine.py:agent", folder=tmp_path)


async def test_a_key_that_a_factory_misses_is_named_too(write, tmp_path, observe):
    write("mine.py", "import os\ndef make():\n    return os.environ['TEST_API_KEY']")
    loaded = load_newcomer("mine.py:make", folder=tmp_path)
    with pytest.raises(BadInput, match=r"mine\.py:make needs TEST_API_KEY, which is not set"):
        await said(loaded, observe)


def test_what_is_installed_is_nobodys_own(monkeypatch):
    """An agent may be an installed package itself: what else lies there outlives it."""
    place = Path(pytest.__file__).parents[1]
    monkeypatch.delitem(sys.modules, "pytest")
    path = SearchPath([place])
    kept = importlib.import_module("pytest")
    path.close()
    assert sys.modules["pytest"] is kept
