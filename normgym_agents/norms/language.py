"""The text form of norms: it parses, and prints back to itself.

Text is what authors write and what records keep; `norm.Norm` is what code reasons with. The grammar is
the one place where the two meet.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from normgym_agents.errors import BadInput
from normgym_agents.norms.norm import (
    KEYWORDS,
    NAME_PATTERN,
    ActPattern,
    Bearer,
    Norm,
    Present,
    Sequence,
    SignalIs,
    SlotLiteral,
)

_WORD_ENDS = r"(?![a-z0-9_\-])"

_GRAMMAR = rf"""
    norm: _FORBID pattern [sequence] [context] [bearer]
    pattern: NAME ["(" slot ("," slot)* ")"]
    slot: NAME EQUAL NAME
    sequence: RELATION pattern
    context: _WHEN condition (_AND condition)*
    condition: [NOT] NAME _IS NAME -> signal
             | [NOT] _PRESENT "(" NAME ")" -> present
    bearer: _FOR [NOT] NAME
    EQUAL: "!=" | "="
    _IS: "="
    RELATION: /(before|after){_WORD_ENDS}/
    _FORBID: /forbid{_WORD_ENDS}/
    _WHEN: /when{_WORD_ENDS}/
    _AND: /and{_WORD_ENDS}/
    _PRESENT: /present{_WORD_ENDS}/
    _FOR: /for{_WORD_ENDS}/
    NOT: /not{_WORD_ENDS}/
    NAME: /(?!({"|".join(sorted(KEYWORDS))}){_WORD_ENDS}){NAME_PATTERN}/
    %ignore /[ \t\r\n]+/
"""

_PLAIN = {
    "NAME": "a word",
    "_IS": "'='",
    "EQUAL": "'=' or '!='",
    "RELATION": "'before' or 'after'",
    "LPAR": "'('",
    "RPAR": "')'",
    "COMMA": "','",
    "$END": "the end",
}


class _Build(Transformer[Token, Norm]):
    """Turns the parse tree into the frozen form; absent options arrive as None."""

    def pattern(self, parts: list[Any]) -> ActPattern:
        verb, *literals = parts
        return ActPattern(verb=str(verb), literals=tuple(x for x in literals if x is not None))

    def slot(self, parts: list[Token]) -> SlotLiteral:
        slot, equal, value = parts
        return SlotLiteral(slot=str(slot), value=str(value), negated=equal == "!=")

    def sequence(self, parts: list[Any]) -> Sequence:
        return Sequence(relation="before" if parts[0] == "before" else "after", pattern=parts[1])

    def signal(self, parts: list[Any]) -> SignalIs:
        return SignalIs(signal=str(parts[1]), value=str(parts[2]), negated=parts[0] is not None)

    def present(self, parts: list[Any]) -> Present:
        return Present(role=str(parts[1]), negated=parts[0] is not None)

    def context(self, parts: list[Any]) -> tuple[SignalIs | Present, ...]:
        return tuple(parts)

    def bearer(self, parts: list[Any]) -> Bearer:
        return Bearer(role=str(parts[1]), negated=parts[0] is not None)

    def norm(self, parts: list[Any]) -> Norm:
        act, sequence, when, bearer = parts
        return Norm(act=act, sequence=sequence, when=when or (), bearer=bearer)


@lru_cache(maxsize=1)
def _parser() -> Lark:
    return Lark(_GRAMMAR, start="norm", parser="lalr", maybe_placeholders=True, transformer=_Build())


@lru_cache(maxsize=4096)
def parse_norm(text: str) -> Norm:
    """Parse one norm, e.g. `forbid take(glaze=iron) when bell=hanging for not keeper`.

    Raises:
        BadInput: The text is no norm; the message names line, column and what was expected.
    """
    try:
        return _parser().parse(text)  # type: ignore[return-value]  # the transformer makes it a Norm
    except UnexpectedInput as fault:
        raise BadInput(_explain(fault, text), field="norm", expected=_expected(fault)) from None


def print_norm(norm: Norm) -> str:
    """The text form: `parse_norm(print_norm(norm)) == norm` for every norm."""
    parts = ["forbid", _pattern(norm.act)]
    if norm.sequence is not None:
        parts += [norm.sequence.relation, _pattern(norm.sequence.pattern)]
    if norm.when:
        parts += ["when", " and ".join(_condition(condition) for condition in norm.when)]
    if norm.bearer is not None:
        parts += ["for", ("not " if norm.bearer.negated else "") + norm.bearer.role]
    return " ".join(parts)


def _pattern(pattern: ActPattern) -> str:
    if not pattern.literals:
        return pattern.verb
    literals = (f"{x.slot}{'!=' if x.negated else '='}{x.value}" for x in pattern.literals)
    return f"{pattern.verb}({', '.join(literals)})"


def _condition(condition: SignalIs | Present) -> str:
    text = (
        f"present({condition.role})"
        if isinstance(condition, Present)
        else f"{condition.signal}={condition.value}"
    )
    return f"not {text}" if condition.negated else text


def _explain(fault: UnexpectedInput, text: str) -> str:
    if isinstance(fault, UnexpectedEOF) or (
        isinstance(fault, UnexpectedToken) and fault.token.type == "$END"
    ):
        lines = text.split("\n")
        return f"line {len(lines)}, column {len(lines[-1]) + 1}: the norm ends too early"
    found = fault.token if isinstance(fault, UnexpectedToken) else text[fault.pos_in_stream or 0]
    return f"line {fault.line}, column {fault.column}: cannot read {str(found)!r}"


def _expected(fault: UnexpectedInput) -> str:
    names: set[str] = set()
    if isinstance(fault, UnexpectedToken):
        names = set(fault.accepts or fault.expected)
    elif isinstance(fault, UnexpectedCharacters):
        names = set(fault.allowed or ())
    elif isinstance(fault, UnexpectedEOF):
        names = {str(name) for name in fault.expected}
    return " or ".join(sorted(_PLAIN.get(name, f"'{name.lower().strip('_')}'") for name in names))
