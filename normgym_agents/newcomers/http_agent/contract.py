"""What goes over the wire between us and an agent in another process. `docs/http-agent.md` tells it in words.

What we send can gain fields; what an agent sends may hold these and no others, so that a misspelt one is told of.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from normgym_agents.worlds.asking import MOST_REPORTED, ReportedNorm
from normgym_agents.worlds.public import Counted, NewcomerView

MOST_BYTES: Final = 4_194_304
"""The longest body that is read: an agent may write megabytes of text, which is then cut like anybody's."""

WAIT: Final = 25.0
MOST_WAIT: Final = 60.0

Kind = Literal["turn", "again", "question", "end"]


def _sound(text: object) -> object:
    """A text without lone surrogates, which JSON can hold and text cannot."""
    return text.encode("utf-8", "ignore").decode() if isinstance(text, str) else text


Text = Annotated[str, BeforeValidator(_sound)]


class Place(BaseModel):
    """An episode that is the agent's now.

    Attributes:
        episode: Its id, which goes into the addresses of all that follows.
        name: What the community calls the agent.
    """

    model_config = ConfigDict(frozen=True)

    episode: str
    name: str


class Asked(BaseModel):
    """What the agent is asked now.

    Attributes:
        number: Which question of the episode this is, from 1; the reply repeats it.
        kind: `turn`: what was seen, to be answered with one act. `again`: no act could be read from the reply;
            the text says why. `question`: after the last turn, to be answered in words, best by a copy of
            the agent. `end`: the episode is over, and nothing is to be answered.
        text: What the agent reads.
        view: The same facts as data, where they were asked for.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    kind: Kind
    text: str
    view: NewcomerView | None = None


class Failure(BaseModel):
    """Why the agent cannot answer. It ends the episode.

    Attributes:
        kind: `model`: its model's provider failed, which is not scored. `agent`: it broke.
        message: What happened.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["model", "agent"]
    message: Text = Field(max_length=10_000)


class Sent(BaseModel):
    """A reply.

    Attributes:
        number: Which question is answered.
        text: What the agent wrote; an act is read from it where none is given.
        act: The act, e.g. `{"verb": "give", "thing": "the ash jar", "to": "Oren"}`.
        norms: To a `question`, instead of words: norms in the norm language.
        failed: Instead of an answer.
        model_calls: Calls to a model for this reply, where known.
        input_tokens: Their prompt tokens, where known.
        output_tokens: Their completion tokens, where known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    text: Text = ""
    act: dict[str, Any] | None = None
    norms: Annotated[list[ReportedNorm], Field(max_length=MOST_REPORTED)] | None = None
    failed: Failure | None = None
    model_calls: Counted | None = None
    input_tokens: Counted | None = None
    output_tokens: Counted | None = None


class Fault(BaseModel):
    """Why a request was refused.

    Attributes:
        detail: One sentence.
    """

    model_config = ConfigDict(frozen=True)

    detail: str
