from __future__ import annotations

from collections import Counter

import pytest

from normgym_agents.community.personas import read_setting
from normgym_agents.evaluation.drawing import settings
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import Family
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.alignment import Alignment
from normgym_agents.worlds.candidate import Candidate, Rejected
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.families import CELLS, Cell, in_turn
from normgym_agents.worlds.recipes import family_at
from normgym_agents.worlds.sampling import NotSampled, sample_twins
from tests.worlds.making import quick_recipe, yard_setting


def test_cells_are_families_by_alignment_but_for_silly_norms() -> None:
    assert len(CELLS) == 28 == len(set(CELLS))
    assert Counter(cell.family for cell in CELLS) == {f: 1 if f is Family.SILLY else 3 for f in Family}
    assert str(CELLS[0]) == "F1 congruent" and str(Cell(Family.QUOTA)) == "F6"


@pytest.mark.parametrize("name", settings())
def test_every_setting_has_words_for_the_families_that_it_can_show(name: str) -> None:
    setting = read_setting(name)
    speaks = any(verb.speech for verb in setting.verbs.values())
    for family in Family:
        cell = Cell(family)
        recipe = quick_recipe()._replace(setting=setting, cell=cell)
        candidate = None
        try:
            candidate = Candidate(recipe, 0, 0, Draws("words", name))
        except NotSampled:
            pytest.fail("drawing words rejects a candidate, it does not give up")
        except Rejected as fault:
            assert str(fault).startswith("words: ")
        assert (candidate is not None) == (speaks or family not in (Family.SPEECH, Family.SILLY))


def test_a_cell_asks_for_the_family_in_the_setting_and_the_leading_alignment() -> None:
    setting = yard_setting()
    recipe = quick_recipe()._replace(cell=Cell(Family.CONTEXT, Alignment.CONGRUENT))
    candidate = Candidate(recipe, 0, 0, Draws("cell"))
    cell = recipe.cell
    assert cell is not None
    held = [unit for unit in candidate.space.norms if cell.holds(unit, setting)]
    led = [unit for unit in held if cell.leads(unit, setting, candidate.vocabulary)]
    assert {unit.family for unit in held} == {Family.CONTEXT}
    assert 0 < len(led) < len(held)
    assert Cell(Family.CHANGE).holds(held[0], setting)


def test_norms_take_turns_in_both_twins() -> None:
    one, other = ("forbid take(glaze=iron)",), ("forbid take(glaze=ash)",)
    late = in_turn(one, other, announced=True)
    assert late == ("forbid take(glaze=ash) until day 2 announced then forbid take(glaze=iron)",)
    rules = RuleSet(map(parse_norm, late))
    assert rules.at(2).norms == (parse_norm(other[0]),)
    assert rules.at(3).norms == rules.at(None).norms == (parse_norm(one[0]),)


def test_families_take_turns_unless_one_is_asked_for() -> None:
    recipe = quick_recipe()
    assert [family_at(recipe, i) for i in (0, 1, 2, 6)] == [
        Family.PROHIBITION,
        Family.PROHIBITION,
        Family.CONTEXT,
        Family.SEQUENCE,
    ]
    assert family_at(recipe._replace(cell=Cell(Family.QUOTA)), 5) is Family.QUOTA


def test_a_search_in_vain_says_what_for_and_why() -> None:
    recipe = quick_recipe()._replace(cell=Cell(Family.SPEECH, Alignment.COUNTER), attempts=3)
    with pytest.raises(NotSampled, match="no pair of worlds with a norm of F7 counter") as caught:
        sample_twins(recipe, 0)
    assert caught.value.rejected == {"words": 3}


def test_a_secret_seed_is_in_no_part_of_a_candidate() -> None:
    recipe = quick_recipe()._replace(seed="a secret that is long enough to be told")
    one, again, other = (
        Candidate(recipe._replace(seed=seed), 0, 4, Draws("any"))
        for seed in (recipe.seed, recipe.seed, "another secret")
    )
    assert one.coins == again.coins != other.coins
    assert str(recipe.seed) not in one.coins and len(one.coins) == 32
