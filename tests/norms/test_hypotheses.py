from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.errors import NormgymError
from normgym_agents.norms.hypotheses import (
    HypothesisSpace,
    VerbSlots,
    Vocabulary,
    distinct_columns,
    distinct_rows,
    enumerate_norms,
)
from normgym_agents.norms.language import print_norm
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import ActPattern, Norm, SlotLiteral
from normgym_agents.norms.rules import texts
from normgym_agents.norms.units import Unit
from tests.norms.making import (
    changes,
    days,
    excepted,
    moments,
    norms,
    permits,
)
from tests.norms.meaning import (
    Day,
    breaks,
    covered,
    moments_of,
)

TINY = Vocabulary(
    values={"glaze": ("iron", "ash", "salt"), "role": ("keeper", "carrier")},
    signals={"bell": ("ringing", "still")},
    roles=("keeper", "carrier"),
    overseer="keeper",
    verbs=(VerbSlots(verb="take", slots=("glaze",)), VerbSlots(verb="give", slots=("glaze", "role"))),
    precursors=(ActPattern(verb="greet", literals=(SlotLiteral(slot="role", value="keeper"),)),),
)

RICH = TINY.model_copy(
    update={
        "duties": (TINY.precursors[0], ActPattern(verb="take")),
        "within": (0, 1, 3),
        "limits": (1, 2),
        "exceptions": True,
    }
)


def test_the_space_holds_what_can_be_counted_by_hand() -> None:
    # Patterns: take, take(glaze=…)×3; give, give(glaze=…)×3, give(role=…)×2: 4 + 6 = 10.
    # F1: the 10, and glaze!=… of either verb (3 + 3); the two roles need no negation: 16.
    # F2: 10 × (bell=ringing, bell=still, present(keeper), not present(keeper)): 40.
    # F3: 10 × 2 roles × (for, for not): 40. F5: 10 × 1 precursor × (before, after): 20.
    families = Counter(norm.family.value for norm in enumerate_norms(TINY))
    assert families == {"F1": 16, "F2": 40, "F3": 40, "F5": 20}


def test_further_families_come_after_all_others_and_are_counted_by_hand() -> None:
    # F4: 2 duties × 3 deadlines × 10 triggers, but no act obliges to itself (take, 3 deadlines): 57.
    # F6: 10 × 2 limits: 20. F8: give alone has two slots: 3 glazes × 2 roles, either way round: 12.
    space = enumerate_norms(RICH)
    plain = enumerate_norms(TINY)
    assert space[: len(plain)] == plain
    families = Counter(unit.family.value for unit in space[len(plain) :])
    assert families == {"F4": 57, "F6": 20, "F8": 12}
    written = [texts([unit]) for unit in space]
    assert len(set(written)) == len(space)
    assert {
        ("oblige greet(role=keeper) with take(glaze=iron)",),
        ("oblige take within 3 acts after give(role=keeper)",),
        ("forbid give(role=keeper) more than 2 per day",),
        ("forbid give(glaze=ash)", "permit give(glaze=ash, role=keeper) overriding N1"),
        ("forbid give(role=keeper)", "permit give(role=keeper, glaze=ash) overriding N1"),
    } <= set(written)
    assert written[len(plain)] == ("oblige greet(role=keeper) with take",)
    assert written[-1][0] == "forbid give(role=carrier)"


def test_a_signal_of_numbers_is_compared() -> None:
    stocked = TINY.model_copy(update={"signals": {"stock": ("3", "0", "10")}})
    contexts = {
        print_norm(norm).partition(" when ")[2]
        for norm in enumerate_norms(stocked)
        if isinstance(norm, Norm) and norm.when
    }
    assert contexts == {
        "stock<3",
        "not stock<3",
        "stock<10",
        "not stock<10",
        "present(keeper)",
        "not present(keeper)",
    }


def test_how_far_back_the_norms_of_a_space_look() -> None:
    def depth(**changed: object) -> int:
        return RICH.model_copy(update=changed).depth

    # A deadline looks back to its trigger, an accompaniment to what stands right before it.
    assert (TINY.depth, depth(), depth(within=(0,)), depth(within=(1,)), depth(duties=())) == (0, 3, 2, 1, 0)


