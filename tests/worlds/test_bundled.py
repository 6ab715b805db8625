"""The bundled worlds, proved again and drawn again: minutes for all of them, so a few stand for `core`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from normgym_agents.community.personas import read_setting
from normgym_agents.errors import NormgymError
from normgym_agents.evaluation.drawing import recipe_of
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import BASE_FAMILIES, Family
from normgym_agents.worlds.alignment import alignment_of, family_of
from normgym_agents.worlds.candidate import Candidate
from normgym_agents.worlds.certificate import certify
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.families import CELLS
from normgym_agents.worlds.sampling import sample_twins
from normgym_agents.worlds.suites import Suite, load_suite
from normgym_agents.worlds.world import World
from tests.worlds.making import quick, quick_recipe, seed_of, twin_of, world_of

DRAW_AGAIN = """
import json, sys
from normgym_agents.worlds.families import CELLS
from normgym_agents.worlds.sampling import sample_twins
from tests.worlds.making import quick_recipe
twins = sample_twins(quick_recipe(), int(sys.argv[1])).twins
sys.stdout.write(json.dumps([world.model_dump_json() for world in twins]))
"""


REDRAWN = (2, 3)
"""Pairs that are drawn again, which proves their certificates too."""


@pytest.fixture(scope="module", autouse=True)
def redrawn() -> Iterator[dict[int, subprocess.Popen[str]]]:
    """A pair of single norms and one of two norms, drawn by other processes while this one goes on."""
    path = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    processes = {
        index: subprocess.Popen(
            [sys.executable, "-c", DRAW_AGAIN, str(index)],
            # Other threads of the linear algebra, too, must not draw other worlds.
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        for index, seed in zip(REDRAWN, ("1", "33"), strict=True)
    }
    yield processes
    for process in processes.values():
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    "world",
    [world for world in quick().worlds if world.seed and world.seed[1] not in REDRAWN],
    ids=lambda world: world.id,
)
def test_every_world_is_proved_again_as_it_was(world: World) -> None:
    assert certify(world, twin_of(world)) == world.certificate


@pytest.mark.parametrize("index", REDRAWN)
def test_a_pair_is_drawn_again_the_same_under_another_hash_seed(index: int, redrawn) -> None:
    printed, _ = redrawn[index].communicate(timeout=300)
    assert redrawn[index].returncode == 0
    again = [World.model_validate_json(text) for text in json.loads(printed)]
    # The certificates too: they are no part of a digest.
    assert again == list(quick().worlds[2 * index : 2 * index + 2])
    assert [world.computed_digest() for world in again] == [
        world.digest for world in quick().worlds[2 * index : 2 * index + 2]
    ]


def test_pairs_take_turns_in_size_and_family() -> None:
    for number, world in enumerate(quick().worlds):
        index = number // 2
        assert world.seed == (quick().seed, index)
        assert world.id == f"quick-1-{index:03d}{'ab'[number % 2]}"
        assert len(world.norms) == 1 + index % 2
        assert BASE_FAMILIES[index // 2 % 4] in {norm.family for norm in world.parsed}


def test_rejected_candidates_are_counted_by_their_reason() -> None:
    """Pair 0 took 77 attempts; given fewer, the draw says what it failed on."""
    assert world_of("000a").coins == "quick-1/1/0/76"
    with pytest.raises(
        NormgymError, match=r"^quick-1: no pair of worlds for index 0; rejected for: \w+"
    ) as one:
        sample_twins(quick_recipe()._replace(attempts=2), 0)
    reasons = str(one.value).partition("rejected for: ")[2].split(", ")
    assert sum(int(reason.partition("(")[2].rstrip(")")) for reason in reasons) == 2


def test_a_pair_hangs_on_its_own_key_alone() -> None:
    """Pair 3 was its fifth candidate: that candidate alone, drawn without the ones before, is the pair."""
    world = world_of("003a")
    candidate = Candidate(quick_recipe(), 3, 4, Draws("quick-1", seed_of(quick()), 3, 4))
    assert candidate.coins == world.coins
    assert candidate.cast == world.cast
    assert candidate.lexicon.vocabulary(world.setting) == world.vocabulary
    assert candidate.template == world.probe.task.template


def core() -> Suite:
    return load_suite("core")


def test_core_holds_what_it_says() -> None:
    suite = core()
    assert (len(suite.worlds), suite.name, suite.version) == (300, "core", 1)
    for one, other in zip(suite.worlds[::2], suite.worlds[1::2], strict=True):
        assert (one.twin, other.twin) == (other.id, one.id)
        assert one.seed == other.seed == (suite.seed, int(one.pair[-3:]))
    families = {norm.family for world in suite.worlds for norm in world.parsed}
    assert families == set(BASE_FAMILIES)


@pytest.mark.parametrize("index", [29, 77])
def test_worlds_of_core_are_proved_again_as_they_were(index: int) -> None:
    """Two pairs of 150; all of them: `normgym world certify core`."""
    one, other = core().worlds[2 * index : 2 * index + 2]
    assert certify(one, other) == one.certificate
    assert certify(other, one) == other.certificate


def test_a_pair_of_core_is_drawn_again_from_its_seed() -> None:
    recipe = quick_recipe()._replace(suite="core-1", seed=seed_of(core()))
    assert sample_twins(recipe, 147).twins == core().worlds[294:296]


def test_families_hold_a_pair_for_every_cell() -> None:
    seeds = [world.seed for world in load_suite("families").worlds]
    assert seeds == [(1, cell) for cell in range(len(CELLS)) for _ in "ab"]


@pytest.mark.parametrize("pair", range(len(load_suite("families").worlds) // 2))
def test_worlds_of_families_hold_a_norm_of_their_cell(pair: int) -> None:
    one, other = load_suite("families").worlds[2 * pair : 2 * pair + 2]
    assert one.seed is not None
    cell = CELLS[one.seed[1]]
    assert one.id == f"families-1-{one.seed[1]:03d}a"
    for world in (one, other):
        norm = parse_norm(world.norms[0])
        family = norm.family if cell.changes else family_of(world.rules.units[0], world.setting)
        assert family is cell.family
        assert len(world.norms) == 1 + (cell.family is Family.EXCEPTION)
    (unit,) = one.rules.at(None).units
    assert alignment_of(unit, one.setting, one.vocabulary) is cell.alignment
    assert one.setting == read_setting(one.setting.name)


def test_a_pair_of_a_cell_is_drawn_again_from_its_seed() -> None:
    suite = load_suite("families")
    pair = next(suite.worlds[i : i + 2] for i, world in enumerate(suite.worlds) if world.seed == (1, 12))
    recipe = recipe_of(pair[0].setting.name, "families-1", 1, CELLS[12])
    assert sample_twins(recipe, 12).twins == pair
