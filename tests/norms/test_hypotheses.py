from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.norms.hypotheses import (
    HypothesisSpace,
    VerbSlots,
    Vocabulary,
    distinct_columns,
    enumerate_norms,
)
from normgym_agents.norms.language import print_norm
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import ActPattern, Norm, SlotLiteral
from tests.norms.making import breaks, moments, norms

TINY = Vocabulary(
    values={"glaze": ("iron", "ash", "salt"), "role": ("keeper", "carrier")},
    signals={"bell": ("ringing", "still")},
    roles=("keeper", "carrier"),
    overseer="keeper",
    verbs=(VerbSlots(verb="take", slots=("glaze",)), VerbSlots(verb="give", slots=("glaze", "role"))),
    precursors=(ActPattern(verb="greet", literals=(SlotLiteral(slot="role", value="keeper"),)),),
)


def test_the_space_holds_what_can_be_counted_by_hand() -> None:
    # Patterns: take, take(glaze=…)×3; give, give(glaze=…)×3, give(role=…)×2: 4 + 6 = 10.
    # F1: the 10, and glaze!=… of either verb (3 + 3); the two roles need no negation: 16.
    # F2: 10 × (bell=ringing, bell=still, present(keeper), not present(keeper)): 40.
    # F3: 10 × 2 roles × (for, for not): 40. F5: 10 × 1 precursor × (before, after): 20.
    families = Counter(norm.family.value for norm in enumerate_norms(TINY))
    assert families == {"F1": 16, "F2": 40, "F3": 40, "F5": 20}


def test_the_space_holds_each_norm_once_and_only_small_ones() -> None:
    space = enumerate_norms(TINY)
    assert len({print_norm(norm) for norm in space}) == len(space)
    for norm in space:
        assert len(norm.act.literals) <= 1
        assert len(norm.when) + (norm.bearer is not None) + (norm.sequence is not None) <= 1


def test_known_members_of_the_space() -> None:
    texts = {print_norm(norm) for norm in enumerate_norms(TINY)}
    assert {
        "forbid take",
        "forbid give(role=keeper)",
        "forbid take(glaze!=ash)",
        "forbid take(glaze=ash) when not present(keeper)",
        "forbid give for not carrier",
        "forbid give(role=carrier) before greet(role=keeper)",
    } <= texts
    assert "forbid give(role!=keeper)" not in texts
    assert "forbid take(glaze!=ash) when bell=still" not in texts


def test_repeated_words_do_not_repeat_norms() -> None:
    twice = TINY.model_copy(update={"verbs": TINY.verbs * 2, "precursors": TINY.precursors * 2})
    assert enumerate_norms(twice) == enumerate_norms(TINY)


def test_the_order_is_the_same_under_any_hash_seed() -> None:
    program = (
        "import sys; from normgym_agents.norms.hypotheses import *; "
        "from normgym_agents.norms.language import print_norm; "
        "space = enumerate_norms(Vocabulary.model_validate_json(sys.argv[1])); "
        "sys.stdout.write('\\n'.join(map(print_norm, space)))"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", program, TINY.model_dump_json()],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    expected = "\n".join(print_norm(norm) for norm in enumerate_norms(TINY))
    assert printed == [expected, expected]


@given(st.lists(norms, max_size=6), st.lists(moments, max_size=6))
def test_the_table_asks_every_norm_about_every_moment(rules: list[Norm], acts: list[Moment]) -> None:
    space = HypothesisSpace(rules)
    table = space.table(acts)
    assert table.shape == (len(rules), len(acts))
    assert table.tolist() == [[norm.violated_by(act) for act in acts] for norm in rules]
    assert space.broken(acts).tolist() == [any(breaks(norm, act) for norm in rules) for act in acts]


@given(st.lists(moments, min_size=1, max_size=4))
def test_one_space_answers_many_questions_alike(acts: list[Moment]) -> None:
    space = HypothesisSpace(enumerate_norms(TINY))
    once = space.table(acts)
    assert np.array_equal(space.table(acts[::-1]), once[:, ::-1])
    assert np.array_equal(space.table([*acts, *acts]), np.hstack([once, once]))


@given(st.integers(1, 20), st.integers(0, 6), st.integers(0, 99))
def test_distinct_columns_put_together_again_are_the_table(rows: int, columns: int, seed: int) -> None:
    table = np.random.default_rng(seed).random((rows, columns)) < 0.3
    table = table[:, np.random.default_rng(seed).integers(0, max(columns, 1), 2 * columns)]
    distinct, which = distinct_columns(table)
    assert np.array_equal(distinct[:, which], table)
    assert len({column.tobytes() for column in distinct.T}) == distinct.shape[1]
