"""What one would expect of a place anyway: fragments of norms that authors write with a setting.

A fragment is a norm that leaves open what it does not say, in the norm language; it stands apart from
settings because matching it against a norm is about norms alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from normgym_agents.errors import BadInput
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import NAME_PATTERN, ActPattern, Norm, Present, SignalIs

ANY = "any"
"""The verb of a fragment that is about whatever is done."""

OVERSEER = "overseer"
"""The role of a fragment that stands for whichever role oversees in a world."""


def _as_text(value: object) -> object:
    """Numbers as they are written; YAML reads them as integers."""
    return str(value) if type(value) is int else value


SignalValue = Annotated[
    str,
    BeforeValidator(_as_text, json_schema_input_type=str | int),
    Field(max_length=60, pattern=rf"^({NAME_PATTERN}|[0-9]{{1,6}})$"),
]
"""A value of a public signal: a word, or a number that norms can compare."""


def _fragment(text: str) -> str:
    try:
        parse_norm(text)
    except BadInput as fault:
        raise ValueError(str(fault)) from None
    return text


Fragment = Annotated[str, Field(max_length=1000), AfterValidator(_fragment)]
"""A norm in the norm language, with `any` for whatever verb and `overseer` for whichever role oversees."""


class Expectations(BaseModel):
    """Which norms are expected of a place.

    Attributes:
        congruent: Fragments of norms that one would expect here without being told.
        counter: Fragments of norms that go against what one would expect.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    congruent: tuple[Fragment, ...] = ()
    counter: tuple[Fragment, ...] = ()

    def check(
        self,
        words: Mapping[str, Collection[str]],
        signals: Mapping[str, Collection[str]],
        verbs: Collection[str],
    ) -> None:
        """Check the fragments against the words of their setting.

        Args:
            words: The words of each slot that acts show (attributes, `role`, `place`, …).
            signals: The values of each public signal.
            verbs: The verbs.

        Raises:
            ValueError: A fragment says what no norm of the setting can say, or is on both lists.
        """
        if not (self.congruent or self.counter):
            return
        if both := sorted(set(self.congruent) & set(self.counter)):
            raise ValueError(f"expectations: {both[0]!r} is both congruent and counter")
        if ANY in verbs or OVERSEER in words["role"]:
            raise ValueError(
                f"expectations: {ANY!r} as a verb and {OVERSEER!r} as a role have a meaning here"
            )
        for text in (*self.congruent, *self.counter):
            for name, value, known in _said(parse_norm(text), words, signals, verbs):
                if value not in known:
                    raise ValueError(f"expectations: {text!r}: the setting has no {name} {value!r}")


def _said(
    norm: Norm,
    words: Mapping[str, Collection[str]],
    signals: Mapping[str, Collection[str]],
    verbs: Collection[str],
) -> Iterator[tuple[str, str, Collection[str]]]:
    """Everything that a fragment names: what it is, how it is called, and what it may be called."""
    roles = (*words["role"], OVERSEER)
    for pattern in patterns_of(norm):
        yield "verb", pattern.verb, (*verbs, ANY)
        for literal in pattern.literals:
            yield "slot", literal.slot, words
            yield literal.slot, literal.value, roles if literal.slot == "role" else words[literal.slot]
    for condition in norm.when:
        if isinstance(condition, Present):
            yield "role", condition.role, roles
            continue
        yield "signal", condition.signal, signals
        if isinstance(condition, SignalIs):
            yield f"value of {condition.signal}", condition.value, signals[condition.signal]
    if norm.bearer is not None:
        yield "role", norm.bearer.role, roles


def patterns_of(norm: Norm) -> Iterator[ActPattern]:
    """All act patterns that a norm names, the act it is about first."""
    yield norm.act
    if norm.sequence is not None:
        yield norm.sequence.pattern
    if norm.duty is not None:
        yield norm.duty.trigger
