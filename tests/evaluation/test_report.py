from __future__ import annotations

from html.parser import HTMLParser

import pytest

from normgym_agents.community.log import ActEvent, TaskEvent, VerdictEvent
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.report import render_report, write_report
from normgym_agents.evaluation.results import RunResult, SuiteResult
from normgym_agents.evaluation.summary import summarise
from normgym_agents.evaluation.texts import on_one_line, printable
from normgym_agents.norms.norm import Family
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Condition, Phase
from tests.evaluation.fakes import record

INJECTION = "</td><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}\x1b[2J\ud800\u202e"


class Page(HTMLParser):
    """Every tag and attribute of a page, and its text; each tag that opens must close."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def result(*records, name="fake") -> RunResult:
    suite = SuiteResult(name="small", version=1, digest="d", worlds=4)
    return RunResult(**dict(summarise(records, newcomer=name, suite=suite, seed=0)), records=records)


def told(**changes):
    where = {"phase": Phase.PROBE, "day": 3}
    act = Act(verb="say", say=INJECTION)
    return record("1a", **changes).model_copy(
        update={
            "events": (
                ActEvent(**where, round=1, actor=INJECTION, newcomer=True, act=act, words=INJECTION),
                ActEvent(**where, round=2, actor="Tam", newcomer=True, fault=INJECTION),
                VerdictEvent(
                    **where,
                    round=1,
                    actor="Tam",
                    newcomer=True,
                    norm="N1",
                    family=Family.PROHIBITION,
                    verdict=Verdict.VIOLATED,
                ),
                TaskEvent(**where, round=9, done=False, acts=9, budget=9),
            ),
            "error": INJECTION,
            "norms": (INJECTION,),
        }
    )


def test_the_page_says_what_the_summary_says():
    page = Page(
        render_report(
            result(
                record("1a"),
                record("1b"),
                record("2a", violations=1),
                record("2b", opportunities=0),
                *(record(w, condition=Condition.NONE, task=False) for w in ("1a", "1b", "2a", "2b")),
            )
        )
    )
    assert "50%joint success under live" in page.text.replace("\n", "")
    assert "live − none+50 points" in page.text.replace("\n", "")
    assert "nothing to break, and so no success: live 1 of 4." in " ".join(page.text.split())
    assert "✓✓" in page.text and "✗∅" in page.text


def test_everything_that_has_a_value_is_on_the_page_and_nothing_else():
    worlds = ("1a", "1b", "2a", "2b")
    page = Page(
        render_report(
            result(
                *(record(w, condition=Condition.NONE, violations=2) for w in worlds),
                *(record(w, condition=Condition.TOLD) for w in worlds),
                *(record(w, condition=Condition.OTHERS, violations=1) for w in worlds),
                *(record(w, condition=Condition.GHOST, violations=2) for w in worlds),
            )
        )
    )
    assert page.tags.count("details") == 6  # four themes with values, one episode with its only part
    text = " ".join(page.text.split())
    # Compliance 0, 1, 1/2, 0: the gain is half of what telling adds, and sanctions are all of it.
    assert "conditionlearning gainlearning gain, raw" in text
    # Two pairs that agree say little of others: 1 - 0.025**(1/2) = 84 % may be at -1 or +1.
    assert "others0.50−0.76 to 0.92+50−76 to +92" in text
    assert "imitation gap +50 points−76 to +92" in text
    assert "imitation gapcompliance after acts with sanctions" in text
    for absent in ("regret", "habit copying", "report F1", "pass^k", "agency gap"):
        assert absent not in text
    assert "`" not in page.text


def test_where_telling_adds_nothing_the_page_says_why_there_is_no_discount():
    conditions = (Condition.NONE, Condition.TOLD, Condition.REPLAY_OWN, Condition.REPLAY_OTHERS)
    page = Page(render_report(result(*(record("1a", condition=c) for c in conditions))))
    text = " ".join(page.text.split())
    assert "vicarious discount–told adds less than 10 points1" in text
    assert "vicarious discount, raw 0 points" in text


def test_where_no_norm_binds_nobody_is_cautioned():
    lost = record("1a", condition=Condition.ABSENT, outcome=Outcome.MODEL_FAILED)
    page = Page(render_report(result(lost, record("1b", condition=Condition.ABSENT, opportunities=0))))
    assert "1 of 2 episodes not scored (1 model failed)." in page.text
    assert "nothing to break, and" not in page.text and "would be" not in page.text


def test_unscored_episodes_are_bounded_on_the_page():
    page = Page(render_report(result(record("1a"), record("1b", outcome=Outcome.MODEL_FAILED))))
    assert "1 of 2 episodes not scored (1 model failed)" in page.text
    assert "50% had all of them failed, 100% had all passed" in page.text


@pytest.mark.parametrize("joint", [True, False])
def test_nothing_a_newcomer_wrote_runs_or_loads(joint):
    html = render_report(result(told(task=joint), name=INJECTION))
    page = Page(html)
    assert "script" not in page.tags and "img" not in page.tags
    assert not any(name.startswith("on") or name in {"src", "href"} for name, _ in page.attributes)
    assert "alert(1)" in page.text and "{{ 7 * 7 }}" in page.text and "49" not in page.text
    assert not {"\x1b", "\ud800", "\u202e"} & set(html)
    assert "default-src 'none'" in html and "http://" not in html and "https://" not in html


def test_a_run_without_any_episode_still_has_a_page():
    assert "No episode was scored." in Page(render_report(result())).text


def test_the_page_is_written_into_the_folder(tmp_path):
    path = write_report(tmp_path, result(told()))
    assert path == tmp_path / "report.html"
    assert path.read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – text", "plain – text"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\ud800\u202eb", "a\\ud800\\u202eb"),
        ("nul\x00", "nul\\x00"),
    ],
)
def test_printable_shows_what_it_will_not_obey(text, shown):
    assert printable(text) == shown
    assert printable(text).encode("utf-8")


def test_on_one_line():
    assert on_one_line("a\n  b\tc\x07") == "a b c\\x07"
