"""The options that say how much a newcomer may use, the same for every command that lets one act."""

from __future__ import annotations

from typing import Annotated, Any

from normgym_agents.cli.options import option

PANEL = "How much it may use"


def _limit(name: str, text: str, metavar: str, default: str = "no limit") -> Any:
    return option(name, text=text, panel=PANEL, metavar=metavar, default=default)


def _deadline(default: str) -> Any:
    text = "Longest turn; waiting for a provider that failed does not count."
    return _limit("--deadline", text, "SECONDS", default)


Deadline = Annotated[float | None, _deadline("120")]
CheckDeadline = Annotated[float | None, _deadline("30")]
PersonsDeadline = Annotated[float | None, _deadline("86400, a day")]
EpisodeSeconds = Annotated[
    float | None, _limit("--episode-seconds", "Longest time of all turns of an episode.", "SECONDS")
]
TurnCalls = Annotated[int | None, _limit("--turn-calls", "Most model calls in a turn.", "N")]
TurnTokens = Annotated[int | None, _limit("--turn-tokens", "Most tokens in a turn.", "N")]
EpisodeCalls = Annotated[int | None, _limit("--episode-calls", "Most model calls in an episode.", "N")]
EpisodeTokens = Annotated[int | None, _limit("--episode-tokens", "Most tokens in an episode.", "N")]


def limits_given(**limits: float | None) -> dict[str, float] | None:
    """The limits that were given, by name; None if none was."""
    return {name: value for name, value in limits.items() if value is not None} or None
