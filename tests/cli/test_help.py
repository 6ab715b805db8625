from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.cli.command import environment, normgym

HEAVY = (
    "autogen_core",
    "langchain",
    "langchain_core",
    "langchain_openai",
    "langgraph",
    "scipy",
    "numpy",
)


@pytest.mark.parametrize(
    "arguments",
    ["--help", "run --help", "compare --help", "world certify --help", "--version", "list --help"],
)
def test_help_imports_nothing_heavy(tmp_path, arguments):
    script = (
        "import sys; from normgym_agents.cli.app import execute; "
        f"status = execute({arguments.split()!r}); "
        f"print('HEAVY', [name for name in {HEAVY!r} if name in sys.modules], status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "HEAVY [] 0"


def test_importing_the_package_imports_nothing_heavy(tmp_path):
    script = f"import sys, normgym_agents; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


def test_every_command_has_help_that_fits_80_columns(inline):
    for command in (
        "",
        "run",
        "score",
        "compare",
        "report",
        "doctor",
        "world show",
        "world sample",
        "list metrics",
        "traces export",
    ):
        done = inline(*command.split(), "--help")
        assert done.returncode == 0, command
        assert "Usage: normgym" in done.stdout
        assert max(map(len, done.stdout.splitlines())) <= 80
        assert "\x1b" not in done.stdout


@pytest.mark.parametrize("command", ["", "list", "world", "traces"])
def test_without_a_command_there_is_help(inline, command):
    done = inline(*command.split())
    assert done.returncode == 0
    assert "Usage: normgym" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("kind", ["newcomers", "suites", "settings", "personas", "conditions", "metrics"])
def test_listings_come_as_text_and_as_json(inline, kind):
    rows = json.loads(inline("list", kind, "--json").stdout)
    text = inline("list", kind).stdout
    assert rows
    for row in rows:
        # From a bare checkout a path may be longer than a line.
        assert str(next(iter(row.values()))) in text.replace("\n", "")


def test_the_doctor_finds_this_installation_well(tmp_path):
    done = normgym("doctor", cwd=tmp_path, OPENAI_API_KEY="secret-of-mine")
    assert done.returncode == 0, done.stdout
    assert "broken" not in done.stdout
    assert "OPENAI_API_KEY" in done.stdout and "secret-of-mine" not in done.stdout


def test_a_closed_pipe_is_no_traceback(tmp_path):
    script = f"{sys.executable} -m normgym_agents.cli world show quick --json | head -c 10"
    done = subprocess.run(
        ["bash", "-c", script], env=environment(), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
