"""The words of one world, drawn from its setting's pools, so that nothing can be known beforehand."""

from __future__ import annotations

from itertools import product

from pydantic import BaseModel, ConfigDict

from normgym_agents.errors import BadInput
from normgym_agents.norms.hypotheses import VerbSlots, Vocabulary
from normgym_agents.norms.norm import ActPattern, SlotLiteral
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.settings import Setting, Slot, WordPool

Looks = dict[str, str]
"""A value for each attribute of things."""


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
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    places: tuple[str, ...]
    attributes: dict[str, tuple[str, ...]]
    signals: dict[str, tuple[str, str]]
    roles: tuple[str, ...]
    newcomer: str
    unseen: tuple[Looks, ...]
    seen: tuple[Looks, ...]

    def vocabulary(self, setting: Setting) -> Vocabulary:
        """What norms of this world can be about."""
        verbs = []
        for name, verb in setting.verbs.items():
            slots = (*self.attributes,) if Slot.THING in verb.slots else ()
            slots += ("role",) if Slot.PERSON in verb.slots else ()
            if verb.normable:
                verbs.append(VerbSlots(verb=name, slots=slots))
        precursors = tuple(
            ActPattern(verb=name, literals=(SlotLiteral(slot="role", value=role),))
            for name, verb in setting.verbs.items()
            if verb.remembered and Slot.PERSON in verb.slots
            for role in self.roles
        )
        return Vocabulary(
            values={**self.attributes, "role": self.roles},
            signals=dict(self.signals),
            roles=self.roles,
            overseer=self.roles[0],
            verbs=tuple(verbs),
            precursors=precursors,
        )


def draw_lexicon(setting: Setting, draws: Draws) -> Lexicon:
    """Draw the words of one world.

    Looks are split in two so that every value of every attribute is seen before the probe, but none of
    the probe's things: what was learned must be carried over by its attributes.
    """

    def words(pool: WordPool) -> tuple[str, ...]:
        return tuple(draws.shuffled(pool.pool)[: pool.count])

    attributes = {name: words(pool) for name, pool in setting.attributes.items()}
    names = draws.shuffled(sorted(setting.signals))[:2]
    unseen, seen = split_looks(attributes, draws)
    return Lexicon(
        places=(*words(setting.places), setting.workplace),
        attributes=attributes,
        signals={name: setting.signals[name] for name in sorted(names)},
        roles=words(setting.roles),
        newcomer=draws.pick(setting.newcomers),
        unseen=tuple(unseen),
        seen=tuple(seen),
    )


def split_looks(attributes: dict[str, tuple[str, ...]], draws: Draws) -> tuple[list[Looks], list[Looks]]:
    """Half of the looks of the first form go to the probe, a third of the others'.

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
        if all(
            _varied(seen, first, name, values, len(values)) for name, values in attributes.items()
        ) and all(_varied(unseen, first, name, values, 2) for name, values in attributes.items()):
            return unseen, seen


def _varied(looks: list[Looks], form: str, name: str, values: tuple[str, ...], least: int) -> bool:
    """Whether things of the form show at least so many values of the attribute (of the form: all things)."""
    among = looks if name == "form" else [one for one in looks if one["form"] == form]
    return len({one[name] for one in among} & set(values)) >= least
