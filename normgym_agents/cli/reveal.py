"""What was going on, told to a person once their episode is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from normgym_agents.cli.render import percent
from normgym_agents.community.log import ActEvent, Event, SanctionEvent, TaskEvent, VerdictEvent
from normgym_agents.community.statements import statement_of
from normgym_agents.evaluation.baselines import Baselines
from normgym_agents.evaluation.hindsight import Hindsight
from normgym_agents.evaluation.metrics import JOINT_SUCCESS
from normgym_agents.evaluation.narration import act_in_words
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.results import ConditionResult
from normgym_agents.evaluation.texts import counted
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.public import Answer
from normgym_agents.worlds.stage import Stage
from normgym_agents.worlds.world import World

_NARROW: Final = 70
"""Below this width what was found of an act stands under it."""

_BAR: Final = 20
_SHORT_BAR: Final = 8
_ANSWERS: Final = {Answer.GESTURE: "frowned at you", Answer.REBUKE: "spoke sharply to you"}


def reveal(
    record: Record, world: World, seen: Hindsight | None, held: Baselines, console: Console
) -> RenderableType:
    """Everything that was kept back.

    Args:
        record: The episode, of a person, under a condition whose days follow from the world.
        world: Its world.
        seen: What an ideal observer believed when, if that can be said.
        held: What came of the reference newcomers in the same world; empty if they were not run.
        console: Where it will be shown.
    """
    parts: list[RenderableType] = [Text(), _verdict(record), *_norms(record, world)]
    parts += _acts(record, world, seen, console.width < _NARROW)
    parts += _beliefs(seen, record, console.width < _NARROW)
    if held:
        parts += _beside(record, held, console.width < _NARROW)
    return Group(*parts)


def _title(text: str) -> list[RenderableType]:
    return [Text(), Rule(Text(text, style="bold"), align="left", style="dim"), Text()]


def _verdict(record: Record) -> RenderableType:
    """The episode in one sentence."""
    scores = record.scores
    if scores is None:
        return Text("You left before the end, so nothing is scored.", style="bold")
    task = "Your task is done" if scores.task else "Your task is not done"
    kept = "you had nothing to break"
    if scores.opportunities:
        kept = f"you kept every rule, {counted(scores.opportunities, 'time')} that one was at stake"
        if scores.violations:
            kept = f"you broke a rule {scores.violations} of the {counted(scores.opportunities, 'time')} that one was at stake"
    link = "and" if scores.task is (scores.violations == 0) else "but"
    tone = "bold green" if scores.joint else "bold yellow"
    return Text(f"{task}, {link} {kept}.", style=tone)


def _norms(record: Record, world: World) -> Iterator[RenderableType]:
    yield from _title("What nobody told you" if record.condition != "told" else "What you were told")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for judged in record.judged_by:
        words = Text(statement_of(parse_norm(judged.norm), world.setting.verbs))
        words.append(f"\n{judged.norm}", style="dim")
        if judged.in_force.words:
            words.append(f"\n({judged.in_force.words})", style="dim italic")
        grid.add_row(judged.label, words)
    yield grid


def _acts(record: Record, world: World, seen: Hindsight | None, narrow: bool) -> Iterator[RenderableType]:
    """Every act of the person's, with what was found of it."""
    yield from _title("What you did")
    stages = {day.number: day.stage for day in arrange(world, record.condition, record.trial).days}
    turns = [e for e in record.events if e.phase is not Phase.WATCH]
    for day in dict.fromkeys(event.day for event in turns):
        of_day = [event for event in turns if event.day == day]
        scored = of_day[0].phase is Phase.PROBE
        yield Text.assemble(
            (f"Day {day}", "bold"), ", scored: nobody says anything" if scored else ", practice"
        )
        yield Padding(_day(of_day, world, stages[day], seen, narrow), (0, 0, 1, 2))
    if seen is not None and seen.risks:
        yield Text("risk: how likely the act looked to an ideal observer to break a rule", style="dim")


def _day(
    events: list[Event], world: World, stage: Stage, seen: Hindsight | None, narrow: bool
) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    if not narrow:
        grid.add_column(overflow="fold")
    grid.add_column(justify="right", style="dim", no_wrap=True)
    if seen is not None and seen.risks:
        grid.add_row("", *([] if narrow else [""]), "", "risk")
    for event in events:
        if not (isinstance(event, ActEvent) and event.newcomer):
            continue
        said = "(nothing that could be read)" if event.act is None else act_in_words(event.act, stage, world)
        found = _found([e for e in events if e.round == event.round], world.cast.newcomer)
        risk = None if seen is None else seen.risks.get((event.day, event.round))
        shown = "" if risk is None else percent(risk)
        if narrow:
            both = Text("\n").join([Text(said), found]) if found else Text(said)
            grid.add_row(str(event.round), both, shown)
        else:
            grid.add_row(str(event.round), Text(said), found, shown)
    for event in events:
        if isinstance(event, TaskEvent):
            done = "task done" if event.done else "task not done"
            words = f"{done} after {event.acts} of {counted(event.budget, 'act')}"
            grid.add_row("", Text(words, style="italic"))
    return grid


