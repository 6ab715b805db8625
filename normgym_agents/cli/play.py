"""`normgym play`: a person is a newcomer, too."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.text import Text

from normgym_agents.cli import limit_options, run_options, suite_options, wiring_options
from normgym_agents.cli.console import Status, err, named, say_error, show
from normgym_agents.cli.console import out as console_for_results
from normgym_agents.cli.options import option
from normgym_agents.cli.private import to_run
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.texts import counted, on_one_line

if TYPE_CHECKING:
    from normgym_agents.cli.terminal import Terminal
    from normgym_agents.evaluation.baselines import Baselines
    from normgym_agents.evaluation.config import RunConfig
    from normgym_agents.evaluation.hindsight import Hindsight
    from normgym_agents.evaluation.plan import Plan
    from normgym_agents.evaluation.sittings import Sitting

_RUNS: Final = Path("runs")
_SEEDS: Final = 2**31


_HELP: Final = (
    "Be the newcomer yourself, for one episode: read what an agent reads, type what you do, and see at the end what "
    "was going on.\n\n"
    "Tab completes, PgUp looks back, [bold]?[/] helps, Ctrl-D or [bold]quit[/] leaves; then nothing is scored.\n\n"
    "[dim]Try it:[/]          normgym play\n"
    "[dim]For a baseline:[/]  normgym play --participant P07, once for each world; see docs/human_baseline.md"
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="play", help=_HELP, rich_help_panel="Evaluate")(_play)


_CONDITION: Final = option(
    text="What you get to see first; see normgym list conditions.",
    panel=suite_options.PANEL,
    metavar="NAME",
    default="live",
)
_WORLD: Final = option(
    text="Id of a world, or the end of it.",
    panel=suite_options.PANEL,
    metavar="ID",
    default="drawn from the seed",
)
_SEED: Final = option(
    text="Decides which worlds come when.",
    panel=suite_options.PANEL,
    metavar="N",
    default="another each time; 0 for a participant",
)
_PARTICIPANT: Final = option(
    text="A code such as P07, never a name: keeps your episodes together, and no world comes twice.",
    panel=wiring_options.PANEL,
    metavar="CODE",
)
_WORLDS: Final = option(
    text="With --participant: only the first N worlds of the suite.",
    panel=wiring_options.PANEL,
    metavar="N",
    default="all",
)
_REPORT: Final = option(
    "--report/--no-report",
    text="Be asked at the end what one may and must not do.",
    panel=run_options.OUTPUT,
    default="no",
)
_REVEAL: Final = option(
    "--reveal/--no-reveal",
    text="Be told at the end what was going on.",
    panel=run_options.OUTPUT,
    default="yes; a participant after the last world",
)
_OUT: Final = option(
    text="Folder for the records.",
    panel=run_options.OUTPUT,
    metavar="DIR",
    default="runs/play-SUITE-N or runs/play-CODE",
)


def _play(
    suite: suite_options.SuiteName = None,
    suite_seed: suite_options.SuiteSeed = None,
    setting: suite_options.Setting = None,
    condition: Annotated[str, _CONDITION] = "live",
    world: Annotated[str | None, _WORLD] = None,
    seed: Annotated[int | None, _SEED] = None,
    participant: Annotated[str | None, _PARTICIPANT] = None,
    worlds: Annotated[int | None, _WORLDS] = None,
    deadline: limit_options.PersonsDeadline = None,
    report: Annotated[bool, _REPORT] = False,
    reveal: Annotated[bool | None, _REVEAL] = None,
    out: Annotated[str | None, _OUT] = None,
) -> int:
    from normgym_agents.cli.terminal import Terminal
    from normgym_agents.evaluation.sittings import DEADLINE, TOLD_BETWEEN, sitting_plan
    from normgym_agents.evaluation.suite_files import load_asked
    from normgym_agents.newcomers.person import adapt_person, person_name

    name = person_name(participant)
    if participant is not None and world is not None:
        raise BadInput("a participant's worlds come in an order of their own", field="--world")
    if participant is None and worlds is not None:
        raise BadInput(
            "one episode is played, of one world",
            field="--worlds",
            expected="--world ID, or --participant CODE",
        )
    if out == "":
        raise BadInput("'' names no folder", field="out", expected="--out DIR")
    if seed is None:
        seed = secrets.randbelow(_SEEDS) if participant is None else 0
    given = {"suite": suite, "setting": setting, "worlds": worlds, "seed": seed, "report": report}
    config = _config(given, name, condition, DEADLINE if deadline is None else deadline)
    drawn = to_run(config, suite_seed, quiet=False)
    terminal = Terminal(console_for_results())
    plan = sitting_plan(
        config,
        load_asked(config) if drawn is None else drawn,
        adapt_person(terminal.hear, terminal.hear_rules),
        world=world,
        alone=participant is None,
    )
    if reveal and participant is not None:
        plan = replace(plan, notes=(*plan.notes, TOLD_BETWEEN))
    with _folder(plan, participant, out) as folder:
        sitting = _sat(plan, folder)
    if sitting is None:
        _leave()
        return Status.INTERRUPTED
    return _told(plan, sitting, terminal, folder, reveal=reveal)


def _config(given: Mapping[str, object], name: str, condition: str, deadline: float) -> RunConfig:
    from normgym_agents.evaluation.config import parse_conditions, parse_config

    with named("--condition", instead_of="conditions"):
        conditions = parse_conditions(condition)
        if len(conditions) != 1:
            raise BadInput("one episode has one condition", field="--condition", expected="live, for one")
    fields = {key: value for key, value in given.items() if value is not None}
    return parse_config(
        {
            **fields,
            "newcomer": name,
            "conditions": condition,
            "limits": float(deadline),
            "driver": "loop",  # nobody waits for a graph to be built; the log is the same
        }
    )


@contextmanager
def _folder(plan: Plan, participant: str | None, out: str | None) -> Iterator[Path]:
    """Where it is kept: a folder of its own, or the participant's."""
    from normgym_agents.evaluation.folders import made_folder, numbered_folder

    if out is None and participant is None:
        suite = re.sub(r"[^A-Za-z0-9.]+", "-", plan.suite.name).strip("-.")[-60:]
        with numbered_folder(_RUNS, f"play-{suite}") as folder:
            yield folder
        return
    folder = Path(out) if out is not None else _RUNS / f"play-{participant}"
    with made_folder(folder):
        yield folder


