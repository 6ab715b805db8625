"""The text form of norms: it parses, and prints back to itself.

Text is what authors write and what records keep; `norm.Norm` is what code reasons with. The grammar is
the one place where the two meet.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from normgym_agents.errors import BadInput
from normgym_agents.norms.literals import refused
from normgym_agents.norms.norm import (
    KEYWORDS,
    NAME_PATTERN,
    ActPattern,
    Bearer,
    Condition,
    Deadline,
    Norm,
    Present,
    Quota,
    Sequence,
    SignalBelow,
    SignalIs,
    SlotLiteral,
    Successor,
)

_ENDS = r"(?![a-z0-9_\-])"

_GRAMMAR = rf"""
    norm: rule [change]
    rule: DEONTIC pattern [_timing] [context] [bearer] [overriding]
    pattern: NAME ["(" slot ("," slot)* ")"]
    slot: NAME EQUAL NAME
    _timing: sequence | deadline | accompanies | quota
    sequence: RELATION pattern
    deadline: _WITHIN NUMBER _ACTS _AFTER pattern
    accompanies: _WITH pattern
    quota: _MORE _THAN NUMBER _PER (_DAY | NUMBER _ACTS | ROUND)
    context: _WHEN condition (_AND condition)*
    condition: [NOT] NAME _IS NAME -> signal
             | [NOT] NAME _IS NUMBER -> number
             | [NOT] NAME _BELOW NUMBER -> below
             | [NOT] _PRESENT "(" NAME ")" -> present
    bearer: _FOR [NOT] NAME
    overriding: _OVERRIDING LABEL
    change: _UNTIL _DAY NUMBER [ANNOUNCED] _THEN rule
    EQUAL: "!=" | "="
    _IS: "="
    _BELOW: "<"
    DEONTIC: /(forbid|oblige|permit){_ENDS}/
    RELATION: /(before|after){_ENDS}/
    _WITHIN: /within{_ENDS}/
    _ACTS: /acts?{_ENDS}/
    _AFTER: /after{_ENDS}/
    _WITH: /with{_ENDS}/
    _MORE: /more{_ENDS}/
    _THAN: /than{_ENDS}/
    _PER: /per{_ENDS}/
    _DAY: /day{_ENDS}/
    ROUND: /round{_ENDS}/
    _WHEN: /when{_ENDS}/
    _AND: /and{_ENDS}/
    _PRESENT: /present{_ENDS}/
    _FOR: /for{_ENDS}/
    _OVERRIDING: /overriding{_ENDS}/
    _UNTIL: /until{_ENDS}/
    ANNOUNCED: /announced{_ENDS}/
    _THEN: /then{_ENDS}/
    NOT: /not{_ENDS}/
    LABEL: /N[1-9][0-9]?(?![0-9])/
    NUMBER: /(0|[1-9][0-9]{{0,6}}){_ENDS}/
    NAME: /(?!({"|".join(sorted(KEYWORDS))}){_ENDS}){NAME_PATTERN}/
    %ignore /[ \t\r\n]+/
