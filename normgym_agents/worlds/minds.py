"""What evidence makes of a simulated learner, and how it acts by it.

The dials are probabilities, so every mind that a learner may come to have can be listed with its probability:
its true behaviour is worked out from that list, by none of the machinery that measures it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import product
from math import prod
from typing import Final, NamedTuple

import numpy as np

from normgym_agents.errors import BadInput
from normgym_agents.norms.hypotheses import HypothesisSpace, Vocabulary
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.likelihood import Enforcement
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.norms.rules import RuleSet
from normgym_agents.norms.units import Excepted, Unit
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.clues import Clue, clues_of, take_in
from normgym_agents.worlds.planner import DayPlanner
from normgym_agents.worlds.policies import Planning, Risk, idle, space_of
from normgym_agents.worlds.public import NewcomerView, PublicEvent

_NUMBER: Final = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")

Trait = tuple[str, str, str]
"""A verb with the value of one of its slots."""


@dataclass(frozen=True, kw_only=True)
class Dials:
    """What a simulated learner is like; each dial is a probability in [0, 1].

    Attributes:
        own: That it takes up one unit of evidence, an answered breach, of its own.
        vicarious: That it takes up one unit of somebody else's.
        superstition: That an answer to an act that broke nothing makes it shun acts like that one.
        caution: That it forgets one literal of a norm that it took up, and dreads what else would break it then.
        imitation: That it says, once a day, what the others keep saying.
        fear: That it keeps norms only while somebody is looking.
    """

    own: float = 1.0
    vicarious: float = 1.0
    superstition: float = 0.0
    caution: float = 0.0
    imitation: float = 0.0
    fear: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not 0.0 <= value <= 1.0:
                raise BadInput(f"{value:g} is no probability", field=field.name, expected="0 to 1")

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> Dials:
        """The dials as they are typed, e.g. `own=0.9&vicarious=0.2`.

        Raises:
            BadInput: A dial that there is not, or a value that is no probability.
        """
        known = {field.name for field in fields(cls)}
        values: dict[str, float] = {}
        for name, text in parameters.items():
            if name not in known:
                raise BadInput(
                    f"there is no dial {name!r}", field="newcomer", expected=" | ".join(sorted(known))
                )
            # Plain digits only: float() also takes those of other scripts, underscores and spaces.
            if not _NUMBER.fullmatch(text):
                raise BadInput(f"{text!r} is no number", field=name, expected="0 to 1, as in 0.25")
            values[name] = float(text)
        return cls(**values)


class Mind(NamedTuple):
    """What a learner has made of the evidence; from here on it does nothing at random but echo.

    Attributes:
        kept: The norms that it keeps.
        dreaded: What over-caution has made of norms; acts that break one of these alone are not done either.
        shunned: Acts that superstition speaks against.
        fearful: Whether it keeps norms only while somebody is looking.
    """

    kept: tuple[Unit, ...] = ()
    dreaded: tuple[Unit, ...] = ()
    shunned: frozenset[Trait] = frozenset()
    fearful: bool = False


class Minded(Planning):
    """Acts by a mind: keeps what it keeps, and stands still before what it dreads or shuns."""

    def __init__(self, mind: Mind) -> None:
        super().__init__()
        self.mind = mind
        self._asked: tuple[DayPlanner, tuple[Unit, ...]] | None = None
        self._risk: Risk

    def choose(self, view: NewcomerView) -> Act:
        """The first act of the plan that breaks least, if it is done at all.

        Over-caution and superstition are no detours: what they speak against is not done.
        """
        steps = self.steps(view)
        return idle(view) if not steps or self._refuses(steps[0].moment) else steps[0].act

    def risk(self, view: NewcomerView, planner: DayPlanner) -> Risk:
        """1 where a norm is broken that is kept, else 0."""
        careless = view.seen is False and self.mind.fearful
        asked = (planner, () if careless else self.mind.kept)
        if self._asked != asked:
            self._asked = asked
            self._risk = HypothesisSpace(asked[1]).broken(planner.moments).astype(np.float64)
        return self._risk

    def _refuses(self, moment: Moment) -> bool:
        kept = any(norm.violated_by(moment) for norm in self.mind.kept)
        dreaded = not kept and any(norm.violated_by(moment) for norm in self.mind.dreaded)
        return dreaded or bool(self.mind.shunned & set(_traits(moment)))


def minds(
    dials: Dials, norms: Sequence[Unit], events: Sequence[PublicEvent], me: str, *, told: bool = False
) -> Iterator[tuple[float, Mind]]:
    """Every mind that a learner may come to have after the evidence, with its probability.

    Args:
        dials: What it is like.
        norms: What the evidence means to whoever sees all of it, or what was told.
        events: The evidence.
        me: What the learner is called.
        told: Whether the norms were told, and so all are kept.

    Yields:
        Minds whose probabilities add up to 1: over what is kept, dreaded and feared.

    Raises:
        ValueError: `superstition` is neither 0 nor 1; its minds are too many to list.
    """
    if dials.superstition not in (0.0, 1.0):
        raise ValueError(f"superstition={dials.superstition:g}: minds can be listed for 0 and 1 only")
    shunned = (
        frozenset(trait for _, trait in mistaken(norms, events)) if dials.superstition else frozenset[Trait]()
    )
    chances = [1.0 if told else taken_up(dials, units_of(norm, events, me)) for norm in norms]
    for taken in product((True, False), repeat=len(norms)):
        kept = tuple(norm for norm, one in zip(norms, taken, strict=True) if one)
        share = prod(p if one else 1.0 - p for p, one in zip(chances, taken, strict=True))
        for cautious in product((True, False), repeat=len(kept)):
            dreaded = tuple(loosened(norm) for norm, one in zip(kept, cautious, strict=True) if one)
            care = prod(dials.caution if one else 1.0 - dials.caution for one in cautious)
            for fearful, fear in ((True, dials.fear), (False, 1.0 - dials.fear)):
                if share * care * fear > 0.0:
                    yield share * care * fear, Mind(kept, dreaded, shunned, fearful)


def taken_up(dials: Dials, units: Iterable[tuple[int, bool]]) -> float:
    """Probability that at least one of the units is taken up: 1 − Π(1 − dial of the unit's channel)."""
    return 1.0 - prod(1.0 - (dials.own if mine else dials.vicarious) for _, mine in units)


def units_of(norm: Unit, events: Sequence[PublicEvent], me: str) -> Iterator[tuple[int, bool]]:
    """The units of evidence for a norm: answered breaches, by number, and whether it was one's own."""
    for number, event in enumerate(events):
        if event.answers and norm.violated_by(event.moment):
            yield number, event.actor == me


def mistaken(norms: Sequence[Unit], events: Sequence[PublicEvent]) -> Iterator[tuple[int, Trait]]:
    """Answers to acts that broke none of the norms, by number, with what superstition makes of them."""
    for number, event in enumerate(events):
        if event.answers and not any(norm.violated_by(event.moment) for norm in norms):
            for trait in _traits(event.moment):
                yield number, trait


def told_units(told: Sequence[str]) -> tuple[Unit, ...]:
    """The norms that were told, exceptions joined to what they except."""
    return RuleSet(parse_norm(text) for text in told).at(None).units


def concluded(vocabulary: Vocabulary, events: Sequence[PublicEvent], rates: Enforcement) -> tuple[Unit, ...]:
    """The most probable norm set after the events: what answers and choices mean to whoever sees all of them."""
    return _concluded(vocabulary.model_dump_json(), clues_of(events), rates)


@lru_cache(maxsize=4096)
def _concluded(vocabulary: str, clues: tuple[Clue, ...], rates: Enforcement) -> tuple[Unit, ...]:
    space = space_of(Vocabulary.model_validate_json(vocabulary))
    observer = IdealObserver(space.norms, rates)
    take_in(observer, space, clues)
    return tuple(space.norms[i] for i in observer.most_probable())


def loosened(norm: Unit) -> Unit:
    """A prohibition without its last narrowing part: it forbids more, its near misses among that."""
    if isinstance(norm, Excepted):
        return norm.base
    if norm.deontic != "forbid":
        return norm
    if norm.sequence is not None:
        return norm.model_copy(update={"sequence": None})
    if norm.bearer is not None:
        return norm.model_copy(update={"bearer": None})
    if norm.when:
        return norm.model_copy(update={"when": norm.when[:-1]})
    return norm.model_copy(update={"act": norm.act.model_copy(update={"literals": norm.act.literals[:-1]})})


def _traits(moment: Moment) -> Iterator[Trait]:
    """What superstition takes hold of: the verb with the value of its first slot, by name."""
    for slot, value in moment.slots[:1]:
        yield (moment.verb, slot, value)
