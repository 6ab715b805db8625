"""Drawing worlds from an authored setting and its people: for `normgym world sample`, and for private suites.

Worlds know settings and names; who the people of a setting are is known to its community. So drawing stands
where both are at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import scrypt
from typing import Final

from normgym_agents.assets import asset
from normgym_agents.community.personas import read_community, read_setting
from normgym_agents.errors import BadInput
from normgym_agents.worlds.families import Cell
from normgym_agents.worlds.recipes import ATTEMPTS, Recipe
from normgym_agents.worlds.sampling import sample_twins
from normgym_agents.worlds.suites import PRIVATE, Suite, make_suite
from normgym_agents.worlds.world import World

PRIVATE_SETTING: Final = "pottery-yard"
"""What its worlds are drawn from unless another setting is named."""

PRIVATE_PAIRS: Final = 6
"""Pairs of worlds that a private suite holds unless more or fewer are asked for."""


def settings() -> tuple[str, ...]:
    """Settings that worlds can be drawn from: those with a community of their name."""
    return tuple(sorted(file.stem for file in asset("personas", "communities").glob("*.yaml")))


def recipe_of(
    setting: str, suite: str, seed: int | str, cell: Cell | None = None, attempts: int = ATTEMPTS
) -> Recipe:
    """What worlds of a setting are drawn from.

    Args:
        setting: Its name.
        suite: Name and version of the suite, e.g. `core-1`.
        seed: The suite's seed; a text is kept secret.
        cell: What the norm of each world is to be; None: sizes and families take turns.
        attempts: Candidates drawn before a pair is given up.

    Raises:
        BadInput: There is no such setting.
    """
    if setting not in settings():
        raise BadInput(f"there is no setting {setting!r}", field="--setting", expected=" | ".join(settings()))
    # The people of a setting are those of the community that bears its name, in the order written there.
    community, members = read_community(setting)
    personas = tuple((member.key, member.persona.name) for member in members)
    return Recipe(
        read_setting(community.setting), personas, suite, seed, community.enforcement, cell, attempts
    )


def private_suite(
    seed: str,
    pairs: int = PRIVATE_PAIRS,
    *,
    setting: str | None = None,
    on_pair: Callable[[int], None] = lambda _: None,
) -> Suite:
    """Worlds that nobody can have seen before who does not know the seed.

    The seed itself is nowhere stored: not in the worlds, the records or the run. From what is stored it can be
    found only by trying seeds, each of which takes the time of a slow hash (RFC 7914) and of drawing worlds.

    Args:
        seed: Anything that is hard to guess; the same seed gives the same worlds.
        pairs: How many pairs of twins.
        setting: What they are drawn from; None for the pottery yard.
        on_pair: Called with each pair's number, from 1, before it is drawn.

    Raises:
        BadInput: The seed is empty, or there is no such setting.
    """
    if not seed:
        raise BadInput("'' is no seed", field="--suite-seed", expected="something that is hard to guess")
    secret = scrypt(seed.encode(), salt=b"normgym private suite", n=2**14, r=8, p=1, dklen=32).hex()
    recipe = recipe_of(PRIVATE_SETTING if setting is None else setting, f"{PRIVATE}-1", secret)
    worlds: list[World] = []
    for index in range(pairs):
        on_pair(index + 1)
        worlds += sample_twins(recipe, index).twins
    return make_suite(PRIVATE, 1, None, worlds)
