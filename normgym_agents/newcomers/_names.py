"""From words to the things, places, people, topics and forms of address of a view.

A name may be partial (`the sarn cup`), reordered (`cup of sarn glaze`) or in any case; what it may not be is
unknown. Which of several fitting things is meant is not decided here: that depends on what can be done.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.public import NewcomerView
from normgym_agents.worlds.settings import Slot
from normgym_agents.worlds.stage import NOTHING
from normgym_agents.worlds.wording import looks_of, phrase_of

WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_IT: Final = frozenset({"it", "them"})


def normal(text: str) -> str:
    """The text as names are compared: compatible forms unified, no case, straight apostrophes."""
    return unicodedata.normalize("NFKC", text).casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def words(text: str) -> tuple[str, ...]:
    """The words of a text, hyphens and underscores splitting them."""
    return tuple(word.removesuffix("'s") for word in WORD.findall(normal(text)))


@dataclass(frozen=True)
class Found:
    """What a name can stand for.

    Attributes:
        ids: Ids of things, names of places or people, topics, addresses; empty where the words fit nothing that
            is there.
        exact: Those that the name names in full.
        end: Index of the first word after the name.
    """

    ids: frozenset[str]
    exact: frozenset[str]
    end: int


class Names:
    """The names that mean something in a view.

    Args:
        view: What is public.
    """

    def __init__(self, view: NewcomerView) -> None:
        self.view = view
        stage, state = view.stage, view.state
        self.looks = {
            thing.id: looks_of(thing, view.looks, bool(state.worked >> i & 1), view.worked_word)
            for i, thing in enumerate(stage.things)
        }
        self._things = {key: frozenset(words(looks)) for key, looks in self.looks.items()}
        self._worked = frozenset(words(view.worked_word))
        self._values = frozenset().union(*self._things.values()) | self._worked
        self._inner = frozenset(
            {"of"} | {w for t in stage.things for name in t.attributes for w in words(name)}
        )
        people = [(person.name, (person.name,)) for person in stage.people]
        roles: dict[str, tuple[str, ...]] = {}
        for person in stage.people[: stage.newcomer]:
            roles[person.role] = (*roles.get(person.role, ()), person.name)
        # Names as sequences of words, with what each can stand for.
        self._known = {
            Slot.PLACE: _sequences((place, (place,)) for place in stage.places),
            Slot.PERSON: _sequences([*people, *roles.items()]),
            Slot.TOPIC: _sequences((topic, (topic,)) for topic in stage.topics),
            Slot.ADDRESS: _sequences((address, (address,)) for address in stage.addresses),
        }
        held = state.hands[stage.newcomer]
        self._held = None if held == NOTHING else stage.things[held].id

    def find(self, slot: Slot, tokens: Sequence[str], at: int) -> Found | None:
        """The longest name of the slot's kind that begins at a word, or None."""
        if slot is Slot.THING:
            return self._thing(tokens, at)
        for name, ids in self._known[slot]:
            if tuple(tokens[at : at + len(name)]) == name:
                return Found(ids, ids, at + len(name))
        return None

    def _thing(self, tokens: Sequence[str], at: int) -> Found | None:
        if tokens[at] in self.looks:
            ids = frozenset({tokens[at]})
            return Found(ids, ids, at + 1)
        if tokens[at] in _IT:
            ids = frozenset(() if self._held is None else (self._held,))
            return Found(ids, ids, at + 1)
        named: set[str] = set()
        end, i = at, at
        while i < len(tokens) and (tokens[i] in self._values or (named and tokens[i] in self._inner)):
            if tokens[i] in self._values:
                named.add(tokens[i])
                end = i + 1
            i += 1
        if not named:
            return None
        fitting = frozenset(key for key, looks in self._things.items() if named <= looks)
        exact = frozenset(key for key in fitting if self._things[key] == named)
        bare = frozenset(key for key in fitting if self._things[key] - self._worked == named)
        return Found(fitting, exact or bare, end)

    def phrase(self, act: Act) -> str:
        """The act in the words of its menu entry."""
        menu = self.view.verbs[act.verb].menu
        thing = None if act.thing is None else self.looks[act.thing]
        return phrase_of(
            menu,
            thing=thing,
            place=act.place,
            to=act.to,
            say=act.say,
            topic=act.topic,
            address=act.address,
        )

    def phrases(self, verb: str) -> list[str]:
        """Every act of the verb that can be done now, in words."""
        return list(dict.fromkeys(self.phrase(act) for act in self.view.available if act.verb == verb))


def _sequences(
    names: Iterable[tuple[str, tuple[str, ...]]],
) -> tuple[tuple[tuple[str, ...], frozenset[str]], ...]:
    """Names as sequences of words, the longest first; a name comes before a role of the same words."""
    found = [(words(name), frozenset(ids)) for name, ids in names]
    return tuple(sorted((f for f in found if f[0]), key=lambda f: -len(f[0])))
