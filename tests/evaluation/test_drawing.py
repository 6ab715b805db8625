from __future__ import annotations

from collections import Counter

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.evaluation import drawing
from normgym_agents.evaluation.drawing import private_suite, recipe_of, settings
from normgym_agents.worlds.recipes import Recipe
from normgym_agents.worlds.sampling import Sampled
from normgym_agents.worlds.suites import dump_suite, load_suite


@pytest.fixture
def asked(monkeypatch) -> list[Recipe]:
    """Stands in for drawing, which takes its time: what was asked for."""
    recipes: list[Recipe] = []
    worlds = load_suite("quick").worlds

    def sample(recipe: Recipe, index: int) -> Sampled:
        recipes.append(recipe)
        return Sampled((worlds[2 * index], worlds[2 * index + 1]), Counter())

    monkeypatch.setattr(drawing, "sample_twins", sample)
    return recipes


def test_a_private_suite_hangs_on_its_seed_and_does_not_tell_it(asked: list[Recipe]) -> None:
    numbers: list[int] = []
    suite = private_suite("tell nobody", 2, on_pair=numbers.append)
    private_suite("tell nobody", 1)
    private_suite("tell somebody", 1)
    assert numbers == [1, 2]
    assert (suite.name, suite.seed, len(suite.worlds)) == ("private", None, 4)
    assert b"tell nobody" not in dump_suite(suite)
    seeds = [recipe.seed for recipe in asked]
    assert seeds[0] == seeds[1] == seeds[2] != seeds[3]
    assert all(isinstance(seed, str) and "tell" not in seed for seed in seeds)
    assert {recipe.suite for recipe in asked} == {"private-1"}


def test_a_private_suite_needs_a_seed() -> None:
    with pytest.raises(BadInput, match="is no seed"):
        private_suite("")
    with pytest.raises(BadInput) as caught:
        load_suite("private")
    assert caught.value.field == "--suite-seed"


def test_settings_are_those_with_people() -> None:
    assert settings() == ("noon-kitchen", "pottery-yard", "triage-desk")
    for setting in settings():
        recipe = recipe_of(setting, "some-1", 3)
        assert recipe.setting.name == setting and len(recipe.personas) >= 4
    with pytest.raises(BadInput, match="there is no setting 'nowhere'"):
        recipe_of("nowhere", "some-1", 3)
