"""The fixture `normgym` as a user's suite gets it: evaluations in pytest, their failures, their records."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import normgym_agents

pytest_plugins = ["pytester"]

HOME = Path(normgym_agents.__file__).parents[1]
PLUGINS = ("normgym_agents.pytest_plugin", "asyncio", "xdist")
STRICT = ("-W", "error", "--strict-markers", "-o", "asyncio_default_fixture_loop_scope=function")
FAST = 'suite="quick", worlds=2, driver="loop", conditions=["live", "told"]'


@pytest.fixture
def suite(pytester, monkeypatch):
    """Runs a test file in a pytest of its own, with the plugins that are named and no others."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(HOME))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)

    def run(source, *arguments):
        pytester.makepyfile(source)
        named = [part for plugin in PLUGINS for part in ("-p", plugin)]
        return pytester.runpytest_subprocess(*named, *STRICT, *arguments)

    return run


def test_the_example_fails_readably_and_keeps_its_records(suite, pytester):
    result = suite(
        f"""
        import pytest

        @pytest.mark.asyncio
        async def test_learns(normgym):
            result = await normgym.evaluate("reference:norm-blind", {FAST})
            assert result["live"].task_success.value == 1
            assert result.unscored == 0
            assert result.joint_success.low > 0.3
        """,
        "--normgym-out=kept",
    )
    result.assert_outcomes(failed=1)
    out = result.stdout.str()
    folder = pytester.path / "kept" / "test_the_example_fails_readably_and_keeps_its_records.py-test_learns-1"
    assert re.search(r"E +assert 0\.0 > 0\.3", out)
    assert f"where 0.0 = joint_success under live: 0 [0 to 0.975], n = 2; records in {folder}.low" in out
    for name in ("records.jsonl", "summary.json", "report.html"):
        assert (folder / name).is_file()
    assert re.search(
        r"::test_learns  reference:norm-blind: joint success live 0%, told 0% of 2 worlds; rec", out
    )


def test_without_asyncio_and_with_a_marker(suite, pytester):
    result = suite(
        """
        import pytest

        pytestmark = pytest.mark.normgym(worlds=4, driver="loop", conditions=["none", "told"])

        @pytest.mark.normgym(worlds=2)
        def test_told(normgym):
            result = normgym.evaluate_sync("reference:told-oracle")
            assert result.run.suite.worlds == 2
            assert result["told"].joint_success.value == 1 > result["none"].joint_success.value
            again = normgym.evaluate_sync("reference:told-oracle", conditions=["told"])
            assert again.joint_success.value == 1
            assert result.folder != again.folder and result.folder.name.endswith("-1")
        """,
        "--junitxml=junit.xml",
    )
    result.assert_outcomes(passed=1)
    properties = ElementTree.parse(pytester.path / "junit.xml").iter("property")
    assert ["records in" in (one.get("value") or "") for one in properties] == [True, True]


def test_fewer_worlds_and_none_at_all(suite):
    source = f"""
        def test_plain():
            pass

        def test_evaluates(normgym):
            assert normgym.evaluate_sync("reference:random", {FAST}).run.suite.worlds == 1
            assert normgym.evaluate_sync("reference:random", driver="loop").run.suite.worlds == 1
    """
    suite(source, "--normgym-worlds=1").assert_outcomes(passed=2)
    suite(source, "-m", "not normgym").assert_outcomes(passed=1, deselected=1)
    refused = suite(source, "--normgym-worlds=none")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert "'none' is no number of worlds" in refused.stderr.str()


def test_several_processes_share_nothing(suite, pytester):
    result = suite(
        """
        import pytest

        @pytest.mark.parametrize("seed", range(2))
        def test_one(normgym, seed):
            assert normgym.evaluate_sync("reference:random", worlds=1, conditions=["none"], driver="loop", seed=seed).unscored == 0
        """,
        "-n2",
        "--dist=each",
        "--normgym-out=kept",
    )
    result.assert_outcomes(passed=4)
    folders = sorted(one.name for one in (pytester.path / "kept").iterdir())
    assert len(folders) == 4
    assert {worker for name in folders for worker in re.findall(r"gw\d", name)} == {"gw0", "gw1"}
    assert result.stdout.str().count("; records in ") == 4


def test_what_was_not_measured_is_said(suite):
    result = suite(
        """
        import pytest

        async def broken(text):
            import openai, httpx
            from openai import AsyncOpenAI
            await AsyncOpenAI(base_url="http://127.0.0.1:9/v1", api_key="k", max_retries=0).models.list()

        def test_unscored(normgym):
            result = normgym.evaluate_sync(broken, worlds=1, driver="loop", conditions=["none"])
            assert result.joint_success.low > 0.3

        def test_which(normgym):
            result = normgym.evaluate_sync("reference:random", worlds=1, driver="loop", conditions=["none", "told"])
            with pytest.raises(KeyError, match="live was not run; there is none, told"):
                result["live"]
            with pytest.raises(AttributeError, match=r"result\\['none'\\].joint_success"):
                result.joint_success
            with pytest.raises(AttributeError, match="there is joint_success"):
                result["none"].joint_succes

        def test_a_bad_marker(normgym):
            pass

        test_a_bad_marker = pytest.mark.normgym(wrlds=1)(test_a_bad_marker)

        def test_bad_input(normgym):
            normgym.evaluate_sync("nothing.py:graph")
        """,
        "--normgym-out=kept",
    )
    result.assert_outcomes(failed=2, passed=1, errors=1)
    out = result.stdout.str()
    assert (
        "there is no interval: joint_success under none: no value, n = 0; unscored: 1 model_failed; rec"
        in out
    )
    assert "the marker normgym takes no wrlds (expected: suite, conditions, " in out
    assert "nothing.py: there is no such file" in out


def test_a_check_in_a_test(suite):
    result = suite(
        """
        import pytest
        from normgym_agents import assert_conforms

        def test_fits():
            assert_conforms("reference:norm-blind")

        @pytest.mark.asyncio
        async def test_does_not(normgym):
            await normgym.check(lambda text: "")
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    assert "acts in two worlds: no act could be read" in result.stdout.str()


def test_under_anyio(suite):
    result = suite(
        f"""
        import pytest

        @pytest.fixture
        def anyio_backend():
            return "asyncio"

        @pytest.mark.anyio
        async def test_it(normgym):
            assert (await normgym.evaluate("reference:random", {FAST})).joint_success.n == 2
        """,
        "-p",
        "anyio",
    )
    result.assert_outcomes(passed=1)


def test_the_documented_tests_run(suite, pytester):
    page = (Path(__file__).parents[2] / "docs" / "ci.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    agent = "# my_agent.py\n"
    files = [block for block in blocks if block.startswith(agent)]
    (pytester.path / "my_agent.py").write_text(files[0], encoding="utf-8")
    tests = "\n".join(block for block in blocks if not block.startswith(agent))
    result = suite(tests, "--normgym-worlds=2", "-p", "no:cacheprovider", "-o", "pythonpath=.")
    assert result.ret == 0 and "passed" in result.stdout.str(), result.stdout.str()


def test_the_help_names_the_options(suite):
    out = suite("", "--help").stdout.str()
    assert "--normgym-out=DIR" in out and "--normgym-worlds=N" in out


def test_loading_the_plugin_costs_little():
    code = (
        "import sys, pytest; before = set(sys.modules); import normgym_agents.pytest_plugin; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=HOME)
    assert {name.partition(".")[0] for name in done.stdout.split()} <= {"normgym_agents", "argparse"}
