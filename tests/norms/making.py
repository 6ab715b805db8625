"""Random norms and moments over few words, so that they meet often; and the slow, obvious evaluator."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from hypothesis import strategies as st

from normgym_agents.norms.moments import Deed, Moment, Pairs
from normgym_agents.norms.norm import ActPattern, Bearer, Norm, Present, Sequence, SignalIs, SlotLiteral

VERBS = ("take", "give", "greet")
SLOTS = {"glaze": ("iron", "ash", "salt"), "mark": ("ringed", "barred"), "role": ("keeper", "carrier")}
SIGNALS = {"bell": ("ringing", "still"), "lamp": ("lit", "dark")}
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
        _words(SIGNALS),
        st.booleans(),
    ),
    st.builds(Present, role=st.sampled_from(ROLES), negated=st.booleans()),
)
bearers = st.builds(Bearer, role=st.sampled_from(ROLES), negated=st.booleans())
sequences = st.builds(Sequence, relation=st.sampled_from(["before", "after"]), pattern=patterns)
norms = st.builds(
    Norm,
    act=patterns,
    sequence=st.none() | sequences,
    when=st.lists(conditions, max_size=2).map(tuple),
    bearer=st.none() | bearers,
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
)


def truths(norm: Norm, moment: Moment) -> list[bool]:
    """The truth of every literal beside the verb, from the norm's plain data alone."""
    data = norm.model_dump()
    found = [_slot_holds(literal, moment.slots) for literal in data["act"]["literals"]]
    for condition in data["when"]:
        if "signal" in condition:
            true = any(pair == (condition["signal"], condition["value"]) for pair in moment.signals)
        else:
            true = any(role == condition["role"] for role in moment.present)
        found.append(not true if condition["negated"] else true)
    if data["bearer"] is not None:
        bound = moment.role == data["bearer"]["role"]
        found.append(not bound if data["bearer"]["negated"] else bound)
    if data["sequence"] is not None:
        pattern = data["sequence"]["pattern"]
        done = [
            deed
            for deed in moment.earlier
            if deed.verb == pattern["verb"]
            and all(_slot_holds(literal, deed.slots) for literal in pattern["literals"])
        ]
        found.append(bool(done) if data["sequence"]["relation"] == "after" else not done)
    return found


def _slot_holds(literal: dict, pairs: Pairs) -> bool:
    values = [value for name, value in pairs if name == literal["slot"]]
    if not values:
        return False
    return bool(literal["negated"]) is not (values[0] == literal["value"])


def breaks(norm: Norm, moment: Moment) -> bool:
    """Whether the act breaks the norm."""
    return moment.verb == norm.act.verb and False not in truths(norm, moment)


def sets_of_two(count: int) -> list[tuple[int, ...]]:
    """All sets of at most two of so many norms."""
    return [chosen for size in range(3) for chosen in combinations(range(count), size)]
