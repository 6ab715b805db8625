"""Runs with members of models, audited: through the command line, with a real endpoint behind them."""

import json
import re
import subprocess
import sys

import pytest

from normgym_agents.testing import ScriptedEndpoint
from tests.minds.playing import MODEL, faithful, judged, offered, turn


def silent(request):
    """Does what is offered first, and answers nobody."""
    return turn((offered(request) or [""])[0])


def punishing(request):
    """Does what a faithful one does, and answers everybody."""
    plain = json.loads(faithful(request).text)
    answers = tuple({"whom": who, "how": "rebuke", "over": 1, "words": ""} for who in judged(request))
    return turn(plain["act"], answers)


def lawless(request):
    """Takes what its card forbids, wherever it can."""
    (word,) = re.findall(r"1\. Nobody may take anything that is (\w+)", request.system)
    acts = offered(request)
    broken = [act for act in acts if re.search(rf"^take .*\b{word}\b", act)]
    return turn((broken or acts or [""])[0], tuple(json.loads(faithful(request).text)["answers"]))


@pytest.fixture
def run(tmp_path):
    def run(script, kind, *more):
        with ScriptedEndpoint(script) as endpoint:
            command = [
                "run",
                "reference:norm-blind",
                *(
                    "--worlds",
                    "1",
                    "--conditions",
                    "live",
                    "--driver",
                    "loop",
                    "--out",
                    str(tmp_path / "run"),
                    "--quiet",
                ),
                *("--members", kind, "--member-model", MODEL, *more),
            ]
            done = cli(command, endpoint.env())
        assert not done.stderr, done.stderr
        return json.loads((tmp_path / "run" / "summary.json").read_text())["conditions"]["live"]

    return run


def cli(arguments, env=None):
    import os

    return subprocess.run(
        [sys.executable, "-m", "normgym_agents.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "COLUMNS": "160", **(env or {})},
        check=False,
    )


def audit(tmp_path):
    done = cli(["audit", str(tmp_path / "run"), "--json"])
    return done.returncode, json.loads(done.stdout)


def test_a_faithful_community_counts(run, tmp_path):
    live = run(faithful, "autonomous")
    assert "apart" not in live and live["scored"] == 1
    status, found = audit(tmp_path)
    together = found["together"]
    assert status == 0 and found["kind"] == "autonomous"
    assert (together["breaches"], together["missed"], together["false"], together["fallbacks"]) == (
        0,
        0,
        0,
        0,
    )
    assert together["to_answer"] > 10 and together["chosen"] > 10
    assert found["cost"]["later_share"] > 0.9
    shown = cli(["audit", str(tmp_path / "run")])
    assert "Fidelity of autonomous members over 1 episode" in shown.stdout and "Per episode: " in shown.stdout


@pytest.mark.parametrize(
    ("script", "reason", "said"),
    [
        (silent, "under_evidenced", "showed too little"),
        (lawless, "unfaithful", "did not do what their cards"),
        (punishing, "unfaithful", "did not do what their cards"),
    ],
)
def test_what_an_unfaithful_community_shows_is_apart_and_in_no_number(run, tmp_path, script, reason, said):
    live = run(script, "autonomous")
    reasons = set(live["apart"])
    assert reasons <= {"under_evidenced", "unfaithful"} and (reason in reasons or script is not silent)
    assert live["episodes"] == 1 and live["scored"] == 0
    assert live["metrics"]["joint_success"] == {"value": None, "low": None, "high": None, "n": 0}
    status, found = audit(tmp_path)
    assert status == 1 and found["episodes"][0]["apart"] in reasons
    scored = cli(["score", str(tmp_path / "run")])
    assert "reported apart, and in no number above" in re.sub(r"\s+", " ", scored.stdout)
    assert "equal to the summary" in scored.stderr


def test_voiced_members_are_audited_for_their_words(run, tmp_path):
    run(faithful, "voiced")
    _, found = audit(tmp_path)
    assert found["together"]["lines"] > 100 and found["together"]["chosen"] == 0


def test_a_doctored_posterior_is_found(run, tmp_path):
    run(faithful, "autonomous")
    records = tmp_path / "run" / "records.jsonl"
    line = json.loads(records.read_text())
    records.write_text(json.dumps({**line, "evidence": 1.0}) + "\n")
    done = cli(["score", str(tmp_path / "run")])
    assert done.returncode == 1 and "evidence: stored 1.0" in done.stderr


def test_scripted_members_need_no_audit(tmp_path):
    cli(["run", "reference:random", "--worlds", "1", "--conditions", "none", "--out", str(tmp_path / "run")])
    done = cli(["audit", str(tmp_path / "run")])
    assert done.returncode == 0 and "scripted: there is nothing to audit" in done.stdout


def test_what_is_no_run_is_said(tmp_path):
    done = cli(["audit", str(tmp_path)])
    assert done.returncode == 2 and "run.json" in done.stderr
