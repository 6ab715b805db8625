"""Further evidence of a certified pair: the days to replay, and the days of choices.

The base pair is drawn first and left as it is, so that what was measured under the first conditions stays
comparable. Whether the further evidence suffices is for the certificate to say; a channel that falls short
within its bounds is kept as it is, and nobody is measured under it in that world.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.hypotheses import HypothesisSpace, Table, distinct_columns
from normgym_agents.norms.likelihood import Choice, choice_likelihood
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.worlds.channels import differences, planner_of
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.draws import Draws, uniform
from normgym_agents.worlds.evidence import ENOUGH, information_gain
from normgym_agents.worlds.foresight import look_ahead
from normgym_agents.worlds.layout import draw_watch_day
from normgym_agents.worlds.lexicon import Lexicon
from normgym_agents.worlds.policies import space_of
from normgym_agents.worlds.stage import State
from normgym_agents.worlds.telling import LikelySets, entropy
from normgym_agents.worlds.transition import Ground, Yard
from normgym_agents.worlds.world import IDENTIFIED, ScriptedAct, WatchDay, World

REPLAY_DAYS, REPLAY_ROUNDS = 10, 8
"""At most this many replayed days of this many rounds, in each of which the peer acts once."""

REPLAY_TRIES: Final = 3
"""Sets of days tried before a pair is left without enough to replay."""

CHOICE_DAYS, CHOICE_ROUNDS = 5, 4
"""At most this many days of choices of this many rounds: 20 rounds in all."""

CHOICE_TRIES: Final = 3
"""Sets of days tried before a world is left without enough choices."""

FORESIGHT: Final = 0.9
"""How much the best act of the next round counts beside the act itself."""

LEAST_GAIN: Final = 2e-6
"""A choice that tells less than this (in nats) is not put to anybody."""

MEMBERS_CHOOSE: Final = Choice()
"""The rates at which members withstand temptation, and take what is easier."""


def enrich(pair: tuple[World, World]) -> tuple[World, World]:
    """The same pair with each other's norms as rivals, days to replay and days of choices.

    A pure function of the pair: every draw is keyed by its coins. The certificates are those of the base pair.
    Where norms change by themselves there is no rival, and nothing beyond the watched days.
    """
    one, other = pair
    if one.rules.changes:
        return one.sealed(), other.sealed()
    peer = _peer(one)
    shared = {"peer": peer, "replay": () if peer is None else _replay(pair, peer)}
    found = [
        world.model_copy(update={**shared, "rival": rival.norms, "choices": _choices(world)}).sealed()
        for world, rival in ((one, other), (other, one))
    ]
    return found[0], found[1]


def _peer(world: World) -> int | None:
    roles = [member.role for member in world.cast.members]
    return roles.index(world.cast.role) if world.cast.role in roles else None


def _lexicon(world: World) -> Lexicon:
    """The words of the world, as far as watched days are drawn from them."""
    words = world.vocabulary
    return Lexicon(
        places=world.probe.stage.places,
        attributes={name: words.values[name] for name in world.setting.attributes},
        signals={name: (values[0], values[1]) for name, values in words.signals.items()},
        roles=words.roles,
        newcomer=world.cast.newcomer,
        unseen=(),
        seen=tuple(thing.attributes for thing in world.watch[0].stage.things),
        topics=world.probe.stage.topics,
        addresses=world.probe.stage.addresses,
    )


class _Mind:
    """One world's ideal observer while evidence for it is gathered."""

    def __init__(self, world: World) -> None:
        self.world, self.space = world, space_of(world.vocabulary)
        self.truth = [self.space.norms.index(unit) for unit in world.rules.at(None).units]
        self.differences = differences(planner_of(world, world.probe), self.space)
        self.observer = IdealObserver(self.space.norms, world.enforcement.rates, MEMBERS_CHOOSE)
        self._likely: LikelySets | None = None

    @property
    def identified(self) -> float:
        """Posterior of the truth."""
        return self.observer.class_probability(self.truth, self.differences)

    @property
    def likely(self) -> LikelySets:
        """The most probable sets, as things stand."""
        if self._likely is None:
            self._likely = LikelySets(self.observer, self.differences)
        return self._likely

    def answer_gains(self, table: Table) -> NDArray[np.float64]:
        """What seeing each act answered or not would tell, shape (moments,)."""
        rates = self.world.enforcement.rates
        if not self.likely.enough:
            return information_gain(self.observer.violation_probability(table, negligible=1e-7), rates)
        chances = np.array([rates.false_sanctions, rates.detection])
        return self.likely.gain(chances, self.likely.broken(table).astype(np.intp))

    def choice_gains(self, easier: Table, dearer: Table) -> NDArray[np.float64]:
        """What seeing each choice made would tell, shape (choices,)."""
        chance = np.array(choice_likelihood(MEMBERS_CHOOSE, easier=True))
        if not self.likely.enough:
            shares = self.observer.pattern_probabilities(dearer, easier, negligible=1e-7)
            return entropy(chance @ shares) - entropy(chance) @ shares
        pattern = self.likely.broken(dearer) + 2 * self.likely.broken(easier).astype(np.intp)
        return self.likely.gain(chance, pattern)

    def see_answer(self, broken: NDArray[np.bool_], *coin: str | int) -> None:
        """Take in how the act is answered in this world."""
        breach = bool(broken[self.truth].any())
        answered = self.world.enforcement.answered(breach, self.world.coins, *coin)
        self.observer.observe(broken, sanctioned=answered)
        self._likely = None

    def see_choice(self, easier: NDArray[np.bool_], dearer: NDArray[np.bool_], *coin: str | int) -> bool:
        """Take in which act a member chooses in this world; whether it is the dearer one."""
        pattern = int(dearer[self.truth].any()) + 2 * int(easier[self.truth].any())
        chance = choice_likelihood(MEMBERS_CHOOSE, easier=True)[pattern]
        withstood = uniform("chosen", self.world.coins, *coin) < chance
        taken, passed = (dearer, easier) if withstood else (easier, dearer)
        self.observer.observe_choice(taken, passed, easier=withstood)
        self._likely = None
        return withstood