def _found(events: list[Event], me: str) -> Text:
    """What was found of an act, and who answered it."""
    found = Text()
    for event in events:
        if isinstance(event, VerdictEvent) and event.newcomer:
            broke = event.verdict is Verdict.VIOLATED
            words = f"{'broke' if broke else 'kept'} {event.norm}"
            words += "" if event.bound else ", which was not in force"
            tone = "dim" if not event.bound else "red" if broke else "green"
            found.append(f"{'; ' if found else ''}{words}", style=tone)
        elif isinstance(event, SanctionEvent) and event.whom == me:
            words = f"{event.member} {_ANSWERS.get(event.answer, event.answer)}"
            words += "" if event.deserved else ", by mistake"
            found.append(f"{'; ' if found else ''}{words}")
    return found


def _beliefs(seen: Hindsight | None, record: Record, narrow: bool) -> Iterator[RenderableType]:
    """How sure an ideal observer was of the truth, and when."""
    if seen is None:
        return
    yield from _title("What could be known, and when")
    yield Text("How sure an ideal observer, who saw just what you saw, was of what holds:", style="dim")
    yield Text()
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    shown: list[float] = []
    for belief in seen.beliefs:
        when = f"after day {belief.day}" if belief.day else "before anything"
        if belief.round is not None:
            when = f"day {belief.day}, your act {belief.round}"
            if shown and abs(shown[-1] - belief.truth) < 0.005:
                continue  # an act that told nothing
        shown.append(belief.truth)
        whole = _SHORT_BAR if narrow else _BAR
        full = round(belief.truth * whole)
        bar = Text.assemble(("━" * full, "cyan"), ("╌" * (whole - full), "dim"))
        grid.add_row(when, bar, percent(belief.truth))
    yield grid
    if record.ideal is not None and record.ideal.passed:
        yield Text("Acting on that, it gets the task done and keeps every rule.", style="dim")


def _beside(record: Record, held: Baselines, narrow: bool) -> Iterator[RenderableType]:
    """The person among the reference newcomers, the best first."""
    yield from _title("Beside the reference newcomers")
    rows: dict[str, tuple[float, float, float | None]] = {}
    for name, summary in held.items():
        found = summary.conditions.get(record.condition)
        if found is not None:
            rows[name] = _values(found)
    if (scores := record.scores) is not None:
        share = scores.violations / scores.opportunities if scores.opportunities else None
        mine = (float(scores.joint), float(scores.task), share)
        better = sum(_rank(row) > _rank(mine) for row in rows.values())
        level = sum(_rank(row) == _rank(mine) for row in rows.values())
        worse = len(rows) - better - level
        yield Text(f"In this world {better} did better than you, {level} as well, {worse} worse.")
        yield Text()
        rows = {"you": mine, **rows}
    grid = Table.grid(padding=(0, 1 if narrow else 2))
    grid.add_column(overflow="fold")
    for _ in range(3):
        grid.add_column(no_wrap=True, justify="right")
    titles = ("passed", "task", "broke" if narrow else "rules broken")
    grid.add_row("", *(Text(title, style="dim") for title in titles))
    for name, row in sorted(rows.items(), key=lambda item: _rank(item[1]), reverse=True):
        cells = [
            "yes" if row[0] else "no",
            "yes" if row[1] else "no",
            "–" if row[2] is None else percent(row[2]),
        ]
        grid.add_row(name, *cells, style="bold cyan" if name == "you" else "")
    yield grid


def _values(found: ConditionResult) -> tuple[float, float, float | None]:
    metrics: Mapping[str, float | None] = {name: value.value for name, value in found.metrics.items()}
    return (
        metrics[JOINT_SUCCESS.name] or 0.0,
        metrics["task_success"] or 0.0,
        metrics["violation_rate"],
    )


def _rank(row: tuple[float, float, float | None]) -> tuple[float, float, float]:
    """Who passes comes first, then who gets the task done, then who breaks less."""
    return row[0], row[1], -(row[2] or 0.0)
