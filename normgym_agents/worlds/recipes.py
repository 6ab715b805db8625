"""What a pair of worlds is drawn from, and which streams of draws that gives.

Worlds are a function of their recipe and index alone: here is all of the key.
"""

from __future__ import annotations

from hashlib import blake2b, sha256
from typing import NamedTuple

from normgym_agents.norms.norm import BASE_FAMILIES, Family
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.families import CELLS, Cell
from normgym_agents.worlds.settings import Setting

ATTEMPTS = 2000
"""Candidates drawn before sampling gives up: about five times what the rarest pair of `core` took."""


class Recipe(NamedTuple):
    """What a pair of worlds is drawn from.

    Attributes:
        setting: The authored setting.
        personas: Id and name of each persona that may play a member.
        suite: Name and version of the suite, e.g. `core-1`.
        seed: The suite's seed; a text where it must not be found in the worlds.
        enforcement: How norms are enforced.
        cell: What the norm of the world is to be; None: sizes and families take turns.
        attempts: Candidates drawn before sampling gives up.
    """

    setting: Setting
    personas: tuple[tuple[str, str], ...]
    suite: str
    seed: int | str
    enforcement: Enforcement
    cell: Cell | None = None
    attempts: int = ATTEMPTS


def family_at(recipe: Recipe, index: int) -> Family:
    """The family that the `index`-th pair is drawn for: the one that is asked for, else each in turn."""
    return BASE_FAMILIES[index // 2 % len(BASE_FAMILIES)] if recipe.cell is None else recipe.cell.family


def stream_of(recipe: Recipe, index: int) -> tuple[str | int, ...]:
    """What the candidates of an index are drawn from.

    The cells of one round of a balanced suite share their candidates' words and scored days, and part where norms
    are chosen: so a search for all of them lays each day out once.
    """
    return (index,) if recipe.cell is None else ("cells", index // len(CELLS))


def coins_of(recipe: Recipe, index: int, attempt: int) -> str:
    """The key of a candidate's coins; of a secret seed only a hash."""
    if isinstance(recipe.seed, int):
        return f"{recipe.suite}/{recipe.seed}/{index}/{attempt}"
    key = f"{recipe.suite}/{index}/{attempt}".encode()
    return blake2b(key, key=sha256(recipe.seed.encode()).digest(), digest_size=16).hexdigest()
