from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from normgym_agents.cli import progress as progress_module
from normgym_agents.cli.progress import progress_bar
from normgym_agents.cli.render import interval, percent, places, results, signed
from normgym_agents.evaluation.knowledge import Report
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.results import RunResult, SuiteResult
from normgym_agents.evaluation.runner import Progress
from normgym_agents.evaluation.summary import summarise
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.fakes import record


def result(*records, name="fake", warnings=()) -> RunResult:
    suite = SuiteResult(name="small", version=1, digest="d", worlds=4)
    summary = summarise(records, newcomer=name, suite=suite, seed=0)
    return RunResult(**dict(summary), records=records, warnings=warnings)


def drawn(shown: RunResult, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), highlight=False)
    console.print(results(shown, console))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0.0, "0%"), (0.004, "<1%"), (0.5, "50%"), (0.996, ">99%"), (1.0, "100%")],
)
def test_only_nothing_is_shown_as_nothing_and_only_all_as_all(value, text):
    assert percent(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.0, "0"), (-0.001, "0"), (0.25, "+25"), (-0.25, "−25")])
def test_differences_have_their_sign(value, text):
    assert signed(value) == text


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_the_table_fits(width):
    worlds = [record(f"{n}{t}", condition=c) for n in range(3) for t in "ab" for c in Condition]
    assert max(map(len, drawn(result(*worlds), width).splitlines())) <= width
    few = [one for one in worlds if one.condition in {Condition.LIVE, Condition.NONE}]
    text = drawn(result(*few), width)
    assert max(map(len, text.splitlines())) <= width
    assert ("━" in text) is (width >= 100)


@pytest.mark.parametrize("width", [40, 60, 74, 75, 80, 100, 200])
def test_no_number_is_ever_cut(width):
    # 8 of 9 worlds passed under live, so that there is an interval; half the acts are invalid.
    records = [record(f"{n}{t}", condition=c, invalid=5) for n in range(4) for t in "ab" for c in Condition]
    shown = result(record("9a", task=False, invalid=5), *records)
    text = drawn(shown, width)
    assert "…" not in text
    for condition, found in shown.conditions.items():
        assert condition.value in text
        assert interval(found.metrics["joint_success"]).strip() in text
    assert text.count("50%") >= len(shown.conditions)
    assert max(map(len, text.splitlines())) <= width


def test_where_no_norm_binds_there_is_nothing_to_caution_of():
    lost = record("1a", condition=Condition.ABSENT, outcome=Outcome.MODEL_FAILED)
    text = drawn(result(record("1b", condition=Condition.ABSENT, opportunities=0), lost), 200)
    assert "nothing to break" not in text and "had all of them" not in text
    assert "! 1 of 2 episodes not scored (1 model failed), and owed when resumed" in text


def gaining(told: int) -> RunResult:
    """4 worlds of 4 opportunities: none keeps 1, others 2, told so many; one transcript 3 as its own, 2 else."""
    kept = {
        Condition.NONE: 1,
        Condition.TOLD: told,
        Condition.OTHERS: 2,
        Condition.REPLAY_OWN: 3,
        Condition.REPLAY_OTHERS: 2,
    }
    return result(
        *(
            record(f"{n}a", condition=condition, opportunities=4, violations=4 - complied)
            for condition, complied in kept.items()
            for n in range(4)
        )
    )


def test_gains_are_relative_to_what_telling_adds():
    text = drawn(gaining(told=4), 100)
    assert re.search(r"^others +0\.33 *$", text, re.M)  # (2 - 1) / (4 - 1)
    learned = text[text.index("gain") :].partition("\n\n")[0]
    assert not re.search(r"^(none|told) ", learned, re.M)  # the ends of the scale gain nothing on it
    # Four pairs that agree rule out little: of others 1 - 0.025**(1/4) = 60 % may be at -4/3 or 4/3.
    assert re.search(r"^vicarious discount +0\.33 +\[−0\.67 to 0\.94\] +p = 0\.125 +n = 4 *$", text, re.M)
    assert "vicarious discount, raw" not in text


