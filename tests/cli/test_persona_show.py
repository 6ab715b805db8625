"""`normgym persona show` and `try`: what is told of somebody, and what it is like to meet them."""

from __future__ import annotations

import io
import json
import re
import shutil

import pytest

from normgym_agents.assets import asset
from normgym_agents.testing import Fail, Say, ScriptedEndpoint
from tests.minds.playing import MODEL, decides, turn

VELK = "forbid take(glaze=velk)"
BREAKS = "take a velk"


@pytest.fixture
def typed(monkeypatch):
    """Lets a person type these lines."""

    def type_in(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_in


@pytest.fixture
def speaking(monkeypatch):
    """Lets a model answer, and keeps what it was asked."""
    opened: list[ScriptedEndpoint] = []

    def speak(script, *, strict=True) -> ScriptedEndpoint:
        endpoint = ScriptedEndpoint(script, strict=strict)
        endpoint.start()
        opened.append(endpoint)
        for name, value in endpoint.env().items():
            monkeypatch.setenv(name, value)
        return endpoint

    yield speak
    for endpoint in opened:
        endpoint.close()


def day(typed, *lines: str) -> None:
    """A day on which these lines come first, and then nothing but waiting."""
    typed(*lines, *["wait"] * 14)


@pytest.mark.parametrize("kind", ["voiced", "autonomous"])
def test_what_is_shown_is_what_the_model_is_told_letter_for_letter(inline, typed, speaking, kind):
    endpoint = speaking(lambda request: turn() if decides(request) else Say("Cold, this morning."))
    shown = inline("persona", "show", "mira", "--kind", kind, "--norms", VELK)
    assert "1. Nobody may take anything that is velk." in shown.stdout
    day(typed, "say good morning to you all")
    arguments = ("--kind", kind, "--model", f"{MODEL}?max_retries=0", "--norms", VELK)
    assert inline("persona", "try", "Mira", *arguments).returncode == 0
    assert endpoint.requests
    mark = re.compile(r"canary-[0-9a-f]{16}")
    for request in endpoint.requests:
        assert mark.sub("", request.system + "\n") == mark.sub("", shown.stdout)


def test_what_is_shown_of_somebody_who_lives_there(inline):
    done = inline("persona", "show", "mira")
    assert done.returncode == 0
    assert done.stderr == "Mira, in the community pottery-yard (where they live)\n"
    assert "1. Sarn ware is left alone while the bell rings.\n" in done.stdout


def test_an_agreement_is_shown(inline, tmp_path):
    (tmp_path / "communities").mkdir()
    text = asset("personas", "communities", "pottery-yard.yaml").read_text()
    votes = ", ".join(f"{who}: yes" for who in ("mira", "sef", "oren", "dalia", "bram", "yusra"))
    text += (
        "agreements:\n  - proposed_by: mira\n    rule: forbid take(form=bowl)\n"
        f"    statement: Bowls stay.\n    vote: {{{votes}}}\n    outcome: adopted\n"
    )
    (tmp_path / "communities" / "pottery-yard.yaml").write_text(text)
    done = inline("persona", "show", "sef", "--folder", ".")
    assert "- Mira proposed: “Bowls stay.” The vote was yes: Mira, you, Oren" in done.stdout


def test_a_new_persona_is_shown_as_a_guest(inline, tmp_path):
    new = (
        "--name",
        "Odile",
        "--story",
        "Keeps bees.",
        "--voice",
        "Short.",
        "--goal",
        "Honey.",
        "--temperament",
        "wary",
    )
    assert inline("persona", "new", "--yes", *new, "--secret", "Sold a hive twice.").returncode == 0
    done = inline("persona", "show", "odile", "--folder", "personas", "--community", "noon-kitchen")
    assert "as a guest" in done.stderr
    assert "Sold a hive twice." in done.stdout
    assert "You are Odile" in done.stdout and "noon kitchen" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("show", "mirra"), ("nobody called 'mirra'", "did you mean 'mira'")),
        (("show", "mira", "--kind", "scripted"), ("--kind", "voiced | autonomous")),
        (("show", "mira", "--norms", "forbid"), ("--norms", "'forbid'")),
        (("show", "mira", "--norms", "forbid steal"), ("--norms", "steal")),
        (("show", "mira", "--community", "mill"), ("communities/mill.yaml",)),
        (("show", "mira", "--folder", "gone"), ("--folder", "no such folder")),
        (("try", "mira", "--kind", "voiced"), ("--kind", "--model SPEC")),
        (("try", "mira", "--kind", "scripted", "--model", MODEL), ("--kind", "no --model")),
        (("try", "mira", "--model", "gpt"), ("names no chat model",)),
        (("try", "mira", "--model", MODEL, "--deadline", "0"), ("--deadline",)),
    ],
)
def test_what_cannot_be_shown(inline, monkeypatch, arguments, parts):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    done = inline("persona", *arguments)
    assert done.returncode == 2
    for part in parts:
        assert part in done.stderr


