"""From spec strings to newcomers, and what is said when a spec names none."""

import json
import sys
import textwrap
import types
from pathlib import Path

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.newcomers import ImportFailed, load_newcomer


@pytest.fixture
def write(tmp_path):
    def write(name: str, text: str):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    return write


@pytest.fixture(autouse=True)
def clean_path():
    before = list(sys.path)
    yield
    assert sys.path == before


SIMPLE = """
    from helpers_of_mine import answer

    def agent(text):
        return answer

    class Bag:
        agent = staticmethod(agent)
"""


async def test_a_file_and_what_lies_beside_it(write, tmp_path):
    site = str(Path(pytest.__file__).parents[1])
    write("helpers_of_mine.py", "answer = 'wait'")
    write("mine.py", SIMPLE)
    for spec in ("mine.py:agent", str(tmp_path / "mine.py") + ":agent", "mine.py:Bag.agent"):
        loaded = load_newcomer(spec, folder=tmp_path)
        assert (loaded.name, loaded.kind) == (spec.rpartition("/")[2], "callable")
        assert sys.path.index(str(tmp_path)) > sys.path.index(site), "behind, so that it hides nothing"
        loaded.close()
        loaded.close()


def test_a_file_shadows_nothing(write, tmp_path):
    write("json.py", "raise RuntimeError('not this one')")
    write(
        "pytest.py",
        "import json, dataclasses\n@dataclasses.dataclass\nclass A:\n    x: 'int'\ndef agent(text): return text",
    )
    load_newcomer("pytest.py:agent", folder=tmp_path).close()
    assert sys.modules["pytest"] is pytest and sys.modules["json"] is json


def test_the_modules_name_is_stable_and_its_own(write, tmp_path):
    write("a/mine.py", "def agent(text): return __name__")
    write("b/mine.py", "def agent(text): return __name__")

    def names():
        loaded = [load_newcomer(f"{d}/mine.py:agent", folder=tmp_path) for d in "ab"]
        found = {n for n in sys.modules if n.startswith("normgym_newcomer_") and n.endswith(".mine")}
        for one in loaded:
            one.close()
        return found

    first = names()
    assert names() == first and len(first) >= 2


def test_a_module_of_a_package(write, tmp_path):
    write("my_pack_of_agents/__init__.py", "")
    write("my_pack_of_agents/one.py", "from .two import agent")
    write("my_pack_of_agents/two.py", "def agent(text): return text")
    loaded = load_newcomer("my_pack_of_agents.one:agent", folder=tmp_path)
    assert loaded.name == "my_pack_of_agents.one:agent"
    loaded.close()


@pytest.mark.parametrize(
    "entry", ["./sub/mine.py:agent", {"path": "./sub/mine.py:agent", "description": "x"}]
)
def test_names_of_langgraph_json(write, tmp_path, entry):
    write("helpers_of_the_root.py", "answer = 'wait'")
    write("sub/mine.py", "from helpers_of_the_root import answer\ndef agent(text): return answer")
    write("langgraph.json", json.dumps({"dependencies": ["."], "graphs": {"mine": entry}}))
    for spec in ("mine", "langgraph.json:mine"):
        loaded = load_newcomer(spec, folder=tmp_path)
        assert loaded.name == "mine"
        assert sys.path.index(str(tmp_path)) < sys.path.index(str(tmp_path / "sub"))
        loaded.close()
    with pytest.raises(
        BadInput, match=r"langgraph\.json: graphs: there is no graph 'other' \(expected: mine\)"
    ):
        load_newcomer("other", folder=tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", r"langgraph\.json:1: is not JSON"),
        ("[]", "is not an object"),
        ("{}", "graphs: has no graphs"),
        ('{"graphs": {"mine": 3}}', r"graphs\.mine: does not say where"),
        ('{"graphs": {"mine": "a.py:b"}, "dependencies": "."}', "dependencies: is not a list"),
        ('{"graphs": {"mine": "a.py:b"}}', r"a\.py: there is no such file"),
    ],
)
def test_bad_graph_files(write, tmp_path, text, said):
    write("langgraph.json", text)
    with pytest.raises(BadInput, match=said):
        load_newcomer("mine", folder=tmp_path)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("", "names no newcomer"),
        ("mine", r"there is no langgraph\.json here \(expected: path/to/file\.py:name"),
        ("mine.py:", "names no newcomer"),
        (":agent", "names no newcomer"),
        ("./mine.py:agent", r"mine\.py: there is no such file"),
        ("no_such_module_at_all:agent", "there is no module 'no_such_module_at_all'"),
        ("json.no_such:agent", "there is no module 'json.no_such'"),
        ("a..b:agent", "no module"),
        ("openai:", "names no newcomer"),
    ],
)
def test_specs_that_name_nothing(tmp_path, spec, said):
    with pytest.raises(BadInput, match=said):
        load_newcomer(spec, folder=tmp_path)


