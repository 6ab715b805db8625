from __future__ import annotations

import json
import os
import re
import signal
import time

import pytest

from tests.cli.command import normgym, start

BLIND = ("reference:norm-blind", "--worlds", "2", "--driver", "loop")
SLOW = '''
import time

def agent(observation: str) -> str:
    """Dawdles."""
    time.sleep(0.01)
    return "wait"

def stuck(observation: str) -> str:
    """Never answers."""
    time.sleep(3600)
    return "wait"
'''


def keys(folder) -> list[str]:
    return [json.loads(line)["key"] for line in (folder / "records.jsonl").read_text().splitlines()]


def test_a_run_shows_a_table_and_where_things_are(tmp_path, inline):
    done = inline("run", *BLIND)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "runs" / "reference-norm-blind-quick-1"
    assert re.search(r"^live +0% +\[0–98\] +0% +100%", done.stdout, re.M)
    assert re.search(r"^live − none +0 points +\[−98 to +\+98\] +p = 1\.000 +n = 2$", done.stdout, re.M)
    for name in ("records.jsonl", "spans.jsonl", "report.html"):
        assert str((folder / name).relative_to(tmp_path)) in done.stdout
        assert (folder / name).stat().st_size > 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\x1b" not in done.stdout + done.stderr
    assert len(keys(folder)) == 2 * 4
    assert "8 episodes (2 worlds of quick, 4 conditions, 1 trial)" in done.stderr


def test_a_second_run_gets_a_folder_of_its_own(tmp_path, inline):
    for number in (1, 2):
        done = inline("run", *BLIND, "--quiet", "--conditions", "none")
        assert done.stdout == f"runs/reference-norm-blind-quick-{number}\n"
        assert done.stderr == ""


def test_json_is_the_summary_and_nothing_else(tmp_path, inline):
    done = inline("run", *BLIND, "--json", "--out", "here")
    assert done.stdout == (tmp_path / "here" / "summary.json").read_text()
    assert json.loads(done.stdout)["newcomer"] == "reference:norm-blind"
    assert done.stderr == ""


def test_a_run_that_asks_for_the_norms_stands_for_it_in_its_records_and_table(tmp_path, inline):
    options = ("reference:told-oracle", "--worlds", "2", "--conditions", "told", "--driver", "loop")
    done = inline("run", *options, "--report", "--out", "here")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "here" / "records.jsonl").read_text().splitlines()
    assert [json.loads(line)["report_scores"]["f1"] for line in lines] == [1.0, 1.0]
    assert "report" in done.stdout.lower()
    refused = inline("run", "--resume", "--no-report", "--out", "here")
    assert refused.returncode == 2 and "report" in refused.stderr
    assert inline("run", "--resume", "--out", "here").returncode == 0
    assert inline("score", "here").returncode == 0


def test_both_drivers_and_any_concurrency_give_equal_records(tmp_path):
    lines = []
    for number, options in enumerate((("graph", "1"), ("loop", "7"))):
        driver, concurrency = options
        folder = tmp_path / str(number)
        normgym(
            *(
                "run",
                "reference:random",
                "--worlds",
                "2",
                "--driver",
                driver,
                "--concurrency",
                concurrency,
                "-q",
            ),
            *("--out", str(folder)),
            cwd=tmp_path,
            PYTHONHASHSEED=str(number),
        )
        records = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
        for record in records:
            del record["clock"]
        lines.append(sorted(json.dumps(record, sort_keys=True) for record in records))
    assert len(lines[0]) == 8
    assert lines[0] == lines[1]


def test_score_agrees_with_the_run_and_finds_what_was_changed(tmp_path, inline):
    inline("run", *BLIND, "--quiet", "--out", "run")
    done = inline("score", "run")
    assert done.returncode == 0
    assert "Recomputed from 8 records: equal to the summary in run." in done.stderr
    summary = tmp_path / "run" / "summary.json"
    assert inline("score", "run", "--json").stdout == summary.read_text()
    summary.write_text(summary.read_text().replace('"task_success": {', '"task_succes": {', 1))
    done = inline("score", "run")
    assert done.returncode == 1
    assert "metrics.task_success: stored (absent), recomputed" in done.stderr


