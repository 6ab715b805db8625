"""Asking a newcomer, once the acting is over, what one may and must not do: the question, and norms as reported.

Both are public types: a question holds nothing that the newcomer did not have before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from normgym_agents.norms.enumeration import VerbSlots, Vocabulary
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.units import Excepted, Unit
from normgym_agents.worlds.public import NewcomerView
from normgym_agents.worlds.settings import Slot, Verb
from normgym_agents.worlds.stage import Stage

MOST_REPORTED: Final = 50
"""Norms that a report may hold; whatever comes after them is not read."""

LONGEST_NORM: Final = 500
"""Characters of the text of one norm."""

_SHOWN: Final = {Slot.PERSON: "role", Slot.PLACE: "place", Slot.TOPIC: "topic", Slot.ADDRESS: "address"}
"""What norms call a slot; things have their attributes for slots."""

Text = Annotated[str, Field(max_length=LONGEST_NORM)]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Question(_Data):
    """What a newcomer is asked after its last act.

    Attributes:
        text: The question.
        view: What it saw at its last turn.
    """

    text: str
    view: NewcomerView


class ReportedNorm(_Data):
    """A norm that a newcomer says is in force.

    Attributes:
        norm: Its text in the norm language.
        exception: The permit that excepts something from it, `overriding N1` (which is this norm); None
            for norms without exception.
        confidence: How sure the newcomer is of it, in [0, 1]; 1 where it did not say.
    """

    norm: Text
    exception: Text | None = None
    confidence: float = Field(default=1.0, ge=0, le=1, allow_inf_nan=False)

    @classmethod
    def of(cls, unit: Unit, confidence: float = 1.0) -> ReportedNorm:
        """A norm as observers hold it."""
        base, exception = (unit.base, unit.permit) if isinstance(unit, Excepted) else (unit, None)
        return cls(
            norm=print_norm(base),
            exception=None if exception is None else print_norm(exception),
            confidence=min(1.0, max(0.0, round(confidence, 6))),
        )

    @property
    def parsed(self) -> tuple[Norm, Norm | None]:
        """The norm, and its exception.

        Raises:
            BadInput: A text is no norm.
        """
        return parse_norm(self.norm), None if self.exception is None else parse_norm(self.exception)

    @property
    def unit(self) -> Unit:
        """The norm as observers hold it, as it stands after its last change.

        Raises:
            BadInput: A text is no norm.
        """
        norm, exception = self.parsed
        base = norm.at(None)
        return base if exception is None else Excepted(base, exception)


def sayable(vocabulary: Vocabulary, verbs: Mapping[str, Verb], stage: Stage) -> Vocabulary:
    """The words that a report can be made of: of every verb and slot, whatever norms of the world are about.

    Args:
        vocabulary: The world's own words.
        verbs: The setting's verbs.
        stage: The day of the world's last act.
    """
    values = {
        **vocabulary.values,
        "place": stage.places,
        "topic": stage.topics,
        "address": stage.addresses,
    }
    attributes = tuple(slot for slot in values if slot not in _SHOWN.values())
    return Vocabulary(
        values={slot: some for slot, some in values.items() if some},
        signals=vocabulary.signals,
        roles=vocabulary.roles,
        overseer=vocabulary.overseer,
        verbs=tuple(
            VerbSlots(
                verb=name,
                slots=(*(attributes if Slot.THING in verb.slots else ()), *_shown(verb.slots)),
            )
            for name, verb in verbs.items()
        ),
        precursors=(),
    )


def _shown(slots: Sequence[Slot]) -> Iterator[str]:
    return (_SHOWN[slot] for slot in slots if slot in _SHOWN)
