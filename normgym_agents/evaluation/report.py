"""`report.html`: one page that says how a newcomer did, and shows one episode of each kind.

Self-contained and inert: no script, no request, every text escaped. What a newcomer wrote is shown, never run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, StrictUndefined

from normgym_agents.evaluation.fidelity import APART
from normgym_agents.evaluation.judging import InForce
from normgym_agents.evaluation.metrics import JOINT_SUCCESS, METRICS, Metric, binds
from normgym_agents.evaluation.narration import Line, tell
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.results import ConditionResult, MetricValue, RunResult
from normgym_agents.evaluation.showing import contrasts_shown, percent, shown, why_missing
from normgym_agents.evaluation.texts import counted, printable
from normgym_agents.files import write_atomic
from normgym_agents.worlds.conditions import Condition

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World

REPORT_FILE: Final = "report.html"

_COLUMNS: Final = (
    "twin_success",
    "task_success",
    "violation_rate",
    "violation_rate_tempting",
    "over_compliance",
    "invalid_act_rate",
)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One world under one condition in the strip.

    Attributes:
        world: Its id.
        kind: `passed`, `failed`, `mixed` over trials, `vacuous` or `unscored`.
        note: What happened, in words.
    """

    world: str
    kind: str
    note: str


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The metrics of one theme, as far as a run has values of them.

    Attributes:
        title: The theme.
        metrics: Those with a value under some condition.
        rows: Conditions with a value of any of them; None in a row where there is none.
    """

    title: str
    metrics: list[Metric]
    rows: dict[str, list[MetricValue | None]]


@dataclass(frozen=True, kw_only=True)
class Told:
    """An episode shown in full.

    Attributes:
        title: Why it is shown.
        record: The episode.
        norms: Per norm that acts were judged by its label, its text and, unless it was in force all along, when
            it was.
        lines: Its log in words.
    """

    title: str
    record: Record
    norms: list[tuple[str, str, str]]
    lines: list[Line]


def render_report(result: RunResult, worlds: Mapping[str, World] | None = None) -> str:
    """The page of a run.

    Args:
        result: The run, with its records.
        worlds: The worlds by id, as far as they are at hand: they know how things look.
    """
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(percent=percent, printable=printable, counted=counted, unquoted=_unquoted)
    template = environment.from_string(files(__package__).joinpath("report.html.jinja").read_text("utf-8"))
    known = {metric.name: metric for metric in METRICS}
    headline = Condition.LIVE if Condition.LIVE in result.conditions else next(iter(result.conditions), None)
    return template.render(
        result=result,
        headline=headline,
        joint=JOINT_SUCCESS,
        columns=[known[name] for name in _COLUMNS],
        sheets=list(_sheets(result.conditions)),
        contrasts=contrasts_shown(result.contrasts),
        shown=shown,
        why_missing=why_missing,
        binds=binds,
        apart=APART,
        strips={condition: list(_strip(result.records, condition)) for condition in result.conditions},
        told=list(_told(result.records, headline, worlds or {})),
        faults=[record for record in result.records if record.outcome is not Outcome.COMPLETED][:20],
    )


def write_report(folder: Path, result: RunResult, worlds: Mapping[str, World] | None = None) -> Path:
    """Write the page into the run's folder, whole or not at all.

    Returns:
        Its path.
    """
    path = folder / REPORT_FILE
    write_atomic(path, render_report(result, worlds))
    return path


def _unquoted(text: str) -> str:
    """Without the marks that set names apart in a terminal."""
    return text.replace("`", "")


def _sheets(conditions: Mapping[Condition, ConditionResult]) -> Iterator[Sheet]:
    """Every metric that has a value somewhere, theme by theme."""
    for theme, group in groupby(METRICS, key=lambda metric: metric.theme):
        values = {
            metric: {
                condition.value: value
                for condition, found in conditions.items()
                if (value := found.metrics.get(metric.name)) is not None and value.value is not None
            }
            for metric in group
        }
        metrics = [metric for metric, found in values.items() if found]
        rows = {
            condition.value: cells
            for condition in conditions
            if any(cells := [values[metric].get(condition.value) for metric in metrics])
        }
        if metrics:
            yield Sheet(title=theme.value, metrics=metrics, rows=rows)


def _strip(records: Iterable[Record], condition: Condition) -> Iterator[list[Cell]]:
    """The worlds of a condition, pair by pair."""
    mine = sorted((r for r in records if r.condition is condition), key=lambda r: (r.pair, r.world, r.trial))
    for _, pair in groupby(mine, key=lambda r: r.pair):
        yield [_cell(world, list(trials)) for world, trials in groupby(pair, key=lambda r: r.world)]


def _cell(world: str, trials: list[Record]) -> Cell:
    scores = [record.scores for record in trials if record.scores is not None]
    passed = sum(s.joint for s in scores)
    if not scores:
        return Cell(world=world, kind="unscored", note=trials[0].outcome.replace("_", " "))
    if len(scores) > 1:
        kind = "passed" if passed == len(scores) else "mixed" if passed else "failed"
        return Cell(world=world, kind=kind, note=f"passed {passed} of {len(scores)} trials")
    found = scores[0]
    note = f"task {'done' if found.task else 'not done'}, {counted(found.violations, 'violation')} at " + (
        "1 opportunity" if found.opportunities == 1 else f"{found.opportunities} opportunities"
    )
    kind = "passed" if found.joint else "vacuous" if found.vacuous and found.task else "failed"
    return Cell(world=world, kind=kind, note=note)


def _told(
    records: Iterable[Record], condition: Condition | None, worlds: Mapping[str, World]
) -> Iterator[Told]:
    """One failed and one passed episode of the headline condition, as far as there are such."""
    mine = sorted((r for r in records if r.condition is condition), key=lambda r: (r.world, r.trial))
    for title, joint in (("An episode that did not pass", False), ("An episode that passed", True)):
        for record in mine:
            if record.scores is not None and record.scores.joint is joint:
                world = worlds.get(record.world)
                fits = world is not None and world.digest == record.digest
                lines = tell(record, world if fits else None)
                yield Told(title=title, record=record, norms=list(_norms(record)), lines=lines)
                break


def _norms(record: Record) -> Iterator[tuple[str, str, str]]:
    for norm in record.judged_by:
        yield norm.label, norm.norm, norm.in_force.words
    if not record.judged_by:  # a record of an earlier build, whose world is not at hand
        words = "" if binds(record.condition) else InForce.NEVER.words
        for number, text in enumerate(record.norms, start=1):
            yield f"N{number}", text, words
