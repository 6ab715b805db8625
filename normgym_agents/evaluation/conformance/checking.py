"""Try the contract on an agent before money is spent: a few turns in a few episodes, and what was seen of them.

Nothing of this is scored. What an agent does is its own affair here; whether it can take part is what is asked.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.api import loaded_from, prepare
from normgym_agents.evaluation.config import Limits, RunConfig, parse_config
from normgym_agents.evaluation.conformance import reading
from normgym_agents.evaluation.conformance.estimating import estimate, measured
from normgym_agents.evaluation.conformance.findings import Conformance
from normgym_agents.evaluation.conformance.loading import refusal
from normgym_agents.evaluation.conformance.scripted import MODEL, Scripted, scripted
from normgym_agents.evaluation.conformance.visits import Visits
from normgym_agents.evaluation.plan import Plan
from normgym_agents.evaluation.pulse import Pulse
from normgym_agents.evaluation.suite_files import load_asked
from normgym_agents.evaluation.synchronous import synchronous
from normgym_agents.newcomers.loading import LoadedNewcomer, load_newcomer
from normgym_agents.newcomers.wiring import StateMapping, Wiring
from normgym_agents.newcomers.wiring_files import MappingGiven, PolicyGiven, mapping_from, policy_from
from normgym_agents.worlds.conditions import BASE, Condition
from normgym_agents.worlds.suites import Suite

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World

DEADLINE: Final = 30.0
"""Seconds of a turn in a check, where no limit is given: less than in a run, for somebody waits."""


async def check_newcomer(
    newcomer: object,
    *,
    live: bool = False,
    model: str | None = None,
    mapping: MappingGiven = None,
    on_interrupt: PolicyGiven = "reply",
    trust: bool = False,
    limits: Limits | None = None,
    suite: str | Suite = "quick",
    conditions: Sequence[Condition | str] = BASE,
    worlds: int | None = None,
    trials: int = 1,
) -> Conformance:
    """Try the contract on an agent: about ten turns in five episodes, none of which is scored.

    Unless it is `live`, OpenAI clients of this process speak with a scripted model meanwhile, nothing leaves the
    machine, and nothing is spent. Name the agent by a spec, or give a factory, so that its clients are made then.

    Args:
        newcomer: What `evaluate` takes.
        live: Let the agent use its own model; a few of its turns are paid for then.
        model: Spec of a model for a newcomer that takes one, which makes the check live.
        mapping: As of `evaluate`.
        on_interrupt: Likewise.
        trust: Likewise.
        limits: What the newcomer is allowed; None for the defaults and 30 seconds a turn.
        suite: The suite that the cost of a run is estimated for, and whose worlds are used.
        conditions: The conditions of that run.
        worlds: How many worlds of the suite it has.
        trials: Its trials.

    Raises:
        BadInput: Something is named that is not there. An agent that is there and cannot take part is a finding.
    """
    wiring = Wiring(
        model=model, mapping=mapping_from(mapping), on_interrupt=policy_from(on_interrupt), trust=trust
    )
    fields: Mapping[str, object] = {
        "newcomer": newcomer if isinstance(newcomer, str) else "an object",
        "suite": suite if isinstance(suite, str) else suite.name,
        "conditions": ",".join(conditions),
        "worlds": worlds,
        "trials": trials,
        "model": model,
        "mapping": wiring.mapping,
        "on_interrupt": wiring.on_interrupt,
        "trust": trust,
        "limits": limits or Limits(deadline=DEADLINE),
    }
    config = parse_config(fields)
    with prepared(
        config,
        newcomer=None if isinstance(newcomer, str) else newcomer,
        suite=None if isinstance(suite, str) else suite,
        live=live,
    ) as check:
        return await check.run()


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check that is ready to run, its agent loaded or refused.

    Attributes:
        run: Runs it.
    """

    run: Callable[[], Coroutine[Any, Any, Conformance]]


