"""The newcomer that comes when nobody names one: it learns from what it sees, without a model."""

from __future__ import annotations

from typing import Final

from normgym_agents.assets import asset

BUNDLED: Final = "learner"
"""What it is known by."""


def bundled_newcomer() -> str:
    """Its spec, wherever this library is installed.

    Raises:
        BadInput: The installation lacks it.
    """
    return f"{asset('graphs', 'learner.py')}:make_learner"
