"""Random norms, moments and days over few words, so that they meet often."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from hypothesis import strategies as st

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
from tests.norms.meaning import Day, Done

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


def sets_of_two(count: int) -> list[tuple[int, ...]]:
    """All sets of at most two of so many norms."""
    return [chosen for size in range(3) for chosen in combinations(range(count), size)]
