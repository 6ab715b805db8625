"""One mention of a verb with what stands in its slots, and the act it amounts to.

A mention is settled against what can be done now: that is what makes `the cup` unambiguous where one cup
lies here, and nothing else may decide between two things.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from normgym_agents.newcomers import _faults
from normgym_agents.newcomers._cleaning import one_line
from normgym_agents.newcomers._faults import Fault
from normgym_agents.newcomers._names import Found, Names, words
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.settings import Slot

_FILLERS = frozenset(
    "the a an to at in into on onto toward towards over out up down back this that my some one of for".split()
)
_WORDS_OF = {
    Slot.THING: "thing",
    Slot.PLACE: "place",
    Slot.PERSON: "person",
    Slot.WORDS: "words",
    Slot.TOPIC: "topic",
    Slot.ADDRESS: "form of address",
}


@dataclass(frozen=True, kw_only=True)
class Mention:
    """A verb and what was named for its slots.

    Attributes:
        verb: The verb.
        slots: What was named, per slot; a slot that is missing here was not filled.
        said: The words for a verb that has them, not yet cleaned.
        end: Index of the first word after it.
    """

    verb: str
    slots: Mapping[Slot, Found] = field(default_factory=dict)
    said: str | None = None
    end: int = 0

    @property
    def filled(self) -> bool:
        """Whether anything stands in a slot."""
        return bool(self.slots) or self.said is not None


def scan(names: Names, verb: str, tokens: Sequence[str], at: int) -> Mention:
    """Read the slots of a verb from the words that follow it, in any order."""
    kind = names.view.verbs[verb]
    literals = {word for part in kind.menu.split(" ") if not part.isupper() for word in words(part)}
    slots: dict[Slot, Found] = {}
    i = at
    while i < len(tokens):
        found = None
        for slot in kind.slots:
            if slot not in slots and slot is not Slot.WORDS and (found := names.find(slot, tokens, i)):
                slots[slot] = found
                break
        if found:
            i = found.end
        elif tokens[i] in _FILLERS or tokens[i] in literals:
            i += 1
        else:
            break
    return Mention(verb=verb, slots=slots, end=i)


def settle(names: Names, mention: Mention) -> Act | Fault:
    """The one act that a mention stands for now, or what is wrong with it."""
    view, verb = names.view, names.view.verbs[mention.verb]
    phrases = names.phrases(mention.verb)
    for slot in verb.slots:
        if slot is Slot.WORDS:
            continue
        if slot not in mention.slots or not mention.slots[slot].ids:
            return _faults.incomplete(verb.menu, _WORDS_OF[slot], phrases, view)
    fitting = [act for act in view.available if act.verb == mention.verb and fits(act, mention)]
    if not fitting:
        return _faults.impossible(verb.menu, phrases, view)
    exact = [act for act in fitting if fits(act, mention, exact=True)] or fitting
    # Things that look the same are the same to everybody who can only speak of their looks.
    if len({names.phrase(act) for act in exact}) > 1:
        return _faults.ambiguous([names.phrase(act) for act in exact], view)
    act = exact[0]
    if Slot.WORDS not in verb.slots:
        return act
    said = one_line(mention.said or "")
    return act.model_copy(update={"say": said}) if said else _faults.no_words(verb.menu)


def fits(act: Act, mention: Mention, *, exact: bool = False) -> bool:
    """Whether everything that the mention names is what the act names."""
    return all(
        getattr(act, slot.value) in (found.exact if exact else found.ids)
        for slot, found in mention.slots.items()
    )
