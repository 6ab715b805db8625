"""What the spans of an episode are, and what a newcomer can see of them while it runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from normgym_agents.telemetry import NO_SPANS, EpisodeSpans, names


class Recorder:
    """A tracer whose ended spans can be looked up by name."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self._provider = TracerProvider(shutdown_on_exit=False)
        self._provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = self._provider.get_tracer("test")

    def all(self) -> tuple[ReadableSpan, ...]:
        return self._exporter.get_finished_spans()

    def one(self, name: str) -> ReadableSpan:
        (found,) = [span for span in self.all() if span.name == name]
        return found


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def parent_of(span: ReadableSpan) -> int | None:
    return None if span.parent is None else span.parent.span_id


def id_of(span: ReadableSpan) -> int:
    context = span.get_span_context()
    assert context is not None
    return context.span_id


EPISODE: dict[str, Any] = {"world": "quick-3", "condition": "live", "trial": 0, "newcomer": "agent.py:graph"}


def play(spans: EpisodeSpans) -> None:
    with spans.episode(world="quick-3", condition="live", trial=2, newcomer="agent.py:graph"):
        with spans.round("probe", 7):
            with spans.turn("agent.py:graph", "You are in the shed.") as turn:
                turn.reply("take ash")
            spans.adjudication(actor="Tam", norm="N1", kind="F1", verdict="violated")
            spans.sanction_event(kind="frown", by="Mira", to="Tam")
        spans.evaluation_result("joint_success", 0.0, "fail")
        spans.evaluation_result("compliance", 0.5)
        spans.outcome("completed")


def test_one_episode_is_one_tree(recorder: Recorder) -> None:
    spans = EpisodeSpans(recorder.tracer, session="run-1")
    play(spans)
    episode, round_, turn, found = (
        recorder.one(name) for name in ("episode", "round", "invoke_agent agent.py:graph", "adjudication")
    )
    assert parent_of(episode) is None
    assert parent_of(round_) == id_of(episode)
    assert parent_of(turn) == parent_of(found) == id_of(round_)
    assert len({span.get_span_context().trace_id for span in recorder.all()}) == 1  # type: ignore[union-attr]  # ended spans have one
    context = episode.get_span_context()
    assert context is not None
    assert spans.trace_id == f"{context.trace_id:032x}"


def test_each_span_says_what_it_is(recorder: Recorder) -> None:
    spans = EpisodeSpans(recorder.tracer, session="run-1")
    play(spans)
    assert recorder.one("episode").attributes == {
        "openinference.span.kind": "CHAIN",
        "normgym.world": "quick-3",
        "normgym.condition": "live",
        "normgym.trial": 2,
        "normgym.newcomer": "agent.py:graph",
        "normgym.outcome": "completed",
        "session.id": "run-1",
    }
    assert recorder.one("round").attributes == {
        "openinference.span.kind": "CHAIN",
        "normgym.phase": "probe",
        "normgym.day": 1,
        "normgym.round": 7,
    }
    assert recorder.one("invoke_agent agent.py:graph").attributes == {
        "openinference.span.kind": "AGENT",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "agent.py:graph",
        "gen_ai.conversation.id": spans.trace_id,
        "agent.name": "agent.py:graph",
        "input.value": "You are in the shed.",
        "input.mime_type": "text/plain",
        "output.value": "take ash",
        "output.mime_type": "text/plain",
    }
    assert recorder.one("adjudication").attributes == {
        "openinference.span.kind": "EVALUATOR",
        "normgym.actor": "Tam",
        "normgym.norm.label": "N1",
        "normgym.norm.kind": "F1",
        "normgym.verdict": "violated",
    }


def test_sanctions_are_events_of_the_round_and_results_of_the_episode(recorder: Recorder) -> None:
    play(EpisodeSpans(recorder.tracer))
    assert [(event.name, event.attributes) for event in recorder.one("round").events] == [
        (
            "normgym.sanction",
            {
                "normgym.sanction.kind": "frown",
                "normgym.sanction.by": "Mira",
                "normgym.sanction.to": "Tam",
            },
        )
    ]
    assert [(event.name, event.attributes) for event in recorder.one("episode").events] == [
        (
            "gen_ai.evaluation.result",
            {
                "gen_ai.evaluation.name": "joint_success",
                "gen_ai.evaluation.score.value": 0.0,
                "gen_ai.evaluation.score.label": "fail",
            },
        ),
        (
            "gen_ai.evaluation.result",
            {"gen_ai.evaluation.name": "compliance", "gen_ai.evaluation.score.value": 0.5},
        ),
    ]


def test_a_newcomer_finds_nothing_of_ours_in_its_current_span_or_above_it() -> None:
    seen: list[ReadableSpan] = []

    class Spy(SimpleSpanProcessor):
        def on_start(self, span: ReadableSpan, parent_context: object = None) -> None:
            seen.append(span)

    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(Spy(InMemorySpanExporter()))
    spans = EpisodeSpans(provider.get_tracer("test"), session="run-1")
    with spans.episode(world="SECRETWORLD", condition="told", trial=0, newcomer="SECRETSPEC"):
        for number in (1, 2):
            with spans.round("probe", number):
                with spans.turn("tam", "You see a jar."):
                    current: object = trace.get_current_span()
                    assert current is seen[-1]
                    visible = [s for s in seen if s.end_time is None]
                    assert [s.name for s in visible] == ["episode", "round", "invoke_agent tam"]
                    assert all(not s.events for s in visible)
                    assert {k for s in visible for k in s.attributes or {}} == {
                        names.OPENINFERENCE_SPAN_KIND,
                        names.GEN_AI_OPERATION_NAME,
                        names.GEN_AI_AGENT_NAME,
                        names.GEN_AI_CONVERSATION_ID,
                        names.OI_AGENT_NAME,
                        names.INPUT_VALUE,
                        names.INPUT_MIME_TYPE,
                    }
                spans.adjudication(actor="Tam", norm="N1", kind="F1", verdict="violated")
                spans.sanction_event(kind="frown", by="Mira", to="Tam")


