"""From the messages of a turn to one answer: the last that is meant for the user.

Not meant for the user are what was sent in, what a stand-in for a person passed on, what one member hands over
to another, and words that only stop the team.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from autogen_agentchat.messages import (
    BaseAgentEvent,
    BaseChatMessage,
    HandoffMessage,
    StopMessage,
    StructuredMessage,
    ThoughtEvent,
)

from normgym_agents.newcomers.acting import Answer, Usage
from normgym_agents.newcomers.autogen.casting import Cast, Player, players

Message = BaseAgentEvent | BaseChatMessage


class Reader:
    """Reads what one cast says.

    Args:
        cast: Who speaks.
    """

    def __init__(self, cast: Cast) -> None:
        self._names = _names(cast.player)
        self._users = cast.users
        marker = "|".join(
            re.escape(word) for word in sorted({"TERMINATE", *cast.markers}, key=len, reverse=True)
        )
        self._alone = re.compile(rf"^\W*(?:{marker})\W*$", re.MULTILINE)
        self._last = re.compile(rf"[\s*_`'\"(\[]*(?<!\w)(?:{marker})[\W_]*\Z")

    def meant(self, messages: Sequence[Message]) -> list[BaseChatMessage]:
        """The messages that say something to the user."""
        return [one for one in messages if isinstance(one, BaseChatMessage) and self._is_meant(one)]

    def handoff(self, messages: Sequence[Message]) -> HandoffMessage | None:
        """The message that hands over to the user, if the turn ended with one."""
        said = [one for one in messages if isinstance(one, BaseChatMessage)]
        last = said[-1] if said else None
        return last if isinstance(last, HandoffMessage) and last.target not in self._names else None

    def answer(self, messages: Sequence[Message], question: str, seen: Usage) -> Answer:
        """What the turn says.

        Args:
            messages: All of it.
            question: What a person was asked at last, for a turn that says nothing else.
            seen: What the models were seen to cost.
        """
        usage = seen if seen.model_calls else _usage(messages)
        for text, structured in self._said(messages):
            if text or structured is not None:
                return Answer(text=text, structured=structured, usage=usage)
        stopped = [one.to_text() for one in messages if isinstance(one, BaseChatMessage) and self._heard(one)]
        return Answer(text=question.strip() or (stopped[-1] if stopped else ""), usage=usage)

    def _said(self, messages: Sequence[Message]) -> Iterator[tuple[str, object]]:
        """What was said, the last first."""
        backwards = list(reversed(messages))
        for at, one in enumerate(backwards):
            if not isinstance(one, BaseChatMessage) or not self._is_meant(one):
                continue
            if isinstance(one, HandoffMessage) and _is_formula(one):
                # What was said along with the call, which AutoGen keeps apart from it.
                thoughts = (e.content for e in backwards[at:] if isinstance(e, ThoughtEvent))
                yield self._stripped(next(thoughts, "")), None
                continue
            yield self._stripped(one.to_text()), one.content if isinstance(one, StructuredMessage) else None

    def _is_meant(self, message: BaseChatMessage) -> bool:
        inner = isinstance(message, HandoffMessage) and message.target in self._names
        return self._heard(message) and not inner

    def _heard(self, message: BaseChatMessage) -> bool:
        return not isinstance(message, StopMessage) and message.source not in self._users

    def _stripped(self, text: str) -> str:
        return self._last.sub("", self._alone.sub("", text)).strip()


def _names(player: Player) -> Collection[str]:
    """Whom one member can hand over to; for an agent by itself that is nobody."""
    return {one.name for one in players(player)} if hasattr(player, "_participants") else ()


def _is_formula(message: HandoffMessage) -> bool:
    """Whether it says no more than that it hands over, as it does unless its owner worded it."""
    return message.content.startswith(f"Transferred to {message.target}, adopting the role of ")


def _usage(messages: Sequence[Message]) -> Usage:
    used = [message.models_usage for message in messages if message.models_usage is not None]
    if not used:
        return Usage()
    return Usage(
        model_calls=len(used),
        input_tokens=sum(one.prompt_tokens for one in used),
        output_tokens=sum(one.completion_tokens for one in used),
    )
