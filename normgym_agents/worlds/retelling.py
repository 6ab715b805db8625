"""The same watched day, told otherwise: with two people's names exchanged, or with habits in between.

What norms say of it is what they say of the day as it was, so nothing of that is worked out again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Final, TypeVar

from normgym_agents.norms.rules import RuleSet
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.scripts import Rounds, Scene, Script
from normgym_agents.worlds.stage import Stage, State
from normgym_agents.worlds.transition import Yard
from normgym_agents.worlds.world import ScriptedAct

T = TypeVar("T")

HABIT_AFTER: Final = 2
"""Members say their habit after every so many rounds."""


class Swapped(Script):
    """A day in which the peer and the newcomer bear each other's names, wherever these stand.

    Args:
        base: The day as it was; both are of one role.
        peer: Index of the peer.
    """

    def __init__(self, base: Script, peer: int) -> None:
        stage, rounds = _swapped(base.yard.stage, base.rounds, peer)
        super().__init__(base.name, Yard(stage, base.yard.verbs), rounds)
        self._base = base

    @cached_property
    def scenes(self) -> tuple[Scene, ...]:
        """Every act in order."""
        acts = chain.from_iterable(self.rounds)
        return tuple(
            scene._replace(ground=scene.ground._replace(act=scripted.act))
            for scene, scripted in zip(self._base.scenes, acts, strict=True)
        )

    def broken(self, rules: RuleSet) -> tuple[tuple[int, ...], ...]:
        """Per scene which of the norms it breaks."""
        return self._base.broken(rules)

    def verdicts(self, rules: RuleSet) -> tuple[tuple[Verdict, ...], ...]:
        """Per scene what each of the norms says of it."""
        return self._base.verdicts(rules)


class WithHabits(Script):
    """A day in which, after every second round, each member says what members here always say.

    It is said in passing: nobody takes a turn by it, nobody minds, and no norm says anything of it.

    Args:
        base: The day as it was.
        habit: What is said.
    """

    def __init__(self, base: Script, habit: Act) -> None:
        stage, rounds, self.habits = _with_habits(base.yard.stage, base.rounds, habit)
        super().__init__(base.name, Yard(stage, base.yard.verbs), rounds)
        ground = base.yard.ground(habit)
        if ground is None:
            raise ValueError(f"{base.name}: nobody can say {habit.say!r} here")
        self._base, self._said = base, ground

    @cached_property
    def scenes(self) -> tuple[Scene, ...]:
        """Every act in order."""
        scenes: list[Scene] = []
        so_far = iter(self._base.scenes)
        state = self.yard.stage.morning()
        for number, acts in enumerate(self.rounds, start=1):
            for scripted in acts:
                if number in self.habits:
                    scenes.append(self._saying(number, scripted.person, state))
                else:
                    scenes.append(next(so_far)._replace(round=number))
                state = scenes[-1].after
        return tuple(scenes)

    def _saying(self, number: int, person: int, state: State) -> Scene:
        moment = self.yard.moment(state, person, self._said, number)
        return Scene(
            round=number,
            person=person,
            ground=self._said,
            before=state,
            after=state,
            moment=moment._replace(recent=(), tally=frozenset()),
            passed=None,
            easier=False,
            habit=True,
        )

    def broken(self, rules: RuleSet) -> tuple[tuple[int, ...], ...]:
        """Per scene which of the norms it breaks."""
        return self._among_habits(self._base.broken(rules), ())

    def verdicts(self, rules: RuleSet) -> tuple[tuple[Verdict, ...], ...]:
        """Per scene what each of the norms says of it."""
        return self._among_habits(self._base.verdicts(rules), (Verdict.NO_OPPORTUNITY,) * len(rules.norms))

    def _among_habits(self, found: Sequence[T], nothing: T) -> tuple[T, ...]:
        so_far = iter(found)
        return tuple(nothing if scene.habit else next(so_far) for scene in self.scenes)


def _swapped(stage: Stage, rounds: Rounds, peer: int) -> tuple[Stage, Rounds]:
    """A day in which the peer and the newcomer bear each other's names, wherever these stand."""
    people = list(stage.people)
    one, other = people[peer], people[-1]
    names: Mapping[str, str] = {one.name: other.name, other.name: one.name}
    people[peer], people[-1] = (
        one.model_copy(update={"name": other.name}),
        other.model_copy(update={"name": one.name}),
    )
    acts = tuple(tuple(_renamed(scripted, names) for scripted in acts) for acts in rounds)
    return stage.model_copy(update={"people": tuple(people)}), acts


def in_stead(stage: Stage, rounds: Rounds, peer: int) -> tuple[Stage, Rounds]:
    """The newcomer's day as the peer's: each stands where the other stood, and the peer does what is done."""
    shown, acts = _swapped(stage, rounds, peer)
    people = list(shown.people)
    people[peer], people[-1] = people[-1], people[peer]
    owners = {stage.newcomer: peer, peer: stage.newcomer}
    return shown.model_copy(update={"people": tuple(people)}), tuple(
        tuple(
            scripted.model_copy(update={"person": owners.get(scripted.person, scripted.person)})
            for scripted in of_round
        )
        for of_round in acts
    )


def _renamed(scripted: ScriptedAct, names: Mapping[str, str]) -> ScriptedAct:
    def renamed(act: Act) -> Act:
        return act if act.to is None or act.to not in names else act.model_copy(update={"to": names[act.to]})

    passed = None if scripted.passed is None else renamed(scripted.passed)
    return scripted.model_copy(update={"act": renamed(scripted.act), "passed": passed})


def _with_habits(stage: Stage, rounds: Rounds, habit: Act) -> tuple[Stage, Rounds, frozenset[int]]:
    says = tuple(ScriptedAct(person=i, act=habit) for i in range(stage.newcomer))
    longer: list[tuple[ScriptedAct, ...]] = []
    shown: list[int] = []
    habits: list[int] = []
    for i, acts in enumerate(rounds):
        longer.append(acts)
        shown.append(i)
        if (i + 1) % HABIT_AFTER == 0:
            longer.append(says)
            shown.append(i)
            habits.append(len(longer))
    signals = {name: tuple(values[i] for i in shown) for name, values in stage.signals.items()}
    longer_stage = stage.model_copy(update={"signals": signals, "rounds": len(shown)})
    return longer_stage, tuple(longer), frozenset(habits)
