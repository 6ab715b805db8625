"""What a planner keeps of the newcomer's day so far, so that its states stay few.

Norms can look at an actor's last acts and at how often it did things. A planner that kept all of that would
hardly ever meet a state twice, so it keeps what some norm of its vocabulary can tell apart, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from normgym_agents.norms.history import Recent, Tally
from normgym_agents.norms.hypotheses import Vocabulary
from normgym_agents.norms.moments import Deed
from normgym_agents.worlds.stage import State

T = TypeVar("T")

BLANK = Deed("", ())
"""An act of which it only matters that it took its turn."""


@dataclass(frozen=True)
class Memory:
    """What is kept.

    Attributes:
        depth: How many of the last acts.
        recalled: The verbs whose acts are kept as they were; others are `BLANK`.
        most: Up to how many times an act is counted; 0: nothing is counted.
        counted: The verbs whose acts are counted.
    """

    depth: int = 0
    recalled: frozenset[str] = frozenset()
    most: int = 0
    counted: frozenset[str] = frozenset()

    def remember(self, recent: Recent, deed: Deed) -> Recent:
        """The last acts once this one is done too; an act that is not recalled is not told from none."""
        kept = (*recent, deed if deed.verb in self.recalled else BLANK)
        return _from_first(kept[len(kept) - self.depth :] if self.depth < len(kept) else kept)

    def add(self, tally: Tally, deed: Deed) -> Tally:
        """The tally once this is done once more, counted no further than it can matter."""
        if not self.most or deed.verb not in self.counted:
            return tally
        for entry in tally:
            if entry[0] == deed:
                return tally if entry[1] >= self.most else tally - {entry} | {(deed, entry[1] + 1)}
        return tally | {(deed, 1)}

    def of_verb(self, tally: Tally, verb: str) -> Tally:
        """The part of a tally that a limit on acts of the verb looks at."""
        return frozenset([entry for entry in tally if entry[0].verb == verb]) if tally else tally

    def project(self, state: State, actor: int) -> State:
        """The same state without what is not kept: of the actor some history, of the others none."""
        people = range(len(state.places))

        def alone(kept: T, empty: T) -> tuple[T, ...]:
            return tuple(kept if i == actor else empty for i in people)

        acts = [deed if deed.verb in self.recalled else BLANK for deed in state.recent[actor]]
        recent = _from_first(tuple(acts[len(acts) - min(self.depth, len(acts)) :]))
        tally: Tally = frozenset(
            (deed, min(count, self.most))
            for deed, count in state.tally[actor]
            if self.most and deed.verb in self.counted
        )
        return state._replace(
            earlier=alone(state.earlier[actor], frozenset()),
            opened=alone(state.opened[actor], 0),
            recent=alone(recent, ()),
            tally=alone(tally, frozenset()),
        )


def _from_first(recent: Recent) -> Recent:
    """Without the blanks at the beginning: no norm tells them from a day that is younger."""
    for i, deed in enumerate(recent):
        if deed != BLANK:
            return recent[i:]
    return ()


NONE = Memory()
"""Nothing: enough where no norm looks further back than `State.earlier` does."""


def memory_of(vocabulary: Vocabulary) -> Memory:
    """What the norms of a vocabulary can tell apart: deadlines look at the last acts, quotas at counts."""
    verbs = frozenset(entry.verb for entry in vocabulary.verbs)
    depth, most = vocabulary.depth, max(vocabulary.limits, default=0)
    return Memory(
        depth=depth,
        recalled=verbs | {duty.verb for duty in vocabulary.duties} if depth else frozenset(),
        most=most,
        counted=verbs if most else frozenset(),
    )