def test_the_candidates_are_named(write, tmp_path):
    write(
        "mine.py",
        "import os\nfrom json import dumps\n_private = 1\ndef agent_one(text): return ''\ndef other(text): return ''",
    )
    with pytest.raises(BadInput, match=r"mine\.py: has no 'agent' \(expected: agent_one \| other\)$"):
        load_newcomer("mine.py:agent", folder=tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def deep():\n    import no_such_thing_anywhere\ndeep()", "ModuleNotFoundError"),
        ("def broken(:", "SyntaxError"),
        ("import sys; sys.exit(4)", "ended the program"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_an_error_in_the_users_module_is_shown_as_theirs(write, tmp_path, text, said):
    path = write("mine.py", text)
    with pytest.raises(ImportFailed, match=said) as caught:
        load_newcomer("mine.py:agent", folder=tmp_path)
    assert "\n" not in str(caught.value)
    assert "mine.py" in caught.value.traceback or "SystemExit" in caught.value.traceback
    assert "normgym_agents" not in caught.value.traceback and "importlib" not in caught.value.traceback
    assert str(path) in str(caught.value)
    assert not [
        n for n in sys.modules if n.endswith(".mine") and getattr(sys.modules[n], "__file__", "") == str(path)
    ]


def test_a_module_whose_import_is_missing_is_not_taken_for_a_missing_module(write, tmp_path):
    write("pack_with_a_hole.py", "import no_such_thing_anywhere")
    with pytest.raises(ImportFailed):
        load_newcomer("pack_with_a_hole:agent", folder=tmp_path)


def test_something_else_than_an_agent(write, tmp_path):
    write("mine.py", "agent = 3")
    with pytest.raises(BadInput, match=r"cannot take part \(expected: a LangGraph graph"):
        load_newcomer("mine.py:agent", folder=tmp_path)


def test_chat_models_say_what_is_missing(monkeypatch):
    with pytest.raises(BadInput, match="pip install langchain-anthropic"):
        load_newcomer("anthropic:some-model")
    with pytest.raises(BadInput, match=r"openai:m: .*api_key"):
        load_newcomer("openai:m")
    with pytest.raises(BadInput, match="takes no other"):
        load_newcomer("openai:m", model="openai:n")
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)
    with pytest.raises(BadInput, match=r"pip install 'normgym-agents\[langchain\]'"):
        load_newcomer("openai:m")


def test_references(monkeypatch):
    module = types.ModuleType("reference")
    got: list[dict[str, str]] = []

    def make(parameters):
        got.append(parameters)
        return lambda seed: None

    module.REFERENCES = {"random": make, "abstain": make}  # type: ignore[attr-defined] # a stand-in module
    monkeypatch.setitem(sys.modules, "normgym_agents.newcomers.reference", module)
    loaded = load_newcomer("reference:random?own=0.9&vicarious=0.2")
    assert (loaded.name, loaded.kind) == ("reference:random?own=0.9&vicarious=0.2", "reference")
    assert got == [{"own": "0.9", "vicarious": "0.2"}]
    for spec, said in (
        ("reference:none", r"no reference newcomer 'none' \(expected: abstain \| random\)"),
        ("reference:random?own", "cannot read 'own'"),
        ("reference:random?a=1&a=2", "stands twice"),
    ):
        with pytest.raises(BadInput, match=said):
            load_newcomer(spec)


def test_loading_brings_in_no_framework(write, tmp_path):
    import subprocess

    write("mine.py", "def agent(text): return 'wait'")
    code = (
        "import sys; from normgym_agents.newcomers import load_newcomer; "
        "print([m for m in ('autogen_core', 'langchain', 'langchain_openai') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.strip() == "[]"
