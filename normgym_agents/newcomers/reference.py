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
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.policies import UNINFERRING, IdealObserverPolicy, Policy, PolicyFactory, ToldOracle
from normgym_agents.worlds.public import Observation, Reply

POLICIES: Mapping[str, PolicyFactory] = {
    **UNINFERRING,
    "told-oracle": lambda _: ToldOracle(),
    "ideal-observer": lambda _: IdealObserverPolicy(Enforcement().rates),
}
"""Every reference newcomer's mind, by name."""


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

    async def leave(self) -> None:
        """Nothing to give back."""


def reference(name: str) -> Callable[[dict[str, str]], NewcomerFactory]:
    """The maker of a reference newcomer, for `reference:NAME?parameters`."""

    def make(parameters: dict[str, str]) -> NewcomerFactory:
        if parameters:
            raise BadInput(f"reference:{name} takes no parameter {sorted(parameters)[0]!r}", field="newcomer")
        return lambda seed: PolicyNewcomer(POLICIES[name](seed))

    return make


REFERENCES: Mapping[str, Callable[[dict[str, str]], NewcomerFactory]] = {
    name: reference(name) for name in POLICIES
}
"""What `reference:NAME` can name."""
