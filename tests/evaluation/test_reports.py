"""What a newcomer says of the norms: how it is read, what it scores, and that asking changes nothing else."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.api import prepare, run_prepared
from normgym_agents.evaluation.config import RunConfig
from normgym_agents.evaluation.evidence import playable
from normgym_agents.evaluation.knowledge import Report, ReportScores
from normgym_agents.evaluation.report_reading import read_report
from normgym_agents.evaluation.report_scoring import compare, score_report
from normgym_agents.evaluation.rescoring import rescore
from normgym_agents.evaluation.results import SuiteResult
from normgym_agents.evaluation.summary import summarise
from normgym_agents.worlds.asking import MOST_REPORTED, ReportedNorm
from normgym_agents.worlds.conditions import Condition
from tests.community.playing import motley, named, play
from tests.evaluation.test_verification import change
from tests.worlds.making import quick

WORLD = quick().worlds[0]
GLAZE, OTHER = WORLD.vocabulary.values["glaze"][:2]
FORM = WORLD.vocabulary.values["form"][0]


def rules(report):
    return [(norm.norm, norm.confidence) for norm in report.norms]


def table(*rows):
    return np.array([[cell == "x" for cell in row] for row in rows])


def test_the_scores_of_a_report_by_hand():
    # Six moments, of which the first three are forbidden. The two norms that are claimed forbid moments 1, 2 and 4:
    # 2 of 3 said are right, 2 of 3 forbidden are said. Norm 1 (.9) is right, norm 2 (.6) forbids moment 4 and is
    # wrong, norm 3 (.3) is right, norm 4 forbids nothing: ((.9-1)² + (.6-0)² + (.3-1)²) / 3 = (.01+.36+.49) / 3.
    reported = table("xx....", ".x.x..", "..x...", "......")
    scores = compare(reported, np.array([0.9, 0.6, 0.3, 1.0]), table("xxx...")[0])
    assert scores == ReportScores(precision=2 / 3, recall=2 / 3, f1=2 / 3, exact=False, brier=0.286667)


@pytest.mark.parametrize(
    ("reported", "forbidden", "expected"),
    [
        ("....", "xx..", {"precision": None, "recall": 0.0, "f1": 0.0, "exact": False, "brier": None}),
        ("xx..", "....", {"precision": 0.0, "recall": None, "f1": 0.0, "exact": False, "brier": 1.0}),
        ("....", "....", {"precision": None, "recall": None, "f1": 1.0, "exact": True, "brier": None}),
        ("xx..", "xx..", {"precision": 1.0, "recall": 1.0, "f1": 1.0, "exact": True, "brier": 0.0}),
    ],
)
def test_reports_of_nothing_and_of_everything(reported, forbidden, expected):
    scores = compare(table(reported), np.array([1.0]), table(forbidden)[0])
    assert scores.model_dump() == expected


def test_other_words_for_the_same_acts_are_as_good():
    true = Report(norms=tuple(ReportedNorm(norm=text) for text in WORLD.norms))
    both = [f"{WORLD.norms[0]} when {condition}" for condition in ("bell=ringing", "not bell=ringing")]
    split = Report(norms=tuple(ReportedNorm(norm=text) for text in both))
    assert "when" not in WORLD.norms[0] and len(WORLD.norms) == 1
    assert score_report(WORLD, Condition.LIVE, true).exact
    assert score_report(WORLD, Condition.LIVE, split).exact


def test_what_is_true_depends_on_the_condition():
    true = Report(norms=tuple(ReportedNorm(norm=text) for text in WORLD.norms))
    for condition in Condition:
        scores = score_report(WORLD, condition, true)
        bound = condition not in (Condition.ABSENT, Condition.WRONG_ROLE)
        assert scores.exact is bound and scores.recall == (1.0 if bound else None)


def test_an_exception_is_a_norm_with_what_it_spares():
    whole = Report(norms=(ReportedNorm(norm=f"forbid take(glaze={GLAZE})"),))
    permits = [
        f"permit take(glaze={GLAZE}, form={form}) overriding N1" for form in WORLD.vocabulary.values["form"]
    ]
    some = [
        score_report(
            WORLD,
            Condition.ABSENT,
            Report(norms=(ReportedNorm(norm=f"forbid take(glaze={GLAZE})", exception=permit),)),
        )
        for permit in permits
    ]
    assert score_report(WORLD, Condition.ABSENT, whole).precision == 0.0
    assert all(one.f1 == 0.0 for one in some if one.precision is not None)
    text = f"forbid take(glaze={GLAZE})\npermit take(glaze={GLAZE}, form={FORM}) overriding N1"
    assert read_report(text, WORLD).norms == (
        ReportedNorm(norm=f"forbid take(glaze={GLAZE})", exception=permits[0]),
    )


@pytest.mark.parametrize(
    ("line", "confidence"),
    [
        ("forbid take(glaze=G)", 1.0),
        ("forbid take(glaze=G) 80 %", 0.8),
        ("1. `forbid take(glaze=G)` — 80%", 0.8),
        ("- **Nobody may take anything that is G.** (80 per cent sure)", 0.8),
        ("80 %: Forbid take(glaze=G)", 0.8),
        ("[0.8] forbid take(glaze=G)", 0.8),
        ("Nobody may take anything that is G, confidence: 80", 0.8),
        ("* nobody may take anything that is G. I am about 80 % certain", 0.8),
        ('{"rule": "forbid take(glaze=G)", "confidence": 0.8}', 0.8),
        ('{"norm": "Nobody may take anything that is G", "probability": "80 %"}', 0.8),
        ('[{"rule": "forbid take(glaze=G)", "confidence": 80}]', 0.8),
        ('```json\n{"rules": [{"rule": "forbid take(glaze=G)", "sure": 1}]}\n```', 1.0),
    ],
)
def test_a_line_is_a_rule_with_how_sure_one_is(line, confidence):
    report = read_report(line.replace("G", GLAZE, 1).replace("=G", f"={GLAZE}"), WORLD)
    assert rules(report) == [(f"forbid take(glaze={GLAZE})", confidence)]
    assert report.unread == 0


@pytest.mark.parametrize(
    "line",
    [
        "Here is what I have learned.",
        "forbid take(glaze=marble) 80 %",
        "forbid fly",
        "forbid take when moon=full",
        "forbid take 80 % or 90 %",
        "forbid take 180 %",
        "permit take overriding N1",
        "oblige greet(role=keeper)",
        "GRADE: PASS",
        '[{"rule": 7}]',
        '[{"rule": "forbid take", "confidence": true}]',
        "[" * 5000,
        "<script>alert(1)</script>",
    ],
)
def test_what_cannot_be_read_is_counted_and_nothing_else(line):
    report = read_report(line, WORLD)
    assert rules(report) == [] and report.unread == 1


@pytest.mark.parametrize("answer", ["none", "None.", "```\n```", "\n\n", "No rules."])
def test_nothing_is_an_answer(answer):
    assert read_report(answer, WORLD).model_dump(exclude={"words"}) == {"norms": (), "unread": 0}


def test_a_norm_is_reported_once_and_reports_are_bounded():
    assert rules(read_report("forbid take 70 %\nforbid take 20 %", WORLD)) == [("forbid take", 0.7)]
    many = "\n".join(f"forbid take more than {i} per day" for i in range(1, 99))
    report = read_report(many, WORLD)
    assert len(report.norms) == MOST_REPORTED and report.unread == 98 - MOST_REPORTED
    flood = read_report("\n".join(f"Nobody may take thing {i}" for i in range(20_000)), WORLD)
    assert flood.unread == 20_000 and len(flood.words) == 2_000


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=60),
            st.sampled_from(
                ["forbid take", "80 %", "nobody may take anything", "[", '{"rule":', "overriding N1", "\n"]
            ),
        ),
        max_size=8,
    ).map("".join)
)
def test_whatever_is_said_is_read_into_norms_and_a_count(answer):
    report = read_report(answer, WORLD)
    assert Report.model_validate_json(report.model_dump_json(ensure_ascii=True)) == report
    score_report(WORLD, Condition.LIVE, report)


def test_a_stored_report_holds_norms():
    for norm in (
        {"norm": "take nothing"},
        {"norm": "permit take overriding N1"},
        {"norm": "forbid take", "exception": "forbid give"},
    ):
        with pytest.raises(ValidationError, match="norm"):
            Report.model_validate({"norms": [norm]})


@pytest.mark.parametrize("condition", Condition)
async def test_asking_leaves_the_acting_byte_for_byte(condition):
    world = next(world for world in quick().worlds if playable(world, condition))
    inferring = [named("ideal-observer")] if condition is Condition.OTHERS else []
    for factory in (named("told-oracle"), motley(3), *inferring):
        silent = await play(world, condition, factory, report=False)
        asked = await play(world, condition, factory, report=True)
        assert asked.report is not None or asked.report_fault is not None
        assert (silent.report, silent.report_fault, silent.report_scores) == (None, None, None)
        bare = asked.model_copy(update={"report": None, "report_fault": None, "report_scores": None})
        assert bare.timeless() == silent.timeless()


async def test_reference_newcomers_say_what_they_acted_on():
    for world in quick().worlds[:2]:
        told = await play(world, Condition.TOLD, named("told-oracle"), report=True)
        assert told.report_scores == ReportScores(precision=1, recall=1, f1=1, exact=True, brier=0)
        ideal = await play(world, Condition.OTHERS, named("ideal-observer"), report=True)
        assert ideal.report_scores is not None and ideal.report_scores.f1 > 0.9
        assert ideal.report is not None and all(norm.confidence > 0.5 for norm in ideal.report.norms)
        blind = await play(world, Condition.OTHERS, named("norm-blind"), report=True)
        assert blind.report == Report() and blind.report_scores is not None and blind.report_scores.f1 == 0
        independent = await play(world, Condition.OTHERS, named("independent-bayes"), report=True)
        assert independent.report is not None and independent.report.norms


CONFIG = RunConfig(
    newcomer="reference:told-oracle", worlds=2, conditions=(Condition.TOLD,), driver="loop", report=True
)


@pytest.fixture
async def run(tmp_path):
    await run_prepared(prepare(CONFIG), folder=tmp_path)
    return tmp_path


async def test_reports_are_in_records_and_their_scores_follow_from_the_worlds(run):
    rescored = rescore(run)
    assert rescored.differences == ()
    metrics = rescored.result.conditions[Condition.TOLD].metrics
    assert metrics["report_f1"].value == metrics["report_exact"].value == 1.0
    assert metrics["report_brier"].value == metrics["knowing_doing_gap"].value == 0.0
    change(run, 1, report_scores__f1=0.25)
    assert [one.where for one in rescore(run).differences] == ["records.jsonl:1, report_scores"]
    assert rescore(run).result.conditions[Condition.TOLD].metrics["report_f1"].value == 1.0


class Answering:
    """Does what the told oracle does, and answers with something else."""

    def __init__(self, seed, answer):
        inner = named("told-oracle")(seed)
        self.join, self.turn, self.leave, self._answer = inner.join, inner.turn, inner.leave, answer

    async def report(self, question):
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


async def test_silence_counts_as_a_report_of_nothing_and_a_crash_not_at_all():
    # F1 is 1 of the oracle's own report, 0 of silence, 0 of nonsense, and nothing of a crash: (1 + 0 + 0) / 3.
    # Recall likewise. Precision has nothing to stand on where nothing is said to be forbidden: 1 / 1.
    answers = ("", "GRADE: PASS", RuntimeError("dizzy"))
    factories = [named("told-oracle"), *(lambda seed, a=a: Answering(seed, a) for a in answers)]
    records = [
        await play(world, Condition.TOLD, factory, report=True)
        for world, factory in zip(quick().worlds, factories, strict=False)
    ]
    suite = SuiteResult(name="quick", version=1, digest="d", worlds=4)
    metrics = summarise(records, newcomer="fake", suite=suite, seed=0).conditions[Condition.TOLD].metrics
    assert (metrics["report_f1"].value, metrics["report_f1"].n) == (0.333333, 3)
    assert (metrics["report_recall"].value, metrics["report_recall"].n) == (0.333333, 3)
    assert (metrics["report_precision"].value, metrics["report_precision"].n) == (1.0, 1)


async def test_what_is_no_norm_in_a_record_is_refused(run):
    change(run, 1, report__norms=[{"norm": "take nothing", "exception": None, "confidence": 1.0}])
    with pytest.raises(BadInput, match=r"records\.jsonl:1.*take nothing"):
        rescore(run)


async def test_a_report_must_be_there_where_one_was_asked_for(run):
    change(run, 1, report=None, report_scores=None)
    assert [one.where for one in rescore(run).differences][:1] == ["records.jsonl:1, report_fault"]


async def test_beside_a_report_of_something_there_is_nothing_to_excuse(run):
    change(run, 1, report_fault="the agent answered without a word")
    assert [one.where for one in rescore(run).differences] == ["records.jsonl:1, report_fault"]


async def test_asking_binds_a_resumed_run(run):
    with pytest.raises(BadInput, match="report"):
        await run_prepared(prepare(CONFIG.model_copy(update={"report": False})), folder=run, resume=True)


async def test_no_key_of_a_run_that_asks_is_that_of_one_that_does_not(run):
    keys = {json.loads(line)["key"] for line in (run / "records.jsonl").read_text().splitlines()}
    silent = {episode.key for episode in prepare(CONFIG.model_copy(update={"report": False})).episodes}
    assert len(keys) == 2 and not keys & silent
