"""A simulated learner with dials: what it learns is known, so that it can be asked whether metrics find it.

It finds out what the community's answers mean as the ideal observer would, and then takes up each unit of
evidence only as often as its dials say.
"""

from __future__ import annotations

from normgym_agents.norms.likelihood import Enforcement
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.draws import uniform
from normgym_agents.worlds.minds import (
    Dials,
    Mind,
    Minded,
    concluded,
    loosened,
    mistaken,
    told_units,
    units_of,
)
from normgym_agents.worlds.public import NewcomerView


class SimulatedLearner(Minded):
    """Keeps those norms of which it took up at least one unit of evidence, and otherwise is norm-blind.

    Args:
        dials: What it is like.
        rates: How surely the community answers acts.
        seed: Decides what is taken up.
    """

    def __init__(self, dials: Dials, rates: Enforcement, seed: int) -> None:
        super().__init__(Mind())
        self._dials, self._rates, self._seed = dials, rates, seed
        self._seen: int | None = None
        self._said_on: int | None = None

    def choose(self, view: NewcomerView) -> Act:
        """Says what the others keep saying, once a day and perhaps; else acts by what it has learned."""
        if self._seen != len(view.events):
            self._seen = len(view.events)
            self.mind = self._learned(view)
        echo = self._echo(view)
        return super().choose(view) if echo is None else echo

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

    def _learned(self, view: NewcomerView) -> Mind:
        norms = told_units(view.told) or concluded(view.vocabulary, view.events, self._rates)
        kept = tuple(
            norm
            for i, norm in enumerate(norms)
            if view.told
            or any(
                self._coin("unit", i, number) < (self._dials.own if mine else self._dials.vicarious)
                for number, mine in units_of(norm, view.events, view.name)
            )
        )
        return Mind(
            kept=kept,
            dreaded=tuple(
                loosened(norm)
                for i, norm in enumerate(kept)
                if self._coin("caution", i) < self._dials.caution
            ),
            shunned=frozenset(
                trait
                for number, trait in mistaken(norms, view.events)
                if self._coin("superstition", number) < self._dials.superstition
            ),
            fearful=self._coin("fear") < self._dials.fear,
        )

    def _coin(self, *key: str | int) -> float:
        return uniform("simulated", self._seed, *key)
