"""Puts the commands together, and turns every way of failing into one line and an exit status."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import metadata
from typing import Annotated, Final

import typer

from normgym_agents.cli import (
    audit,
    check,
    compare,
    doctor,
    listing,
    model,
    persona,
    play,
    report,
    run,
    score,
    traces,
    validate,
    world,
)
from normgym_agents.cli.console import Status, err, say_error, tolerate_odd_text
from normgym_agents.cli.streams import give_up_stdout, open_missing_streams
from normgym_agents.errors import NormgymError

# The base classes of typer's own errors: which package they come from depends on its version.
_UsageError: Final[type[Exception]] = typer.BadParameter.__mro__[1]
_ClickError: Final[type[Exception]] = typer.BadParameter.__mro__[2]

_EPILOG: Final = (
    "Exit status: 0 done, 1 done with unscored or owed episodes, 2 wrong use or bad input, 130 interrupted."
)

_PLAIN: Final = (
    (re.compile(r"Invalid value for '?([^':]+)'?: "), r"\1: "),
    (re.compile(r"Input should be a valid integer.*"), "not a whole number"),
    (re.compile(r"Input should be a valid number.*"), "not a number"),
    (re.compile(r"Input should be greater than or equal to (\S+)"), r"must be at least \1"),
    (re.compile(r"Got unexpected extra argument\(?s?\)? \((.*)\)"), r"there is nothing that \1 could be"),
)
"""What typer says in terms of its parser, and how a user would say it."""

app = typer.Typer(
    name="normgym",
    help="Does an agent pick up a community's unwritten rules? Drop it into certified worlds and see.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"normgym-agents {installed_version()}")
        raise typer.Exit


def installed_version() -> str:
    """Version of this library, as installed."""
    try:
        return metadata.version("normgym-agents")
    except metadata.PackageNotFoundError:
        return "0+unknown"  # run from a checkout that was never installed


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options before any command."""


for module in (
    run,
    check,
    play,
    score,
    audit,
    compare,
    report,
    validate,
    world,
    persona,
    listing,
    traces,
    doctor,
    model,
):
    module.register(app)


def execute(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: What follows `normgym`.

    Returns:
        The exit status.
    """
    open_missing_streams()
    tolerate_odd_text()
    # Without a handler of somebody's, Python itself prints what AutoGen logs of a member that fails: a traceback in
    # the midst of our screen, of what the outcome says already.
    logging.getLogger("autogen_core").addHandler(logging.NullHandler())
    try:
        status = app(list(arguments), standalone_mode=False, prog_name="normgym")
        sys.stdout.flush()
    except NormgymError as error:
        _show_their_traceback(error)
        say_error(str(error))
        return Status.BAD_INPUT
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    except BrokenPipeError:
        give_up_stdout()  # whoever reads our output has had enough
        return Status.PIPE_CLOSED
    except SystemExit as error:
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        give_up_stdout()  # typer's word for the same
        return Status.PIPE_CLOSED
    except OSError as error:
        return _cannot_go_on(error)
    except _ClickError as error:
        return _wrong_use(error)
    return int(status or Status.DONE)


def _cannot_go_on(error: OSError) -> int:
    """Whatever the system refused that no command has words for, such as output on a full disk."""
    place = "the output cannot be written" if error.filename is None else str(error.filename)
    give_up_stdout()
    with suppress(OSError):
        say_error(f"{place}: {error.strerror or error}")
    return Status.BAD_INPUT


def _wrong_use(error: BaseException) -> int:
    context = getattr(error, "ctx", None)
    if not str(error):  # a group was called without a command, and typer has shown what there is
        return Status.DONE
    command = getattr(context, "command_path", "normgym")
    message = getattr(error, "format_message", error.__str__)().rstrip(".")
    for pattern, words in _PLAIN:
        message = pattern.sub(words, message)
    say_error(f"{message} (see {command} --help)" if isinstance(error, _UsageError) else message)
    return Status.BAD_INPUT


def _show_their_traceback(error: NormgymError) -> None:
    """Where a user's own module failed, show what Python says of it."""
    theirs = getattr(error, "traceback", None)
    if isinstance(theirs, str):
        err().print(theirs.rstrip(), markup=False, soft_wrap=True)