def test_breaches_are_answered_each_time_and_nothing_else_is(inline, typed):
    day(typed, "greet Mira", "wait")
    kept = inline("persona", "try", "mira", "--norms", "forbid greet(role=carrier)")
    assert "frowned at you" not in kept.stdout
    day(typed, "greet Mira", "greet Mira", "greet Mira")
    done = inline("persona", "try", "mira", "--norms", "forbid greet(role=keeper)")
    assert (done.returncode, kept.returncode) == (0, 0)
    assert done.stdout.count("Mira frowned at you") == 2  # as her card has it
    assert done.stdout.count("Mira spoke sharply to you") == 1
    assert done.stdout.rstrip().endswith("The day is over.")


def test_a_voiced_member_has_words_for_it_and_talks(inline, typed, speaking):
    speaking(
        lambda request: Say(
            "Honestly, Tam."
            if "What do you say?" in str(request.messages[-1]["content"])
            else "Ask me after supper."
        )
    )
    day(typed, "greet Mira", "say what are the rules here")
    done = inline(
        "persona", "try", "mira", "--model", f"{MODEL}?max_retries=0", "--norms", "forbid greet(role=keeper)"
    )
    assert done.returncode == 0
    assert "Honestly, Tam." in done.stdout
    assert "Ask me after supper." in done.stdout


def test_an_autonomous_member_decides_whether_to_answer(inline, typed, speaking):
    answer = {"whom": "Tam", "how": "rebuke", "over": 1, "words": "Tam!"}
    speaking(
        lambda request: turn(
            answers=(answer,) if "greeted you" in str(request.messages[-1]["content"]) else ()
        )
    )
    day(typed, "wait", "greet Mira")
    arguments = (
        "--kind",
        "autonomous",
        "--model",
        f"{MODEL}?max_retries=0",
        "--norms",
        "forbid greet(role=keeper)",
    )
    done = inline("persona", "try", "mira", *arguments)
    assert done.returncode == 0
    assert done.stdout.count("spoke sharply to you") == 1


def test_a_model_that_fails_is_one_line(inline, typed, speaking):
    speaking(lambda request: Fail(500), strict=False)
    day(typed, "say good morning")
    done = inline("persona", "try", "mira", "--model", f"{MODEL}?max_retries=0")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("normgym: the model of Mira (openai:")


def test_whoever_leaves_is_done(inline, typed):
    typed("greet Mira", "quit")
    done = inline("persona", "try", "mira")
    assert (done.returncode, "The day is over" in done.stdout) == (0, False)


def test_ones_own_community_is_played(inline, typed, tmp_path):
    for kind in ("communities", "settings"):
        (tmp_path / kind).mkdir()
        text = asset("personas", kind, "pottery-yard.yaml").read_text().replace("pottery-yard", "mill")
        (tmp_path / kind / "mill.yaml").write_text(text.replace("the pottery yard", "the mill"))
    shutil.copytree(asset("personas", "personas"), tmp_path / "personas")
    day(typed)
    done = inline("persona", "try", "sef", "--folder", ".")
    assert "Sef, in the community mill" in done.stderr
    assert "You are new at the mill" in done.stdout
    assert json.loads(inline("persona", "check", "--json").stdout) == []


def test_a_whole_community_is_visited(inline, typed):
    typed(*["wait"] * 40)
    done = inline("persona", "try", "noon-kitchen")
    assert done.returncode == 0
    assert "So far you have only watched." in done.stdout
    assert done.stdout.count("A new day; the work is yours.") == 2
    wrong = inline("persona", "try", "noon-kitchen", "--norms", VELK)
    assert wrong.returncode == 2 and "is a community" in wrong.stderr
