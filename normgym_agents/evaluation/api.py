"""`evaluate`: from a newcomer and a suite to a result, in one call.

The parts are public, too: `prepare` finds every mistake before anything is written, `run_prepared` runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from normgym_agents.community.kinds import MemberKind, MemberLimits
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.bundled import BUNDLED, bundled_newcomer
from normgym_agents.evaluation.config import Driver, Limits, RunConfig, parse_config
from normgym_agents.evaluation.folders import fixed
from normgym_agents.evaluation.plan import Plan, make_plan
from normgym_agents.evaluation.report import write_report
from normgym_agents.evaluation.results import RunResult
from normgym_agents.evaluation.runner import Player, Progress, run_plan
from normgym_agents.evaluation.suite_files import load_asked
from normgym_agents.evaluation.synchronous import synchronous
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.newcomers.person import is_person
from normgym_agents.newcomers.wiring import StateMapping, Wiring
from normgym_agents.newcomers.wiring_files import MappingGiven, PolicyGiven, mapping_from, policy_from
from normgym_agents.worlds.conditions import BASE, Condition
from normgym_agents.worlds.suites import PRIVATE, Suite

if TYPE_CHECKING:
    from normgym_agents.newcomers.adapting import ModelEffect
    from normgym_agents.newcomers.loading import LoadedNewcomer


@dataclass(frozen=True, kw_only=True)
class _Entrant:
    """A loaded newcomer with its fingerprint."""

    name: str
    kind: str
    fingerprint: str
    factory: NewcomerFactory
    close: Callable[[], None]


def prepare(config: RunConfig, *, newcomer: LoadedNewcomer | None = None, suite: Suite | None = None) -> Plan:
    """Load what a configuration names, and list its episodes. Writes nothing and calls no model.

    Args:
        config: What is asked for.
        newcomer: In place of the one that `config.newcomer` names, if it is loaded already.
        suite: In place of the one that `config.suite` names, likewise.

    Raises:
        BadInput: Something that is named is not there, or will not do.
    """
    from normgym_agents.evaluation.fingerprints import fingerprint
    from normgym_agents.newcomers.loading import load_newcomer

    if newcomer is None and is_person(config.newcomer):
        raise BadInput("a person comes to a terminal", field="newcomer", expected="normgym play")
    base = Path.cwd() if config.base is None else Path(config.base)
    config = config.model_copy(update={"base": str(base)})
    if suite is None:
        suite = load_asked(config)
    if newcomer is None:
        newcomer = load_newcomer(
            config.newcomer,
            model=config.model,
            mapping=None if config.mapping == StateMapping() else config.mapping,
            on_interrupt=config.on_interrupt,
            trust=config.trust,
            folder=base,
        )
        seen = fingerprint(newcomer.name, config.model, newcomer.source)
        # What a file beside the agent says is kept with the run, which then needs the file no more.
        config = config.model_copy(update={"mapping": newcomer.wiring.mapping})
    else:
        seen = f"given-{newcomer.kind}"
    name = BUNDLED if config.newcomer == bundled_newcomer() else newcomer.name
    entrant = _Entrant(
        name=name, kind=newcomer.kind, fingerprint=seen, factory=newcomer.factory, close=newcomer.close
    )
    notes = _model_notes(config.model, newcomer.model_effect, name)
    plan = make_plan(config, entrant, suite)
    return replace(plan, notes=(*plan.notes, *notes))


def _model_notes(model: str | None, effect: ModelEffect, name: str) -> tuple[str, ...]:
    """What to say of a model that may not have come to work."""
    if model is None or effect == "taken" or model == name:
        return ()
    if effect == "offered":
        return (f"model {model}: the graph was offered it in configurable['model'] and may keep its own",)
    return (f"model {model} has no effect on {name}",)


async def run_prepared(
    plan: Plan,
    *,
    folder: Path | None = None,
    resume: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    play: Player | None = None,
) -> RunResult:
    """Run a prepared plan, and write its report where it has a folder.

    Args:
        plan: What to run; its newcomer is let go of at the end, so it runs once.
        folder: Where the run is kept; None keeps everything in memory.
        resume: Go on with the run in `folder`.
        on_progress: Called at the start and after each record.
        play: Plays one episode; None is the community.

    Raises:
        BadInput: The folder holds something else, or cannot be written.
        CancelledError: The caller was cancelled; every record written so far is kept.
    """
    if play is None:
        from normgym_agents.evaluation.episodes import play_episode

        play = play_episode
    folder = fixed(folder)
    try:
        result = await run_plan(plan, play, folder=folder, resume=resume, on_progress=on_progress)
    finally:
        if isinstance(plan.newcomer, _Entrant):
            plan.newcomer.close()
    if folder is not None:
        worlds = {episode.world.id: episode.world for episode in plan.episodes}
        await asyncio.to_thread(write_report, folder, result, worlds)
    return result


async def evaluate(
    newcomer: object,
    suite: str | Suite = "quick",
    *,
    conditions: Sequence[Condition | str] = BASE,
    worlds: int | None = None,
    trials: int = 1,
    model: str | None = None,
    mapping: MappingGiven = None,
    on_interrupt: PolicyGiven = "reply",
    trust: bool = False,
    members: MemberKind | str = MemberKind.SCRIPTED,
    member_model: str | Mapping[str, str] | None = None,
    member_limits: MemberLimits | None = None,
    seed: int = 0,
    limits: Limits | None = None,
    report: bool = False,
    driver: Driver = "graph",
    concurrency: int = 4,
    out: Path | str | None = None,
    resume: bool = False,
    otlp: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> RunResult:
    """Run a newcomer through a suite.

    Args:
        newcomer: A spec (`path/to/file.py:name`, `reference:NAME`, …), a newcomer that `load_newcomer` gave, or
            an agent itself: a graph, an AutoGen agent, a chat model, a function, or a factory of these.
        suite: Name or path of a suite, or a loaded one.
        conditions: Which evidence the newcomer gets.
        worlds: How many worlds of the suite, from its first; None for all.
        trials: Episodes per world and condition.
        model: Spec of a model for a newcomer that takes one.
        mapping: The keys of a graph without `messages`, and what its runs need besides: a `StateMapping`, its
            fields, the path of a YAML file, or `input=KEY,output=KEY,…`.
        on_interrupt: What happens where the newcomer pauses to ask: `reply` (its question is its reply),
            `approve`, `reject`, rules, or the path of a YAML file of these.
        trust: Whether code that came inside of data (a component written out) may be run.
        members: `scripted`, `voiced` (a model words what the schedule decides) or `autonomous` (a model decides).
        member_model: Spec of the model of members that have one; or specs by persona, everybody else's under "".
        member_limits: What these models are allowed; None for the defaults.
        seed: Seeds what the newcomer draws, and the intervals.
        limits: What the newcomer is allowed; None for the defaults.
        report: Ask the newcomer at the end of each episode what one may and must not do; a model call more.
        driver: `graph` or `loop`; both give the same records.
        concurrency: Episodes at a time.
        out: A new or empty folder to keep the run in; None keeps it in memory alone.
        resume: Go on with the run in `out`.
        otlp: Where spans are sent beside `out`, over OTLP/HTTP.
        on_progress: Called at the start and after each record.

    Returns:
        The content of `summary.json`, with the records behind it.

    Raises:
        BadInput: Something is named that is not there, or will not do; nothing was written then.
    """
    folder = fixed(out)  # before loading, which may change the current folder
    wiring = Wiring(
        model=model, mapping=mapping_from(mapping), on_interrupt=policy_from(on_interrupt), trust=trust
    )
    loaded = None if isinstance(newcomer, str) else loaded_from(newcomer, wiring)
    config = parse_config(
        {
            "newcomer": newcomer if loaded is None else loaded.name,
            "suite": suite if isinstance(suite, str) else suite.name,
            "setting": None if isinstance(suite, str) else _drawn_from(suite),
            "conditions": ",".join(conditions),
            "worlds": worlds,
            "trials": trials,
            "model": model,
            "mapping": (wiring if loaded is None else loaded.wiring).mapping,
            "on_interrupt": (wiring if loaded is None else loaded.wiring).on_interrupt,
            "trust": trust,
            "members": members,
            "member_models": {"": member_model}
            if isinstance(member_model, str)
            else dict(member_model or {}),
            "member_limits": member_limits or MemberLimits(),
            "seed": seed,
            "limits": limits or Limits(),
            "report": report,
            "driver": driver,
            "concurrency": concurrency,
            "otlp": otlp,
        }
    )
    plan = prepare(config, newcomer=loaded, suite=None if isinstance(suite, str) else suite)
    return await run_prepared(plan, folder=folder, resume=resume, on_progress=on_progress)


def _drawn_from(suite: Suite) -> str | None:
    """The setting of a private suite: whoever scores the run must be able to draw its worlds again."""
    return suite.worlds[0].setting.name if suite.name == PRIVATE and suite.worlds else None


def loaded_from(newcomer: object, wiring: Wiring) -> LoadedNewcomer:
    """An agent itself, made ready for episodes.

    Raises:
        BadInput: Nothing fits it, or how to connect it cannot be told.
    """
    from normgym_agents.newcomers.adapting import adapt
    from normgym_agents.newcomers.loading import LoadedNewcomer

    if isinstance(newcomer, LoadedNewcomer):
        return newcomer
    name = getattr(newcomer, "name", None) or getattr(newcomer, "__name__", None) or type(newcomer).__name__
    adapted = adapt(newcomer, str(name), wiring)
    return LoadedNewcomer(
        name=str(name),
        kind=adapted.kind,
        factory=adapted.factory,
        model_effect=adapted.model_effect,
        wiring=wiring,
    )


evaluate_sync = synchronous(evaluate, "evaluate_sync")
"""`evaluate` for code that is not asynchronous: the same arguments, the same result."""
