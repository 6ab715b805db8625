"""The chat models of members, and what they are allowed: shared by all episodes of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel

from normgym_agents.community.kinds import MemberKind, MemberLimits


@dataclass(frozen=True, kw_only=True)
class Voice:
    """The model that one persona has.

    Attributes:
        spec: What it was named by.
        model: The model.
        gate: Lets so many calls through to its provider at a time.
    """

    spec: str
    model: BaseChatModel
    gate: asyncio.Semaphore


@dataclass(frozen=True, kw_only=True)
class MemberModels:
    """Which model speaks for whom.

    Attributes:
        kind: Whether they word what members do, or decide it.
        voices: Per persona its own; the one under "" is everybody else's.
        limits: What they are allowed.
    """

    kind: MemberKind
    voices: Mapping[str, Voice]
    limits: MemberLimits

    def of(self, persona: str) -> Voice:
        """The voice of a persona."""
        return self.voices.get(persona) or self.voices[""]


def member_models(
    kind: MemberKind, models: Mapping[str, tuple[str, BaseChatModel]], limits: MemberLimits | None = None
) -> MemberModels:
    """Models made ready for a run.

    Args:
        kind: What they do.
        models: Per persona a spec and the model that it names; under "" everybody else's, which must be there.
        limits: What they are allowed; None for the defaults.
    """
    limits = limits or MemberLimits()
    gates: dict[str, asyncio.Semaphore] = {}
    voices = {
        persona: Voice(
            spec=spec,
            model=model,
            gate=gates.setdefault(spec.partition(":")[0], asyncio.Semaphore(limits.concurrency)),
        )
        for persona, (spec, model) in sorted(models.items())
    }
    return MemberModels(kind=kind, voices=voices, limits=limits)


@dataclass
class MemberUsage:
    """What the members of an episode have used so far.

    Attributes:
        calls: Calls to models.
        input_tokens: Prompt tokens, as far as providers count them.
        output_tokens: Completion tokens, likewise.
        cached_tokens: Prompt tokens that the provider had kept, where it says so.
        prompt_characters: Characters of all prompts.
        first_characters: Those of each member's first prompt, which has none before it.
        prefix_characters: Those among them that are the verbatim beginning of the member's previous prompt.
        least_share: The least share of them in one call that was not a member's first; None without such a call.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    prompt_characters: int = 0
    first_characters: int = 0
    prefix_characters: int = 0
    least_share: float | None = None
    _previous: dict[int, str] = field(default_factory=dict, repr=False)

    def prompted(self, member: int, prompt: str) -> None:
        """A member's model is given this prompt."""
        self.calls += 1
        self.prompt_characters += len(prompt)
        previous = self._previous.get(member)
        self._previous[member] = prompt
        if previous is None:
            self.first_characters += len(prompt)
            return
        same = _common(previous, prompt)
        self.prefix_characters += same
        share = same / len(prompt)
        self.least_share = share if self.least_share is None else min(self.least_share, share)

    def answered(self, counted: Mapping[str, Any] | None) -> None:
        """What the provider counted in a call."""
        if counted is None:
            return
        self.input_tokens += counted["input_tokens"]
        self.output_tokens += counted["output_tokens"]
        self.cached_tokens += (counted.get("input_token_details") or {}).get("cache_read") or 0


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
