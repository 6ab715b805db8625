"""What a set of norms must not say: the same twice, or that an act is forbidden and owed or permitted too.

Only contradictions that hold in all cases are refused: norms that meet now and then are what makes a day
difficult, and whether it can be done at all is for a planner to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from normgym_agents.errors import BadInput
from normgym_agents.norms.language import print_norm
from normgym_agents.norms.literals import ActPattern, Bearer, SlotLiteral
from normgym_agents.norms.norm import Norm


def _label(index: int) -> str:
    return f"N{index + 1}"


def exceptions_of(norms: Sequence[Norm]) -> dict[int, int]:
    """For each norm that a permit overrides, by place in the set: the place of the permit.

    Raises:
        BadInput: A norm stands twice, or a permit overrides what it cannot.
    """
    found: dict[int, int] = {}
    for i, norm in enumerate(norms):
        if norm in norms[:i]:
            raise BadInput(f"{print_norm(norm)!r} stands twice", field=_label(i), expected="each norm once")
        if norm.overriding is None:
            continue
        base = int(norm.overriding[1:]) - 1
        forbids = [_label(j) for j, other in enumerate(norms) if other.deontic == "forbid"]
        if base >= len(norms) or norms[base].deontic != "forbid":
            raise BadInput(
                f"{norm.overriding} is no prohibition of the set",
                field=_label(i),
                expected=" | ".join(forbids) or "a prohibition beside the permit",
            )
        if norms[base].act.verb != norm.act.verb:
            raise BadInput(
                f"a permit of {norm.act.verb!r} cannot override {norm.overriding}",
                field=_label(i),
                expected=f"the verb that {norm.overriding} forbids, {norms[base].act.verb!r}",
            )
        if norms[base].successor is not None:
            raise BadInput(
                f"{norm.overriding} changes, so nothing can override it",
                field=_label(i),
                expected="a norm that stays",
            )
        if base in found:
            raise BadInput(
                f"{norm.overriding} has an exception already, {_label(found[base])}",
                field=_label(i),
                expected="one exception for each prohibition",
            )
        found[base] = i
    return found


def check_consistent(norms: Sequence[Norm], exception: Mapping[int, int]) -> None:
    """Refuse sets in which an act is forbidden in all cases and owed or permitted too.

    Args:
        norms: The norms of one day, none of which changes.
        exception: From `exceptions_of`.

    Raises:
        BadInput: The set contradicts itself.
    """
    for i, norm in enumerate(norms):
        for j, other in enumerate(norms):
            if other.deontic != "forbid" or not _always(other, norm):
                continue
            if norm.deontic == "oblige" and j not in exception:
                raise BadInput(
                    f"what {_label(i)} obliges to, {_label(j)} forbids in all cases: {print_norm(other)}",
                    field=_label(i),
                    expected="norms that can be kept together",
                )
            if norm.deontic == "permit" and exception.get(j) != i:
                raise BadInput(
                    f"what {_label(i)} permits, {_label(j)} forbids in all cases: {print_norm(other)}",
                    field=_label(i),
                    expected=f"a permit overriding {_label(j)}, or another norm",
                )
    for base, permit in exception.items():
        if norms[base].quota is None and _always(norms[permit], norms[base]):
            raise BadInput(
                f"{_label(permit)} permits all that {_label(base)} forbids",
                field=_label(permit),
                expected="a permit for some of the acts that are forbidden",
            )


def _always(general: Norm, special: Norm) -> bool:
    """Whether the first norm covers every act that the second is about, in every context and for everybody.

    An obligation is about the act that is owed, whenever it may be done.
    """
    if general.quota is not None or not _act_implied(general.act, special.act):
        return False
    if not set(general.when) <= set(special.when) or general.sequence not in (None, special.sequence):
        return False
    return general.bearer is None or _bearer_implied(general.bearer, special.bearer)


def _act_implied(general: ActPattern, special: ActPattern) -> bool:
    return general.verb == special.verb and all(
        any(_slot_implied(literal, other) for other in special.literals) for literal in general.literals
    )


def _slot_implied(literal: SlotLiteral, given: SlotLiteral) -> bool:
    if literal == given:
        return True
    other_value = literal.slot == given.slot and literal.value != given.value
    return other_value and literal.negated and not given.negated


def _bearer_implied(bearer: Bearer, given: Bearer | None) -> bool:
    if given is None or bearer == given:
        return given is not None
    return bearer.role != given.role and bearer.negated and not given.negated