def test_a_report_can_be_written_again(tmp_path, inline):
    inline("run", *BLIND, "--quiet", "--out", "run")
    page = tmp_path / "run" / "report.html"
    before = page.read_text()
    page.unlink()
    done = inline("report", "run")
    assert (done.returncode, done.stdout) == (0, "run/report.html\n")
    assert page.read_text() == before


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupted_run_keeps_what_is_done_and_says_how_to_go_on(tmp_path, name):
    (tmp_path / "slow.py").write_text(SLOW)
    process = start(
        *(
            "run",
            "slow.py:agent",
            "--worlds",
            "2",
            "--conditions",
            "none",
            "--trials",
            "5",
            "--driver",
            "loop",
        ),
        *("--concurrency", "1", "--out", "my run"),
        cwd=tmp_path,
    )
    records = tmp_path / "my run" / "records.jsonl"
    while not (records.exists() and records.read_bytes().count(b"\n") >= 2):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.Signals[name])
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == ""
    assert "interrupted: what was done is kept in my run" in err
    assert "Go on with: normgym run --out 'my run' --resume" in err
    assert "Traceback" not in err
    kept = keys(tmp_path / "my run")
    assert 2 <= len(kept) < 10

    done = normgym("run", "--out", "my run", "--resume", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert keys(tmp_path / "my run")[: len(kept)] == kept
    assert len(set(keys(tmp_path / "my run"))) == len(keys(tmp_path / "my run")) == 10


def test_a_newcomer_that_is_stuck_in_a_thread_does_not_keep_ctrl_c_from_working(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    process = start("run", "slow.py:stuck", "--conditions", "none", "--out", "run", cwd=tmp_path)
    spans = tmp_path / "run" / "spans.jsonl"
    while not spans.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Go on with: normgym run --out run --resume" in err


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    process = start(
        *(
            "run",
            "slow.py:agent",
            "--worlds",
            "2",
            "--conditions",
            "none",
            "--trials",
            "4",
            "--driver",
            "loop",
        ),
        *("--out", "run"),
        cwd=tmp_path,
    )
    records = tmp_path / "run" / "records.jsonl"
    while not (records.exists() and records.read_bytes().count(b"\n") >= 2):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.kill()
    process.communicate(timeout=60)
    lines = records.read_bytes().splitlines(keepends=True)
    records.write_bytes(b"".join(lines[:-1]) + lines[-1][:-1])  # killed before the newline
    done = normgym("run", "--out", "run", "--resume", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(set(keys(tmp_path / "run"))) == 8
    assert json.loads(done.stdout)["conditions"]["none"]["episodes"] == 8


def test_resuming_takes_the_configuration_from_the_run(tmp_path, inline):
    inline("run", *BLIND, "--seed", "5", "--quiet", "--out", "run")
    done = inline("run", "--out", "run", "--resume", "--seed", "6")
    assert done.returncode == 2
    place = tmp_path / "run" / "run.json"
    assert done.stderr.startswith(f"normgym: {place}: seed: this run was begun with 5, not 6")


def test_two_processes_never_write_to_one_run(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    options = ("--conditions", "none", "--trials", "50", "--out", "run")
    process = start("run", "slow.py:agent", *options, cwd=tmp_path)
    while not (tmp_path / "run" / "spans.jsonl").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    done = normgym("run", "--out", "run", "--resume", cwd=tmp_path)
    process.kill()
    process.communicate(timeout=60)
    assert done.returncode == 2
    assert "another run is writing to it" in done.stderr


def test_a_newcomer_that_breaks_is_a_result_and_a_reason(tmp_path, inline):
    (tmp_path / "broken.py").write_text(
        "def agent(text: str) -> str:\n    raise ValueError('no \\x1b[2Jidea')\n"
    )
    done = inline("run", "broken.py:agent", "--worlds", "2", "--conditions", "none", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert "2 × newcomer failed:" in done.stdout
    assert "no" in done.stdout and "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bogus"], "No such command 'bogus'"),
        (["run", "--bogus"], "No such option: --bogus"),
        (["run", "--worlds", "many"], "--worlds: not a whole number (see normgym run --help)"),
        (["run", "--deadline", "soon"], "--deadline: not a number"),
        (["run", "one", "two"], "there is nothing that two could be"),
        (["run", "reference:random", "--out", ""], "out: '' names no folder"),
        (["run", "reference:random", "--out", "agent.py/x"], "agent.py/x: cannot be made"),
        (["run", "reference:random", "--seed", "-1"], "seed: -1 will not do"),
        (["traces", "export", "none", "--to", "junk"], "--to: not an address"),
        (["world", "show", "bogus", "quick-1-000a"], "SUITE: no suite 'bogus'"),
        (["world", "certify", "--worlds", "1"], "--worlds: must be at least 2"),
        (["world", "certify", "--worlds", "3"], "--worlds: 3 will not do: twins are proved together"),
        (["world", "certify", "--worlds", "14"], "--worlds: 14 will not do: suite 'quick' has fewer worlds"),
        (["world", "sample", "--name", ""], "--name: '' is no name of a suite"),
        (["world", "sample", "--name", "../x"], "--name: '../x' is no name of a suite"),
        (["world", "sample", "--name", "My Suite"], "--name: 'My Suite' is no name of a suite"),
        (["world", "sample", "--seed", "-1"], "--seed: must be at least 0"),
        (["world", "sample", "--setting", "../settings/x"], "--setting: there is no setting '../settings/x'"),
        (["world", "sample", "--out", ""], "--out: '' names no file"),
        (
            ["world", "sample", "--out", "missing/suite.gz"],
            "missing/suite.gz: --out: cannot be written there",
        ),
        (["run", "nowhere.py:graph"], "nowhere.py: there is no such file"),
        (["run", "agent.py:grahp"], "agent.py: has no 'grahp' (expected: graph"),
        (["run", "reference:nobody"], "there is no reference newcomer 'nobody'"),
        (["run", "reference:random", "--suite", "bogus"], "no suite 'bogus'"),
        (["run", "reference:random", "--suite", "agent.py"], "agent.py:1:"),
        (
            ["run", "reference:random", "--conditions", "live,dead"],
            "conditions: there is no condition 'dead'",
        ),
        (
            ["run", "reference:random", "--members", "voiced"],
            "member_models: voiced members need a model",
        ),
        (["run", "reference:random", "--worlds", "13"], "worlds: suite 'quick' has 12 worlds, fewer than 13"),
        (["run", "reference:random", "--trials", "0"], "trials: 0 will not do"),
        (["run", "reference:random", "--driver", "horse"], "driver: 'horse' will not do"),
        (["run", "reference:random", "--deadline", "0"], "deadline: 0 seconds is no deadline"),
        (["run", "reference:random", "--otlp", "ftp://x"], "ftp://x"),
        (["run", "reference:random", "--out", "."], "out: is not an empty folder"),
        (["run", "--resume"], "out: --resume needs the folder of the run"),
        (["run", "--resume", "--out", "none"], "none/run.json: cannot be read"),
        (["score", "none"], "none/run.json: cannot be read"),
        (["report", "none"], "none/run.json: cannot be read"),
        (["traces", "export", "none", "--to", "http://127.0.0.1:1"], "none/spans.jsonl: cannot be read"),
        (["world", "show", "quick", "quick-1-009a"], "WORLD: suite 'quick' has no world 'quick-1-009a'"),
        (["world", "show", "bogus"], "no suite 'bogus'"),
        (["world", "certify", "bogus"], "no suite 'bogus'"),
        (
            ["world", "sample", "--setting", "moon"],
            "--setting: there is no setting 'moon' (expected: noon-kitchen | pottery-yard | triage-desk)",
        ),
        (["world", "sample", "--out", "agent.py"], "--out: 'agent.py' is no name for a suite's file"),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_clear_line_and_leaves_nothing(tmp_path, inline, arguments, message):
    (tmp_path / "agent.py").write_text("def graph(text: str) -> str:\n    return 'wait'\n")
    done = inline(*arguments)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("normgym: ")
    assert message in line
    assert done.stdout == ""
    assert [path.name for path in tmp_path.iterdir() if path.name != "__pycache__"] == ["agent.py"]


def test_an_error_in_their_module_shows_their_traceback_and_one_line_of_ours(tmp_path):
    (tmp_path / "agent.py").write_text("import json\n\ngraph = json.loads('{')\n")
    done = normgym("run", "agent.py:graph", cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" in done.stderr and 'agent.py", line 3' in done.stderr
    assert "normgym_agents" not in done.stderr.replace(os.fspath(tmp_path), "")
    ours = [line for line in done.stderr.splitlines() if line.startswith("normgym: ")]
    assert ours == done.stderr.splitlines()[-1:]
    assert not (tmp_path / "runs").exists()
