"""Norm cards: what one member privately holds, and how it answers whoever breaks that."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from normgym_agents.errors import BadInput
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.lines import Statement
from normgym_agents.worlds.public import Answer

MOST_NORMS = 12
"""Norms of one card, or one list of them."""


class Data(BaseModel):
    """What people write: every key known, nothing changed after it was read."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _norm_text(text: str) -> str:
    try:
        parse_norm(text)
    except BadInput as fault:
        raise ValueError(str(fault)) from None
    return text


Rule = Annotated[str, Field(max_length=1000), AfterValidator(_norm_text)]
"""A norm in the norm language."""


class HeldNorm(Data):
    """A norm on a card.

    Attributes:
        rule: It in the norm language, e.g. `forbid take(glaze=sarn) when bell=ringing`.
        statement: How its holder would put it, in one sentence.
    """

    rule: Rule
    statement: Statement


def _one_set(norms: tuple[HeldNorm, ...]) -> tuple[HeldNorm, ...]:
    try:
        RuleSet(parse_norm(held.rule) for held in norms)
    except BadInput as fault:
        raise ValueError(str(fault)) from None
    return norms


HeldNorms = Annotated[tuple[HeldNorm, ...], Field(max_length=MOST_NORMS), AfterValidator(_one_set)]
"""Norms that go together; labels (`overriding N1`) count them from the top."""


class CardFile(Data):
    """What one member privately holds, as it is written.

    Attributes:
        norms: The norms it answers breaches of; labels (`overriding N1`) count them from the top.
        answers: How it answers the first, second, … breach of a person; the last form repeats.
    """

    norms: HeldNorms
    answers: tuple[Answer, ...] = Field(min_length=1, max_length=8)


class NormCard(CardFile):
    """What one member privately holds in a world.

    Attributes:
        canary: A mark that must never reach a newcomer; dealt with the card, never authored.
        lightly: Places of norms, from 0, whose breach its holder answers in the mildest form only.
        memories: What its holder remembers of how its community agreed on some of them, a paragraph for each.
    """

    canary: str = Field(default="", max_length=0)
    lightly: frozenset[int] = frozenset()
    memories: tuple[str, ...] = ()

    def dealt(self, norms: tuple[HeldNorm, ...], canary: str) -> NormCard:
        """The same way of answering, holding other norms, about which there is nothing to remember."""
        return self.model_copy(
            update={"norms": norms, "canary": canary, "lightly": frozenset(), "memories": ()}
        )

    def marked(self, canary: str) -> NormCard:
        """The same card with a mark."""
        return self.model_copy(update={"canary": canary})
