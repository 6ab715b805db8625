"""Drawing a private suite for a command: from the seed that is said again each time, and is kept nowhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from normgym_agents.cli.console import err
from normgym_agents.errors import BadInput

if TYPE_CHECKING:
    from normgym_agents.evaluation.config import RunConfig
    from normgym_agents.worlds.suites import Suite

AGAIN: Final[Any] = typer.Option(
    "--suite-seed",
    metavar="TEXT",
    help="For runs of a private suite: what its worlds were drawn from, so that records are compared with them.",
    show_default=False,
)
"""The seed, where a run is read. It takes as long as drawing did."""


def to_run(config: RunConfig, seed: str | None, *, quiet: bool) -> Suite | None:
    """The suite that is drawn from the seed, where a private one is asked for.

    Raises:
        BadInput: A seed or a setting is given for another suite, or there is no such setting.
    """
    from normgym_agents.worlds.suites import PRIVATE

    for option, given in (("--suite-seed", seed), ("--setting", config.setting)):
        if given is not None and config.suite != PRIVATE:
            raise BadInput("only a private suite is drawn from one", field=option, expected="--suite private")
    if seed is None:
        return None
    from normgym_agents.evaluation.drawing import PRIVATE_PAIRS, private_suite

    pairs = PRIVATE_PAIRS if config.worlds is None else (config.worlds + 1) // 2
    return private_suite(seed, pairs, setting=config.setting, on_pair=_teller(pairs, quiet=quiet))


def to_read(folders: Sequence[Path], seed: str | None, *, quiet: bool) -> Suite | None:
    """The suite of runs that are read, drawn again; None without a seed.

    Args:
        folders: Of the runs; all of one suite.
        seed: What its worlds were drawn from.
        quiet: Whether nothing is said of how far it is.

    Raises:
        BadInput: A run is of no private suite; names the file.
    """
    if seed is None:
        return None
    from normgym_agents.evaluation.drawing import private_suite
    from normgym_agents.evaluation.manifest import MANIFEST_FILE, read_manifest
    from normgym_agents.worlds.suites import PRIVATE

    manifests = [read_manifest(folder) for folder in folders]
    for folder, manifest in zip(folders, manifests, strict=True):
        if manifest.config.suite != PRIVATE:
            raise BadInput(
                f"is a run of suite {manifest.config.suite!r}, which is drawn from no --suite-seed",
                file=folder / MANIFEST_FILE,
                field="config.suite",
                expected=PRIVATE,
            )
    largest = max(manifests, key=lambda manifest: manifest.suite.worlds)
    pairs = (largest.suite.worlds + 1) // 2
    tell = _teller(pairs, quiet=quiet)
    return private_suite(seed, pairs, setting=largest.config.setting, on_pair=tell)


def _teller(pairs: int, *, quiet: bool) -> Callable[[int], None]:
    def tell(number: int) -> None:
        if not quiet:
            err().print(f"drawing pair {number} of {pairs}", style="dim", soft_wrap=True)

    return tell