@given(days)
def test_no_norm_of_a_space_looks_further_back_than_its_depth(day: Day) -> None:
    acts = moments_of(day)
    space = HypothesisSpace(enumerate_norms(RICH))
    forgetful = [act._replace(recent=act.recent[-RICH.depth :]) for act in acts]
    assert np.array_equal(space.table(acts), space.table(forgetful))


def test_the_space_holds_each_norm_once_and_only_small_ones() -> None:
    space = enumerate_norms(TINY)
    assert len({texts([norm]) for norm in space}) == len(space)
    for norm in space:
        assert isinstance(norm, Norm)
        assert len(norm.act.literals) <= 1
        assert len(norm.when) + (norm.bearer is not None) + (norm.sequence is not None) <= 1


def test_known_members_of_the_space() -> None:
    written = {text for norm in enumerate_norms(TINY) for text in texts([norm])}
    assert {
        "forbid take",
        "forbid give(role=keeper)",
        "forbid take(glaze!=ash)",
        "forbid take(glaze=ash) when not present(keeper)",
        "forbid give for not carrier",
        "forbid give(role=carrier) before greet(role=keeper)",
    } <= written
    assert "forbid give(role!=keeper)" not in written
    assert "forbid take(glaze!=ash) when bell=still" not in written


def test_repeated_words_do_not_repeat_norms() -> None:
    twice = TINY.model_copy(update={"verbs": TINY.verbs * 2, "precursors": TINY.precursors * 2})
    assert enumerate_norms(twice) == enumerate_norms(TINY)


def test_the_order_is_the_same_under_any_hash_seed() -> None:
    program = (
        "import sys; from normgym_agents.norms.hypotheses import *; "
        "from normgym_agents.norms.rules import texts; "
        "space = enumerate_norms(Vocabulary.model_validate_json(sys.argv[1])); "
        "sys.stdout.write('\\n'.join(texts(space)))"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", program, RICH.model_dump_json()],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    expected = "\n".join(texts(enumerate_norms(RICH)))
    assert printed == [expected, expected]


@given(st.lists(norms | excepted, max_size=6), st.lists(moments, max_size=6))
def test_the_table_asks_every_norm_about_every_moment(rules: list[Unit], acts: list[Moment]) -> None:
    space = HypothesisSpace(rules)
    table = space.table(acts)
    assert table.shape == (len(rules), len(acts))
    assert table.tolist() == [[norm.violated_by(act) for act in acts] for norm in rules]
    assert space.broken(acts).tolist() == [any(breaks(norm, act) for norm in rules) for act in acts]


@given(st.lists(norms, min_size=1, max_size=6), days)
def test_the_table_of_a_day_is_what_the_families_mean(rules: list[Norm], day: Day) -> None:
    assert HypothesisSpace(rules).table(moments_of(day)).tolist() == [covered(norm, day) for norm in rules]


@given(permits)
def test_a_permit_alone_is_no_hypothesis(permit: Norm) -> None:
    with pytest.raises(NormgymError, match="no hypothesis without the norm that it overrides"):
        HypothesisSpace([permit])


@given(changes)
def test_a_norm_that_changes_is_no_hypothesis(norm: Norm) -> None:
    with pytest.raises(NormgymError, match="until it is asked for a day"):
        HypothesisSpace([norm])


@given(st.integers(0, 12), st.integers(0, 4), st.integers(0, 99))
def test_rows_that_nothing_tells_apart_are_one_class(rows: int, columns: int, seed: int) -> None:
    table = np.random.default_rng(seed).random((rows, columns)) < 0.5
    first, which = distinct_rows(table)
    assert np.array_equal(table[first][which], table)
    assert len({row.tobytes() for row in table[first]}) == len(first)
    assert list(first) == sorted(first)
    assert [which[i] for i in first] == list(range(len(first)))
    assert all(first[which[i]] <= i for i in range(rows))


@given(st.lists(moments, min_size=1, max_size=4))
def test_one_space_answers_many_questions_alike(acts: list[Moment]) -> None:
    space = HypothesisSpace(enumerate_norms(RICH))
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
