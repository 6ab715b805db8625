"""What of a scored act may not have been seen before it: its context.

An act on a thing is unseen where nothing that looks alike was used so. Words and ways have no looks: such an act
is unseen where it was never done under the same signals in the same company.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from normgym_agents.norms.hypotheses import Vocabulary
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.units import Excepted, Unit
from normgym_agents.worlds.settings import Setting, Slot


class Contexts(NamedTuple):
    """Which acts of a world are relevant to its norms, and what tells one context of theirs from another.

    Attributes:
        relevant: The verbs of these acts.
        lookless: Those among them that are about no thing.
    """

    relevant: frozenset[str]
    lookless: frozenset[str]

    def of(self, moment: Moment) -> tuple[object, ...] | None:
        """The context of an act; None where norms are not about such acts."""
        if moment.verb not in self.relevant:
            return None
        around = (moment.signals, moment.present) if moment.verb in self.lookless else ()
        return (moment.verb, moment.slots, *around)

    def all_of(self, moments: Iterable[Moment]) -> frozenset[tuple[object, ...]]:
        """The contexts of some acts."""
        return frozenset(context for moment in moments if (context := self.of(moment)) is not None)


def contexts_of(setting: Setting, vocabulary: Vocabulary, units: Iterable[Unit]) -> Contexts:
    """The contexts of a world.

    Args:
        setting: Its setting, whose verbs say what they are about.
        vocabulary: Its words. Whatever is done to things is relevant.
        units: Its norms. Of acts that are about no thing, those are relevant on whose occasion these can be broken.
    """
    verbs = frozenset(entry.verb for entry in vocabulary.verbs)
    lookless = frozenset(verb for verb in verbs if Slot.THING not in setting.verbs[verb].slots)
    occasions = lookless & {_occasion(unit) for unit in units}
    return Contexts(verbs - lookless | occasions, occasions)


def _occasion(unit: Unit) -> str:
    """The verb of the acts on whose occasion a norm can be broken."""
    norm = unit.base if isinstance(unit, Excepted) else unit
    return norm.act.verb if norm.duty is None else norm.duty.trigger.verb
