"""The spans of one episode: episode → round → `invoke_agent NAME`, adjudications, sanctions, results.

Built on the OpenTelemetry API alone: whoever runs the episode hands in a tracer, or `NO_SPANS`.

The newcomer runs inside its turn span and, being in our process, can read the current span. So that span
holds only what the newcomer itself reads and says, and everything else (world, condition, phase, sanctions,
outcome, results) is written onto its span when that span *closes*. Adjudications are children of the round,
siblings of the turn, made after the turn has ended. They carry a norm's label and kind, never its text.

Parents are explicit: a graph driver runs the steps of one round in different contexts, so the ambient
context is neither read nor set, except that the turn is current while the newcomer runs.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Final

from opentelemetry import context as otel_context
from opentelemetry.trace import Span, StatusCode, Tracer, format_trace_id, set_span_in_context

from normgym_agents.telemetry import names
from normgym_agents.telemetry.text import clean, clip

_Value = str | int | float | bool
_TOKEN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,47}")


def _token(field: str, value: str) -> str:
    """Return `value` if it is one short word: the text of a rule cannot pass as a label or a kind."""
    if _TOKEN.fullmatch(value) is None:
        raise ValueError(f"{field} of a span must be one short word, not {value[:60]!r}")
    return value


class _Pending:
    """An open span and what will be written onto it when it closes."""

    __slots__ = ("attributes", "context", "events", "span")

    def __init__(self, span: Span, attributes: dict[str, _Value]) -> None:
        self.span = span
        self.context = set_span_in_context(span, otel_context.Context())
        self.attributes = attributes
        self.events: list[tuple[str, dict[str, _Value], int]] = []

    def event(self, name: str, attributes: dict[str, _Value]) -> None:
        self.events.append((name, attributes, time.time_ns()))

    def close(self) -> None:
        for name, attributes, at in self.events:
            self.span.add_event(name, attributes, at)
        self.span.set_attributes(self.attributes)
        self.span.end()


def _mark_failed(span: Span, error: Exception, message: str = "") -> None:
    """Mark a span as failed. Only a turn passes the message on: the others' may speak of a card."""
    span.set_attribute(names.ERROR_TYPE, clip(type(error).__qualname__, 200))
    span.set_status(StatusCode.ERROR, clip(f"{type(error).__name__}: {message}".removesuffix(": "), 1000))


class Turn:
    """The turn being taken: what the newcomer answered goes here."""

    __slots__ = ("_span",)

    def __init__(self, span: Span) -> None:
        self._span = span

    def reply(self, text: str) -> None:
        """Record the newcomer's answer, as it came."""
        self._span.set_attributes(
            {names.OUTPUT_VALUE: clip(text), names.OUTPUT_MIME_TYPE: names.MIME_TEXT},
        )


