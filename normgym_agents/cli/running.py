"""Playing a run for a person at a terminal: its folder, its progress, and what is printed at its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from normgym_agents.cli.console import err, say_error, show
from normgym_agents.evaluation.texts import counted, on_one_line

if TYPE_CHECKING:
    from normgym_agents.evaluation.baselines import Baselines
    from normgym_agents.evaluation.plan import Plan
    from normgym_agents.evaluation.results import RunResult
    from normgym_agents.evaluation.runner import Progress

_RUNS: Final = Path("runs")


@contextmanager
def run_folder(plan: Plan, here: Path, out: Path | None, *, resume: bool) -> Iterator[Path]:
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


def played(
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


def played_baselines(plan: Plan, folder: Path, shown: Path, *, quiet: bool) -> Baselines | None:
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


def tell_result(
    result: RunResult, held: Baselines, folder: Path, shown: Path, *, quiet: bool, as_json: bool
) -> None:
    """Print what came out, and where it is kept."""
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
