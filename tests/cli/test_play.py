"""`normgym play`: a person at a terminal, at a narrow one, and at the end of a pipe."""

import io
import json
import subprocess
import sys

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from normgym_agents.cli.prompting import _Acts, begins
from normgym_agents.cli.terminal import laid_out
from tests.cli.command import environment
from tests.cli.seated import Seat

WORLD = ("--world", "000a")
PROMPT = "Ctrl-D leaves"
SHORT = (*WORLD, "--condition", "none")


@pytest.fixture
def piped(inline, monkeypatch):
    """`normgym play` in this process, with lines for its input."""

    def call(*arguments, lines):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return inline("play", *arguments)

    return call


def records(folder):
    return [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]


def test_an_episode_through_a_terminal(inline, tmp_path):
    with Seat("play", *SHORT, cwd=tmp_path) as seat:
        first = seat.until(PROMPT)
        assert "You are new at the pottery yard; people call you Bo." in first
        assert "rule" not in first.replace("pottery", "") and "norm" not in first
        seat.type("take off\r")
        assert "It is not clear which thing" in seat.until(PROMPT)
        seat.type("?\r")
        assert "go kiln" in seat.until("quit to leave.")
        seat.until(PROMPT)
        seat.type("take bra\t\r")  # completed to the one thing like that
        seat.until("This is act 2;")
        for number in range(3, 13):
            seat.type("wait\r")
            seat.until(f"This is act {number};")
        seat.type("wait\r")
        told = seat.until("Kept in runs/play-quick-1")
        assert seat.end()[0] == 0
    assert "N1  Nobody may take anything that is brack." in told
    row = told[told.index("What you did") :].splitlines()[4].split()
    assert " ".join(row[:8]) == "1 took the brack notched bowl broke N1", row
    assert "What could be known, and when" in told and "before anything" in told
    for name in ("you", "norm-blind", "ideal-observer"):
        assert name in told[told.index("Beside the reference newcomers") :]
    (record,) = records(tmp_path / "runs" / "play-quick-1")
    acts = [e for e in record["events"] if e["kind"] == "act" and e["newcomer"]]
    assert (record["newcomer"], record["outcome"]) == ("person", "completed")
    assert [a["act"]["verb"] for a in acts] == ["take", *["wait"] * 11]
    assert [a["asked"] for a in acts] == [2, *[1] * 11]
    assert inline("score", "runs/play-quick-1").returncode == 0


def test_the_terminal_and_a_pipe_give_the_same_record(tmp_path):
    command = [sys.executable, "-m", "normgym_agents.cli", "play", *SHORT, "--seed", "1"]
    subprocess.run(
        command, cwd=tmp_path, env=environment(), input=b"wait\n" * 12, check=True, capture_output=True
    )
    with Seat("play", *SHORT, "--seed", "1", cwd=tmp_path) as seat:
        for number in range(1, 13):
            seat.until(f"This is act {number};")
            seat.until(">")
            seat.type("wait\r")
        assert seat.end()[0] == 0
    one, two = (records(tmp_path / "runs" / f"play-quick-{number}")[0] for number in (1, 2))
    assert {**one, "clock": None} == {**two, "clock": None}


def test_looking_back_and_leaving(tmp_path):
    with Seat("play", *WORLD, cwd=tmp_path) as seat:
        seat.until(PROMPT)
        seat.type("wai\x1b[5~")
        seat.until("q goes back")
        seat.type("g")
        seat.until("have only watched.")
        seat.type("q")
        seat.until("> ")
        seat.type("t\r")  # what was begun is still there
        assert "You waited." in seat.until("This is act 2;")
        seat.until(PROMPT)
        seat.type("\x04")
        assert "nothing is scored" in seat.until("Kept in")
        assert seat.end()[0] == 1
    (record,) = records(tmp_path / "runs" / "play-quick-1")
    assert (record["outcome"], record["scores"]) == ("cancelled", None)


def test_ctrl_c_leaves(tmp_path):
    with Seat("play", *SHORT, cwd=tmp_path) as seat:
        seat.until(PROMPT)
        seat.type("\x03")
        assert seat.end()[0] == 130
    assert records(tmp_path / "runs" / "play-quick-1")[0]["outcome"] == "cancelled"


def test_without_colour_and_on_a_narrow_terminal(tmp_path):
    with Seat("play", *SHORT, cwd=tmp_path, size=(20, 40), NO_COLOR="1") as seat:
        for number in range(1, 13):
            seat.until(f"This is act {number};")
            seat.until(">")
            seat.type("wait\r")
        _, told = seat.end()
    assert "…" not in told[told.index("What nobody told you") :]
    colours = [part for part in seat.raw.split("\x1b[") if part.split("m")[0].strip("0123456789;") == ""]
    assert not any(
        code in part.split("m")[0].split(";") for part in colours for code in ("31", "32", "36", "90")
    )


