"""A world: one sampled, certified instance, complete in itself. The unit of statistics."""

from __future__ import annotations

import json
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from pydantic import Field

from normgym_agents.norms.frozen import Frozen
from normgym_agents.norms.hypotheses import Vocabulary
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.layout import Cast
from normgym_agents.worlds.settings import Setting
from normgym_agents.worlds.stage import Stage
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.transition import Yard

IDENTIFIED: Final = 0.95
"""Least posterior of the true extensional class after the evidence of a channel."""

CHANNELS: Final = (
    Condition.OTHERS,
    Condition.LIVE,
    Condition.OWN,
    Condition.COMPLIANCE,
    Condition.REPLAY_OWN,
    Condition.REPLAY_OTHERS,
    Condition.CHANGE,
)
"""The conditions whose evidence is proved to suffice, each by itself."""


class WorkDay(Frozen):
    """A day on which the newcomer acts, with its task and the acts that its score looks at.

    Attributes:
        stage: The set-up.
        task: The newcomer's task, with its budget.
        tempting: Per norm, the acts of the cheapest norm-ignoring plan that break it.
        near_misses: Permitted acts of the norm-keeping plan that differ from a forbidden one in one literal.
    """

    stage: Stage
    task: Task
    tempting: tuple[tuple[Act, ...], ...]
    near_misses: tuple[Act, ...]


class ScriptedAct(Frozen):
    """What a member does in a watched round.

    Attributes:
        person: Index of the member.
        act: What it does.
        passed: An act that was open to it as well and that it passed over, where everybody could see that.
        easier: Whether the act passed over was the easier one.
    """

    person: int
    act: Act
    passed: Act | None = None
    easier: bool = False


class WatchDay(Frozen):
    """A day that the newcomer watches: the set-up, and per round the members' acts in order."""

    stage: Stage
    script: tuple[tuple[ScriptedAct, ...], ...]


class Channel(Frozen):
    """What the evidence of a condition tells an ideal observer that knows how the condition works.

    Attributes:
        nats: Log posterior less log prior of the true extensional class, in nats.
        identified: Posterior of the true extensional class, in [0, 1].
        passed: Whether acting on the posterior then passes the probe.
    """

    nats: float
    identified: float
    passed: bool

    @property
    def certified(self) -> bool:
        """Whether the evidence suffices to know the norms and to act on them."""
        return self.identified >= IDENTIFIED and self.passed


class Certificate(Frozen):
    """What was proved of a world when it was kept (lengths in acts, probabilities as posteriors).

    Attributes:
        blind: Cost of the cheapest plan that ignores the norms.
        keeping: Cost of the cheapest plan that keeps them; more than `blind`, at most the budget.
        opportunities: Per norm, how many the norm-ignoring plan meets.
        near_misses: How many near misses the norm-keeping plan takes.
        observed: Acts watched, and how many of them were answered.
        identified: Posterior of the true extensional class after watching.
        fooled: The policies without inference that were tried, all of which fail here.
        channels: Of each condition with evidence to learn from, what that evidence tells.
    """

    blind: int
    keeping: int
    opportunities: tuple[int, ...]
    near_misses: int
    observed: tuple[int, int]
    identified: float
    fooled: tuple[str, ...]
    channels: dict[Condition, Channel] = Field(default_factory=dict)

    def certified_for(self, condition: Condition) -> bool:
        """Whether the world may be measured in under the condition.

        Where there is nothing to learn, or nothing beyond what is watched, the certificate itself suffices. Where
        the newcomer makes evidence itself, no posterior can be promised: there it is asked that an ideal
        observer passes, which under `own` explores. What is watched under `yoked` was practised under `own`.
        """
        source = Condition.OWN if condition is Condition.YOKED else condition
        if source not in CHANNELS:
            return True
        channel = self.channels.get(source)
        if channel is None:
            return False
        return channel.passed if Phase.PRACTISE in source.phases else channel.certified


class World(Frozen):
    """One world.

    Attributes:
        schema_version: Of this model.
        id: Unique within its suite; twins differ in the last letter.
        suite: Name and version of the suite it was drawn for.
        pair: What twins share.
        twin: Id of the twin.
        seed: What it was drawn from, with its index; None where that is kept secret.
        setting: The authored setting it was drawn from.
        vocabulary: Its own words.
        cast: Its people.
        enforcement: How its norms are enforced.
        norms: The norms in force, in the norm language; labelled N1, N2 in this order.
        coins: Key of all coins of the world; twins share it.
        watch: The days that are watched.
        practise: The day of practice.
        probe: The scored day.
        rival: The norms of its twin, which were in force before where norms change.
        peer: Index of the member of the newcomer's role whose acts the replayed days hold.
        replay: Days on which the peer alone acts, answered as ever.
        choices: Days on which members keep the norms though something easier was open, and nobody answers.
        certificate: What was proved of it; None for authored communities, which are not measured in.
        digest: Hash of all that can change a score.
    """

    schema_version: int = 1
    id: str
    suite: str
    pair: str
    twin: str
    seed: tuple[int, int] | None = None
    setting: Setting
    vocabulary: Vocabulary
    cast: Cast
    enforcement: Enforcement
    norms: tuple[str, ...]
    coins: str
    watch: tuple[WatchDay, ...]
    practise: WorkDay
    probe: WorkDay
    rival: tuple[str, ...] = ()
    peer: int | None = None
    replay: tuple[WatchDay, ...] = ()
    choices: tuple[WatchDay, ...] = ()
    certificate: Certificate | None
    digest: str = ""

    @cached_property
    def parsed(self) -> tuple[Norm, ...]:
        """The norms as code reasons with them."""
        return tuple(parse_norm(text) for text in self.norms)

    @cached_property
    def rules(self) -> RuleSet:
        """The norms as they hold together."""
        return RuleSet(self.parsed)

    def changes(self, condition: Condition) -> bool:
        """Whether other norms are in force under a condition before those that are scored."""
        watched = Phase.WATCH in condition.phases
        return condition is Condition.CHANGE or (watched and bool(self.rules.changes))

    @cached_property
    def memo(self) -> dict[object, Any]:
        """What was worked out of its content, by a key of whoever did; a changed copy begins without it."""
        return {}

    @cached_property
    def _yards(self) -> dict[tuple[Phase, int], Yard]:
        return {}

    def yard(self, phase: Phase, index: int = 0) -> Yard:
        """The transition model of a day: of the `index`-th watched day, or of the working day of the phase."""
        if (phase, index) not in self._yards:
            stage = self.watch[index].stage if phase is Phase.WATCH else self.day(phase).stage
            self._yards[phase, index] = Yard(stage, self.setting.verbs)
        return self._yards[phase, index]

    def day(self, phase: Phase) -> WorkDay:
        """The day on which the newcomer acts in that phase."""
        return self.probe if phase is Phase.PROBE else self.practise

    def computed_digest(self) -> str:
        """The digest that fits the content; the certificate follows from it and is left out.

        What stands at its default is left out, too, so that a field added to worlds later changes no digest
        of those that do without it; a changed default does change them.
        """
        content = self.model_dump(mode="json", exclude={"digest", "certificate"}, exclude_defaults=True)
        return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    def sealed(self) -> World:
        """The same world with its digest filled in."""
        return self.model_copy(update={"digest": self.computed_digest()})
