"""Drawing pairs of worlds for the command line: with progress, and with figures of what was not kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from normgym_agents.cli.console import err
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.texts import counted

if TYPE_CHECKING:
    from normgym_agents.worlds.families import Cell
    from normgym_agents.worlds.recipes import Recipe
    from normgym_agents.worlds.world import World


REASONS: Final[Mapping[str, str]] = {
    "words": "no norm of the family and alignment can be said with the words that were drawn",
    "length": "the task takes too few or too many acts",
    "twin": "no other norms of one shape keep these out: no plan may keep both within the budget",
    "practise": "no day of practice was found on which keeping the norms costs acts in both twins",
    "identifiable": "watching does not tell an ideal observer the norms, or it does not pass with them",
    "tempting": "keeping the norms costs nothing, or they are met too seldom",
    "near misses": "no permitted act next to a forbidden one is needed for the task",
    "needs inference": "a policy without inference passes, or the scored day was seen before",
    "solvable": "the task cannot be done within the budget with the norms kept",
    "replay": "the same acts tell less of one person than of another",
}
"""What a candidate was rejected for, in one line each."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is to be drawn: a recipe, and how many pairs by it."""

    recipe: Recipe
    pairs: int

    @classmethod
    def parse(
        cls,
        setting: str,
        name: str,
        seed: int,
        pairs: int,
        attempts: int,
        family: str | None,
        alignment: str | None,
    ) -> Asked:
        """From what was typed.

        Raises:
            BadInput: No such setting, family or alignment; or an alignment without a family.
        """
        from normgym_agents.evaluation.drawing import recipe_of

        recipe = recipe_of(setting, f"{name}-1", seed, _cell(family, alignment), attempts)
        return cls(recipe=recipe, pairs=pairs)


def _cell(family: str | None, alignment: str | None) -> Cell | None:
    from normgym_agents.norms.norm import Family
    from normgym_agents.worlds.alignment import Alignment
    from normgym_agents.worlds.families import Cell

    if family is None:
        if alignment is not None:
            raise BadInput("it takes a family, too", field="--alignment", expected="--family F1..F10")
        return None
    if family not in list(Family):
        raise BadInput(f"there is no family {family!r}", field="--family", expected=" | ".join(Family))
    if alignment is not None and alignment not in list(Alignment):
        expected = " | ".join(Alignment)
        raise BadInput(f"there is no alignment {alignment!r}", field="--alignment", expected=expected)
    return Cell(Family(family), None if alignment is None else Alignment(alignment))


@dataclass
class Drawn:
    """What was drawn, and what was not.

    Attributes:
        worlds: The worlds, twins next to each other.
        kept: Per family of the norms, how many pairs.
        rejected: Per family that was looked for, how many candidates were rejected for which reason.
    """

    worlds: list[World] = field(default_factory=list)
    kept: Counter[str] = field(default_factory=Counter)
    rejected: dict[str, Counter[str]] = field(default_factory=dict)

    def count(self, family: str, rejected: Counter[str], *, kept: bool) -> None:
        """Take in one search."""
        self.kept[family] += kept
        self.rejected.setdefault(family, Counter()).update(rejected)


def draw_pairs(asked: Asked, *, keep_going: bool) -> Drawn:
    """Draw pair by pair, saying on stderr how far it is: a moving line on a terminal, else plain ones.

    Args:
        asked: What is to be drawn.
        keep_going: Whether a pair that cannot be found is only counted.

    Raises:
        NotSampled: A pair cannot be found.
    """
    from normgym_agents.worlds import sampling
    from normgym_agents.worlds.recipes import family_at

    console, drawn = err(), Drawn()
    with console.status("") if console.is_terminal else nullcontext() as status:
        for number in range(1, asked.pairs + 1):
            if status is not None:
                status.update(
                    f"drawing pair {number} of {asked.pairs}: each is searched for until it can be certified"
                )
            family = family_at(asked.recipe, number - 1)
            try:
                found = sampling.sample_twins(asked.recipe, number - 1)
            except sampling.NotSampled as fault:
                if not keep_going:
                    raise
                drawn.count(family, fault.rejected, kept=False)
                continue
            drawn.worlds += found.twins
            drawn.count(family, found.rejected, kept=True)
            if status is None:
                candidates = counted(found.rejected.total() + 1, "candidate")
                console.print(f"pair {number} of {asked.pairs} drawn after {candidates}", soft_wrap=True)
    return drawn


def statistics(drawn: Drawn) -> RenderableType:
    """Per family how many candidates were kept, and why the others were not."""
    table = Table(
        "family", "candidates", "kept", "acceptance", "rejected for", box=None, padding=(0, 2, 0, 0)
    )
    for family, rejected in drawn.rejected.items():
        kept = drawn.kept[family]
        candidates = kept + rejected.total()
        reasons = ", ".join(f"{reason} {count}" for reason, count in rejected.most_common()) or "–"
        table.add_row(family, str(candidates), str(kept), f"{kept / candidates:.1%}", reasons)
    found = {reason for rejected in drawn.rejected.values() for reason in rejected}
    legend = Table.grid(padding=(0, 2))
    legend.add_column(style="dim", no_wrap=True)
    legend.add_column(style="dim", overflow="fold")
    for reason, meaning in REASONS.items():
        if reason in found:
            legend.add_row(reason, meaning)
    shown: list[RenderableType] = [Text(), table]
    if legend.row_count:
        shown += [Text(), legend]
    return Group(*shown)
