"""Act patterns and conditions in plain words, in the words of the setting.

The parts that statements and reasons are put together from. They stand apart because both must call the
same thing by the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from normgym_agents.norms.literals import ActPattern, Present, SignalBelow, SignalIs, SlotLiteral
from normgym_agents.worlds.settings import Verb

Quantity = Literal["any", "some"]
"""What stands where a pattern says nothing of a slot: whatever it be, or one at least."""

_LIKE_YOU: Final = ("eu", "ew", "one", "uni", "use")
"""Words that begin with the sound of `you` or `won`, and so with `a`."""

_SLOTS: Final = {"PERSON": "role", "PLACE": "place", "TOPIC": "topic", "ADDRESS": "address"}
"""The slot that a menu's word stands for, as norms call it; all other slots are attributes of the thing."""

_NOUNS: Final = {"PERSON": "{}body", "PLACE": "{} place", "TOPIC": "{}thing", "ADDRESS": "{}thing"}

_NUMBERS: Final = tuple("no one two three four five six seven eight nine ten eleven twelve".split())
_ORDINALS: Final = tuple("first second third fourth fifth sixth seventh eighth ninth tenth".split())
_TIMES: Final = {1: "once", 2: "twice"}


def with_article(word: str) -> str:
    """`a keeper`, `an ash jar`, `a ewer`."""
    return f"{'an' if word[:1] in 'aeiou' and not word.startswith(_LIKE_YOU) else 'a'} {word}"


def number(count: int) -> str:
    """`two`; from thirteen on in digits."""
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def ordinal(count: int) -> str:
    """`second`; from eleven on by number."""
    return _ORDINALS[count - 1] if count <= len(_ORDINALS) else f"number {count}"


def times(count: int) -> str:
    """`once`, `twice`, `three times`."""
    return _TIMES.get(count, f"{number(count)} times")


def joined(parts: Iterable[str]) -> str:
    """Parts that all hold."""
    return " and ".join(parts)


def infinitive(pattern: ActPattern, verbs: Mapping[str, Verb], quantity: Quantity = "any") -> str:
    """The acts of a pattern as they are offered: `give anything that is a cup to a keeper`."""
    verb = verbs[pattern.verb]
    fillers = {name: _slot(name, pattern, quantity) for name in _SLOTS}
    if "to PLACE" not in verb.menu and "to the {place}" in verb.past:
        fillers["PLACE"] = f"to {fillers['PLACE']}"
    fillers |= {"THING": _thing(pattern, quantity), "WORDS": f"{quantity}thing"}
    return " ".join(fillers.get(word, word) for word in verb.menu.split(" "))


def third_person(phrase: str) -> str:
    """A phrase that begins with an infinitive, of one person: `takes anything`, `goes to the kiln`."""
    verb, _, rest = phrase.partition(" ")
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        verb += "es"
    elif verb.endswith("y") and verb[-2:-1] not in "aeiou":
        verb = f"{verb[:-1]}ies"
    else:
        verb += "s"
    return f"{verb} {rest}".rstrip()


def condition_phrase(condition: SignalIs | SignalBelow | Present) -> str:
    """A condition, as it holds: `the bell is ringing`, `the stock is below 2`, `no keeper is with them`."""
    if isinstance(condition, Present):
        return f"{'no ' + condition.role if condition.negated else with_article(condition.role)} is with them"
    value = f"below {condition.limit}" if isinstance(condition, SignalBelow) else condition.value
    return f"the {condition.signal} is {'not ' if condition.negated else ''}{value}"


def named(literal: SlotLiteral) -> str:
    """What a literal says that something is: `sarn`, `not a cup`, `the kiln`."""
    value = literal.value
    if literal.slot in ("form", "role"):
        value = with_article(value)
    elif literal.slot == "place":
        value = f"the {value}"
    return f"not {value}" if literal.negated else value


def _thing(pattern: ActPattern, quantity: Quantity) -> str:
    literals = [literal for literal in pattern.literals if literal.slot not in _SLOTS.values()]
    return f"{quantity}thing that is {joined(map(named, literals))}" if literals else f"{quantity}thing"


def _slot(name: str, pattern: ActPattern, quantity: Quantity) -> str:
    literals = [literal for literal in pattern.literals if literal.slot == _SLOTS[name]]
    return _filler(_NOUNS[name].format(quantity), literals)


def _filler(noun: str, literals: Sequence[SlotLiteral]) -> str:
    """`anybody`, `a keeper`, `anybody but a keeper`, and with more literals `anybody that is … and not …`."""
    if not literals:
        return noun
    if len(literals) > 1:
        return f"{noun} that is {joined(map(named, literals))}"
    only = literals[0]
    return f"{noun} but {named(only)[4:]}" if only.negated else named(only)
