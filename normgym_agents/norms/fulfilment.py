"""Whether a set of norms leaves a way to do what it obliges to, and its permits something to permit.

The form of norms shows some contradictions (`consistency`); here the words decide the others, by going through
every act that can be said with them, in every circumstance: `when bell=ringing` and `when bell=still` together
leave nothing, however they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations, product
from typing import TypeVar

from normgym_agents.errors import BadInput
from normgym_agents.norms.enumeration import Vocabulary
from normgym_agents.norms.language import print_norm
from normgym_agents.norms.literals import ActPattern
from normgym_agents.norms.moments import Deed, Moment
from normgym_agents.norms.norm import Norm, Sequence
from normgym_agents.norms.reachability import slots_of
from normgym_agents.norms.rules import RuleSet
from normgym_agents.norms.units import Excepted

Item = TypeVar("Item")


def check_fulfillable(rules: RuleSet, vocabulary: Vocabulary) -> None:
    """Refuse sets that forbid every way to do what they oblige to, or permit nothing that they forbid.

    Args:
        rules: Norms that `check_reachable` lets pass.
        vocabulary: The words of the world.

    Raises:
        BadInput: An obligation cannot be fulfilled by anybody whom it binds, two are owed at once on every
            occasion of one of them, or a permit overrides nothing.
    """
    for day in (*rules.changes, None):
        stretch = rules.at(day)
        if all(norm.deontic == "forbid" for norm in stretch.norms):
            continue
        ways = _Ways(stretch, vocabulary)
        for i, norm in enumerate(stretch.norms):
            if norm.deontic == "oblige":
                ways.check_duty(i, norm)
            elif norm.deontic == "permit":
                ways.check_permit(i)


class _Ways:
    """Every act that the words allow to say, in every circumstance that the norms tell apart.

    Args:
        rules: Norms of one day.
        vocabulary: The words of the world.
    """

    def __init__(self, rules: RuleSet, vocabulary: Vocabulary) -> None:
        self._rules, self._words = rules, vocabulary
        self._deeds = [
            Deed(verb, tuple(zip(names, values, strict=True)))
            for verb, some in slots_of(vocabulary).items()
            for names in [sorted(some)]
            for values in product(*(vocabulary.values[name] for name in names))
        ]
        self._sequences = [norm.sequence for norm in rules.norms if norm.sequence is not None]
        self._earlier = list(self._pasts())

    def check_duty(self, index: int, norm: Norm) -> None:
        """Refuse an obligation that leaves nobody a way to fulfil it."""
        bound = [role for role in self._words.roles if norm.bearer is None or norm.bearer.holds_for(role)]
        owed = self._matching(norm.act)
        if not any(self._free(deed, role) for role in bound for deed in owed):
            raise BadInput(
                f"what N{index + 1} obliges to, the other norms forbid in all cases: {print_norm(norm)}",
                field=f"N{index + 1}",
                expected="norms that can be kept together",
            )
        for j, other in enumerate(self._rules.norms[:index]):
            if other.deontic == "oblige" and self._collide(norm, other):
                raise BadInput(
                    f"N{index + 1} and N{j + 1} oblige to two acts at once whenever one of them obliges",
                    field=f"N{index + 1}",
                    expected="a longer deadline, or another occasion",
                )

    def check_permit(self, index: int) -> None:
        """Refuse a permit of nothing that its prohibition forbids."""
        base, permit = next(
            (row.base, row.permit)
            for row in self._rules.rows
            if isinstance(row, Excepted) and row.permit == self._rules.norms[index]
        )
        if base.quota is not None:
            return
        moments = (
            m
            for role in self._words.roles
            for deed in self._matching(base.act)
            for m in self._all(deed, role)
        )
        if not any(base.violated_by(moment) and permit.covers(moment) for moment in moments):
            raise BadInput(
                f"N{index + 1} permits nothing that {permit.overriding} forbids",
                field=f"N{index + 1}",
                expected="a permit for some of the acts that are forbidden",
            )

    def _collide(self, one: Norm, other: Norm) -> bool:
        """Whether both are due with the same next act on every occasion of one, and no act serves both."""
        mine, theirs = one.duty, other.duty
        if mine is None or theirs is None or one.bearer != other.bearer:
            return False
        if mine.within > 1 or theirs.within > 1 or mine.or_before or theirs.or_before:
            return False
        on, off = set(self._matching(mine.trigger)), set(self._matching(theirs.trigger))
        together = set(self._matching(mine.act)) & set(self._matching(theirs.act))
        return bool(on) and bool(off) and (on <= off or off <= on) and not together

    def _matching(self, pattern: ActPattern) -> list[Deed]:
        return [deed for deed in self._deeds if pattern.matches(deed)]

    def _free(self, deed: Deed, role: str) -> bool:
        """Whether the act breaks no norm in some circumstance."""
        return any(not self._rules.violates(moment) for moment in self._all(deed, role))

    def _all(self, deed: Deed, role: str) -> Iterator[Moment]:
        """The act in every circumstance."""
        names = list(self._words.signals)
        for values in product(*self._words.signals.values()):
            signals = tuple(zip(names, values, strict=True))
            for present in _subsets(self._words.roles):
                for earlier in self._earlier:
                    yield Moment(deed.verb, deed.slots, role, signals, frozenset(present), earlier)

    def _pasts(self) -> Iterator[frozenset[Deed]]:
        """What may have been done earlier, as far as sequences tell it apart.

        An act that may be done only after itself has never been done.
        """
        for some in _subsets(self._sequences):
            done = {
                deed for one in some for deed in self._matching(one.pattern) if not self._never_first(deed)
            }
            left = [one for one in self._sequences if one not in some]
            yield frozenset(deed for deed in done if not any(one.pattern.matches(deed) for one in left))

    def _never_first(self, deed: Deed) -> bool:
        return any(
            norm.deontic == "forbid"
            and norm.act.matches(deed)
            and not norm.when
            and norm.bearer is None
            and norm.quota is None
            and (norm.sequence is None or _before_itself(norm.sequence, norm.act))
            for norm in self._rules.norms
        )


def _before_itself(sequence: Sequence, act: ActPattern) -> bool:
    return sequence.relation == "before" and sequence.pattern == act


def _subsets(items: Iterable[Item]) -> Iterator[tuple[Item, ...]]:
    some = list(items)
    return chain.from_iterable(combinations(some, size) for size in range(len(some) + 1))
