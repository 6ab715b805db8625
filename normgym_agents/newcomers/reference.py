"""Reference newcomers: policies whose results are known.

They see what every newcomer sees, as data, so a number of theirs is a statement about the worlds: what
ignoring, copying, memorising or inferring is worth there. They are no graphs, since a turn of LangGraph
would cost many times their own; `graphs/learner.py` shows how a policy becomes one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from normgym_agents.errors import BadInput
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.worlds.asking import Question, ReportedNorm
from normgym_agents.worlds.baselines import MemoriseAllSanctions, SanctionClassifier
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.knowing import known
from normgym_agents.worlds.minds import Dials
from normgym_agents.worlds.policies import (
    UNINFERRING,
    IdealObserverPolicy,
    IndependentBayes,
    Policy,
    PolicyFactory,
    ToldOracle,
)
from normgym_agents.worlds.public import Observation, Reply
from normgym_agents.worlds.simulated import SimulatedLearner

POLICIES: Mapping[str, PolicyFactory] = {
    **UNINFERRING,
    "memorise-all": lambda _: MemoriseAllSanctions(),
    "sanction-classifier": lambda _: SanctionClassifier(),
    "independent-bayes": lambda _: IndependentBayes(Enforcement().rates),
    "ideal-observer": lambda _: IdealObserverPolicy(Enforcement().rates),
    "told-oracle": lambda _: ToldOracle(),
}
"""The minds of the reference newcomers that take no parameter, from the least to the most that can be done."""


class PolicyNewcomer:
    """A newcomer with a policy for a mind."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    async def join(self, name: str) -> None:
        """Nothing to get ready."""

    async def turn(self, observation: Observation) -> Reply:
        """The policy's act; planning takes a while, so it is done in a thread."""
        act = await asyncio.to_thread(self._policy.choose, observation.view)
        return Reply.model_construct(act=act, fault=None, words="", channel="policy")

    async def report(self, question: Question) -> tuple[ReportedNorm, ...]:
        """What the policy holds to be in force."""
        return await asyncio.to_thread(known, self._policy, question.view)

    async def leave(self) -> None:
        """Nothing to give back."""


def reference(name: str) -> Callable[[dict[str, str]], NewcomerFactory]:
    """The maker of a reference newcomer, for `reference:NAME?parameters`."""

    def make(parameters: dict[str, str]) -> NewcomerFactory:
        if parameters:
            raise BadInput(f"reference:{name} takes no parameter {sorted(parameters)[0]!r}", field="newcomer")
        return lambda seed: PolicyNewcomer(POLICIES[name](seed))

    return make


def simulated(parameters: dict[str, str]) -> NewcomerFactory:
    """A learner with dials, for `reference:simulated?own=0.9&vicarious=0.2`."""
    dials = Dials.read(parameters)
    return lambda seed: PolicyNewcomer(SimulatedLearner(dials, Enforcement().rates, seed))


REFERENCES: Mapping[str, Callable[[dict[str, str]], NewcomerFactory]] = {
    **{name: reference(name) for name in POLICIES},
    "simulated": simulated,
}
"""What `reference:NAME` can name."""
