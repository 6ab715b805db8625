"""What a planner keeps of the newcomer's day so far, so that its states stay few.

Norms can look at an actor's last acts and at how often it did things. A planner that kept all of that would
hardly ever meet a state twice, so it keeps what some norm of its vocabulary can tell apart, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from normgym_agents.norms.history import Recent, Tally
from normgym_agents.norms.hypotheses import Vocabulary
from normgym_agents.norms.moments import Deed
from normgym_agents.norms.norm import Norm

BLANK = Deed("", ())
"""An act of which it only matters that it took its turn."""


class History(NamedTuple):
    """An actor's last acts and its counts, as far as they are kept."""

    recent: Recent = ()
    tally: Tally = frozenset()


@dataclass(frozen=True)
class Memory:
    """What is kept.

    Attributes:
        within: The deadlines of duties, in acts; 0: the duty goes with the act that obliges.
        triggers: The verbs whose acts may oblige.
        duties: The verbs whose acts may be owed.
        most: Up to how many times an act is counted; 0: nothing is counted.
        counted: The verbs whose acts are counted.
        lately: Among how many of the last acts some are rationed; 0: none is.
        rationed: The verbs whose acts are.
    """

    within: frozenset[int] = frozenset()
    triggers: frozenset[str] = frozenset()
    duties: frozenset[str] = frozenset()
    most: int = 0
    counted: frozenset[str] = frozenset()
    lately: int = 0
    rationed: frozenset[str] = frozenset()

    @property
    def depth(self) -> int:
        """How many of the last acts some norm looks at."""
        return max((self.lately, *(2 if acts == 0 else acts for acts in self.within)))

    def project(self, recent: Recent, tally: Tally) -> History:
        """What is kept of a whole history."""
        counts = ((deed, min(count, self.most)) for deed, count in tally if deed.verb in self.counted)
        return History(self._kept(recent, later=True), frozenset(counts) if self.most else frozenset())

    def after(self, history: History, deed: Deed) -> History:
        """What is kept once this is done too."""
        recent, tally = history
        return History(self._kept((*recent, deed), later=True), self._add(tally, deed))

    def seen(self, history: History, verb: str) -> History:
        """What norms can see of it in an act of the verb, done now."""
        recent, tally = history
        if tally:
            tally = frozenset([entry for entry in tally if entry[0].verb == verb])
        return History(self._kept(recent, later=False), tally)

    def _add(self, tally: Tally, deed: Deed) -> Tally:
        if not self.most or deed.verb not in self.counted:
            return tally
        for entry in tally:
            if entry[0] == deed:
                # A limit once reached is reached, however often it is passed.
                return tally if entry[1] >= self.most else tally - {entry} | {(deed, entry[1] + 1)}
        return tally | {(deed, 1)}

    def _kept(self, recent: Recent, *, later: bool) -> Recent:
        """The last acts, blank where no norm looks at them now (or, with `later`, after some further acts).

        A deadline of k acts runs out k acts after the trigger, where the duty was not done since; what goes
        with an act is looked for right before it and right after it.
        """
        if not self.depth:
            return ()
        last = recent[::-1][: self.depth]
        owing = {acts or 1 for acts in self.within}
        furthest = max(owing, default=0)
        kept: list[Deed] = []
        trigger_since = max(
            (
                back
                for back, deed in enumerate(last, start=1)
                if deed.verb in self.triggers and (back <= furthest if later else back in owing)
            ),
            default=0,
        )
        for back, deed in enumerate(last, start=1):
            obliges = deed.verb in self.triggers and (back <= furthest if later else back in owing)
            serves = deed.verb in self.duties and (
                back < trigger_since or self._accompanies(last, back, later)
            )
            counts = deed.verb in self.rationed and back <= self.lately
            kept.append(deed if obliges or serves or counts else BLANK)
        # No norm tells blanks at the beginning from a day that is younger.
        while kept and kept[-1] == BLANK:
            kept.pop()
        return tuple(kept[::-1])

    def _accompanies(self, last: Recent, back: int, later: bool) -> bool:
        if 0 not in self.within:
            return False
        return (back == 2 and last[0].verb in self.triggers) or (later and back == 1)


NONE = Memory()
"""Nothing: enough where no norm looks further back than `State.earlier` does."""


def memory_of(vocabulary: Vocabulary) -> Memory:
    """What the norms of a vocabulary can tell apart: deadlines look at the last acts, quotas at counts."""
    verbs = frozenset(entry.verb for entry in vocabulary.verbs)
    within = frozenset(vocabulary.within) if vocabulary.duties else frozenset()
    most = max(vocabulary.limits, default=0)
    return Memory(
        within=within,
        triggers=verbs if within else frozenset(),
        duties=frozenset(duty.verb for duty in vocabulary.duties) if within else frozenset(),
        most=most,
        counted=verbs if most else frozenset(),
    )


def memory_for(norms: Iterable[Norm]) -> Memory:
    """What some norms can tell apart, none of which changes: less than what those of a vocabulary can."""
    norms = tuple(norms)
    duties = [duty for norm in norms if (duty := norm.duty) is not None]
    limits = [(norm.act.verb, norm.quota) for norm in norms if norm.quota is not None]
    daily = [(verb, quota.most) for verb, quota in limits if quota.window_acts is None]
    lately = [(verb, quota.window_acts - 1) for verb, quota in limits if quota.window_acts is not None]
    return Memory(
        within=frozenset(0 if duty.or_before else duty.within for duty in duties),
        triggers=frozenset(duty.trigger.verb for duty in duties),
        duties=frozenset(duty.act.verb for duty in duties),
        most=max((most for _, most in daily), default=0),
        counted=frozenset(verb for verb, _ in daily),
        lately=max((acts for _, acts in lately), default=0),
        rationed=frozenset(verb for verb, _ in lately),
    )
