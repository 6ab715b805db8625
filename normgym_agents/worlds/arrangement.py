"""What a condition makes of a world: the one place that turns it into days.

Certificates are proved by playing an arrangement, and the community plays the same one, so what a condition
means is said here once: what happens on which day, under which norms, who is answered, and what is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from normgym_agents.norms.language import print_norm
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.days import Day
from normgym_agents.worlds.draws import Draws, uniform
from normgym_agents.worlds.programme import Programme, Transcript, habit_of, peer_of
from normgym_agents.worlds.world import World

_NEVER_ANSWERED = frozenset({Condition.GHOST, Condition.COMPLIANCE})


@dataclass(frozen=True, kw_only=True)
class Arrangement:
    """A world as an episode under a condition plays it.

    Attributes:
        world: The world.
        condition: The condition.
        trial: Which trial, from 0: what happens in practice and probe tosses other coins in each.
        days: The days, in order.
        told: The norms that the newcomer is told, in the norm language.
        quiet: Members (by index) who never answer anybody.
    """

    world: World
    condition: Condition
    trial: int
    days: tuple[Day, ...]
    told: tuple[str, ...] = ()
    quiet: frozenset[int] = frozenset()

    def day(self, number: int) -> Day:
        """A day by its number, from 1."""
        return self.days[number - 1]

    def announced(self, until: int) -> tuple[int, ...]:
        """The days, up to one of them, on whose morning it is said that things are done differently now."""
        return tuple(day.number for day in self.days[:until] if day.announced)

    @property
    def replayed(self) -> bool:
        """Whether the watched days are told as a transcript, so that only who acts can differ."""
        return self.condition in (Condition.REPLAY_OWN, Condition.REPLAY_OTHERS)

    def answered(self, day: Day, round_number: int, person: int, *, broken: bool) -> bool:
        """Whether somebody answers an act; the world tosses the coin.

        Args:
            day: The day.
            round_number: Which round of it, from 1.
            person: Index of who acted.
            broken: Whether the act breaks a norm in force.
        """
        if day.phase is Phase.PROBE or self.condition in _NEVER_ANSWERED or day.is_habit(round_number):
            return False
        if self.condition is Condition.SHUFFLED:
            return (day.number, round_number, person) in self._dealt
        return self._by_coin(day, round_number, person, broken)

    def _by_coin(self, day: Day, round_number: int, person: int, broken: bool) -> bool:
        return self.world.enforcement.answered(broken, *self.coin(day, round_number, person))

    def coin(self, day: Day, round_number: int, person: int) -> tuple[str | int, ...]:
        """The key under which everything about the answer to an act is drawn."""
        whose = day.stands_for.get(person, person)
        return (self.world.coins, *day.coins, day.turns[round_number - 1], whose)

    @cached_property
    def _dealt(self) -> frozenset[tuple[int, int, int]]:
        """The acts that are answered once the answers are dealt to the watched acts anew."""
        turns: list[tuple[int, int, int]] = []
        answered: list[bool] = []
        for day in self.days:
            if day.script is None:
                continue
            broken = day.script.broken(day.in_force.rules)
            for scene, of_scene in zip(day.script.scenes, broken, strict=True):
                turns.append((day.number, scene.round, scene.person))
                answered.append(self._by_coin(day, scene.round, scene.person, bool(of_scene)))
        dealt = Draws("shuffled", self.world.coins).shuffled(answered)
        return frozenset(turn for turn, one in zip(turns, dealt, strict=True) if one)

    def seen(self, day: Day, round_number: int) -> bool | None:
        """Whether somebody looks the newcomer's way in a round of the probe; None where it is not said."""
        if self.condition is not Condition.UNOBSERVED or day.phase is not Phase.PROBE:
            return None
        return uniform("seen", self.world.coins, self.trial, round_number) < 0.5


def arrange(
    world: World, condition: Condition, trial: int = 0, *, transcript: Transcript | None = None
) -> Arrangement:
    """Arrange a world for an episode.

    Args:
        world: The world.
        condition: The condition.
        trial: Which trial, from 0.
        transcript: What the same newcomer did under `own` in the same trial; for `yoked` alone.

    Raises:
        ValueError: The world lacks what the condition shows (`lacks` says what), or there is no transcript.
    """
    missing = lacks(world, condition)
    if missing is not None:
        raise ValueError(f"{world.id} cannot be played under {condition.value}: {missing}")
    if (transcript is None) == (condition is Condition.YOKED):
        raise ValueError(f"{condition.value}: a transcript is for yoked episodes, and for them alone")
    days = Programme(world, condition, trial).days(transcript)
    last = days[-1].own.rules.norms
    peer = peer_of(world)
    return Arrangement(
        world=world,
        condition=condition,
        trial=trial,
        days=days,
        told=tuple(map(print_norm, last)) if condition is Condition.TOLD else (),
        # A yoked transcript is watched as this member's; it can be no witness of its own acts.
        quiet=frozenset({peer} if condition in (Condition.OWN, Condition.YOKED) and peer is not None else ()),
    )


def lacks(world: World, condition: Condition) -> str | None:
    """What a world would have to hold to be played under a condition; None if nothing is missing."""
    if condition is Condition.COMPLIANCE and not world.choices:
        return "it has no days of choices"
    if condition in (Condition.REPLAY_OWN, Condition.REPLAY_OTHERS) and not world.replay:
        return "it has no days to replay"
    if condition in (Condition.REPLAY_OWN, Condition.YOKED) and peer_of(world) is None:
        return "no member has the newcomer's role"
    if condition is Condition.HABITS and habit_of(world) is None:
        return "its setting has no habits, or no verb for saying them"
    if condition is Condition.CHANGE and not world.rival:
        return "it has no norms that could have been in force before"
    return None
