"""Proving many worlds again, on several processors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World

Pair = tuple["World", "World | None"]


def certify_all(worlds: Sequence[World], jobs: int) -> Iterator[str | None]:
    """Prove worlds again, twins by the same process so that they share what was worked out.

    Args:
        worlds: Worlds of a suite, twins next to each other.
        jobs: Processes; with one everything is done in this one.

    Yields:
        For each world in order what is wrong with it, None if nothing is.
    """
    by_id = {world.id: world for world in worlds}
    pairs: list[list[Pair]] = []
    for world in worlds:
        if pairs and pairs[-1][0][0].id == world.twin:
            pairs[-1].append((world, by_id.get(world.twin)))
        else:
            pairs.append([(world, by_id.get(world.twin))])
    if jobs == 1 or len(pairs) == 1:
        for pair in pairs:
            yield from faults(pair)
        return
    # Not forked: threads of the linear algebra do not survive that.
    with ProcessPoolExecutor(min(jobs, len(pairs)), mp_context=get_context("spawn")) as pool:
        for found in pool.map(faults, pairs):
            yield from found


def faults(pair: Sequence[Pair]) -> list[str | None]:
    """What is wrong with each of these worlds."""
    return [_fault(world, twin) for world, twin in pair]


def _fault(world: World, twin: World | None) -> str | None:
    from normgym_agents.worlds.certificate import NotCertified, certify

    try:
        if twin is None:
            raise NotCertified("twin: it is not in the suite")
        if certify(world, twin) != world.certificate:
            raise NotCertified("certificate: the stored one differs from the one that was proved")
    except NotCertified as error:
        return str(error)
    return None
