"""A watched day played through once: every scripted act with what it is judged by.

What members do on a watched day is fixed, and many conditions show the same day: so the certificate, the
community and the observers share what was worked out of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from normgym_agents.norms.moments import Moment
from normgym_agents.norms.rules import RuleSet
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.stage import State
from normgym_agents.worlds.transition import Ground, Yard
from normgym_agents.worlds.world import ScriptedAct

if TYPE_CHECKING:
    from normgym_agents.worlds.public import PublicEvent

Rounds = tuple[tuple[ScriptedAct, ...], ...]
"""Per round the acts of the members, in order."""


class Scene(NamedTuple):
    """One scripted act as it takes place.

    Attributes:
        round: Which round of the day, from 1.
        person: Index of who acts.
        ground: The act with its slots resolved.
        before: How things stood before it.
        after: How they stood then.
        moment: The act as norms see it; a habit shows no acts before it, since none of them led to it.
        passed: The act passed over for it, as norms see it, where everybody could see that it was.
        easier: Whether that one was easier.
        habit: Whether it is something said by habit, in passing: no turn, and nothing changes by it.
    """

    round: int
    person: int
    ground: Ground
    before: State
    after: State
    moment: Moment
    passed: Moment | None
    easier: bool
    habit: bool


class Script:
    """A watched day.

    Args:
        name: What messages call it.
        yard: The day's transition model.
        rounds: What is done.

    Attributes:
        habits: Rounds (from 1) in which members only say what they always say.
        shown: Public events by how the day is numbered, for whoever makes them.
    """

    habits: frozenset[int] = frozenset()

    def __init__(self, name: str, yard: Yard, rounds: Rounds) -> None:
        self.name, self.yard, self.rounds = name, yard, rounds
        self.shown: dict[int, tuple[PublicEvent, ...]] = {}
        self._broken: dict[RuleSet, tuple[tuple[int, ...], ...]] = {}
        self._verdicts: dict[RuleSet, tuple[tuple[Verdict, ...], ...]] = {}

    @cached_property
    def scenes(self) -> tuple[Scene, ...]:
        """Every act in order.

        Raises:
            ValueError: One of them is not possible when its turn comes.
        """
        scenes: list[Scene] = []
        yard, state = self.yard, self.yard.stage.morning()
        for number, acts in enumerate(self.rounds, start=1):
            for scripted in acts:
                ground = yard.ground(scripted.act)
                if ground is None or not yard.possible(state, scripted.person, ground):
                    raise ValueError(f"{self.name}, round {number}: an impossible act is scripted")
                scenes.append(self._scene(number, scripted, ground, state))
                state = scenes[-1].after
        return tuple(scenes)

    def _scene(self, number: int, scripted: ScriptedAct, ground: Ground, state: State) -> Scene:
        moment = self.yard.moment(state, scripted.person, ground, number)
        passed = None
        if scripted.passed is not None:
            other = self.yard.ground(scripted.passed)
            if other is None or not self.yard.possible(state, scripted.person, other):
                raise ValueError(f"{self.name}, round {number}: an impossible act is passed over")
            passed = self.yard.moment(state, scripted.person, other, number)
        return Scene(
            round=number,
            person=scripted.person,
            ground=ground,
            before=state,
            after=self.yard.step(state, scripted.person, ground),
            moment=moment,
            passed=passed,
            easier=scripted.easier,
            habit=False,
        )

    @cached_property
    def _choices(self) -> tuple[Mapping[Act, Moment], ...]:
        """Per scene everything that could have been done instead, as norms see it."""
        return tuple(choices_of(self.yard, scene.before, scene.person, scene.round) for scene in self.scenes)

    def broken(self, rules: RuleSet) -> tuple[tuple[int, ...], ...]:
        """Per scene which of the norms it breaks."""
        if rules not in self._broken:
            self._broken[rules] = tuple(rules.broken_by(scene.moment) for scene in self.scenes)
        return self._broken[rules]

    def verdicts(self, rules: RuleSet) -> tuple[tuple[Verdict, ...], ...]:
        """Per scene what each of the norms says of it."""
        if rules not in self._verdicts:
            places = range(len(rules.norms))
            self._verdicts[rules] = tuple(
                tuple(rules.evaluate(i, scene.moment, choices.values()) for i in places)
                for scene, choices in zip(self.scenes, self._choices, strict=True)
            )
        return self._verdicts[rules]

    @cached_property
    def by_turn(self) -> Mapping[tuple[int, int], int]:
        """Index of the scene of a round and a person."""
        return {(scene.round, scene.person): i for i, scene in enumerate(self.scenes)}

    @cached_property
    def dumped(self) -> tuple[dict[str, Any], ...]:
        """Per scene its act as plain JSON."""
        return tuple(scene.ground.act.model_dump() for scene in self.scenes)


def choices_of(yard: Yard, state: State, actor: int, round_number: int) -> dict[Act, Moment]:
    """Everything that somebody can do now, as norms see it."""
    available: Sequence[Ground] = yard.available(state, actor)
    moments = yard.moments(state, actor, available, round_number)
    return {ground.act: moment for ground, moment in zip(available, moments, strict=True)}
