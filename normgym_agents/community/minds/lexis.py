"""The words of a world that give something away, and the forms they are said in.

All words that norms could be made of count, not only those of the norms in force: were only these kept unsaid,
their being unsaid would give them away.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from normgym_agents.community.personas import NormCard, Persona
    from normgym_agents.worlds.world import World

_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_SPELLED: Final = re.compile(r"\b[^\W\d_](?:[\s.\-_*·]+[^\W\d_]\b){2,}")
_SHORT: Final = 3
"""Words up to this length have no forms worth telling from other words."""


def words_in(text: str) -> list[str]:
    """The words of a text in plain form: folded, without joiners, and those that are spelled out put together."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    plain = "".join(c for c in unicodedata.normalize("NFD", plain) if unicodedata.category(c) != "Mn")
    plain = _SPELLED.sub(lambda found: "".join(c for c in found[0] if c.isalpha()), plain)
    return [
        part
        for word in _WORD.findall(plain)
        for part in {word: None, **dict.fromkeys(re.split("['\u2019-]", word))}
    ]


def forms_of(word: str) -> frozenset[str]:
    """A word of a world as it may be said: plural, possessive, or as a verb."""
    (base, *_) = words_in(word) or [word.casefold()]
    if len(base) <= _SHORT:
        return frozenset({base, f"{base}s"})
    stem = base.removesuffix("e")
    return frozenset({base, f"{base}s", f"{base}es", f"{stem}ed", f"{stem}ing", f"{stem}er", f"{base}ish"})


@dataclass(frozen=True, kw_only=True)
class Lexis:
    """What can be given away in a world.

    Attributes:
        literals: Per word that norms can be made of, the forms that it is said in.
        verbs: Per verb that norms can be about, likewise.
        looks: The words among the literals that say how things look.
        said: Per card of the community, the sentences and rules on it.
        canaries: The marks on the cards.
        people: The names of everybody.
        secrets: What people keep to themselves, whatever they are asked.
    """

    literals: Mapping[str, frozenset[str]]
    verbs: Mapping[str, frozenset[str]]
    looks: frozenset[str]
    said: tuple[str, ...]
    canaries: tuple[str, ...]
    people: tuple[str, ...]
    secrets: tuple[str, ...] = ()

    def literals_in(self, words: Iterable[str]) -> set[str]:
        """The words of norms among some words."""
        heard = set(words)
        return {word for word, forms in self.literals.items() if forms & heard}

    def verbs_in(self, words: Iterable[str]) -> set[str]:
        """The verbs of norms among some words."""
        heard = set(words)
        return {verb for verb, forms in self.verbs.items() if forms & heard}


def lexis_of(world: World, cards: Iterable[NormCard], personas: Iterable[Persona] = ()) -> Lexis:
    """What can be given away in a world, by its cards, and by what its people keep secret."""
    cards = tuple(cards)
    vocabulary, stage = world.vocabulary, world.probe.stage
    values = vocabulary.values
    signals = {word for name, pair in vocabulary.signals.items() for word in (name, *map(str, pair))}
    roles = {person.role for person in stage.people} | set(vocabulary.roles)
    looks = {word for name, words in values.items() if name in world.setting.attributes for word in words}
    literals = (
        looks | signals | roles | {word for words in values.values() for word in words} | set(stage.places)
    )
    verbs = {
        name: forms_of(verb.menu.partition(" ")[0]) | frozenset(words_in(verb.past.partition(" ")[0]))
        for name, verb in world.setting.verbs.items()
        if verb.normable or verb.remembered or verb.speech
    }
    return Lexis(
        literals={word: forms_of(word) for word in sorted(literals) if not word.isdigit()},
        verbs=verbs,
        looks=frozenset(looks),
        said=tuple(
            dict.fromkeys(
                text for card in cards for held in card.norms for text in (held.statement, held.rule)
            )
        ),
        canaries=tuple(card.canary for card in cards if card.canary),
        people=tuple(person.name for person in stage.people),
        secrets=tuple(persona.secret for persona in personas if persona.secret is not None),
    )