class EpisodeSpans:
    """Makes the spans of one episode. One object per episode; never shared between two.

    Args:
        tracer: Where spans are made.
        session: An id that groups the traces of one run in tools that know sessions.
    """

    def __init__(self, tracer: Tracer, *, session: str | None = None) -> None:
        self._tracer = tracer
        self._session = session
        self._episode: _Pending | None = None
        self._round: _Pending | None = None
        self._turns = 0
        self._trace_id: str | None = None

    @property
    def trace_id(self) -> str | None:
        """Trace id of the episode as 32 hex digits; None before it begins, and where spans are off."""
        return self._trace_id

    def episode(
        self, *, world: str, condition: str, trial: int, newcomer: str
    ) -> AbstractContextManager[object]:
        """The whole episode: a trace of its own, whatever span the caller is in.

        Args:
            world: The world's id.
            condition: Which evidence the newcomer gets.
            trial: Counted as the record counts.
            newcomer: The name the agent is known by, e.g. its spec.
        """
        return self._live(world, condition, trial, newcomer)

    @contextmanager
    def _live(self, world: str, condition: str, trial: int, newcomer: str) -> Iterator[None]:
        if self._episode is not None:
            raise RuntimeError("an episode is already open on these spans")
        attributes: dict[str, _Value] = {
            names.WORLD: clip(world, 200),
            names.CONDITION: _token("condition", condition),
            names.TRIAL: trial,
            names.NEWCOMER: clip(newcomer),
        }
        if self._session is not None:
            attributes[names.SESSION_ID] = clip(self._session)
        span = self._start(names.SPAN_EPISODE, otel_context.Context(), names.KIND_CHAIN)
        self._episode = _Pending(span, attributes)
        got = span.get_span_context()
        self._trace_id = format_trace_id(got.trace_id) if got.is_valid else None
        try:
            yield
        except Exception as error:
            _mark_failed(span, error)
            raise
        finally:
            self.close_round()
            self._episode.close()
            self._episode = None

    def open_round(self, phase: str, number: int, *, day: int = 1) -> None:
        """Begin a round, ending the one before it if that is still open.

        Args:
            phase: `watch`, `practise`, `probe` or `report`.
            number: Counted from 1 within the day.
            day: Counted from 1 within the episode.
        """
        self.close_round()
        span = self._start(names.SPAN_ROUND, self._parent().context, names.KIND_CHAIN)
        facts: dict[str, _Value] = {names.PHASE: _token("phase", phase), names.DAY: day, names.ROUND: number}
        self._round = _Pending(span, facts)

    def close_round(self) -> None:
        """End the open round, if there is one."""
        if self._round is not None:
            self._round.close()
            self._round = None

    def round(self, phase: str, number: int) -> AbstractContextManager[object]:
        """`open_round` and `close_round` around a block; an error inside marks the round."""
        return self._pass_round(phase, number)

    @contextmanager
    def _pass_round(self, phase: str, number: int) -> Iterator[None]:
        self.open_round(phase, number)
        opened = self._round
        try:
            yield
        except Exception as error:
            if opened is not None:
                _mark_failed(opened.span, error)
            raise
        finally:
            self.close_round()

    def turn(self, newcomer: str, observation: str) -> AbstractContextManager[Turn]:
        """One turn of the newcomer; current while the block runs, so that its own spans nest under it.

        Args:
            newcomer: The name the agent is known by, e.g. its spec.
            observation: What the newcomer is given to read.
        """
        return self._take_turn(newcomer, observation)

    def report(self, newcomer: str, question: str) -> AbstractContextManager[Turn]:
        """The newcomer says what it has found out, once the acting is over; a child of the episode.

        Args:
            newcomer: The name the agent is known by, e.g. its spec.
            question: What it is asked.
        """
        self.close_round()
        return self._take_turn(newcomer, question, names.SPAN_REPORT)

    @contextmanager
    def _take_turn(self, newcomer: str, observation: str, title: str | None = None) -> Iterator[Turn]:
        name = clip(newcomer, 200)
        span = self._start(
            title or names.invoke_agent(name),
            self._parent().context,
            names.KIND_AGENT,
            {
                names.GEN_AI_OPERATION_NAME: names.OPERATION_INVOKE_AGENT,
                names.GEN_AI_AGENT_NAME: name,
                names.OI_AGENT_NAME: name,
                names.INPUT_VALUE: clip(observation),
                names.INPUT_MIME_TYPE: names.MIME_TEXT,
                names.GEN_AI_CONVERSATION_ID: self._trace_id or "",
            },
        )
        self._turns += 1
        token = otel_context.attach(set_span_in_context(span))
        try:
            yield Turn(span)
        except Exception as error:
            _mark_failed(span, error, str(error))
            raise
        finally:
            otel_context.detach(token)
            self._turns -= 1
            span.end()

    def adjudication(self, *, actor: str, norm: str, kind: str, verdict: str) -> None:
        """What the referee found about one act under one norm.

        Args:
            actor: Who acted.
            norm: The norm's label (`N1`), never its text.
            kind: The norm's kind (`F1`).
            verdict: `complied`, `violated`, `no_opportunity`, …

        Raises:
            RuntimeError: While a turn is open: a newcomer must not run beside a verdict.
            ValueError: If label, kind or verdict is not one short word.
        """
        self._no_turn("an adjudication")
        attributes: dict[str, _Value] = {
            names.ACTOR: clip(actor, 200),
            names.NORM_LABEL: _token("label", norm),
            names.NORM_KIND: _token("kind", kind),
            names.VERDICT: _token("verdict", verdict),
        }
        self._start(names.SPAN_ADJUDICATION, self._parent().context, names.KIND_EVALUATOR, attributes).end()

    def sanction_event(self, *, kind: str, by: str, to: str) -> None:
        """A sanction that was given in public: an event on the round, written when the round closes."""
        self._no_turn("a sanction")
        self._parent().event(
            names.EVENT_SANCTION,
            {
                names.SANCTION_KIND: _token("kind", kind),
                names.SANCTION_BY: clip(by, 200),
                names.SANCTION_TO: clip(to, 200),
            },
        )

    def evaluation_result(self, name: str, value: float | None = None, label: str | None = None) -> None:
        """One metric of the finished episode, as a `gen_ai.evaluation.result` event on its span."""
        attributes: dict[str, _Value] = {names.GEN_AI_EVALUATION_NAME: _token("name", name)}
        if value is not None:
            attributes[names.GEN_AI_EVALUATION_SCORE_VALUE] = float(value)
        if label is not None:
            attributes[names.GEN_AI_EVALUATION_SCORE_LABEL] = _token("label", label)
        self._opened().event(names.EVENT_EVALUATION_RESULT, attributes)

    def outcome(self, outcome: str) -> None:
        """How the episode ended (`completed`, `newcomer_failed`, …)."""
        self._opened().attributes[names.OUTCOME] = _token("outcome", outcome)

    def _opened(self) -> _Pending:
        if self._episode is None:
            raise RuntimeError("no episode is open on these spans")
        return self._episode

    def _parent(self) -> _Pending:
        return self._round or self._opened()

    def _no_turn(self, what: str) -> None:
        if self._turns:
            raise RuntimeError(f"{what} was recorded while the newcomer's turn is open")

    def _start(
        self,
        name: str,
        parent: otel_context.Context,
        kind: str,
        attributes: dict[str, _Value] | None = None,
    ) -> Span:
        given: dict[str, _Value] = {names.OPENINFERENCE_SPAN_KIND: kind, **(attributes or {})}
        return self._tracer.start_span(clean(name), context=parent, attributes=given)


