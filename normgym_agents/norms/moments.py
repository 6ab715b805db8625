"""What a norm can see of an act: the moment.

A moment holds nothing but public facts about one act, so the same norm judges a member's act, a
newcomer's act and an act that a planner only imagines. It is a plain tuple because planners make
hundreds of thousands of them.
"""

from __future__ import annotations

from typing import NamedTuple

Pairs = tuple[tuple[str, str], ...]
"""Names and their values, sorted by name."""


RECENT = 6
"""How many of an actor's last acts a moment shows: no deadline may be longer."""


class Deed(NamedTuple):
    """An act as it is remembered: the verb and the attributes of what filled its slots."""

    verb: str
    slots: Pairs


class Moment(NamedTuple):
    """One act in its public context.

    Attributes:
        verb: The verb of the act.
        slots: Attributes of what fills the act's slots, e.g. `(("form", "cup"), ("glaze", "iron"))`; the
            role of a person addressed stands under `role`.
        role: The actor's role.
        signals: The public signals and their values at that moment.
        present: Roles of the other people who are where the actor is.
        earlier: What the same actor did earlier on the same day, of what is remembered (sequence norms).
        recent: The actor's last acts of the day, oldest first, at most `RECENT` of them (deadlines).
        tally: How often the actor did each thing so far today, of what norms can count (quotas).
    """

    verb: str
    slots: Pairs
    role: str
    signals: Pairs
    present: frozenset[str]
    earlier: frozenset[Deed]
    recent: tuple[Deed, ...] = ()
    tally: frozenset[tuple[Deed, int]] = frozenset()

    @property
    def deed(self) -> Deed:
        """The act as it will be remembered."""
        return Deed(self.verb, self.slots)
