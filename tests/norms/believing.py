"""Bayes' rule set by set, in plain Python: slow and obvious, what every observer is held against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from math import prod
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from normgym_agents.norms.independent import IndependentObserver
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.observer import SIZE_PRIOR, Choice, Enforcement, IdealObserver
from normgym_agents.norms.prior import Hypothesis
from tests.norms.making import norms

Belief = dict[tuple[int, ...], float]

rates = st.builds(Enforcement, st.floats(0.05, 0.95), st.floats(0.01, 0.95))
choices = st.builds(Choice, st.floats(0.05, 0.95), st.floats(0.05, 0.95))


class Answer(NamedTuple):
    """The act of that column was answered, or was not."""

    act: int
    sanctioned: bool


class Pick(NamedTuple):
    """The act of one column was done and that of another passed over, which was (not) the easier."""

    taken: int
    passed: int
    easier: bool


class Case(NamedTuple):
    """A small space, a table of acts over it, what was seen of them, and the rates."""

    space: list[Norm]
    table: np.ndarray
    events: list[Answer | Pick]
    enforcement: Enforcement
    choice: Choice


@st.composite
def cases(draw, most: int = 5) -> Case:
    """Random evidence of every kind over at most so many norms, several of which may break the same acts."""
    space = draw(st.lists(norms, min_size=1, max_size=most, unique=True))
    acts = draw(st.integers(1, 5))
    cells = st.lists(st.booleans(), min_size=acts, max_size=acts)
    table = np.array(draw(st.lists(cells, min_size=len(space), max_size=len(space))))
    act = st.integers(0, acts - 1)
    seen = st.builds(Answer, act, st.booleans()) | st.builds(Pick, act, act, st.booleans())
    return Case(space, table, draw(st.lists(seen, max_size=6)), draw(rates), draw(choices))


def prior(space: Sequence[Hypothesis], sizes: Sequence[float] = SIZE_PRIOR) -> Belief:
    """Size first; families alike, and the norms of a family alike; larger sets by the product of both."""
    families = [norm.family for norm in space]
    share = [1.0 / len(set(families)) / families.count(family) for family in families]
    belief: Belief = {}
    for size, mass in enumerate(sizes):
        products = {
            chosen: prod(share[i] for i in chosen) for chosen in combinations(range(len(space)), size)
        }
        belief |= {chosen: mass * product / sum(products.values()) for chosen, product in products.items()}
    total = sum(belief.values())
    return {chosen: mass / total for chosen, mass in belief.items()}


def revise(belief: Belief, likelihood: Callable[[tuple[int, ...]], float]) -> Belief:
    """Bayes' rule."""
    after = {chosen: mass * likelihood(chosen) for chosen, mass in belief.items()}
    total = sum(after.values())
    return {chosen: mass / total for chosen, mass in after.items()}


def chance(case: Case, event: Answer | Pick, chosen: tuple[int, ...]) -> float:
    """P(event | the set), said once more in other words than the library's."""

    def breaks(act: int) -> bool:
        return any(case.table[i, act] for i in chosen)

    if isinstance(event, Answer):
        answered = case.enforcement.detection if breaks(event.act) else case.enforcement.false_sanctions
        return answered if event.sanctioned else 1.0 - answered
    easy, hard = (event.passed, event.taken) if event.easier else (event.taken, event.passed)
    obedience, temptation = case.choice
    if breaks(easy) == breaks(hard):
        easy_taken = temptation
    elif breaks(easy):
        easy_taken = 1.0 - obedience
    else:
        easy_taken = 1.0 - (1.0 - obedience) * (1.0 - temptation)
    return 1.0 - easy_taken if event.easier else easy_taken


def believe(case: Case, sizes: Sequence[float] = SIZE_PRIOR) -> Belief:
    """The belief after all that was seen."""
    belief = prior(case.space, sizes)
    for event in case.events:
        belief = revise(belief, partial(chance, case, event))
    return belief


def take_in(observer: IdealObserver | IndependentObserver, case: Case, event: Answer | Pick) -> None:
    """Show the observer one event."""
    if isinstance(event, Answer):
        observer.observe(case.table[:, event.act], sanctioned=event.sanctioned)
    else:
        taken, passed = case.table[:, event.taken], case.table[:, event.passed]
        observer.observe_choice(taken, passed, easier=event.easier)


def watch(case: Case) -> IdealObserver:
    """An observer that has seen everything."""
    observer = IdealObserver(case.space, case.enforcement, case.choice)
    for event in case.events:
        take_in(observer, case, event)
    return observer
