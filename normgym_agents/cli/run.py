"""`normgym run`: a newcomer in the worlds of a suite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from normgym_agents.cli import limit_options, wiring_options
from normgym_agents.cli.console import Status, err, say_error, show
from normgym_agents.cli.private import to_run
from normgym_agents.cli.protocol import tell_protocol
from normgym_agents.cli.streams import stdout_kept
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.texts import counted, on_one_line

if TYPE_CHECKING:
    from normgym_agents.evaluation.baselines import Baselines
    from normgym_agents.evaluation.config import RunConfig
    from normgym_agents.evaluation.plan import Plan
    from normgym_agents.evaluation.results import RunResult
    from normgym_agents.evaluation.runner import Progress

_RUNS: Final = Path("runs")

_AGENT = "Who comes"
_WORLDS = "Where it comes"
_HOW = "How it runs"
_OUTPUT = "What comes out"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="run", help=_HELP, rich_help_panel="Evaluate")(_run)


_HELP: Final = (
    "Run a newcomer through a suite and show how it did.\n\n"
    f"{wiring_options.SPECS}\n\n"
    "Without one, a bundled LangGraph newcomer comes, which needs no key and no network.\n\n"
    "[dim]Try it:[/]    normgym run\n"
    "[dim]An agent:[/]  normgym run ./my_agent.py:graph --model openai:gpt-4o-mini\n"
    "[dim]Go on:[/]     normgym run --out runs/my_agent-quick-1 --resume"
)


def _option(*names: str, text: str, panel: str, metavar: str | None = None, default: str = "") -> Any:
    """An option whose default is said in words, because it may come from a resumed run instead."""
    said = f"{text} [dim]\\[{default}][/dim]" if default else text
    return typer.Option(*names, metavar=metavar, help=said, show_default=False, rich_help_panel=panel)


_WHO: Final = typer.Argument(
    metavar="NEWCOMER", help="Who comes. [dim]\\[a bundled learner][/dim]", show_default=False
)
_MODEL: Final = _option(text="Model for a newcomer that takes one.", panel=_AGENT, metavar="SPEC")
_SUITE: Final = _option(
    text="Which worlds; see normgym list suites.", panel=_WORLDS, metavar="NAME|FILE|private", default="quick"
)
_SUITE_SEED: Final = _option(
    "--suite-seed",
    text="With --suite private: what its worlds are drawn from. It is nowhere stored: say it again to resume or score.",
    panel=_WORLDS,
    metavar="TEXT",
)
_SETTING: Final = _option(
    text="With --suite private: the setting to draw from; see normgym list settings. "
    "Worlds that can be certified are rarer in others: a pair may take ten minutes and more.",
    panel=_WORLDS,
    metavar="NAME",
    default="pottery-yard",
)
_CONDITIONS: Final = _option(
    text="Comma-separated, or all; see normgym list conditions.",
    panel=_WORLDS,
    metavar="LIST",
    default="live,none,told,others",
)
_FIRST: Final = _option(text="Only the first N worlds.", panel=_WORLDS, metavar="N", default="all")
_TRIALS: Final = _option(text="Episodes per world and condition.", panel=_WORLDS, metavar="N", default="1")
_MEMBERS: Final = _option(text="Who lives there.", panel=_WORLDS, metavar="KIND", default="scripted")
_SEED: Final = _option(
    text="Seeds what the newcomer draws, and the intervals.", panel=_HOW, metavar="N", default="0"
)
_CONCURRENCY: Final = _option(text="Episodes at a time.", panel=_HOW, metavar="N", default="4")
_DRIVER: Final = _option(
    text="LangGraph or a plain loop; equal records.", panel=_HOW, metavar="graph|loop", default="graph"
)
_REPORT: Final = _option(
    "--report/--no-report",
    text="Ask the newcomer at the end what one may and must not do, which takes a model call; scored beside.",
    panel=_HOW,
    default="no",
)
_PROTOCOL: Final = _option(
    "--protocol", text="Print the exact text that the newcomer would get, and run nothing.", panel=_OUTPUT
)
_OUT: Final = _option(
    text="A new or empty folder for the run.", panel=_OUTPUT, metavar="DIR", default="runs/NEWCOMER-SUITE-N"
)
_RESUME: Final = _option(
    "--resume", text="Go on with the run in --out DIR; its other options come from there.", panel=_OUTPUT
)
_OTLP: Final = _option(text="Send spans there, too, over OTLP/HTTP.", panel=_OUTPUT, metavar="URL")
_AS_JSON: Final = _option("--json", text="Print summary.json instead of a table.", panel=_OUTPUT)
_BASELINES: Final = _option(
    "--baselines", text="Run the reference newcomers, too, and show them beside.", panel=_OUTPUT
)
_QUIET: Final = _option("--quiet", "-q", text="No progress; print only the folder of the run.", panel=_OUTPUT)


def _run(
    newcomer: Annotated[str | None, _WHO] = None,
    model: Annotated[str | None, _MODEL] = None,
    mapping: wiring_options.Mapping = None,
    on_interrupt: wiring_options.OnInterrupt = None,
    trust: wiring_options.Trust = None,
    deadline: limit_options.Deadline = None,
    episode_seconds: limit_options.EpisodeSeconds = None,
    turn_calls: limit_options.TurnCalls = None,
    turn_tokens: limit_options.TurnTokens = None,
    episode_calls: limit_options.EpisodeCalls = None,
    episode_tokens: limit_options.EpisodeTokens = None,
    suite: Annotated[str | None, _SUITE] = None,
    suite_seed: Annotated[str | None, _SUITE_SEED] = None,
    setting: Annotated[str | None, _SETTING] = None,
    conditions: Annotated[str | None, _CONDITIONS] = None,
    worlds: Annotated[int | None, _FIRST] = None,
    trials: Annotated[int | None, _TRIALS] = None,
    members: Annotated[str | None, _MEMBERS] = None,
    seed: Annotated[int | None, _SEED] = None,
    concurrency: Annotated[int | None, _CONCURRENCY] = None,
    driver: Annotated[str | None, _DRIVER] = None,
    report: Annotated[bool | None, _REPORT] = None,
    out: Annotated[str | None, _OUT] = None,
    resume: Annotated[bool, _RESUME] = False,
    otlp: Annotated[str | None, _OTLP] = None,
    baselines: Annotated[bool, _BASELINES] = False,
    as_json: Annotated[bool, _AS_JSON] = False,
    quiet: Annotated[bool, _QUIET] = False,
    protocol: Annotated[bool, _PROTOCOL] = False,
) -> int:
    given = {
        "newcomer": newcomer,
        "model": model,
        **wiring_options.wiring_given(mapping, on_interrupt, trust),
        "limits": limit_options.limits_given(
            deadline=deadline,
            episode_seconds=episode_seconds,
            turn_calls=turn_calls,
            turn_tokens=turn_tokens,
            episode_calls=episode_calls,
            episode_tokens=episode_tokens,
        ),
        "suite": suite,
        "setting": setting,
        "conditions": conditions,
        "worlds": worlds,
        "trials": trials,
        "members": members,
        "seed": seed,
        "concurrency": concurrency,
        "driver": driver,
        "report": report,
        "otlp": otlp,
    }
    here = Path.cwd()  # before any newcomer can change it
    if out == "":
        raise BadInput("'' names no folder", field="out", expected="--out DIR")
    place = None if out is None else Path(out)
    config = _config(
        {name: value for name, value in given.items() if value is not None}, place, resume=resume
    )
    from normgym_agents.evaluation.api import prepare

    with stdout_kept():
        plan = prepare(config, suite=to_run(config, suite_seed, quiet=quiet))
    if protocol:
        tell_protocol(plan, as_json=as_json)
        return Status.DONE
    with _folder(plan, here, place, resume=resume) as folder:
        shown = folder if place is not None and place.is_absolute() else folder.relative_to(here)
        with stdout_kept():
            result = _play(plan, folder, shown, resume=resume, quiet=quiet, as_json=as_json)
            held = {} if result is None or not baselines else _baselines(plan, folder, shown, quiet=quiet)
    if result is None or held is None:
        from normgym_agents.cli.interrupting import leave_stuck_threads

        leave_stuck_threads(Status.INTERRUPTED)
        return Status.INTERRUPTED
    _tell(result, held, folder, shown, quiet=quiet, as_json=as_json)
    return Status.UNSCORED if result.unscored else Status.DONE


def _config(given: dict[str, object], out: Path | None, *, resume: bool) -> RunConfig:
    """What is asked for; where a run is resumed, what was asked for then and is not said again."""
    from normgym_agents.evaluation.bundled import bundled_newcomer
    from normgym_agents.evaluation.config import parse_config
    from normgym_agents.evaluation.manifest import read_manifest

    if not resume:
        return parse_config(given if "newcomer" in given else {**given, "newcomer": bundled_newcomer()})
    if out is None:
        raise BadInput("--resume needs the folder of the run", field="out", expected="--out DIR --resume")
    stored = read_manifest(out).config
    return parse_config(_meant_from_here(given, stored), base=stored)


def _meant_from_here(given: dict[str, object], stored: RunConfig) -> dict[str, object]:
    """Paths given anew are meant from here; those of the run, from where it was begun."""
    from normgym_agents.evaluation.suite_files import suite_place

    here, base = Path.cwd(), Path(stored.base or ".")
    fields = dict(given)
    if "suite" in given and (here / str(given["suite"])).is_file():
        fields["suite"] = str(here / suite_place(str(given["suite"]), here))
    if "newcomer" in given:
        fields = {"suite": suite_place(stored.suite, base), **fields, "base": str(here)}
    return fields


@contextmanager
def _folder(plan: Plan, here: Path, out: Path | None, *, resume: bool) -> Iterator[Path]:
    """The folder of the run: the one that is named, or the next one under `runs`."""
    from normgym_agents.evaluation.folders import check_fresh, made_folder, numbered_folder

    if out is None:
        name = re.sub(r"[^A-Za-z0-9.]+", "-", f"{plan.newcomer.name}-{plan.suite.name}").strip("-.")[-60:]
        with numbered_folder(here / _RUNS, name) as folder:
            yield folder
    elif resume:
        yield here / out
    else:
        check_fresh(here / out)
        with made_folder(here / out):
            yield here / out


def _play(
    plan: Plan, folder: Path, shown: Path, *, resume: bool, quiet: bool, as_json: bool
) -> RunResult | None:
    """Run the plan with a progress bar; None if it was interrupted."""
    from normgym_agents.cli.interrupting import Interrupted, run_interruptible
    from normgym_agents.cli.progress import progress_bar
    from normgym_agents.evaluation.api import run_prepared

    try:
        with progress_bar(shown=not quiet) as follow:

            def on_progress(progress: Progress) -> None:
                if progress.last is None and not quiet and not as_json:
                    # Not before the runner tells that it has begun: the folder is ours by then.
                    err().print(_announced(plan, shown), markup=False, soft_wrap=True)
                follow(progress)

            return run_interruptible(
                run_prepared(plan, folder=folder, resume=resume, on_progress=on_progress)
            )
    except Interrupted:
        say_error(f"interrupted: what was done is kept in {shown}")
        err().print(f"Go on with: normgym run --out {_quoted(shown)} --resume", markup=False, soft_wrap=True)
        return None


def _baselines(plan: Plan, folder: Path, shown: Path, *, quiet: bool) -> Baselines | None:
    """Run the reference newcomers; None if they were interrupted, which the run itself survives."""
    from normgym_agents.cli.interrupting import Interrupted, run_interruptible
    from normgym_agents.evaluation.baselines import run_baselines

    def tell(name: str) -> None:
        if not quiet:
            err().print(f"reference:{name}", markup=False, style="dim", soft_wrap=True)

    try:
        return run_interruptible(run_baselines(plan, folder=folder, on_progress=tell))
    except Interrupted:
        say_error(f"interrupted: the run itself is whole, in {shown}; the reference newcomers are not")
        return None


def _announced(plan: Plan, shown: Path) -> str:
    config, suite = plan.config, plan.suite
    return (
        f"{on_one_line(plan.newcomer.name)}: {counted(len(plan.episodes), 'episode')} "
        f"({counted(suite.worlds, 'world')} of {on_one_line(suite.name)}, "
        f"{counted(len(config.conditions), 'condition')}, {counted(config.trials, 'trial')}) "
        f"into {on_one_line(str(shown))}"
    )


def _quoted(folder: Path) -> str:
    import shlex

    return shlex.quote(str(folder))


def _tell(
    result: RunResult, held: Baselines, folder: Path, shown: Path, *, quiet: bool, as_json: bool
) -> None:
    if as_json:
        typer.echo(result.to_json(), nl=False)
    elif quiet:
        typer.echo(str(shown))
    else:
        from normgym_agents.cli.render import places, results

        show(lambda console: results(result, console))
        if held:
            from normgym_agents.cli.beside import beside

            show(lambda console: beside(result, held, console))
        show(lambda console: places(folder, shown))
    if as_json or quiet:
        for warning in result.warnings:
            say_error(warning)
