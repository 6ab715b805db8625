from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.cli.command import environment, normgym

BLIND = ("reference:norm-blind", "--worlds", "2", "--driver", "loop", "--conditions", "none")
LOUD = """
import os
import subprocess

print("imported")

def agent(text: str) -> str:
    print("from Python")
    subprocess.run(["echo", "from a program"])
    os.chdir(os.environ["ELSEWHERE"])
    return "wait"
"""


@pytest.mark.parametrize(("option", "lines"), [("--json", None), ("--quiet", ["run"])])
def test_what_a_newcomer_prints_never_reaches_our_stdout(tmp_path, option, lines):
    (tmp_path / "loud.py").write_text(LOUD)
    (tmp_path / "elsewhere").mkdir()
    done = normgym(
        *("run", "loud.py:agent", "--worlds", "2", "--conditions", "none", "--out", "run", option),
        cwd=tmp_path,
        ELSEWHERE=str(tmp_path / "elsewhere"),
    )
    assert done.returncode == 0, done.stderr
    for said in ("imported", "from Python", "from a program"):
        assert said in done.stderr and said not in done.stdout
    if lines is None:
        assert done.stdout == (tmp_path / "run" / "summary.json").read_text()
    else:
        assert done.stdout.splitlines() == lines


def test_a_newcomer_that_changes_the_folder_loses_nothing_and_goes_on_from_anywhere(tmp_path):
    (tmp_path / "loud.py").write_text(LOUD)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    options = ("run", "loud.py:agent", "--worlds", "2", "--conditions", "none")
    done = normgym(*options, cwd=tmp_path, ELSEWHERE=str(elsewhere))
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "runs" / "loud.py-agent-quick-1"
    assert "runs/loud.py-agent-quick-1/report.html" in done.stdout
    assert (folder / "report.html").exists()
    records = folder / "records.jsonl"
    records.write_text("".join(records.read_text().splitlines(keepends=True)[:1]))
    done = normgym(*("run", "--out", str(folder), "--resume", "-q"), cwd=elsewhere, ELSEWHERE=str(elsewhere))
    assert done.returncode == 0, done.stderr
    assert len(records.read_text().splitlines()) == 2
    assert list(elsewhere.iterdir()) == []


def shell(line: str, cwd) -> subprocess.CompletedProcess[str]:
    script = line.replace("normgym", f"{sys.executable} -m normgym_agents.cli")
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", script],
        env=environment(),
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["world show quick --json", "list conditions", "--version"])
def test_a_full_disk_is_one_line(tmp_path, command):
    done = shell(f"normgym {command} > /dev/full", tmp_path)
    assert done.returncode == 2
    assert done.stderr == "normgym: the output cannot be written: No space left on device\n"


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_run_with_closed_streams_keeps_its_records(tmp_path, closed):
    done = shell(f"normgym run {' '.join(BLIND)} --out run {closed}", tmp_path)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    lines = (tmp_path / "run" / "records.jsonl").read_text().splitlines()
    assert len([json.loads(line) for line in lines]) == 2


def test_a_reader_that_has_had_enough_ends_it_quietly(tmp_path):
    done = shell("normgym world show quick --json | true", tmp_path)
    assert (done.returncode, done.stderr) == (141, "")


def test_what_autogen_logs_of_a_failing_member_is_not_printed():
    code = (
        "import logging; from normgym_agents.cli.app import execute; execute(['--version']); "
        "logging.getLogger('autogen_core').error('Error processing publish message')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