@pytest.mark.parametrize("what", ["adjudication", "sanction"])
def test_nothing_is_judged_while_the_newcomer_runs(recorder: Recorder, what: str) -> None:
    spans = EpisodeSpans(recorder.tracer)
    with spans.episode(**EPISODE), spans.round("practise", 1), spans.turn("tam", "go"):
        with pytest.raises(RuntimeError, match="turn is open"):
            if what == "adjudication":
                spans.adjudication(actor="Tam", norm="N1", kind="F1", verdict="violated")
            else:
                spans.sanction_event(kind="frown", by="Mira", to="Tam")


@pytest.mark.parametrize("field", ["norm", "kind", "verdict"])
@pytest.mark.parametrize("text", ["forbid take(glaze=iron)", "", "N1\n", "x" * 60])
def test_a_rule_cannot_pass_as_a_label(recorder: Recorder, field: str, text: str) -> None:
    given = {"norm": "N1", "kind": "F1", "verdict": "complied", field: text}
    spans = EpisodeSpans(recorder.tracer)
    with spans.episode(**EPISODE), pytest.raises(ValueError, match="one short word"):
        spans.adjudication(actor="Tam", **given)
    assert "adjudication" not in {span.name for span in recorder.all()}


def test_rounds_can_be_opened_and_closed_in_other_contexts(recorder: Recorder) -> None:
    spans = EpisodeSpans(recorder.tracer)

    async def step(name: str) -> None:
        if name == "open":
            spans.open_round("practise", 1)
        elif name == "turn":
            with spans.turn("tam", "go"):
                await asyncio.sleep(0)
        else:
            spans.close_round()

    async def episode() -> None:
        with spans.episode(**EPISODE):
            for name in ("open", "turn", "close"):
                await asyncio.create_task(step(name))  # each in a context of its own, as graph nodes are

    asyncio.run(episode())
    assert parent_of(recorder.one("invoke_agent tam")) == id_of(recorder.one("round"))


def test_an_episode_is_a_root_even_inside_a_span_of_the_callers(recorder: Recorder) -> None:
    with recorder.tracer.start_as_current_span("caller"):
        play(EpisodeSpans(recorder.tracer))
        assert trace.get_current_span().is_recording()
    assert recorder.one("episode").parent is None


def test_a_failing_newcomer_ends_and_marks_every_open_span(recorder: Recorder) -> None:
    spans = EpisodeSpans(recorder.tracer)
    with pytest.raises(ZeroDivisionError), spans.episode(**EPISODE), spans.round("probe", 1):
        with spans.turn("tam", "go"):
            raise ZeroDivisionError("no jars left")
    for name, text in (
        ("invoke_agent tam", "ZeroDivisionError: no jars left"),
        ("round", "ZeroDivisionError"),
        ("episode", "ZeroDivisionError"),
    ):
        span = recorder.one(name)
        assert span.status.status_code is StatusCode.ERROR
        assert span.status.description == text
        assert (span.attributes or {})["error.type"] == "ZeroDivisionError"
    assert not trace.get_current_span().get_span_context().is_valid


def test_leaving_an_episode_closes_the_round_that_was_left_open(recorder: Recorder) -> None:
    spans = EpisodeSpans(recorder.tracer)
    with spans.episode(**EPISODE):
        spans.open_round("watch", 1)
        spans.open_round("practise", 2)
    assert [span.name for span in recorder.all()] == ["round", "round", "episode"]


def test_results_need_an_episode(recorder: Recorder) -> None:
    with pytest.raises(RuntimeError, match="no episode"):
        EpisodeSpans(recorder.tracer).evaluation_result("joint_success", 1.0)


def test_two_episodes_of_one_object_are_refused_at_once(recorder: Recorder) -> None:
    spans = EpisodeSpans(recorder.tracer)
    with spans.episode(**EPISODE), pytest.raises(RuntimeError, match="already open"):
        with spans.episode(**EPISODE):
            pass


def test_long_text_is_cut_and_says_so(recorder: Recorder) -> None:
    spans = EpisodeSpans(recorder.tracer)
    with spans.episode(**EPISODE), spans.turn("tam", "a" * 20_000):
        pass
    text = (recorder.one("invoke_agent tam").attributes or {})["input.value"]
    assert text == "a" * 16_384 + "… [3616 characters more]"


def test_without_spans_the_same_calls_do_nothing() -> None:
    play(NO_SPANS)
    NO_SPANS.open_round("watch", 1)
    NO_SPANS.close_round()
    assert NO_SPANS.trace_id is None
    with NO_SPANS.turn("tam", "go") as turn:
        turn.reply("take")
        assert not trace.get_current_span().get_span_context().is_valid
    with pytest.raises(ZeroDivisionError), NO_SPANS.episode(**EPISODE), NO_SPANS.round("probe", 1):
        raise ZeroDivisionError