class _Nothing(Turn):
    """A block and a turn of which nothing is recorded."""

    __slots__ = ()

    def __init__(self) -> None:
        pass  # no span

    def __enter__(self) -> Turn:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def reply(self, text: str) -> None:
        pass


_NOTHING: Final = _Nothing()


class _NoSpans(EpisodeSpans):
    """Spans switched off: the same calls, at the price of the call. Stateless, so one serves everybody."""

    def __init__(self) -> None:
        pass  # no tracer

    @property
    def trace_id(self) -> str | None:
        return None

    def episode(
        self, *, world: str, condition: str, trial: int, newcomer: str
    ) -> AbstractContextManager[object]:
        return _NOTHING

    def open_round(self, phase: str, number: int, *, day: int = 1) -> None:
        pass

    def close_round(self) -> None:
        pass

    def round(self, phase: str, number: int) -> AbstractContextManager[object]:
        return _NOTHING

    def turn(self, newcomer: str, observation: str) -> AbstractContextManager[Turn]:
        return _NOTHING

    def report(self, newcomer: str, question: str) -> AbstractContextManager[Turn]:
        return _NOTHING

    def adjudication(self, *, actor: str, norm: str, kind: str, verdict: str) -> None:
        pass

    def sanction_event(self, *, kind: str, by: str, to: str) -> None:
        pass

    def evaluation_result(self, name: str, value: float | None = None, label: str | None = None) -> None:
        pass

    def outcome(self, outcome: str) -> None:
        pass


NO_SPANS: Final[EpisodeSpans] = _NoSpans()
"""Spans switched off: every method may be called, nothing happens, `trace_id` is None."""
