"""Random norms and histories over few words, so that they meet often; and the slow, obvious evaluators.

There are two, and neither asks the code under test: one reads a moment by the literals of a norm, the other a
whole day by what the families mean. Both work on a norm's plain data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from hypothesis import strategies as st

from normgym_agents.norms.history import Recent, Tally, add, remember
from normgym_agents.norms.moments import RECENT, Deed, Moment, Pairs
from normgym_agents.norms.norm import (
    ActPattern,
    Bearer,
    Deadline,
    Norm,
    Present,
    Quota,
    SignalBelow,
    SignalIs,
    SlotLiteral,
    Successor,
)
from normgym_agents.norms.norm import Sequence as Order
from normgym_agents.norms.units import Excepted

VERBS = ("take", "give", "greet")
SLOTS = {"glaze": ("iron", "ash", "salt"), "mark": ("ringed", "barred"), "role": ("keeper", "carrier")}
SIGNALS = {"bell": ("ringing", "still"), "lamp": ("lit", "dark"), "stock": ("0", "1", "2", "3")}
ROLES = ("keeper", "carrier", "tender")


def _words(pool: Mapping[str, tuple[str, ...]]) -> st.SearchStrategy[tuple[str, str]]:
    return st.sampled_from([(name, value) for name, values in pool.items() for value in values])


slot_literals = st.builds(
    lambda pair, negated: SlotLiteral(slot=pair[0], value=pair[1], negated=negated),
    _words(SLOTS),
    st.booleans(),
)
patterns = st.builds(
    ActPattern,
    verb=st.sampled_from(VERBS),
    literals=st.lists(slot_literals, max_size=2).map(tuple),
)
conditions = st.one_of(
    st.builds(
        lambda pair, negated: SignalIs(signal=pair[0], value=pair[1], negated=negated),
        _words({name: SIGNALS[name] for name in ("bell", "lamp")}),
        st.booleans(),
    ),
    st.builds(
        SignalBelow, signal=st.sampled_from(["stock", "bell"]), limit=st.integers(1, 4), negated=st.booleans()
    ),
    st.builds(Present, role=st.sampled_from(ROLES), negated=st.booleans()),
)
bearers = st.builds(Bearer, role=st.sampled_from(ROLES), negated=st.booleans())
sequences = st.builds(Order, relation=st.sampled_from(["before", "after"]), pattern=patterns)
quotas = st.builds(Quota, most=st.integers(1, 3)) | st.builds(
    lambda acts, most: Quota(most=min(most, acts - 1), window_acts=acts), st.integers(2, 6), st.integers(1, 3)
)
_options = {
    "act": patterns,
    "when": st.lists(conditions, max_size=2).map(tuple),
    "bearer": st.none() | bearers,
}
prohibitions = st.builds(Norm, sequence=st.none() | sequences, **_options)
limits = st.builds(Norm, quota=quotas, **_options)
permits = st.builds(
    Norm,
    deontic=st.just("permit"),
    sequence=st.none() | sequences,
    overriding=st.integers(1, 99).map("N{}".format),
    **_options,
)
# Patterns of many acts too, so that exceptions apply, and so that duties and what obliges to them often meet on a day.
_wide = st.builds(
    ActPattern,
    verb=st.sampled_from(VERBS),
    literals=st.sampled_from(
        [
            (),
            *((SlotLiteral(slot="glaze", value="iron", negated=negated),) for negated in (False, True)),
            (SlotLiteral(slot="role", value="keeper"),),
        ]
    ),
)
_pairs_of_acts = (st.tuples(_wide, _wide) | st.tuples(patterns, patterns)).filter(
    lambda pair: pair[0] != pair[1]
)
deadlines = st.builds(
    lambda acts, within, bearer: Norm(
        deontic="oblige", act=acts[0], deadline=Deadline(within=within, after=acts[1]), bearer=bearer
    ),
    _pairs_of_acts,
    st.integers(1, 5),
    st.none() | bearers,
)
accompaniments = st.builds(
    lambda acts, bearer: Norm(deontic="oblige", act=acts[0], accompanies=acts[1], bearer=bearer),
    _pairs_of_acts,
    st.none() | bearers,
)
obligations = deadlines | accompaniments
norms = prohibitions | limits | obligations
"""Norms that an act can break."""

changes = st.builds(
    lambda pair, day, announced: pair[0].model_copy(
        update={"successor": Successor(day=day, announced=announced, norm=pair[1])}
    ),
    st.tuples(norms, norms).filter(lambda pair: pair[0] != pair[1]),
    st.integers(1, 6),
    st.booleans(),
)
every_form = norms | permits | changes
# An exception is some of what its prohibition forbids, mostly.
excepted = st.builds(
    lambda base, permit, more: Excepted(
        base,
        permit.model_copy(
            update={
                "act": ActPattern(verb=base.act.verb, literals=(*base.act.literals, *more)),
                "when": permit.when[:1],
                "overriding": "N1",
            }
        ),
    ),
    st.builds(Norm, act=_wide) | prohibitions | limits,
    permits,
    st.lists(slot_literals, max_size=1),
)


def _pairs(pool: Mapping[str, tuple[str, ...]], *, all_names: bool) -> st.SearchStrategy[Pairs]:
    options = {
        name: st.sampled_from(values) if all_names else st.none() | st.sampled_from(values)
        for name, values in pool.items()
    }
    return st.fixed_dictionaries(options).map(
        lambda chosen: tuple(sorted((name, value) for name, value in chosen.items() if value is not None))
    )


slots = _pairs(SLOTS, all_names=False)
deeds = st.builds(Deed, verb=st.sampled_from(VERBS), slots=slots)
moments = st.builds(
    Moment,
    verb=st.sampled_from(VERBS),
    slots=slots,
    role=st.sampled_from(ROLES),
    signals=_pairs(SIGNALS, all_names=True),
    present=st.frozensets(st.sampled_from(ROLES)),
    earlier=st.frozensets(deeds, max_size=3),
    recent=st.lists(deeds, max_size=RECENT).map(tuple),
    tally=st.dictionaries(deeds, st.integers(1, 3), max_size=3).map(lambda counts: frozenset(counts.items())),
)


class Done(NamedTuple):
    """One act of a day, in its public context."""

    deed: Deed
    signals: Pairs
    present: frozenset[str]


class Day(NamedTuple):
    """All that one actor did on one day, in order."""

    role: str
    acts: list[Done]


# Few kinds of acts, so that what obliges, and what is owed, comes again and again.
_few_deeds = st.sampled_from(
    [
        Deed(verb, slots)
        for verb in VERBS
        for slots in ((("glaze", "iron"),), (("glaze", "ash"), ("mark", "ringed"), ("role", "keeper")))
    ]
)
days = st.builds(
    Day,
    role=st.sampled_from(ROLES),
    acts=st.lists(
        st.builds(
            Done,
            deed=_few_deeds,
            signals=_pairs(SIGNALS, all_names=True),
            present=st.frozensets(st.sampled_from(ROLES)),
        ),
        min_size=1,
        max_size=12,
    ),
)


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


def sets_of_two(count: int) -> list[tuple[int, ...]]:
    """All sets of at most two of so many norms."""
    return [chosen for size in range(3) for chosen in combinations(range(count), size)]


def prefixes(day: Day) -> Sequence[Day]:
    """The day as it stood after each of its acts, and before the first."""
    return [Day(day.role, day.acts[:count]) for count in range(len(day.acts) + 1)]