@contextlib.contextmanager
def prepared(
    config: RunConfig, *, newcomer: object = None, suite: Suite | None = None, live: bool = False
) -> Iterator[Check]:
    """Load an agent for its check, as a run would be loaded: synchronously, its model scripted unless it is live.

    Args:
        config: The run that the check is for.
        newcomer: The agent itself, in place of the one that `config.newcomer` names.
        suite: The suite, if it is loaded already.
        live: Whether the agent uses its own model.

    Yields:
        The check, to be run inside of the block.

    Raises:
        BadInput: See `check_newcomer`.
    """
    suite = load_asked(config) if suite is None else suite
    live = live or config.model is not None
    known = config.newcomer if newcomer is None else type(newcomer).__name__
    with nullcontext(Scripted()) if live else scripted() as place:
        try:
            loaded = _load(config, newcomer, live=live)
        except BadInput as error:
            refused = _refused(known, error, live=live)
            yield Check(run=lambda: _told(refused))
            return
        try:
            plan = prepare(config, newcomer=loaded, suite=suite)
            yield Check(run=lambda: _check(plan, loaded, suite, place))
        finally:
            loaded.close()


async def _told(found: Conformance) -> Conformance:
    return found


def _refused(known: str, error: BadInput, *, live: bool) -> Conformance:
    found, traceback = refusal(error)
    rest = [*reading.not_tried(after="loads"), reading.skipped("cost", "loads")]
    return Conformance(newcomer=known, kind=None, live=live, findings=(found, *rest), traceback=traceback)


async def _check(plan: Plan, loaded: LoadedNewcomer, suite: Suite, place: Scripted) -> Conformance:
    live, cost = place.script is None, None
    visits = Visits(loaded, _two(suite.worlds), plan.config.limits, place)
    with Pulse.kept():
        findings = [reading.loads(loaded), *await visits.findings()]
    if visits.first.turns and visits.first.broke is None:
        cost = await estimate(plan, measured(visits.first, place), live=live)
    findings.append(reading.skipped("cost") if cost is None else reading.cost(cost))
    return Conformance(
        newcomer=loaded.name, kind=loaded.kind, live=live, findings=tuple(findings), estimate=cost
    )


def _load(config: RunConfig, newcomer: object, *, live: bool) -> LoadedNewcomer:
    def load(model: str | None) -> LoadedNewcomer:
        if newcomer is not None:
            wiring = Wiring(
                model=model, mapping=config.mapping, on_interrupt=config.on_interrupt, trust=config.trust
            )
            return loaded_from(newcomer, wiring)
        return load_newcomer(
            config.newcomer,
            model=model,
            mapping=None if config.mapping == StateMapping() else config.mapping,
            on_interrupt=config.on_interrupt,
            trust=config.trust,
            folder=None if config.base is None else Path(config.base),
        )

    try:
        return load(config.model)
    except BadInput as error:
        if live or not reading.wants_model(error):
            raise
        return load(MODEL)  # it runs only with a model that it is given, and the scripted one is at hand


def _two(worlds: Sequence[World]) -> tuple[World, World]:
    """Two worlds as different as the suite has them: of two settings, or else of two pairs."""
    first = worlds[0]
    others = [world for world in worlds if world.setting.name != first.setting.name]
    return first, next(iter(others or [world for world in worlds if world.pair != first.pair]), worlds[-1])


check_newcomer_sync = synchronous(check_newcomer, "check_newcomer_sync")
"""`check_newcomer` for code that is not asynchronous."""


class CheckArguments(TypedDict, total=False):
    """How an agent is tried: what `check_newcomer` takes of it beside the run whose cost is estimated."""

    live: bool
    model: str | None
    mapping: MappingGiven
    on_interrupt: PolicyGiven
    trust: bool
    limits: Limits | None


async def conforming(newcomer: object, **how: Unpack[CheckArguments]) -> Conformance:
    """Check an agent, and fail a test whose agent cannot take part, with what to fix.

    Returns:
        What was found.

    Raises:
        DoesNotConform: The agent failed; an `AssertionError`, too.
    """
    found = await check_newcomer(newcomer, **how)
    found.assert_passed()
    return found


assert_conforms = synchronous(conforming, "assert_conforms")
"""`conforming` for code that is not asynchronous; there, `(await check_newcomer(…)).assert_passed()`."""
