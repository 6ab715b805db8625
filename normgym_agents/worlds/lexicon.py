"""The words of one world, drawn from its setting's pools, so that nothing can be known beforehand."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from itertools import product

from pydantic import BaseModel, ConfigDict

from normgym_agents.errors import BadInput
from normgym_agents.norms.hypotheses import VerbSlots, Vocabulary
from normgym_agents.norms.norm import ActPattern, SlotLiteral
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.settings import Setting, Slot, Verb, WordPool

Looks = dict[str, str]
"""A value for each attribute of things."""


_SPOKEN = {Slot.PERSON: "role", Slot.TOPIC: "topic", Slot.ADDRESS: "address"}
"""What an act of speech shows of each of its slots."""


class Facet(StrEnum):
    """A kind of norms that a vocabulary may have beside prohibitions in context, by role and in sequence."""

    DUTIES = "duties"
    LIMITS = "limits"
    SPEECH = "speech"
    EXCEPTIONS = "exceptions"
    HARMLESS = "harmless"


WITHIN = (1, 2, 0)
"""Deadlines of duties, in acts; 0: the duty goes with the act. A planner keeps two acts for them: its states
grow about threefold with each act more."""

LIMITS = (1, 2)
"""How often a day something may be done, where norms limit that."""


class Lexicon(BaseModel):
    """A world's words.

    Attributes:
        places: The places, the workplace last.
        attributes: The values of each attribute.
        signals: The two public signals with their values.
        roles: The roles, the overseer first.
        newcomer: What the newcomer is called.
        unseen: Looks that things have in the probe only.
        seen: Looks that things have while watching and practising.
        topics: What may be spoken of.
        addresses: How somebody may be addressed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    places: tuple[str, ...]
    attributes: dict[str, tuple[str, ...]]
    signals: dict[str, tuple[str, str]]
    roles: tuple[str, ...]
    newcomer: str
    unseen: tuple[Looks, ...]
    seen: tuple[Looks, ...]
    topics: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()

    def vocabulary(self, setting: Setting, facets: Collection[Facet] = ()) -> Vocabulary:
        """What norms of this world can be about.

        Args:
            setting: The setting whose verbs they are about.
            facets: Which further kinds of norms there are; without any, acts of speech and harmless acts are
                nothing that norms are about.
        """
        verbs = [*self._verbs(setting, speech=False, harmless=False)]
        if Facet.SPEECH in facets:
            verbs += self._verbs(setting, speech=True, harmless=False)
        if Facet.HARMLESS in facets:
            verbs += self._verbs(setting, speech=False, harmless=True)
        words = {"topic": self.topics, "address": self.addresses, "place": self.places}
        values = {**self.attributes, "role": self.roles}
        duties = tuple(_duties(setting.verbs, {**values, **words})) if Facet.DUTIES in facets else ()
        named = {slot for entry in verbs for slot in entry.slots}
        named |= {literal.slot for duty in duties for literal in duty.literals}
        values |= {slot: some for slot, some in words.items() if slot in named}
        precursors = tuple(
            ActPattern(verb=name, literals=(SlotLiteral(slot="role", value=role),))
            for name, verb in setting.verbs.items()
            if verb.remembered and Slot.PERSON in verb.slots
            for role in self.roles
        )
        return Vocabulary(
            values=values,
            signals=dict(self.signals),
            roles=self.roles,
            overseer=self.roles[0],
            verbs=tuple(verbs),
            precursors=precursors,
            duties=duties,
            within=WITHIN if duties else (),
            limits=LIMITS if Facet.LIMITS in facets else (),
            exceptions=Facet.EXCEPTIONS in facets,
        )

    def _verbs(self, setting: Setting, *, speech: bool, harmless: bool) -> Iterator[VerbSlots]:
        for name, verb in setting.verbs.items():
            if not verb.normable or (verb.speech, verb.harmless) != (speech, harmless):
                continue
            slots = (*self.attributes,) if Slot.THING in verb.slots else ()
            slots += tuple(shown for slot, shown in _SPOKEN.items() if slot in verb.slots)
            slots += ("place",) if harmless and Slot.PLACE in verb.slots else ()
            yield VerbSlots(verb=name, slots=slots)


def _duties(verbs: Mapping[str, Verb], values: Mapping[str, tuple[str, ...]]) -> Iterator[ActPattern]:
    """What may be owed: acts that are remembered or said, by whom they address, on what and how."""
    for name, verb in verbs.items():
        if verb.remembered or verb.speech:
            for slot, shown in _SPOKEN.items():
                for value in values[shown] if slot in verb.slots else ():
                    yield ActPattern(verb=name, literals=(SlotLiteral(slot=shown, value=value),))


def draw_lexicon(setting: Setting, draws: Draws, *, alike: bool = False) -> Lexicon:
    """Draw the words of one world.

    Looks are split in two so that every value of every attribute is seen before the probe, but none of
    the probe's things: what was learned must be carried over by its attributes.

    Args:
        setting: The authored setting.
        draws: Draws the words.
        alike: Whether things of the probe may be alike in either attribute, as quotas that keep each other out
            need. The values of the first form are then seen on things of all forms.
    """

    def words(pool: WordPool) -> tuple[str, ...]:
        return tuple(draws.shuffled(pool.pool)[: pool.count])

    attributes = {name: words(pool) for name, pool in setting.attributes.items()}
    names = draws.shuffled(sorted(setting.signals))[:2]
    unseen, seen = split_looks(attributes, draws, alike=alike)
    places, roles = (*words(setting.places), setting.workplace), words(setting.roles)
    return Lexicon(
        places=places,
        attributes=attributes,
        signals={name: setting.signals[name] for name in sorted(names)},
        roles=roles,
        newcomer=draws.pick(setting.newcomers),
        unseen=tuple(unseen),
        seen=tuple(seen),
        topics=words(setting.topics) if setting.topics is not None else (),
        addresses=words(setting.addresses) if setting.addresses is not None else (),
    )


def split_looks(
    attributes: dict[str, tuple[str, ...]], draws: Draws, *, alike: bool = False
) -> tuple[list[Looks], list[Looks]]:
    """Half of the looks of the first form go to the probe, a third of the others'; `alike` as in `draw_lexicon`.

    Raises:
        BadInput: An attribute has too few values for things of the probe to differ in it.
    """
    if few := sorted(name for name, values in attributes.items() if len(set(values)) < 2):
        raise BadInput(f"there is no choice of {few[0]!r}", field="attributes", expected="two values or more")
    first = attributes["form"][0]
    names = list(attributes)
    while True:
        every = [dict(zip(names, values, strict=True)) for values in product(*attributes.values())]
        asked = draws.shuffled([looks for looks in every if looks["form"] == first])
        others = draws.shuffled([looks for looks in every if looks["form"] != first])
        unseen = asked[: (len(asked) + 1) // 2] + others[: len(others) // 3]
        seen = [looks for looks in every if looks not in unseen]
        showing = None if alike else first
        if all(
            len(_shown(seen, showing, name)) == len(set(values)) and len(_shown(unseen, first, name)) >= 2
            for name, values in attributes.items()
        ):
            return unseen, seen


def _shown(looks: list[Looks], form: str | None, name: str) -> set[str]:
    """The values of an attribute that things of a form show; forms themselves, and without one, all things."""
    return {one[name] for one in looks if name == "form" or form in (None, one["form"])}
