"""An agent that could not be loaded: whether there is none, which is bad input, or it cannot take part, a finding."""

from __future__ import annotations

import traceback
from typing import Final

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.conformance.advice import added
from normgym_agents.evaluation.conformance.findings import Finding, Status
from normgym_agents.newcomers.loading import ImportFailed

_ADAPTING: Final = "normgym_agents.newcomers.adapting"


def refusal(error: BadInput) -> tuple[Finding, str | None]:
    """What to say of an agent that was found and refused, with what Python says of its module.

    Raises:
        BadInput: Nothing was found by that name; the error as it was.
    """
    if isinstance(error, ImportFailed):
        fix = _right(error) or "Make the module import by itself: python -c 'import …' from its folder."
        return Finding(name="loads", status=Status.FAILED, found=error.message, fix=fix), error.traceback
    # All that refuses what was found, an adapter or whatever it asks, is called from there.
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    if not any(frame.f_globals.get("__name__") == _ADAPTING for frame in frames):
        raise error
    fix = _right(error) or "See `normgym run --help` for what can take part."
    field = "" if error.field is None else f"{error.field}: "
    return Finding(name="loads", status=Status.FAILED, found=f"{field}{error.message}", fix=fix), None


def _right(error: BadInput) -> str | None:
    return None if error.expected is None else added(error.expected)
