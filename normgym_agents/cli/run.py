"""`normgym run`: a newcomer in the worlds of a suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from normgym_agents.cli import limit_options, member_options, run_options, suite_options, wiring_options
from normgym_agents.cli.console import Status
from normgym_agents.cli.private import to_run
from normgym_agents.cli.protocol import tell_protocol
from normgym_agents.cli.running import played, played_baselines, run_folder, tell_result
from normgym_agents.cli.streams import stdout_kept
from normgym_agents.errors import BadInput

if TYPE_CHECKING:
    from normgym_agents.evaluation.config import RunConfig


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


_WHO: Final = typer.Argument(
    metavar="NEWCOMER", help="Who comes. [dim]\\[a bundled learner][/dim]", show_default=False
)


def _run(
    newcomer: Annotated[str | None, _WHO] = None,
    model: wiring_options.Model = None,
    mapping: wiring_options.Mapping = None,
    on_interrupt: wiring_options.OnInterrupt = None,
    trust: wiring_options.Trust = None,
    deadline: limit_options.Deadline = None,
    episode_seconds: limit_options.EpisodeSeconds = None,
    turn_calls: limit_options.TurnCalls = None,
    turn_tokens: limit_options.TurnTokens = None,
    episode_calls: limit_options.EpisodeCalls = None,
    episode_tokens: limit_options.EpisodeTokens = None,
    suite: suite_options.SuiteName = None,
    suite_seed: suite_options.SuiteSeed = None,
    setting: suite_options.Setting = None,
    conditions: suite_options.Conditions = None,
    worlds: suite_options.Worlds = None,
    trials: suite_options.Trials = None,
    members: member_options.Members = None,
    member_model: member_options.MemberModel = None,
    member_deadline: member_options.MemberDeadline = None,
    member_calls: member_options.MemberCalls = None,
    member_concurrency: member_options.MemberConcurrency = None,
    seed: run_options.Seed = None,
    concurrency: run_options.Concurrency = None,
    driver: run_options.Driver = None,
    report: run_options.Report = None,
    out: run_options.Out = None,
    resume: run_options.Resume = False,
    otlp: run_options.Otlp = None,
    baselines: run_options.Baselines = False,
    as_json: run_options.AsJson = False,
    quiet: run_options.Quiet = False,
    protocol: run_options.Protocol = False,
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
        **member_options.members_given(
            members, member_model, member_deadline, member_calls, member_concurrency
        ),
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
    with run_folder(plan, here, place, resume=resume) as folder:
        shown = folder if place is not None and place.is_absolute() else folder.relative_to(here)
        with stdout_kept():
            result = played(plan, folder, shown, resume=resume, quiet=quiet, as_json=as_json)
            held = (
                {} if result is None or not baselines else played_baselines(plan, folder, shown, quiet=quiet)
            )
    if result is None or held is None:
        from normgym_agents.cli.interrupting import leave_stuck_threads

        leave_stuck_threads(Status.INTERRUPTED)
        return Status.INTERRUPTED
    tell_result(result, held, folder, shown, quiet=quiet, as_json=as_json)
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
