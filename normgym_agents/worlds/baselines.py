"""Baselines that look at the evidence and still do not infer as one should: what each shortcut is worth.

They stand beside the policies that a certificate is proved with, and prove nothing themselves: a world may
be solved by one of them, and how often it is says how much of the inference the shortcut replaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.moments import Moment
from normgym_agents.worlds.planner import DayPlanner
from normgym_agents.worlds.policies import Planning, Risk
from normgym_agents.worlds.public import NewcomerView

RIDGE = 0.5
"""Weight of the squared coefficients in the classifier's loss, beside one unit per witnessed act."""

Feature = tuple[str, ...]


class MemoriseAllSanctions(Planning):
    """Does not repeat an act for which anybody was answered: the same verb on the same looks."""

    def risk(self, view: NewcomerView, planner: DayPlanner) -> Risk:
        """1 where the same act was answered before, else 0."""
        burnt = {(event.moment.verb, event.moment.slots) for event in view.events if event.answers}
        repeats = [(moment.verb, moment.slots) in burnt for moment in planner.moments]
        return np.array(repeats, dtype=np.float64)


class SanctionClassifier(Planning):
    """Predicts which acts are answered by a logistic regression on single literals, and avoids those.

    Each feature is a verb together with one thing that can be said of the act (a slot's value, a signal,
    who is there, the actor's role, something done before). Effects add up, so what needs two literals at
    once can only be approached, and acts answered by mistake count like the others.
    """

    def __init__(self) -> None:
        super().__init__()
        self._seen = -1
        self._weights: dict[Feature, float] = {}

    def risk(self, view: NewcomerView, planner: DayPlanner) -> Risk:
        """Predicted probability of being answered; 0 as long as nothing was."""
        if len(view.events) != self._seen:
            self._seen = len(view.events)
            self._weights = fit_answers(
                [event.moment for event in view.events], [bool(event.answers) for event in view.events]
            )
        scores = np.array([sum(self._weights.get(f, 0.0) for f in features(m)) for m in planner.moments])
        if not self._weights:
            return np.zeros(len(planner.moments))
        # Rounded, so that plans do not hang on the last bits of an optimiser.
        return np.asarray(np.round(_logistic(scores), 4), dtype=np.float64)


def features(moment: Moment) -> Iterator[Feature]:
    """What the classifier sees of an act: that it was done, the verb, and the verb with each literal."""
    verb = moment.verb
    yield ("act",)
    yield ("verb", verb)
    for slot, value in moment.slots:
        yield ("slot", verb, slot, value)
    for signal, value in moment.signals:
        yield ("signal", verb, signal, value)
    for role in sorted(moment.present):
        yield ("present", verb, role)
    yield ("role", verb, moment.role)
    for deed in sorted(moment.earlier):
        yield ("earlier", verb, deed.verb, *(value for _, value in deed.slots))


def fit_answers(moments: Sequence[Moment], answered: Sequence[bool]) -> dict[Feature, float]:
    """Fit a ridge-penalised logistic regression of answers on the features of acts.

    The loss is convex, so there is one optimum (Hastie, Tibshirani & Friedman 2009, *The Elements of
    Statistical Learning*, section 4.4).

    Args:
        moments: The witnessed acts.
        answered: Whether each was answered.

    Returns:
        A weight per feature; empty where no act was answered or none was left unanswered: there is nothing
        to tell apart.
    """
    if len(set(answered)) < 2:
        return {}
    # Imported where it is needed: whoever runs another newcomer does not wait for it.
    from scipy.optimize import minimize

    rows = [tuple(features(moment)) for moment in moments]
    index = {feature: i for i, feature in enumerate(dict.fromkeys(f for row in rows for f in row))}
    matrix = np.zeros((len(rows), len(index)))
    for i, row in enumerate(rows):
        matrix[i, [index[feature] for feature in row]] = 1.0
    target = np.array(answered, dtype=np.float64)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = matrix @ weights
        value = float(np.logaddexp(0.0, scores).sum() - target @ scores + RIDGE * weights @ weights / 2.0)
        return value, matrix.T @ (_logistic(scores) - target) + RIDGE * weights

    found = minimize(loss, np.zeros(len(index)), jac=True, method="L-BFGS-B")
    return dict(zip(index, (float(weight) for weight in found.x), strict=True))


def _logistic(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(0.5 * (1.0 + np.tanh(scores / 2.0)), dtype=np.float64)