def _sat(plan: Plan, folder: Path) -> Sitting | None:
    """Play; None if it was interrupted from outside, and nothing is kept."""
    from normgym_agents.cli.interrupting import Interrupted, run_interruptible
    from normgym_agents.evaluation.manifest import MANIFEST_FILE
    from normgym_agents.evaluation.sittings import sit

    begun = plan.newcomer.name != "person" and (folder / MANIFEST_FILE).exists()
    try:
        return run_interruptible(sit(plan, folder, resume=begun))
    except Interrupted:
        say_error("interrupted: nothing of this episode is kept")
        return None


def _leave() -> None:
    from normgym_agents.cli.interrupting import leave_stuck_threads

    leave_stuck_threads(Status.INTERRUPTED)


def _told(plan: Plan, sitting: Sitting, terminal: Terminal, folder: Path, *, reveal: bool | None) -> int:
    """What is said at the end, and the exit status."""
    scored = sitting.record.outcome.scored
    if not scored:
        alone = len(plan.episodes) == 1
        _say(
            f"You left before the end, so nothing is scored{'' if alone else '; this world does not come again'}."
        )
    elif reveal is False or (reveal is None and sitting.left):
        _say("That was the last act. Thank you.")
    else:
        _reveal(plan, sitting)
    if sitting.left:
        _say(f"{counted(sitting.left, 'world')} to go: the same command brings the next.")
    show(
        lambda _: Text(
            f"\nKept in {on_one_line(str(folder))}; normgym score and normgym report read it.", style="dim"
        )
    )
    if terminal.interrupted:
        return Status.INTERRUPTED
    return Status.DONE if scored else Status.UNSCORED


def _say(words: str) -> None:
    show(lambda _: Text(f"\n{words}", style="bold"))


def _reveal(plan: Plan, sitting: Sitting) -> None:
    """Work out what to tell, and tell it; what the records hold does not depend on it."""
    from normgym_agents.cli.interrupting import Interrupted, run_interruptible
    from normgym_agents.cli.reveal import reveal

    async def looked_back() -> tuple[Hindsight | None, Baselines]:
        seen = await asyncio.to_thread(hindsight, sitting.record, sitting.episode.world)
        return seen, await run_baselines(replace(plan, episodes=(sitting.episode,)))

    from normgym_agents.evaluation.baselines import run_baselines
    from normgym_agents.evaluation.hindsight import hindsight

    try:
        with err().status("Working out what could be known …"):
            seen, held = run_interruptible(looked_back())
    except Interrupted:
        say_error("interrupted: the episode is kept")
        return
    show(lambda console: reveal(sitting.record, sitting.episode.world, seen, held, console))
