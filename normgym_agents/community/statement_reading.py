"""Read statements back: the norm that a plain sentence says, in the words of one world.

A sentence is read whole or not at all, so a word that is not understood never widens or narrows a norm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from lark import Lark, Token, Transformer, Tree
from lark.exceptions import UnexpectedInput, VisitError
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from normgym_agents.community.sentences import NOT, Sentences
from normgym_agents.norms.enumeration import Vocabulary
from normgym_agents.norms.literals import ActPattern, Bearer, Present, Sequence, SignalBelow, SlotLiteral
from normgym_agents.norms.norm import Condition, Norm, Successor
from normgym_agents.norms.timing import Deadline, Quota
from normgym_agents.worlds.settings import Verb

_ALIKE: Final = {
    "no one": "nobody",
    "noone": "nobody",
    "no-one": "nobody",
    "anyone": "anybody",
    "someone": "somebody",
    "everyone": "everybody",
    "don't": "do not",
    "can't": "cannot",
    "mustn't": "must not",
    "shouldn't": "should not",
    "isn't": "is not",
}
LONGEST: Final = 300
"""Characters of a statement; longer ones are not read."""

Read = tuple[Norm, Norm | None]
"""A norm, and the exception that was said with it."""


def read_statement(text: str, words: Vocabulary, verbs: Mapping[str, Verb]) -> Read | None:
    """The norm that a statement says; None if it says none that can be read.

    Args:
        text: One statement, on one line.
        words: The words that norms are made of.
        verbs: The setting's verbs.
    """
    plain = text.lower().replace("\u2019", "'")
    if len(plain) > LONGEST:
        return None
    for said, meant in _ALIKE.items():
        plain = plain.replace(said, meant)
    parser, meaning = _reader(words.model_dump_json(), tuple(verbs.items()))
    try:
        found: Read = meaning.transform(parser.parse(plain.strip().rstrip(".!")))
    except UnexpectedInput:
        return None
    except VisitError as error:
        if isinstance(error.orig_exc, ValidationError | PydanticCustomError):
            return None  # reads well, and says what no norm can
        raise
    return found


@lru_cache(maxsize=32)
def _reader(words: str, verbs: tuple[tuple[str, Verb], ...]) -> tuple[Lark, _Meaning]:
    sentences = Sentences(Vocabulary.model_validate_json(words), dict(verbs))
    # Earley: a word may be a value, a signal and a verb at a time, and only the sentence tells which.
    parser = Lark(sentences.text, parser="earley", lexer="basic", maybe_placeholders=False)
    return parser, _Meaning(sentences)


class _Meaning(Transformer[Token, Any]):
    """From a sentence's tree to the norm."""

    def __init__(self, sentences: Sentences) -> None:
        super().__init__()
        self._meanings, self._acts = sentences.meanings, sentences.acts

    def __default__(self, data: Any, children: list[Any], meta: Any) -> Any:
        name = str(data)
        if name in self._meanings:
            return self._meanings[name]
        if name in self._acts:
            literals = tuple(literal for filler in children for literal in filler)
            return ActPattern(verb=self._acts[name], literals=literals)
        if name.startswith("some_"):
            return [x for child in children for x in (child if isinstance(child, list) else [child])]
        if name.startswith("but_"):
            return [_negated(child) for child in children]
        return Tree(name, children, meta)

    def literal(self, parts: list[Any]) -> SlotLiteral:
        literal: SlotLiteral = parts[-1]
        return _negated(literal) if NOT in parts else literal

    def act(self, parts: list[Any]) -> ActPattern:
        act: ActPattern = _only(parts)
        return act

    does = act

    def forbidden(self, parts: list[Any]) -> Bearer | None:
        return parts[0] if parts else None

    permitted = obliged = forbidden

    def number(self, parts: list[Any]) -> int:
        return int(parts[0])

    times = ordinal = number

    def condition(self, parts: list[Any]) -> Condition:
        negated = NOT in parts
        kept = [part for part in parts if part is not NOT]
        if len(kept) == 2:
            return SignalBelow(signal=kept[0], limit=kept[1], negated=negated)
        condition: Condition = kept[0]
        return _negated(condition) if negated else condition

    def away(self, parts: list[Any]) -> Present:
        present: Present = _negated(_only(parts))
        return present

    def context(self, parts: list[Any]) -> dict[str, Any]:
        if parts[0] is NOT:
            parts = [_negated(parts[1])]
        return {"when": tuple(parts)}

    def in_any(self, parts: list[Any]) -> int:
        return int(_only(parts))

    def quota(self, parts: list[Any]) -> dict[str, Any]:
        return {"quota": Quota(most=parts[0], window_acts=parts[1] if len(parts) > 1 else None)}

    def sequence(self, parts: list[Any]) -> dict[str, Any]:
        return {"sequence": Sequence(relation=parts[0], pattern=parts[1])}

    def within(self, parts: list[Any]) -> int:
        return int(_only(parts))

    def beside(self, _: list[Any]) -> None:
        return None

    def told(self, _: list[Any]) -> object:
        return NOT

    def prohibition(self, parts: list[Any]) -> Norm:
        bearer, act, *options = parts
        return Norm(act=act, bearer=bearer, **_merged(options))

    def permission(self, parts: list[Any]) -> Norm:
        bearer, act, *options = parts
        return Norm(deontic="permit", act=act, bearer=bearer, overriding="N1", **_merged(options))

    def obligation(self, parts: list[Any]) -> Norm:
        bearer, trigger, act, within = parts
        if within is None:
            return Norm(deontic="oblige", act=act, bearer=bearer, accompanies=trigger)
        return Norm(deontic="oblige", act=act, bearer=bearer, deadline=Deadline(within=within, after=trigger))

    def exception(self, parts: list[Any]) -> Norm:
        permission, place = parts
        return Norm(**{**dict(permission), "overriding": f"N{place}"})

    def excepted(self, parts: list[Any]) -> Read:
        prohibition, permission = parts
        return prohibition, permission

    def change(self, parts: list[Any]) -> Norm:
        day, first, *told, then = parts
        return Norm(**{**dict(first), "successor": Successor(day=day, announced=bool(told), norm=then)})

    def start(self, parts: list[Any]) -> Read:
        found = _only(parts)
        return found if isinstance(found, tuple) else (found, None)


def _only(parts: list[Any]) -> Any:
    (part,) = parts
    return part


def _negated(literal: Any) -> Any:
    return literal.model_copy(update={"negated": not literal.negated})


def _merged(options: Iterable[dict[str, Any]]) -> dict[str, Any]:
    return {name: value for option in options for name, value in option.items()}