def test_a_pipe_that_ends_is_somebody_who_left(piped, inline, tmp_path):
    left = piped(*SHORT, lines=["", "wait", "history", "", "go kiln"])
    assert left.returncode == 1 and "> go kiln" in left.stdout
    (record,) = records(tmp_path / "runs" / "play-quick-1")
    acts = [e for e in record["events"] if e["kind"] == "act" and e["newcomer"]]
    # Empty lines and commands are no turns.
    assert [a["act"]["verb"] for a in acts] == ["wait", "go"]
    assert record["scores"] is None
    assert "not scored" in inline("score", "runs/play-quick-1").stdout


def test_nothing_is_shown_that_an_agent_does_not_read(piped, inline, monkeypatch):
    shown = inline(
        "run",
        "reference:random",
        "--worlds",
        "1",
        "--conditions",
        "live",
        "--protocol",
        "--json",
    )
    observation = json.loads(shown.stdout)["observation"]
    monkeypatch.setenv("COLUMNS", "500")
    seen = piped(*WORLD, lines=["quit"])
    assert seen.stdout.split("\n> quit")[0].strip() == observation


def test_a_participant_meets_each_world_once_and_is_told_at_the_last(piped, inline, tmp_path):
    options = ("--participant", "P07", "--condition", "none", "--worlds", "2")
    first = piped(*options, lines=["wait"] * 20)
    assert first.returncode == 0 and "1 world to go" in first.stdout
    assert "What nobody told you" not in first.stdout
    last = piped(*options, lines=["wait"] * 20)
    assert last.returncode == 0 and "What nobody told you" in last.stdout
    over = piped(*options, lines=["wait"] * 20)
    assert over.returncode == 2 and "has played every world" in over.stderr
    folder = tmp_path / "runs" / "play-P07"
    found = records(folder)
    assert [r["newcomer"] for r in found] == ["person:P07"] * 2
    assert len({r["world"] for r in found}) == 2
    resumed = inline("run", "--resume", "--out", str(folder))
    assert resumed.returncode == 2 and "a person comes to a terminal" in resumed.stderr
    agent = ("run", "reference:norm-blind", "--worlds", "2", "--conditions", "none", "--quiet")
    assert inline(*agent).returncode == 0
    compared = inline("compare", "runs/reference-norm-blind-quick-1", str(folder))
    assert compared.returncode == 0 and "person:P07" in compared.stdout
    assert inline("score", str(folder)).returncode == 0
    assert inline("report", str(folder)).returncode == 0
    other = piped("--participant", "P07", "--condition", "told", lines=[])
    assert other.returncode == 2 and "begun with none, not told" in other.stderr


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--participant", "jane@example.org"), "--participant: what was given looks like an e-mail"),
        (("--participant", "P07", "--world", "000a"), "--world: a participant's worlds"),
        (("--condition", "all"), "--condition: one episode has one condition"),
        (("--condition", "yoked"), "--condition: 'yoked' shows"),
        (("--condition", "lively"), "--condition: there is no condition"),
        (("--worlds", "3"), "--worlds: one episode"),
        (("--world", "999"), "--world: suite 'quick' has no world"),
        (("--deadline", "0"), "deadline"),
    ],
)
def test_wrong_use(inline, tmp_path, options, says):
    refused = inline("play", *options)
    assert refused.returncode == 2 and says in refused.stderr and len(refused.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_report_of_the_rules_can_be_asked_for(piped, tmp_path):
    lines = [*["wait"] * 12, "Nobody may take anything that is brack.", ""]
    told = piped(*SHORT, "--report", lines=lines)
    assert told.returncode == 0
    (record,) = records(tmp_path / "runs" / "play-quick-1")
    assert record["report_scores"]["exact"]


def test_completion():
    acts = _Acts()
    acts.phrases = ["take the ash jar", "take the iron jar", "greet Mira", "say ", "wait"]

    def found(line):
        return [c.text for c in acts.get_completions(Document(line), CompleteEvent())]

    assert found("") == ["take ", "greet ", "say ", "wait"]
    assert found("ta") == ["take the ash jar", "take the iron jar"]
    assert found("take ir") == ["take the iron jar"] == found("take jar")[1:]
    assert found("take it") == [] == found("jar")
    assert begins("TAKE JAR", "take the ash jar") and not begins("take jar ash", "take the ash jar")


def test_lines_fit_and_nothing_in_them_is_obeyed():
    lines = laid_out("  Mira said\x1b[31m " + "something long " * 9, 40)
    assert max(map(len, lines)) <= 40 and lines[0].startswith("  Mira said\\x1b[31m")
    assert all(line.startswith("    ") for line in lines[1:])
