"""The typed act: what an actor does, with its slots filled by public names.

Things are named by an id that carries no meaning; prose names them by their looks.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Act(BaseModel):
    """One act. Slots that the verb does not have stay None.

    Attributes:
        verb: A verb of the setting.
        thing: Id of a thing, as in `Stage.things`.
        place: Name of a place.
        to: Name of a person.
        say: Free words, for the verb that has them.
        topic: What is spoken of, a word of the world.
        address: How the person is addressed, a word of the world.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verb: str
    thing: str | None = None
    place: str | None = None
    to: str | None = None
    say: str | None = None
    topic: str | None = None
    address: str | None = None
