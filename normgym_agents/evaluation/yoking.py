"""Is what a yoked newcomer watched what the same newcomer did by itself? Both records say, so they are compared.

Everything follows from the two logs: the same acts and answers, round by round, with the newcomer and the peer who
stands for it exchanged. The world is not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from normgym_agents.community.log import ActEvent, Event, SanctionEvent
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Record
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Phase


def yoked_difference(record: Record, own: Record | None) -> tuple[str, Any, Any] | None:
    """Where the watched days of a yoked record first differ from the newcomer's own days.

    Args:
        record: A yoked record.
        own: The record of the same world and trial under `own`; None if there is none.

    Returns:
        The field, what stands there and what should; None if nothing differs, or the record is not scored.
    """
    if record.scores is None:
        return None  # it is owed, and says nothing
    if own is None or own.outcome is not Outcome.COMPLETED:
        which = "a record" if own is None else "a completed one"
        return (
            "condition",
            record.condition,
            f"{which} under own, of the same world and trial, to be yoked to",
        )
    watched = [(i, event) for i, event in enumerate(record.events) if event.phase is Phase.WATCH]
    shown = [(i, shape) for i, event in watched if (shape := _shape(event)) is not None]
    names = _exchanged(own.events, (event for _, event in watched))
    practised = (event for event in own.events if event.phase is Phase.PRACTISE)
    done = [shape for event in practised if (shape := _shape(event, names)) is not None]
    for (i, stored), wanted in zip(shown, done, strict=False):
        for field, now in wanted.items():
            if stored.get(field) != now:
                return f"events.{i}.{field}", stored.get(field), now
    # Whoever fails while it watches has seen the first of it only.
    cut = record.outcome is not Outcome.COMPLETED and len(watched) == len(record.events)
    if len(shown) > len(done) or (len(shown) < len(done) and not cut):
        return "events", _counted(shown), f"{_counted(done)}, as under own"
    return None


def _exchanged(own: Iterable[Event], watched: Iterable[Event]) -> Mapping[str, str]:
    """Newcomer and peer under each other's names."""
    me = next((event.actor for event in own if isinstance(event, ActEvent) and event.newcomer), None)
    peer = next((event.actor for event in watched if isinstance(event, ActEvent)), None)
    return {} if me is None or peer is None else {me: peer, peer: me}


def _shape(event: Event, names: Mapping[str, str] | None = None) -> dict[str, Any] | None:
    """What must be equal of an act that was done, or of an answer to one, with the names exchanged."""
    names = names or {}
    match event:
        case ActEvent(act=Act() as act):
            at = {"kind": event.kind, "day": event.day, "round": event.round}
            return {**at, "actor": names.get(event.actor, event.actor), "act": _renamed(act, names)}
        case SanctionEvent():
            renamed = {"whom": names.get(event.whom, event.whom), "act": _renamed(event.act, names)}
            return event.model_dump(exclude={"phase", "newcomer"}) | renamed
        case _:
            return None


def _renamed(act: Act | None, names: Mapping[str, str]) -> dict[str, Any] | None:
    return None if act is None else act.model_dump() | {"to": names.get(act.to or "", act.to)}


def _counted(shapes: list[Any]) -> str:
    return f"{len(shapes)} watched acts and answers"
