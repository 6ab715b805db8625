"""What norms mean, slow and obvious: two evaluators that do not ask the code under test.

One reads a moment by the literals of a norm, the other a whole day by what the families mean. Both work on a
norm's plain data, by plain loops.
"""

from __future__ import annotations

from typing import NamedTuple

from normgym_agents.norms.history import Recent, Tally, add, remember
from normgym_agents.norms.moments import Deed, Moment, Pairs
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.units import Excepted


class Done(NamedTuple):
    """One act of a day, in its public context."""

    deed: Deed
    signals: Pairs
    present: frozenset[str]


class Day(NamedTuple):
    """All that one actor did on one day, in order."""

    role: str
    acts: list[Done]


def prefixes(day: Day) -> list[Day]:
    """The day as it stood after each of its acts, and before the first."""
    return [Day(day.role, day.acts[:count]) for count in range(len(day.acts) + 1)]


def moments_of(day: Day) -> list[Moment]:
    """The acts of a day as norms see them, each when it is done."""
    found: list[Moment] = []
    recent: Recent = ()
    tally: Tally = frozenset()
    earlier: frozenset[Deed] = frozenset()
    for deed, signals, present in day.acts:
        found.append(Moment(*deed, day.role, signals, present, earlier, recent, tally))
        recent, tally, earlier = remember(recent, deed), add(tally, deed), earlier | {deed}
    return found


def covered(norm: Norm, day: Day) -> list[bool]:
    """For each act of the day: whether it falls under the norm. From what the families mean, by plain loops."""
    data = norm.model_dump()
    if data["deontic"] == "oblige":
        return [status == "expired" for status in statuses(norm, day)]
    return [_falls_under(data, day, now) for now in range(len(day.acts))]


def _falls_under(data: dict, day: Day, now: int) -> bool:
    done = day.acts[now]
    if not _is_one_of(done.deed, data["act"]):
        return False
    if not all(_condition_holds(condition, done.signals, done.present) for condition in data["when"]):
        return False
    if not _binds(data, day.role):
        return False
    if data["sequence"] is not None:
        did = False
        for past in day.acts[:now]:
            did = did or _is_one_of(past.deed, data["sequence"]["pattern"])
        if did is not (data["sequence"]["relation"] == "after"):
            return False
    if data["quota"] is not None:
        acts = data["quota"]["window_acts"]
        among = day.acts[: now + 1] if acts is None else day.acts[max(0, now + 1 - acts) : now + 1]
        times = 0
        for past in among:
            times += _is_one_of(past.deed, data["act"])
        return bool(times > data["quota"]["most"])
    return True


def statuses(norm: Norm, day: Day) -> list[str | None]:
    """For each act of the day: how the obligation stands once it is done."""
    data = norm.model_dump()
    found: list[str | None] = [None] * len(day.acts)
    if data["deontic"] != "oblige" or not _binds(data, day.role):
        return found
    owed = [_is_one_of(done.deed, data["act"]) for done in day.acts]
    within = 1 if data["deadline"] is None else data["deadline"]["within"]
    obliges = data["accompanies"] if data["deadline"] is None else data["deadline"]["after"]
    rank = [None, "pending", "discharged", "expired"]
    for trigger, done in enumerate(day.acts):
        if not _is_one_of(done.deed, obliges):
            continue
        # This one duty, from its trigger until it is done or its time has run out.
        happens: dict[int, str] = {}
        if data["accompanies"] is not None and trigger > 0 and owed[trigger - 1]:
            happens[trigger] = "discharged"
        else:
            happens[trigger] = "pending"
            for later in range(trigger + 1, trigger + within + 1):
                if later >= len(day.acts):
                    break
                if owed[later]:
                    happens[later] = "discharged"
                    break
                happens[later] = "expired" if later == trigger + within else "pending"
        for moment, status in happens.items():
            if rank.index(status) > rank.index(found[moment]):
                found[moment] = status
    return found


def _is_one_of(deed: Deed, pattern: dict) -> bool:
    return bool(deed.verb == pattern["verb"]) and all(
        _slot_holds(literal, deed.slots) for literal in pattern["literals"]
    )


def _binds(data: dict, role: str) -> bool:
    return data["bearer"] is None or (role == data["bearer"]["role"]) is not data["bearer"]["negated"]


def _condition_holds(condition: dict, signals: Pairs, present: frozenset[str]) -> bool:
    if "limit" in condition:
        values = [value for name, value in signals if name == condition["signal"]]
        true = bool(values) and values[0] in {str(number) for number in range(condition["limit"])}
    elif "signal" in condition:
        true = any(pair == (condition["signal"], condition["value"]) for pair in signals)
    else:
        true = any(role == condition["role"] for role in present)
    return true is not condition["negated"]


def _slot_holds(literal: dict, pairs: Pairs) -> bool:
    values = [value for name, value in pairs if name == literal["slot"]]
    if not values:
        return False
    return bool(literal["negated"]) is not (values[0] == literal["value"])


def truths(norm: Norm, moment: Moment) -> list[bool]:
    """The truth of every literal of a prohibition or permit beside the verb, from its plain data alone."""
    data = norm.model_dump()
    found = [_slot_holds(literal, moment.slots) for literal in data["act"]["literals"]]
    found += [_condition_holds(condition, moment.signals, moment.present) for condition in data["when"]]
    if data["bearer"] is not None:
        found.append(_binds(data, moment.role))
    if data["sequence"] is not None:
        done = [deed for deed in moment.earlier if _is_one_of(deed, data["sequence"]["pattern"])]
        found.append(bool(done) if data["sequence"]["relation"] == "after" else not done)
    if data["quota"] is not None:
        past = [deed for deed, count in moment.tally for _ in range(count)]
        if data["quota"]["window_acts"] is not None:
            past = [*moment.recent][::-1][: data["quota"]["window_acts"] - 1]
        found.append(len([deed for deed in past if _is_one_of(deed, data["act"])]) >= data["quota"]["most"])
    return found


def counts(norm: Norm | Excepted, moment: Moment) -> bool:
    """Whether a quota counts the act: all but that it is used up."""
    if isinstance(norm, Excepted) or norm.quota is None or moment.verb != norm.act.verb:
        return False
    return all(truths(norm, moment)[:-1])


def breaks(norm: Norm | Excepted, moment: Moment) -> bool:
    """Whether the act breaks the norm."""
    if isinstance(norm, Excepted):
        return breaks(norm.base, moment) and not _applies(norm.permit, moment)
    if norm.deontic == "oblige":
        # An obligation looks at the last acts alone: they are a day of their own.
        acts = [Done(deed, (), frozenset()) for deed in (*moment.recent, Deed(moment.verb, moment.slots))]
        return covered(norm, Day(moment.role, acts))[-1]
    return norm.deontic == "forbid" and _applies(norm, moment)


def _applies(norm: Norm, moment: Moment) -> bool:
    return moment.verb == norm.act.verb and False not in truths(norm, moment)