"""

_PLAIN = {
    "NAME": "a word",
    "NUMBER": "a number",
    "LABEL": "'N1'",
    "_IS": "'='",
    "_BELOW": "'<'",
    "_ACTS": "'acts'",
    "EQUAL": "'=' or '!='",
    "DEONTIC": "'forbid' or 'oblige' or 'permit'",
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

    def sequence(self, parts: list[Any]) -> dict[str, Any]:
        relation = "before" if parts[0] == "before" else "after"
        return {"sequence": Sequence(relation=relation, pattern=parts[1])}

    def deadline(self, parts: list[Any]) -> dict[str, Any]:
        return {"deadline": Deadline(within=int(parts[0]), after=parts[1])}

    def accompanies(self, parts: list[Any]) -> dict[str, Any]:
        return {"accompanies": parts[0]}

    def quota(self, parts: list[Any]) -> dict[str, Any]:
        if len(parts) > 1 and parts[1] == "round":
            raise refused(
                "'per round' limits nothing: everybody acts once a round", "'per day' or 'per N acts'"
            )
        return {"quota": Quota(most=int(parts[0]), window_acts=int(parts[1]) if len(parts) > 1 else None)}

    def signal(self, parts: list[Any]) -> SignalIs:
        return SignalIs(signal=str(parts[1]), value=str(parts[2]), negated=parts[0] is not None)

    def number(self, parts: list[Any]) -> SignalBelow:
        _, signal, number = parts
        raise refused(f"numbers are compared, not {signal}={number}", f"'{signal}<N' or 'not {signal}<N'")

    def below(self, parts: list[Any]) -> SignalBelow:
        return SignalBelow(signal=str(parts[1]), limit=int(parts[2]), negated=parts[0] is not None)

    def present(self, parts: list[Any]) -> Present:
        return Present(role=str(parts[1]), negated=parts[0] is not None)

    def context(self, parts: list[Any]) -> dict[str, Any]:
        return {"when": tuple(parts)}

    def bearer(self, parts: list[Any]) -> dict[str, Any]:
        return {"bearer": Bearer(role=str(parts[1]), negated=parts[0] is not None)}

    def overriding(self, parts: list[Any]) -> dict[str, Any]:
        return {"overriding": str(parts[0])}

    def change(self, parts: list[Any]) -> Successor:
        day, announced, later = parts
        return Successor(day=int(day), announced=announced is not None, norm=later)

    def rule(self, parts: list[Any]) -> Norm:
        deontic, act, *options = parts
        fields = {name: value for option in options if option is not None for name, value in option.items()}
        return Norm(deontic=str(deontic), act=act, **fields)

    def norm(self, parts: list[Any]) -> Norm:
        now, successor = parts
        return now if successor is None else Norm(**{**dict(now), "successor": successor})


@lru_cache(maxsize=1)
def _parser() -> Lark:
    return Lark(_GRAMMAR, start="norm", parser="lalr", maybe_placeholders=True, transformer=_Build())


@lru_cache(maxsize=4096)
def parse_norm(text: str) -> Norm:
    """Parse one norm, e.g. `forbid take(glaze=iron) when bell=hanging for not keeper`.

    Raises:
        BadInput: The text is no norm; the message names line, column and what was expected, or what is
            wrong with a norm that says what no norm can.
    """
    try:
        return _parser().parse(text)  # type: ignore[return-value]  # the transformer makes it a Norm
    except UnexpectedInput as fault:
        raise BadInput(_explain(fault, text), field="norm", expected=_expected(fault)) from None
    except (ValidationError, PydanticCustomError) as fault:
        raise _senseless(fault) from None


def print_norm(norm: Norm) -> str:
    """The text form: `parse_norm(print_norm(norm)) == norm` for every norm."""
    parts = [norm.deontic, _pattern(norm.act), *_timing(norm)]
    if norm.when:
        parts += ["when", " and ".join(_condition(condition) for condition in norm.when)]
    if norm.bearer is not None:
        parts += ["for", ("not " if norm.bearer.negated else "") + norm.bearer.role]
    if norm.overriding is not None:
        parts += ["overriding", norm.overriding]
    if (change := norm.successor) is not None:
        parts += ["until day", str(change.day), *(["announced"] if change.announced else [])]
        parts += ["then", print_norm(change.norm)]
    return " ".join(parts)


def _timing(norm: Norm) -> list[str]:
    if norm.sequence is not None:
        return [norm.sequence.relation, _pattern(norm.sequence.pattern)]
    if norm.deadline is not None:
        return ["within", _acts(norm.deadline.within), "after", _pattern(norm.deadline.after)]
    if norm.accompanies is not None:
        return ["with", _pattern(norm.accompanies)]
    if norm.quota is not None:
        window = "day" if norm.quota.window_acts is None else _acts(norm.quota.window_acts)
        return ["more than", str(norm.quota.most), "per", window]
    return []


def _acts(count: int) -> str:
    return "1 act" if count == 1 else f"{count} acts"


def _pattern(pattern: ActPattern) -> str:
    if not pattern.literals:
        return pattern.verb
    literals = (f"{x.slot}{'!=' if x.negated else '='}{x.value}" for x in pattern.literals)
    return f"{pattern.verb}({', '.join(literals)})"


def _condition(condition: Condition) -> str:
    if isinstance(condition, Present):
        text = f"present({condition.role})"
    elif isinstance(condition, SignalBelow):
        text = f"{condition.signal}<{condition.limit}"
    else:
        text = f"{condition.signal}={condition.value}"
    return f"not {text}" if condition.negated else text


def _senseless(fault: ValidationError | PydanticCustomError) -> BadInput:
    """What is wrong with a text that reads well but says what no norm can."""
    if isinstance(fault, PydanticCustomError):
        reason, context = fault.message(), fault.context
    else:
        first = fault.errors(include_url=False)[0]
        reason, context = first["msg"], first.get("ctx")
    expected = (context or {}).get("expected")
    return BadInput(reason, field="norm", expected=None if expected is None else str(expected))


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
