"""From a configuration to the episodes it asks for.

Whatever can be wrong is found here, before anything is written or any model is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import RunConfig
from normgym_agents.evaluation.evidence import playable
from normgym_agents.evaluation.records import episode_key
from normgym_agents.evaluation.results import SuiteResult
from normgym_agents.evaluation.voices import SCRIPTED, Voices, open_voices
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.faithfulness import DEFAULT_LIMITS, FidelityLimits

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World


class Entrant(Protocol):
    """A loaded newcomer: how it is known, what tells it from a changed one, and how one is made."""

    @property
    def name(self) -> str:
        """What it is known by."""

    @property
    def kind(self) -> str:
        """What it is, as `LoadedNewcomer.kind`."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the newcomer may behave differently, as far as that can be seen."""

    @property
    def factory(self) -> NewcomerFactory:
        """Makes the newcomer of one episode."""


class Worlds(Protocol):
    """A loaded suite."""

    @property
    def name(self) -> str:
        """What it is known by."""

    @property
    def version(self) -> int:
        """Its version."""

    @property
    def digest(self) -> str:
        """Digest over its worlds."""

    @property
    def worlds(self) -> Sequence[World]:
        """Its worlds, twins side by side."""

    @property
    def fidelity(self) -> FidelityLimits:
        """How unfaithful members with models may be."""

    def first(self, worlds: int) -> Worlds:
        """The suite cut to its first worlds, with the digest of what is left."""


@dataclass(frozen=True, kw_only=True)
class Episode:
    """One episode that a run owes.

    Attributes:
        key: Content hash of all that decides it.
        world: The world.
        condition: The condition.
        trial: Counted from 0.
        seed: What its newcomer draws from.
        source: Key of the episode whose transcript it shows, earlier in the same run; None for most.
    """

    key: str
    world: World
    condition: Condition
    trial: int
    seed: int
    source: str | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A run, ready to start.

    Attributes:
        config: What was asked for.
        newcomer: Who comes.
        suite: Which worlds.
        episodes: World by world, so that an interrupted run has whole worlds and pairs to show; each after the
            one whose transcript it shows.
        notes: What a reader of its results must know of how it is run.
        voices: Who speaks for the members.
        fidelity: How unfaithful members with models may be before an episode is reported apart.
    """

    config: RunConfig
    newcomer: Entrant
    suite: SuiteResult
    episodes: tuple[Episode, ...]
    notes: tuple[str, ...] = ()
    voices: Voices = SCRIPTED
    fidelity: FidelityLimits = DEFAULT_LIMITS


def make_plan(config: RunConfig, newcomer: Entrant, suite: Worlds) -> Plan:
    """List the episodes of a run.

    Args:
        config: What is asked for.
        newcomer: The newcomer that `config.newcomer` names.
        suite: The suite that `config.suite` names.

    Raises:
        BadInput: More worlds are asked for than the suite has, or a condition that none of them is certified
            for; or `yoked` without `own`; or spans are to go to what is no address.
    """
    if config.otlp is not None:
        # Imported where it is needed: whoever sends nothing does not wait for a client.
        from normgym_agents.telemetry.otlp_http import traces_url

        traces_url(config.otlp)
    asked = len(suite.worlds) if config.worlds is None else config.worlds
    if asked > len(suite.worlds):
        raise BadInput(
            f"suite {suite.name!r} has {len(suite.worlds)} worlds, fewer than {asked}",
            field="worlds",
            expected=f"1 to {len(suite.worlds)}",
        )
    suite = suite.first(asked)
    conditions, notes = _conditions(config, suite.worlds)
    voices = open_voices(config, suite.worlds)
    episodes = tuple(
        _episode(config, newcomer, world, condition, trial, voices.identity)
        for world in suite.worlds
        for condition in conditions
        if playable(world, condition)
        for trial in range(config.trials)
    )
    result = SuiteResult(name=suite.name, version=suite.version, digest=suite.digest, worlds=asked)
    return Plan(
        config=config,
        newcomer=newcomer,
        suite=result,
        episodes=episodes,
        notes=notes,
        voices=voices,
        fidelity=suite.fidelity,
    )


def _conditions(config: RunConfig, worlds: Sequence[World]) -> tuple[list[Condition], tuple[str, ...]]:
    """The conditions to play, and what a reader must know of them."""
    if Condition.YOKED in config.conditions and Condition.OWN not in config.conditions:
        raise BadInput(
            "'yoked' shows what the newcomer did under 'own', which is not in this run",
            field="conditions",
            expected="own,yoked",
        )
    whole = set(config.conditions) == set(Condition)
    kept, notes = [], []
    for condition in config.conditions:
        count = sum(playable(world, condition) for world in worlds)
        if not count and not whole:
            raise BadInput(
                f"no world of this suite is certified for {condition.value!r}",
                field="conditions",
                expected=", ".join(c for c in Condition if any(playable(world, c) for world in worlds)),
            )
        if not count:
            notes.append(f"{condition.value} is left out: no world is certified for it")
            continue
        kept.append(condition)
        if count < len(worlds):
            notes.append(
                f"{condition.value} is played in {count} of {len(worlds)} worlds: those certified for it"
            )
    return kept, tuple(notes)


def _episode(
    config: RunConfig, newcomer: Entrant, world: World, condition: Condition, trial: int, members: str
) -> Episode:
    yoked = condition is Condition.YOKED
    return Episode(
        key=_key(config, newcomer, world, condition, trial, members),
        world=world,
        condition=condition,
        trial=trial,
        seed=episode_seed(config.seed, world, condition, trial),
        source=_key(config, newcomer, world, Condition.OWN, trial, members) if yoked else None,
    )


def _key(
    config: RunConfig, newcomer: Entrant, world: World, condition: Condition, trial: int, members: str
) -> str:
    return episode_key(
        suite=world.suite,
        world=world.id,
        digest=world.digest,
        condition=condition,
        trial=trial,
        newcomer=newcomer.name,
        fingerprint=newcomer.fingerprint,
        seed=config.seed,
        members=members,
        limits=config.limits,
        report=config.report,
    )


def episode_seed(seed: int, world: World, condition: Condition, trial: int) -> int:
    """What one episode's newcomer draws from: 63 bits, the same for every newcomer, different per episode."""
    digest = sha256(f"{seed}/{world.digest}/{condition}/{trial}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1  # 63 bits fit wherever seeds are taken
