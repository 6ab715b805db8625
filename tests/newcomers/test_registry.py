"""What other packages bring, shown with distributions that are put on the path."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

from normgym_agents.cli.app import execute
from normgym_agents.errors import BadInput
from normgym_agents.newcomers import adapt, load_newcomer, registry
from tests.newcomers.taking_part import WAIT, take_part

DOCS = Path(__file__).parents[2] / "docs" / "adapters.md"
ADAPTER = DOCS.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]


@pytest.fixture
def install(tmp_path, monkeypatch):
    """A function that installs a package with one module and some entry points."""
    registry._load.cache_clear()
    monkeypatch.syspath_prepend(tmp_path)
    made = set(sys.modules)

    def install(name: str, source: str, **points: str) -> None:
        module = name.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(source)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = [f"{key.replace('_', '-')} = {module}:{attribute}" for key, attribute in points.items()]
        (info / "entry_points.txt").write_text("\n".join(["[normgym_agents.newcomers]", *lines, ""]))
        importlib.invalidate_caches()

    yield install
    for module in set(sys.modules) - made:
        if Path(getattr(sys.modules[module], "__file__", None) or "/").parent == tmp_path:
            del sys.modules[module]
    registry._load.cache_clear()


FRAMEWORK = '''
class ChatAgent:
    """An agent of a framework that nobody here knows; it looks like a function, too."""

    def __init__(self, says="wait"):
        self.says = says

    async def run(self, text):
        return self.says
'''


async def test_the_adapter_of_the_docs(install, observe, tmp_path):
    install("agent-framework", FRAMEWORK)
    install("normgym-maf", ADAPTER, agent_framework="ADAPTER")
    (tmp_path / "mine.py").write_text(
        "from agent_framework import ChatAgent\nagent = ChatAgent()\n"
        "def make():\n    return ChatAgent()\nasync def make_later():\n    return ChatAgent()\n"
    )
    for name, kind in (("agent", "agent_framework"), ("make", "factory"), ("make_later", "factory")):
        loaded = load_newcomer(f"{tmp_path}/mine.py:{name}")
        assert loaded.kind == kind
        assert [reply.act for reply in await take_part(loaded, observe(), observe())] == [WAIT, WAIT]
    with pytest.raises(BadInput, match="plug-in:agent-framework adapts agents, and is none"):
        load_newcomer("plug-in:agent-framework")


async def test_named_newcomers(install, observe):
    install(
        "normgym-cats",
        "def cat(text: str) -> str:\n    return 'wait'\n"
        "class Cats:\n    def build(self):\n        return cat\n"
        "cats = Cats()\n",
        cat="cat",
        cats="cats",
    )
    for name in ("cat", "cats"):
        loaded = load_newcomer(f"plug-in:{name}")
        assert (await take_part(loaded, observe()))[0].act == WAIT
    with pytest.raises(BadInput, match=r"brings a newcomer 'dog' \(expected: plug-in:cat \| plug-in:cats\)"):
        load_newcomer("plug-in:dog")


async def test_a_broken_plug_in_breaks_nothing_else(install, observe, caplog):
    install("normgym-broken", "raise RuntimeError('no clay\\nleft')", broken="ADAPTER")
    install("normgym-cats", "def cat(text: str) -> str:\n    return 'wait'\n", cat="cat")
    install("normgym-maf", ADAPTER, agent_framework="ADAPTER")
    install("agent-framework", FRAMEWORK)
    from agent_framework import ChatAgent  # type: ignore[import-not-found] # installed above

    told = "the plug-in 'broken' of normgym-broken cannot be loaded: RuntimeError: no clay left"
    assert (await take_part(adapt(lambda text: "wait"), observe()))[0].act == WAIT
    assert not caplog.records, "nobody needed it"
    assert adapt(ChatAgent()).kind == "agent_framework"
    assert (await take_part(load_newcomer("plug-in:cat"), observe()))[0].act == WAIT
    assert [record.message for record in caplog.records] == [told]
    for wrong in (lambda: load_newcomer("plug-in:broken"), lambda: adapt(object(), "it")):
        with pytest.raises(BadInput) as raised:
            wrong()
        assert told in str(raised.value) and "\n" not in str(raised.value)


ODD = (
    "from normgym_agents.newcomers import Adapter\nADAPTER = Adapter(kind='odd', fits={fits}, adapt={adapt})"
)


@pytest.mark.parametrize(
    ("fits", "adapted", "told"),
    [
        ("lambda obj: True", "lambda obj, name, wiring: 1 / 0", "for odd cannot adapt it: ZeroDivisionError"),
        ("lambda obj: True", "lambda obj, name, wiring: 3", "for odd made a int, and no factory"),
        ("lambda obj: 1 / 0", "None", "which cannot take part"),
    ],
)
def test_odd_adapters(install, fits, adapted, told):
    install("normgym-odd", ODD.format(fits=fits, adapt=adapted), odd="ADAPTER")
    with pytest.raises(BadInput, match=told):
        adapt(object(), "it")


def test_two_that_say_they_fit(install):
    for name in ("normgym-one", "normgym-two"):
        install(name, ODD.format(fits="lambda obj: True", adapt="None"), odd="ADAPTER")
    with pytest.raises(
        BadInput, match="several plug-ins adapt a object: 'odd' of normgym-one, 'odd' of normgym-two"
    ):
        adapt(object())
    with pytest.raises(BadInput, match="several packages bring 'odd'"):
        load_newcomer("plug-in:odd")


def test_none_installed(install):
    with pytest.raises(BadInput, match="none is installed"):
        load_newcomer("plug-in:cat")
    assert registry.plug_in_names() == []


def test_plug_ins_are_listed_and_the_doctor_finds_broken_ones(install, capsys):
    install("agent-kit", FRAMEWORK + ADAPTER.partition("from normgym")[0] + "BOB = ChatAgent()\n", bob="BOB")
    install("broken-kit", "import nowhere_to_be_found\n", eve="EVE")
    assert execute(["list", "newcomers", "--json"]) == 0
    rows = {row["spec"]: row["summary"] for row in json.loads(capsys.readouterr().out)}
    assert rows["plug-in:bob"] == "A newcomer of agent-kit."
    assert rows["plug-in:eve"].startswith("(broken) the plug-in 'eve' of broken-kit cannot be loaded: Mod")
    assert execute(["doctor"]) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "ok plug-in:bob of agent-kit, a newcomer" in said
    assert "broken plug-in:eve the plug-in 'eve' of broken-kit cannot be loaded: ModuleNotFoundError" in said


def test_an_adapter_is_listed_by_how_what_it_adapts_is_named(install, capsys):
    source = "from normgym_agents.newcomers import Adapter\nADAPTER = Adapter(kind='kit', fits=bool, adapt=print)\n"
    install("agent-kit", source, kit="ADAPTER")
    assert execute(["list", "newcomers", "--json"]) == 0
    rows = {row["spec"]: row["summary"] for row in json.loads(capsys.readouterr().out)}
    assert (
        rows["path/to/file.py:name"] == "An agent of the kind kit, adapted by the plug-in 'kit' of agent-kit."
    )
