"""The pytest fixture as a user's own suite gets it, in a pytest run of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import os, urllib.request
import pytest
from normgym_agents.testing import CallTool, Say

def get(path="/models"):
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + path,
        headers={"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
    )
    with urllib.request.urlopen(request) as response:
        return response.status

def post(endpoint):
    request = urllib.request.Request(
        endpoint.base_url + "/chat/completions",
        data=b'{"model": "m", "messages": [{"role": "user", "content": "hi"}]}',
        headers={"Authorization": "Bearer " + endpoint.api_key},
    )
    with urllib.request.urlopen(request) as response:
        return response.status
"""


def run(tmp_path: Path, test: str, **env: str) -> tuple[int, str]:
    (tmp_path / "test_user.py").write_text(SUITE + test, encoding="utf-8")
    (tmp_path / "conftest.py").write_text(
        "from normgym_agents import pytest_plugin\n"
        "def pytest_configure(config):\n"
        "    if not config.pluginmanager.is_registered(pytest_plugin):\n"
        "        config.pluginmanager.register(pytest_plugin)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-W",
            "error",
            "-p",
            "no:asyncio",
            "-p",
            "no:cacheprovider",
            ".",
        ],
        cwd=tmp_path,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_fixture_points_clients_at_the_endpoint_and_back(tmp_path):
    test = """
def test_in(scripted_endpoint):
    first = scripted_endpoint(Say("one"))
    assert os.environ["OPENAI_BASE_URL"] == first.base_url and get() == 200
    second = scripted_endpoint(Say("two"))
    assert os.environ["OPENAI_BASE_URL"] == second.base_url and get() == 200
    assert "OPENAI_API_BASE" not in os.environ
    assert post(first) == post(second) == 200

def test_after():
    assert os.environ["OPENAI_BASE_URL"] == "the user's" and os.environ["OPENAI_API_BASE"] == "the user's"
"""
    mine = "the user's"
    status, out = run(tmp_path, test, OPENAI_BASE_URL=mine, OPENAI_API_BASE=mine)
    assert (status, "2 passed" in out) == (0, True), out


def test_a_script_at_fault_fails_the_test(tmp_path):
    test = """
def test_in(scripted_endpoint):
    with pytest.raises(OSError):
        post(scripted_endpoint(CallTool("fly")))
"""
    status, out = run(tmp_path, test)
    assert status == 1 and "1 passed, 1 error" in out, out
    assert "the script calls 'fly', which was not offered (offered: none)" in out


@pytest.mark.parametrize("module", ["normgym_agents.pytest_plugin", "normgym_agents.testing"])
def test_importing_costs_little(module):
    code = f"import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"openai", "langchain_core", "langgraph", "autogen_core", "pydantic", "numpy", "opentelemetry"}
    assert not heavy & set(done.stdout.split())
