"""What a conformance check found, as data: one finding for each thing that was tried, and what a suite would cost."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from normgym_agents.errors import NormgymError


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Status(StrEnum):
    """How something that was tried came out."""

    PASSED = "passed"
    NOTED = "noted"
    """Something to know; a run would be valid all the same."""
    UNSEEN = "unseen"
    """It cannot be seen from outside."""
    SKIPPED = "skipped"
    """It was not tried, because something before it failed."""
    FAILED = "failed"


class Finding(_Data):
    """One thing that was tried.

    Attributes:
        name: What.
        status: How it came out.
        found: What was seen, in a sentence.
        fix: What to do about it, in a sentence; None where there is nothing to do.
    """

    name: str
    status: Status
    found: str
    fix: str | None = None


class Estimate(_Data):
    """What a run would cost at a model provider, if every act that an episode has room for is used.

    Attributes:
        suite: The suite.
        episodes: Episodes of the run.
        turns: Turns of all of them, at most.
        calls_per_turn: Model calls in a turn, as measured; None where none could be seen.
        calls: Model calls in all.
        input_tokens: Tokens of the prompts, to two digits; None where they could not be counted.
        output_tokens: Tokens of the answers, likewise; None on the scripted model, whose answers say nothing of another.
        note: How good it is, in a sentence.
    """

    suite: str
    episodes: int
    turns: int
    calls_per_turn: float | None = None
    calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    note: str


class DoesNotConform(NormgymError, AssertionError):
    """An agent failed the check; the message has a line for each thing to fix."""


class Conformance(_Data):
    """What the check of one agent found.

    Attributes:
        newcomer: What the agent is known by.
        kind: What it is, as `LoadedNewcomer.kind`; None where it could not be loaded.
        live: Whether it was let use its own model; else a scripted one on this machine answered.
        findings: What was tried, in order.
        estimate: What a run would cost; None where the agent failed before that could be told.
        traceback: Where the agent's own module failed as it was imported, what Python says of it.
    """

    newcomer: str
    kind: str | None
    live: bool
    findings: tuple[Finding, ...]
    estimate: Estimate | None = None
    traceback: str | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    @property
    def failures(self) -> tuple[Finding, ...]:
        """What failed."""
        return tuple(one for one in self.findings if one.status is Status.FAILED)

    def __getitem__(self, name: str) -> Finding:
        """The finding of that name."""
        return next(one for one in self.findings if one.name == name)

    def assert_passed(self) -> None:
        """Raise if something failed.

        Raises:
            DoesNotConform: It did; an `AssertionError`, too.
        """
        if self.failures:
            raise DoesNotConform(
                "\n".join(
                    [f"{self.newcomer} does not conform:", *(f"  {_told(one)}" for one in self.failures)]
                )
            )


def _told(finding: Finding) -> str:
    return f"{finding.name}: {finding.found}" + ("" if finding.fix is None else f" — {finding.fix}")
