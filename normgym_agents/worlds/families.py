"""Which worlds show which norm family: the cells of a balanced suite, and the words that each family needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from normgym_agents.norms.hypotheses import Vocabulary
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.norm import BASE_FAMILIES, Family, Norm, Successor
from normgym_agents.norms.units import Unit
from normgym_agents.worlds.alignment import Alignment, alignment_of, family_of
from normgym_agents.worlds.lexicon import Facet
from normgym_agents.worlds.settings import Setting

FACETS: Final[Mapping[Family, Facet]] = {
    Family.OBLIGATION: Facet.DUTIES,
    Family.QUOTA: Facet.LIMITS,
    Family.SPEECH: Facet.SPEECH,
    Family.EXCEPTION: Facet.EXCEPTIONS,
    Family.SILLY: Facet.HARMLESS,
}
"""The kinds of norms that a vocabulary must have beside the usual ones; other families need none."""

CHANGES_AFTER: Final = 2
"""The last watched day of the norms that change."""


class Cell(NamedTuple):
    """What the norm of a world is to be: its family in its setting, and how one would expect it."""

    family: Family
    alignment: Alignment | None = None

    @property
    def facets(self) -> tuple[Facet, ...]:
        """What a vocabulary needs for it."""
        return (FACETS[self.family],) if self.family in FACETS else ()

    @property
    def changes(self) -> bool:
        """Whether norms change: then two plain ones take turns."""
        return self.family is Family.CHANGE

    def holds(self, unit: Unit, setting: Setting) -> bool:
        """Whether a unit may be the norm of such a world, or the one before it."""
        family = family_of(unit, setting)
        return family in BASE_FAMILIES if self.changes else family is self.family

    def leads(self, unit: Unit, setting: Setting, vocabulary: Vocabulary) -> bool:
        """Whether it is the norm of the first twin: of the alignment that is asked for."""
        return self.alignment in (None, alignment_of(unit, setting, vocabulary))

    def __str__(self) -> str:
        """As messages name it, e.g. `F2 congruent`."""
        return f"{self.family} {self.alignment}" if self.alignment else str(self.family)


CELLS: Final = tuple(
    Cell(family, alignment)
    for family in Family
    for alignment in Alignment
    # Whether one would expect it says nothing of a norm that does nobody any good or harm.
    if family is not Family.SILLY or alignment is Alignment.ARBITRARY
)
"""All cells of a balanced suite."""


def in_turn(texts: tuple[str, ...], before: tuple[str, ...], *, announced: bool) -> tuple[str, ...]:
    """Norms that take the place of others after the watched days of these."""
    return tuple(
        print_norm(_changing(parse_norm(old), parse_norm(new), announced))
        for old, new in zip(before, texts, strict=True)
    )


def _changing(old: Norm, new: Norm, announced: bool) -> Norm:
    change = Successor(day=CHANGES_AFTER, announced=announced, norm=new)
    return old.model_copy(update={"successor": change})
