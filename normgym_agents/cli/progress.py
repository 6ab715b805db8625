"""The progress bar of a run, on stderr, so that results can be piped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from normgym_agents.cli.console import err
from normgym_agents.evaluation.runner import Progress as RunProgress


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Callable[[RunProgress], None]]:
    """A bar that follows a run; it is gone when the run ends. Silent where stderr is no terminal.

    Args:
        shown: Whether there is a bar at all.

    Yields:
        What the runner tells its progress to.
    """
    console = err()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]left"),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[tally]}"),
        console=console,
        transient=True,
        disable=not shown or not console.is_terminal,
    )
    passed = failed = unscored = 0
    with bar:
        task = bar.add_task("episodes", total=None, tally="")

        def follow(progress: RunProgress) -> None:
            nonlocal passed, failed, unscored
            if progress.last is not None:
                scores = progress.last.scores
                unscored += scores is None
                passed += scores is not None and scores.joint
                failed += scores is not None and not scores.joint
            tally = f"{passed} passed, {failed} failed" + (f", {unscored} unscored" if unscored else "")
            bar.update(task, completed=progress.done, total=progress.total, tally=tally)

        yield follow
