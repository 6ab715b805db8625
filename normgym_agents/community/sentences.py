"""The grammar of statements in the words of one world, for reading back what `statements` writes.

It is built from the vocabulary and the verbs' menus, and takes what people write beside that: `you must not`,
`when`, `unless`, `only a keeper may`, `an iron jar`. What a rule of the grammar means stands beside it, as a
constant or in `statement_reading`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Final

from normgym_agents.community.phrases import number, ordinal, third_person
from normgym_agents.norms.enumeration import Vocabulary
from normgym_agents.norms.literals import Bearer, Present, SignalIs, SlotLiteral
from normgym_agents.worlds.settings import Verb

_SLOTS: Final = {"PERSON": "role", "PLACE": "place", "TOPIC": "topic", "ADDRESS": "address"}
_ANY: Final = {
    "THING": ("anything", "something", "any thing"),
    "PERSON": ("anybody", "somebody", "any person"),
    "PLACE": ("any place", "some place", "anywhere"),
    "TOPIC": ("anything", "something"),
    "ADDRESS": ("anything", "something"),
    "WORDS": ("anything", "something"),
}
_MOST_NUMBER: Final = 12

NOT: Final = object()
"""What the word `not` means where a rule keeps it."""


class Sentences:
    """The grammar of one world.

    Args:
        words: The words that norms are made of.
        verbs: The setting's verbs.

    Attributes:
        meanings: Rules that mean a constant, and which.
        acts: Rules that are an act, and the verb.
        text: The grammar, for lark.
    """

    def __init__(self, words: Vocabulary, verbs: Mapping[str, Verb]) -> None:
        self.meanings: dict[str, object] = {}
        self.acts: dict[str, str] = {}
        self._words: dict[str, str] = {}
        self._groups: dict[str, str] = {}
        self._names = (f"r{i}" for i in count())
        self._rules: list[str] = []
        self._write(words, verbs)
        terminals = (f"{name}: /{re.escape(word)}(?![a-z0-9_\\-])/" for word, name in self._words.items())
        self.text = "\n".join(
            [*self._rules, *terminals, "NUMBER: /[0-9]{1,6}(?![a-z0-9_\\-])/", "%ignore / +/"]
        )

    def _phrase(self, text: str) -> str:
        """A sequence of words; they leave nothing in the tree."""
        return " ".join(self._words.setdefault(word, f"_W{len(self._words)}") for word in text.split())

    def _either(self, phrases: Iterable[str]) -> str:
        return self._one_of(map(self._phrase, phrases))

    def _means(self, meaning: object, *phrases: str) -> str:
        """A rule that means a constant."""
        name = next(self._names)
        self.meanings[name] = meaning
        self._rules.append(f"{name}: {self._either(phrases)}")
        return name

    def _one_of(self, forms: Iterable[str]) -> str:
        """A rule for any of some forms. By name, since lark would write its users out once for each form."""
        text = " | ".join(forms)
        if text not in self._groups:
            self._groups[text] = f"_{next(self._names)}"
            self._rules.append(f"{self._groups[text]}: {text}")
        return self._groups[text]

    def _write(self, words: Vocabulary, verbs: Mapping[str, Verb]) -> None:
        say, either, roles = self._phrase, self._either, words.roles
        article = self._one_of(["", *map(say, ["a", "an", "the", "any", "every"])])
        neg = self._means(NOT, "not")
        literals = {
            slot: self._one_of(
                self._means(SlotLiteral(slot=slot, value=value), value, f"{value}s") for value in values
            )
            for slot, values in words.values.items()
        }
        attributes = [slot for slot in literals if slot not in _SLOTS.values()]
        things = self._one_of(literals[slot] for slot in attributes) if attributes else None
        self._rules.append(f"literal: {neg}? {article} {self._one_of(literals.values())}")
        for kind, nouns in _ANY.items():
            slot = _SLOTS.get(kind)
            named = literals.get(slot) if slot is not None else things if kind == "THING" else None
            forms = [either(nouns)]
            if named is not None:
                that = f"{either(nouns)} {either(['that is', 'that are', 'which is'])}"
                forms += [f"{that} literal ({say('and')} literal)*", f"{article} {named}"]
                forms += [f"{article} {named} {named}+"] if kind == "THING" else [f"but_{kind.lower()}"]
                if kind != "THING":
                    self._rules.append(
                        f"but_{kind.lower()}: {either(nouns)} {either(['but', 'except'])} {article} {named}"
                    )
            self._rules.append(f"some_{kind.lower()}: {' | '.join(forms)}")
        plain = [self._act(name, verb.menu) for name, verb in verbs.items()]
        third = [self._act(name, third_person(verb.menu)) for name, verb in verbs.items()]
        self._rules.append(f"act: {' | '.join(plain)}")
        self._rules.append(f"does: {' | '.join(third)}")

        bound = self._one_of(self._means(Bearer(role=role), role, f"{role}s") for role in roles)
        others = self._one_of(
            self._means(Bearer(role=role, negated=True), role, f"{role}s") for role in roles
        )
        may = either(["may", "can", "should", "must"])
        never = either(
            ["may not", "must not", "should not", "cannot", "can not", "do not", "never", "may never"]
        )
        self._rules += [
            f"forbidden: {say('nobody')} {may} | {say('no')} {bound} {may}",
            f"         | {either(['nobody but', 'nobody except', 'only'])} {article} {others} {may}",
            f"         | {either(['you', 'one', 'they'])}? {never} | {article} {bound} {never}",
            f"permitted: {say('anybody')} | {say('any')} {bound} | {say('anybody but')} {article} {others}",
            f"obliged: {either(['whoever', 'who'])} | {say('whoever is')} {article} {bound} {say('and')}",
            f"       | {say('whoever is no')} {others} {say('and')}",
        ]
        self._conditions(words)
        numbers = [self._means(n, number(n)) for n in range(1, _MOST_NUMBER + 1)]
        self._rules.append(f"number: {' | '.join(numbers)} | NUMBER")
        once = [self._means(n, word) for n, word in ((1, "once"), (2, "twice"))]
        self._rules.append(f"times: {' | '.join(once)} | number {either(['times', 'time'])}")
        ordinals = [self._means(n, ordinal(n)) for n in range(1, 11)]
        self._rules.append(f"ordinal: {' | '.join(ordinals)} | {say('number')} number")
        self._sentences()

    def _act(self, verb: str, menu: str) -> str:
        name = next(self._names)
        self.acts[name] = verb
        parts: list[str] = []
        for word in menu.split():
            if word in _ANY:
                parts += (
                    [f"{self._phrase('to')}?"] if word == "PLACE" and parts[-1] != self._phrase("to") else []
                )
                parts.append(f"some_{word.lower()}")
            else:
                parts.append(self._phrase(word))
        self._rules.append(f"{name}: {' '.join(parts)}")
        return name

    def _conditions(self, words: Vocabulary) -> None:
        say, either = self._phrase, self._either
        neg = self._means(NOT, "not")
        forms: list[str] = []
        for signal, values in words.signals.items():
            shown = f"{say('the')}? {say(signal)} {either(['is', 'shows', 'was'])} {neg}?"
            if all(value.isdecimal() for value in values):
                forms.append(f"{shown} {self._means(signal, 'below', 'under', 'less than')} number")
            else:
                means = [self._means(SignalIs(signal=signal, value=value), value) for value in values]
                forms.append(f"{shown} {self._one_of(means)}")
        there = either(["with them", "with you", "present", "there", "here", "around", "near"])
        for role in words.roles:
            here = self._means(Present(role=role), f"a {role}", f"an {role}", f"the {role}")
            gone = self._means(Present(role=role, negated=True), f"no {role}")
            forms += [f"({here} | {gone}) {say('is')} {there}", f"{here} {say('is not')} {there} -> away"]
        self._rules.append("condition: " + "\n | ".join(forms))
        unless = self._means(NOT, "unless", "except while", "except when")
        self._rules += [
            f"context: {either(['while', 'when', 'if', 'whenever'])} condition ({say('and')} condition)*",
            f"       | {unless} condition",
        ]

    def _sentences(self) -> None:
        say, either = self._phrase, self._either
        early = self._means("before", "before", "until", "unless")
        late = self._means("after", "after", "once")
        day = f"{either(['that day', 'on that day', 'today', 'the same day'])}?"
        acts = either(["acts", "act"])
        self._rules += [
            "start: change | sentence | excepted",
            f'change: {say("until the end of day")} number ","? sentence "," {say("and")}? {say("after that")}'
            f' ("," told)? ","? sentence',
            f"told: {say('as is then told')}",
            "?sentence: prohibition | obligation | exception",
            f'excepted: prohibition (";" | ",") {say("but")}? permission',
            f'exception: permission "," {say("whatever the")} ordinal {say("of these says")}',
            "prohibition: forbidden act quota? sequence? context?",
            f"permission: permitted {say('may')} {say('nevertheless')}? act sequence? context?",
            f"quota: {say('more than')} times {either(['in all'])}? "
            f"({either(['a day', 'in a day', 'per day'])} | in_any)",
            f"in_any: {either(['in any', 'per'])} number ({either(['of their'])} {acts} | {acts})",
            f"sequence: ({early} | {late}) {either(['they', 'you'])} act {day}",
            f"obligation: obliged does {say('must')} act (within | beside)",
            f"within: {say('within')} number {acts} {either(['after', 'afterwards', 'after that'])}",
            f"beside: {say('right before or right after')}",
        ]