def _replay(pair: tuple[World, World], peer: int) -> tuple[WatchDay, ...]:
    """Days on which the peer alone acts, that identify both twins if such are found."""
    days: tuple[WatchDay, ...] = ()
    for attempt in range(REPLAY_TRIES):
        days, identified = _replay_days(pair, peer, Draws("replay", pair[0].coins, attempt))
        if identified:
            break
    return days


def _replay_days(pair: tuple[World, World], peer: int, draws: Draws) -> tuple[tuple[WatchDay, ...], bool]:
    world = pair[0]
    lexicon, minds = _lexicon(world), [_Mind(world) for world in pair]
    days: list[WatchDay] = []
    for day in range(1, REPLAY_DAYS + 1):
        stage = draw_watch_day(lexicon, world.cast, REPLAY_ROUNDS, draws)
        yard, state = Yard(stage, world.setting.verbs), stage.morning()
        script: list[tuple[ScriptedAct, ...]] = []
        for round_number in range(1, REPLAY_ROUNDS + 1):
            ground, broken = _most_telling(yard, state, peer, round_number, minds)
            script.append((ScriptedAct(person=peer, act=ground.act),))
            state = yard.step(state, peer, ground)
            for mind in minds:
                mind.see_answer(broken, Phase.WATCH, day, round_number, peer)
            if day > 1 and round_number % 2 == 0 and all(mind.identified >= ENOUGH for mind in minds):
                days.append(WatchDay(stage=stage, script=tuple(script)))
                return tuple(days), True
        days.append(WatchDay(stage=stage, script=tuple(script)))
    return tuple(days), False


def _most_telling(
    yard: Yard, state: State, member: int, round_number: int, minds: Sequence[_Mind]
) -> tuple[Ground, NDArray[np.bool_]]:
    """The act that tells most by itself and by what it makes possible next, and which norms it breaks."""
    outlook = look_ahead(yard, state, member, round_number, yard.stage.rounds)
    columns, which = _columns(minds[0].space, outlook.moments)
    gains = np.round(sum(mind.answer_gains(columns) for mind in minds), 6)[which]
    best = outlook.best(gains, FORESIGHT).place
    return outlook.possible[best], columns[:, which[best]]


