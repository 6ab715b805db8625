"""The words of a world that give something away, and the forms they are said in.

All words that norms could be made of count, not only those of the norms in force: were only these kept unsaid,
their being unsaid would give them away. For the same reason the norms of a world's twin are kept as well as its own.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from normgym_agents.community.statements import statement_of
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.rules import RuleSet

if TYPE_CHECKING:
    from normgym_agents.community.personas import NormCard, Persona
    from normgym_agents.worlds.world import World

_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_SPELLED: Final = re.compile(r"\b[^\W\d_](?:[\W_]+[^\W\d_]\b){2,}")
_SHORT: Final = 3
"""Words up to this length have no forms worth telling from other words."""

RUN: Final = 4
"""Words in a row that a line and a card may not share."""

_LONG: Final = 5
"""Words from this length on are told within others, too."""

_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "\u0131": "i", "þ": "th"}
)
"""Letters that are no other letter with a mark, by what they are read as."""

_REPEATED: Final = re.compile(r"([^\W\d_])\1{2,}")


def words_in(text: str) -> list[str]:
    """The words of a text in plain form: folded, without joiners, and those that are spelled out put together."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    plain = "".join(c for c in unicodedata.normalize("NFD", plain) if unicodedata.category(c) != "Mn")
    plain = plain.translate(_LETTERS)
    plain = _SPELLED.sub(lambda found: "".join(c for c in found[0] if c.isalpha()), plain)
    return [
        part
        for word in _WORD.findall(plain)
        for part in {word: None, **dict.fromkeys(re.split("['\u2019-]", word))}
    ]


def pieced_together(words: Sequence[str]) -> set[str]:
    """The words, and what stands in two or three of them in a row, or in one of them in a drawl or disguise."""
    found = set(words)
    for size in (2, 3):
        found.update("".join(words[i : i + size]) for i in range(len(words) - size + 1))
    found.update(_REPEATED.sub(r"\1", word) for word in words)
    found.update(_REPEATED.sub(r"\1\1", word) for word in words)
    disguised = {word for word in found if len(word) > _SHORT}
    return found | {word[::-1] for word in disguised} | {codecs.encode(word, "rot13") for word in disguised}


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
        said: The sentences and rules on the cards, and those of the norms that the world could as well have.
        turns: Turns of phrase of these, `RUN` words each, with a gap for every word that norms could be made of: so
            they are the same in a world and its twin, whose norms differ in nothing else.
        canaries: The marks on the cards.
        people: The names of everybody.
        secrets: What people keep to themselves, whatever they are asked.
    """

    literals: Mapping[str, frozenset[str]]
    verbs: Mapping[str, frozenset[str]]
    looks: frozenset[str]
    said: tuple[str, ...]
    turns: frozenset[tuple[str, ...]]
    canaries: tuple[str, ...]
    people: tuple[str, ...]
    secrets: tuple[str, ...] = ()

    def repeats(self, words: Sequence[str]) -> bool:
        """Whether some words have a turn of phrase of the cards."""
        return not self.turns.isdisjoint(runs_in(_gapped(words, self.literals)))

    def literals_in(self, words: Sequence[str]) -> set[str]:
        """The words of norms among some words, or hidden in them."""
        heard = pieced_together(words)
        return {
            word
            for word, forms in self.literals.items()
            if forms & heard or (len(word) >= _LONG and any(word in one for one in heard))
        }

    def verbs_in(self, words: Sequence[str]) -> set[str]:
        """The verbs of norms among some words, or hidden in them."""
        heard = pieced_together(words)
        return {verb for verb, forms in self.verbs.items() if forms & heard}


def runs_in(words: Sequence[str]) -> set[tuple[str, ...]]:
    """All `RUN` words in a row."""
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


def _gapped(words: Sequence[str], literals: Mapping[str, frozenset[str]]) -> list[str]:
    """The words, with a gap where a word that norms could be made of stands, and without articles."""
    hidden = frozenset().union(*literals.values())
    return ["·" if word in hidden else word for word in words if word not in ("a", "an", "the")]


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
    forms = {word: forms_of(word) for word in sorted(literals) if not word.isdigit()}
    texts = (text for card in cards for held in card.norms for text in (held.statement, held.rule))
    said = tuple(dict.fromkeys((*_norms_of(world), *texts)))
    return Lexis(
        literals=forms,
        verbs=verbs,
        looks=frozenset(looks),
        said=said,
        turns=frozenset(run for text in said for run in runs_in(_gapped(words_in(text), forms))),
        canaries=tuple(card.canary for card in cards if card.canary),
        people=tuple(person.name for person in stage.people),
        secrets=tuple(persona.secret for persona in personas if persona.secret is not None),
    )


def _norms_of(world: World) -> Iterator[str]:
    """Statements and rules of a world's norms and of its twin's, which ever of them are in force."""
    for texts in sorted((world.norms, world.rival)):
        rules = RuleSet(parse_norm(text) for text in texts)
        for norm in (*rules.norms, *rules.at(None).norms):
            yield statement_of(norm, world.setting.verbs)
            yield print_norm(norm)
