"""What is kept of an actor's day so far: its last acts in order, and how often it did each thing.

Both are pure values, so that a state of the world can carry them and a planner can hash them. Deadlines and
quotas look at nothing else of the past.
"""

from __future__ import annotations

from normgym_agents.norms.moments import RECENT, Deed

Recent = tuple[Deed, ...]
"""The last acts of one actor on one day, oldest first, at most `RECENT` of them."""

Tally = frozenset[tuple[Deed, int]]
"""How often one actor did each thing on one day; each deed stands once, its count is at least 1."""


def remember(recent: Recent, deed: Deed) -> Recent:
    """The last acts once this one is done too; the oldest is forgotten beyond `RECENT`."""
    return (*recent, deed)[-RECENT:]


def add(tally: Tally, deed: Deed) -> Tally:
    """The tally once this is done once more."""
    for entry in tally:
        if entry[0] == deed:
            return tally - {entry} | {(deed, entry[1] + 1)}
    return tally | {(deed, 1)}
