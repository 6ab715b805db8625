"""`normgym check`: try the contract on an agent before money is spent."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from normgym_agents.cli import limit_options, run_options, suite_options, wiring_options
from normgym_agents.cli.console import Status, err, say_error, show
from normgym_agents.cli.protocol import tell_protocol
from normgym_agents.cli.streams import stdout_kept
from normgym_agents.evaluation.texts import counted, on_one_line

if TYPE_CHECKING:
    from normgym_agents.evaluation.config import RunConfig
    from normgym_agents.evaluation.conformance import Conformance


_HELP: Final = (
    "Try the contract on an agent, before money is spent, and say what to fix.\n\n"
    "Unless it is told --live or --model, a scripted model on this machine answers, nothing leaves the machine, and "
    "nothing is spent. A few turns in a few episodes; none is scored.\n\n"
    "[dim]Try it:[/]        normgym check ./my_agent.py:graph\n"
    "[dim]On its model:[/]  normgym check ./my_agent.py:graph --live\n\n"
    f"{wiring_options.SPECS}\n\n"
    "What a run would cost is estimated for the worlds, conditions and trials that are said.\n\n"
    "Exit status: 0 it can take part, 1 something is to be fixed, 2 wrong use or bad input."
)

_MARKS: Final = {
    "passed": ("✓", "green"),
    "noted": ("!", "yellow"),
    "unseen": ("?", "dim"),
    "skipped": ("–", "dim"),
    "failed": ("✗", "bold red"),
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="check", help=_HELP, rich_help_panel="Evaluate")(_check)


def _check(
    newcomer: Annotated[str, typer.Argument(metavar="NEWCOMER", help="Who comes, as normgym run takes it.")],
    model: wiring_options.Model = None,
    live: Annotated[
        bool,
        typer.Option(
            "--live",
            help="Let the agent use its own model, as --model does one: about ten of its turns are paid for.",
            rich_help_panel=wiring_options.PANEL,
        ),
    ] = False,
    mapping: wiring_options.Mapping = None,
    on_interrupt: wiring_options.OnInterrupt = None,
    trust: wiring_options.Trust = None,
    deadline: limit_options.CheckDeadline = None,
    episode_seconds: limit_options.EpisodeSeconds = None,
    turn_calls: limit_options.TurnCalls = None,
    turn_tokens: limit_options.TurnTokens = None,
    episode_calls: limit_options.EpisodeCalls = None,
    episode_tokens: limit_options.EpisodeTokens = None,
    suite: suite_options.SuiteName = None,
    conditions: suite_options.Conditions = None,
    worlds: suite_options.Worlds = None,
    trials: suite_options.Trials = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print as JSON, complete.", rich_help_panel=run_options.OUTPUT)
    ] = False,
    protocol: run_options.Protocol = False,
) -> int:
    from normgym_agents.evaluation.config import parse_config
    from normgym_agents.evaluation.conformance import DEADLINE

    limits = limit_options.limits_given(
        deadline=DEADLINE if deadline is None else deadline,
        episode_seconds=episode_seconds,
        turn_calls=turn_calls,
        turn_tokens=turn_tokens,
        episode_calls=episode_calls,
        episode_tokens=episode_tokens,
    )
    given: dict[str, object] = {
        "newcomer": newcomer,
        **wiring_options.wiring_given(mapping, on_interrupt, trust),
        "limits": limits,
    }
    further = {
        "model": model,
        "suite": suite,
        "conditions": conditions,
        "worlds": worlds,
        "trials": trials,
    }
    config = parse_config({**given, **{name: value for name, value in further.items() if value is not None}})
    if protocol:
        return _protocol(config, as_json=as_json)
    found = _run(config, live=live, quiet=as_json)
    if found is None:
        from normgym_agents.cli.interrupting import leave_stuck_threads

        leave_stuck_threads(Status.INTERRUPTED)
        return Status.INTERRUPTED
    if found.traceback is not None:
        err().print(found.traceback.rstrip(), markup=False, soft_wrap=True)
    if as_json:
        typer.echo(found.model_dump_json(indent=2))
    else:
        show(lambda console: _table(found, console))
    return Status.DONE if found.passed else Status.UNSCORED


def _protocol(config: RunConfig, *, as_json: bool) -> int:
    from normgym_agents.evaluation.api import prepare

    with stdout_kept():
        plan = prepare(config)
    tell_protocol(plan, as_json=as_json)
    return Status.DONE


def _run(config: RunConfig, *, live: bool, quiet: bool) -> Conformance | None:
    """What was found; None if the user had enough."""
    from normgym_agents.cli.interrupting import Interrupted, run_interruptible
    from normgym_agents.evaluation.conformance import prepared

    with stdout_kept(), prepared(config, live=live) as check:
        try:
            with err().status("trying it …") if not quiet else nullcontext():
                return run_interruptible(check.run())
        except Interrupted:
            say_error("interrupted")
            return None


def _table(found: Conformance, console: Console) -> RenderableType:
    model = "its own model" if found.live else "a scripted model, nothing spent"
    kind = "" if found.kind is None else f"{found.kind.replace('_', ' ')}, "
    title = Text.assemble((on_one_line(found.newcomer), "bold"), (f"  {kind}on {model}", "dim"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for one in found.findings:
        mark, style = _MARKS[one.status.value]
        said = Text(on_one_line(one.found), style="dim" if one.status.value == "skipped" else "")
        if one.fix is not None:
            said.append(
                f"\n→ {on_one_line(one.fix)}", style="cyan" if one.status.value == "failed" else "dim"
            )
        grid.add_row(Text(mark, style=style), Text(one.name, style="bold"), said)
    return Group(title, Text(), grid, Text(), _end(found))


def _end(found: Conformance) -> Text:
    if found.failures:
        return Text(
            f"{counted(len(found.failures), 'thing')} to fix before it can take part.", style="bold red"
        )
    return Text("It can take part.", style="bold green")
