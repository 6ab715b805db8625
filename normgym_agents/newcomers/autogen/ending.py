"""The end of a team's turn, for teams that have none or might not come to it.

It is or-ed to the owner's condition, whose object is not touched. A turn ends with as many messages as a graph
may take steps, and a swarm's where it hands over to somebody who is not in it: that is its user.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Sequence

from autogen_agentchat.base import AndTerminationCondition, OrTerminationCondition, TerminationCondition
from autogen_agentchat.conditions import ExternalTermination, TextMentionTermination
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, HandoffMessage, StopMessage

USER = "user"
"""What we are called in what we send."""


class EndOfTurn(TerminationCondition):
    """Ends what one observation has started.

    Args:
        limit: The most messages since the last observation.
        users: The names of those who pass on what we say.
        inside: The team's members, if handing over to anybody else is to end the turn.
    """

    def __init__(self, limit: int, users: Collection[str], inside: Collection[str] | None) -> None:
        self._limit, self._users, self._inside = limit, {USER, *users}, inside
        self._count = 0
        self._over = False

    @property
    def terminated(self) -> bool:
        """Whether the turn is over."""
        return self._over

    async def __call__(self, messages: Sequence[BaseAgentEvent | BaseChatMessage]) -> StopMessage | None:
        """Count, and say when it is enough."""
        said = [message for message in messages if isinstance(message, BaseChatMessage)]
        for message in said:
            self._count = 0 if message.source in self._users else self._count + 1
        if self._count >= self._limit:
            return self._end(f"{self._limit} messages are enough")
        last = said[-1] if said else None
        if isinstance(last, HandoffMessage) and self._inside is not None and last.target not in self._inside:
            return self._end(f"handed over to {last.target}")
        return None

    def _end(self, why: str) -> StopMessage:
        self._over = True
        return StopMessage(content=why, source="EndOfTurn")

    async def reset(self) -> None:
        """Begin again."""
        self._count, self._over = 0, False


def ended_by(own: TerminationCondition | None, end: EndOfTurn, *, fresh: bool) -> TerminationCondition:
    """The owner's condition or ours, as a new object.

    Args:
        own: The owner's; one that was made here for an earlier cast counts without what was added then.
        end: Ours.
        fresh: Whether the owner's is copied, so that other episodes do not meet in it.
    """
    if isinstance(own, OrTerminationCondition):
        owners = [condition for condition in own._conditions if not isinstance(condition, EndOfTurn)]
        own = own if len(owners) == len(own._conditions) else OrTerminationCondition(*owners)
    if own is None or isinstance(own, EndOfTurn):
        return end
    return end | (copy.deepcopy(own) if fresh else own)


def without_end(own: TerminationCondition | None) -> bool:
    """Whether the owner has said nothing of when to stop."""
    return own is None or isinstance(own, EndOfTurn)


def copyable(condition: TerminationCondition | None) -> bool:
    """Whether a copy does what the condition does; one that is set from outside is known by its object."""
    if any(isinstance(part, ExternalTermination) for part in parts(condition)):
        return False
    try:
        copy.deepcopy(condition)
    except TypeError:  # it holds something that cannot be copied, a lock for example
        return False
    return True


def parts(condition: TerminationCondition | None) -> Iterator[TerminationCondition]:
    """A condition, and those that it is made of."""
    if condition is not None:
        yield condition
    if isinstance(condition, AndTerminationCondition | OrTerminationCondition):
        for part in condition._conditions:
            yield from parts(part)


def markers(condition: TerminationCondition | None) -> set[str]:
    """The words that a condition waits for."""
    return {part._termination_text for part in parts(condition) if isinstance(part, TextMentionTermination)}