def test_where_telling_adds_nothing_differences_stand_in_and_say_so():
    text = drawn(gaining(told=1), 100)
    assert re.search(r"^others +\+25 pts *$", text, re.M)
    assert re.search(r"^vicarious discount +– +told adds less than 10 points *$", text, re.M)
    assert re.search(
        r"^vicarious discount, raw +\+25 points +\[−50 to \+70\] +p = 0\.125 +n = 4 *$", text, re.M
    )


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_nothing_of_what_was_learned_is_cut(width):
    text = drawn(gaining(told=4), width)
    assert "…" not in text and max(map(len, text.splitlines())) <= width
    assert "0.33" in text and "p = 0.125" in text


def test_many_conditions_are_not_explained_each():
    few, many = (
        [record("1a", condition=c) for c in conditions] for conditions in (list(Condition)[:2], Condition)
    )
    assert Condition.LIVE.summary in drawn(result(*few), 200)
    assert Condition.LIVE.summary not in drawn(result(*many), 200)


def test_a_run_without_an_ended_episode_has_something_to_show():
    assert "no episode has ended" in drawn(result(), 40)


def test_what_is_not_scored_is_bounded_and_explained():
    lost = [record("2a", outcome=Outcome.MODEL_FAILED), record("2b", outcome=Outcome.COMMUNITY_FAILED)]
    text = drawn(result(record("1a"), record("1b", opportunities=0), *lost), 200)
    assert "! 2 of 4 episodes not scored (1 model failed, 1 community failed), and owed when resumed" in text
    assert "! joint success had all of them failed or passed: live 25% to 75%" in text
    assert "! episodes with nothing to break, and so no success: live 1 of 2" in text


def test_a_clean_run_has_no_cautions():
    assert "!" not in drawn(result(record("1a"), record("1b")))


def test_faults_are_counted_and_the_most_frequent_come_first():
    failed = [
        record(f"{n}a", outcome=Outcome.NEWCOMER_FAILED).model_copy(update={"error": error})
        for n, error in enumerate(["rare", "often", "often", "[bold]x\x1b[2J\ud800", "fourth"])
    ]
    text = drawn(result(*failed, warnings=("spans got lost",)), 200)
    assert text.index("! 2 × newcomer failed: often") < text.index(
        "! 1 × newcomer failed: [bold]x\\x1b[2J\\ud800"
    )
    assert "! and 1 other fault: see `error` in the records" in text
    assert "! spans got lost" in text


def test_asking_in_vain_is_counted_with_what_it_counts_as():
    silent = {"report": Report(), "report_fault": "the agent answered without a word"}
    broken = {"report_fault": "RuntimeError: dizzy"}
    records = [record(name).model_copy(update=silent) for name in ("1a", "1b")]
    text = " ".join(drawn(result(*records, record("2a").model_copy(update=broken)), 200).split())
    assert (
        "! 2 × asked for the norms, scored as a report of nothing: the agent answered without a word" in text
    )
    assert "! 1 × asked for the norms, the report not scored: RuntimeError: dizzy" in text


def test_markup_in_names_is_shown_and_not_obeyed():
    assert "[red]me[/red]" in drawn(result(record("1a"), name="[red]me[/red]"))


def test_only_files_that_are_there_are_pointed_at(tmp_path):
    (tmp_path / "records.jsonl").touch()
    console = Console(width=200, file=io.StringIO())
    console.print(places(tmp_path, tmp_path))
    assert isinstance(console.file, io.StringIO)
    assert str(tmp_path / "records.jsonl") in console.file.getvalue()
    assert "report" not in console.file.getvalue()


@pytest.mark.parametrize(
    ("terminal", "shown", "silent"), [(True, True, False), (True, False, True), (False, True, True)]
)
def test_the_bar_is_for_terminals(monkeypatch, terminal, shown, silent):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
    monkeypatch.setattr(progress_module, "err", lambda: console)
    with progress_bar(shown=shown) as follow:
        follow(Progress(done=0, total=4, last=None))
        follow(Progress(done=1, total=4, last=record("1a")))
        follow(Progress(done=2, total=4, last=record("1b", task=False)))
        follow(Progress(done=3, total=4, last=record("2a", outcome=Outcome.MODEL_FAILED)))
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert (text == "") is silent
    assert silent or "1 passed, 1 failed, 1 unscored" in text