def _columns(space: HypothesisSpace, moments: Sequence[Moment]) -> tuple[Table, NDArray[np.intp]]:
    """The distinct columns of the moments' table, and which of them each moment has."""
    distinct = {moment: i for i, moment in enumerate(dict.fromkeys(moments))}
    columns, which = distinct_columns(space.table(list(distinct)))
    return columns, which[[distinct[moment] for moment in moments]]


def _choices(world: World) -> tuple[WatchDay, ...]:
    """Days on which members choose between two open acts, one of them easier, and nobody answers.

    The first that identify the norms, else the first that were tried.
    """
    found: list[tuple[WatchDay, ...]] = []
    for attempt in range(CHOICE_TRIES):
        key = ("choices", world.coins, *world.norms, *([f"again {attempt}"] if attempt else []))
        days, identified = _choice_days(world, Draws(*key))
        if identified >= IDENTIFIED:
            return days
        found.append(days)
    return found[0]


def _choice_days(world: World, draws: Draws) -> tuple[tuple[WatchDay, ...], float]:
    """Days of choices, and the posterior of the truth after them."""
    lexicon, mind = _lexicon(world), _Mind(world)
    days: list[WatchDay] = []
    for day in range(1, CHOICE_DAYS + 1):
        stage = draw_watch_day(lexicon, world.cast, CHOICE_ROUNDS, draws)
        yard, state = Yard(stage, world.setting.verbs), stage.morning()
        script: list[tuple[ScriptedAct, ...]] = []
        for round_number in range(1, CHOICE_ROUNDS + 1):
            acts: list[ScriptedAct] = []
            for member in range(stage.newcomer):
                scripted, state = _choose(yard, state, member, round_number, mind, day)
                acts += scripted
            script.append(tuple(acts))
            if day > 1 and mind.identified >= ENOUGH:
                days.append(WatchDay(stage=stage, script=tuple(script)))
                return tuple(days), mind.identified
        days.append(WatchDay(stage=stage, script=tuple(script)))
    return tuple(days), mind.identified


def _choose(
    yard: Yard, state: State, member: int, round_number: int, mind: _Mind, day: int
) -> tuple[list[ScriptedAct], State]:
    """Put the choice to a member that tells most by itself and by what it makes possible next."""
    outlook = look_ahead(yard, state, member, round_number, yard.stage.rounds)
    possible = outlook.possible
    columns, which = _columns(mind.space, outlook.moments)
    sides = np.split(which, np.cumsum([len(group) for group in (outlook.now, *outlook.following)])[:-1])
    best_of = _best_offers(mind, columns, sides)
    later = np.array([best_of.gains(side).max(initial=0.0) for side in sides[1:]])
    now = best_of.gains(sides[0]) + FORESIGHT * (later[:, None] + later[None, :]) / 2.0
    np.fill_diagonal(now, -1.0)
    one, other = (int(i) for i in np.unravel_index(int(np.argmax(np.round(now, 6))), now.shape))
    if now[one, other] < LEAST_GAIN:
        return [], state
    withstood = mind.see_choice(
        columns[:, sides[0][one]], columns[:, sides[0][other]], day, round_number, member
    )
    taken, passed = (possible[other], possible[one]) if withstood else (possible[one], possible[other])
    scripted = ScriptedAct(person=member, act=taken.act, passed=passed.act, easier=withstood)
    return [scripted], yard.step(state, member, taken)


class _Offers(NamedTuple):
    """What every choice between two columns would tell, shape (columns, columns): easier, then dearer."""

    table: NDArray[np.float64]

    def gains(self, which: NDArray[np.intp]) -> NDArray[np.float64]:
        """The gains of all choices among acts with these columns."""
        return self.table[np.ix_(which, which)]


def _best_offers(mind: _Mind, columns: Table, sides: Sequence[NDArray[np.intp]]) -> _Offers:
    """Asked once for every pair of columns that are open together."""
    count = columns.shape[1]
    together = np.zeros((count, count), dtype=np.bool_)
    for side in sides:
        together[np.ix_(side, side)] = True
    np.fill_diagonal(together, False)
    easier, dearer = np.nonzero(together)
    table = np.zeros((count, count))
    table[easier, dearer] = mind.choice_gains(columns[:, easier], columns[:, dearer])
    return _Offers(np.round(table, 6))
