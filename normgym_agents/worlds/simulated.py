"""A simulated learner with dials: what it learns is known, so that it can be asked whether metrics find it.

It finds out what the community's answers mean as the ideal observer would, and then takes up each unit of
evidence only as often as its dials say. Its behaviour can therefore be worked out in advance, without any of
the machinery that measures it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np

from normgym_agents.errors import BadInput
from normgym_agents.norms.hypotheses import Vocabulary
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.likelihood import Enforcement
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.norms.rules import RuleSet
from normgym_agents.norms.units import Excepted, Unit
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.draws import uniform
from normgym_agents.worlds.planner import DayPlanner
from normgym_agents.worlds.policies import Planning, Risk, idle, space_of
from normgym_agents.worlds.public import NewcomerView, PublicEvent

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
                raise BadInput(
                    f"{field.name}={value:g} is no probability", field=field.name, expected="0 to 1"
                )

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
            try:
                values[name] = float(text)
            except ValueError:
                raise BadInput(f"{name}={text} is no number", field=name, expected="0 to 1") from None
        return cls(**values)


def taken_up(chance: float, units: int) -> float:
    """Probability that at least one of so many units is taken up: 1 - (1 - chance)**units."""
    return 1.0 - (1.0 - chance) ** units


def concluded(vocabulary: Vocabulary, events: Sequence[PublicEvent], rates: Enforcement) -> tuple[Unit, ...]:
    """The most probable norm set after the events: what the community's answers mean to whoever sees all."""
    seen = tuple((event.moment, bool(event.answers)) for event in events)
    return _concluded(vocabulary.model_dump_json(), seen, rates)


@lru_cache(maxsize=4096)
def _concluded(
    vocabulary: str, seen: tuple[tuple[Moment, bool], ...], rates: Enforcement
) -> tuple[Unit, ...]:
    space = space_of(Vocabulary.model_validate_json(vocabulary))
    observer = IdealObserver(space.norms, rates)
    for broken, (_, answered) in zip(space.table([moment for moment, _ in seen]).T, seen, strict=True):
        observer.observe(broken, sanctioned=answered)
    return tuple(space.norms[i] for i in observer.most_probable())


class SimulatedLearner(Planning):
    """Keeps those norms of which it took up at least one unit of evidence, and otherwise is norm-blind.

    Args:
        dials: What it is like.
        rates: How surely the community answers acts.
        seed: Decides what is taken up.
    """

    def __init__(self, dials: Dials, rates: Enforcement, seed: int) -> None:
        super().__init__()
        self._dials, self._rates, self._seed = dials, rates, seed
        self._seen: int | None = None
        self._kept: tuple[Unit, ...] = ()
        self._dreaded: tuple[Unit, ...] = ()
        self._shunned: frozenset[Trait] = frozenset()
        self._said_on: int | None = None

    def choose(self, view: NewcomerView) -> Act:
        """Says what the others keep saying, once a day and perhaps; else goes its way, or stands still.

        Over-caution and superstition are no detours: what they speak against is not done at all.
        """
        echo = self._echo(view)
        if echo is not None:
            return echo
        steps = self.steps(view)
        return idle(view) if not steps or self._refuses(steps[0].moment) else steps[0].act

    def risk(self, view: NewcomerView, planner: DayPlanner) -> Risk:
        """1 where a norm that it took up is broken, else 0."""
        self._learn(view)
        risk = np.zeros(len(planner.moments))
        if view.seen is False and self._coin("fear") < self._dials.fear:
            return risk
        for norm in self._kept:
            risk = np.maximum(risk, [norm.violated_by(moment) for moment in planner.moments])
        return risk

    def _echo(self, view: NewcomerView) -> Act | None:
        """What others said last, to be said once a day by who imitates."""
        if self._said_on == view.day:
            return None
        self._said_on = view.day
        said = (event.act for event in reversed(view.events) if event.actor != view.name)
        saying = next((act for act in said if act.say is not None), None)
        if saying is None or self._coin("imitation", view.day) >= self._dials.imitation:
            return None
        possible = any(act.verb == saying.verb for act in view.available)
        return Act(verb=saying.verb, say=saying.say) if possible else None

    def _refuses(self, moment: Moment) -> bool:
        kept = any(norm.violated_by(moment) for norm in self._kept)
        dreaded = not kept and any(norm.violated_by(moment) for norm in self._dreaded)
        return dreaded or bool(self._shunned & set(_traits(moment)))

    def _learn(self, view: NewcomerView) -> None:
        if self._seen == len(view.events):
            return
        self._seen = len(view.events)
        if view.told:
            norms = RuleSet(parse_norm(text) for text in view.told).at(None).units
            self._kept = norms
        else:
            norms = concluded(view.vocabulary, view.events, self._rates)
            self._kept = tuple(norm for i, norm in enumerate(norms) if self._took_up(view, i, norm))
        cautious = [i for i in range(len(self._kept)) if self._coin("caution", i) < self._dials.caution]
        self._dreaded = tuple(loosened(self._kept[i]) for i in cautious)
        self._shunned = frozenset(
            trait
            for number, event in enumerate(view.events)
            if event.answers and not any(norm.violated_by(event.moment) for norm in norms)
            if self._coin("superstition", number) < self._dials.superstition
            for trait in _traits(event.moment)
        )

    def _took_up(self, view: NewcomerView, label: int, norm: Unit) -> bool:
        """Whether at least one answered breach of the norm was taken up."""
        return any(
            self._coin("unit", label, number)
            < (self._dials.own if event.actor == view.name else self._dials.vicarious)
            for number, event in enumerate(view.events)
            if event.answers and norm.violated_by(event.moment)
        )

    def _coin(self, *key: str | int) -> float:
        return uniform("simulated", self._seed, *key)


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
