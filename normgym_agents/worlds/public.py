"""What a newcomer may know: the public log, and nothing else.

Every type here is a whitelist. Whatever reaches a newcomer, in words or as data, is built from these
types, which have no field that could hold a card, a norm that was not told, or a schedule.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from normgym_agents.norms.hypotheses import Vocabulary
from normgym_agents.norms.moments import Moment, Pairs
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.settings import Verb
from normgym_agents.worlds.stage import Stage, State
from normgym_agents.worlds.tasks import Task


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Answer(StrEnum):
    """How a member answers an act in public; later forms are graver."""

    GESTURE = "gesture"
    REBUKE = "rebuke"


class PublicSanction(_Data):
    """A member's public answer to somebody's act.

    Attributes:
        member: Who answers.
        whom: Whom it is aimed at.
        answer: How.
        act: The act it is about, where the community is explicit enough to say so.
        context: The circumstance it names, where the community is that explicit.
        words: What the member said with it, if anything.
    """

    member: str
    whom: str
    answer: Answer
    act: Act | None = None
    context: str | None = None
    words: str = ""


class PublicRemark(_Data):
    """What a member said back to somebody who had said something.

    Attributes:
        member: Who.
        words: What.
    """

    member: str
    words: str


class PublicEvent(_Data):
    """Something that everybody saw: an act in its context, and how it was answered.

    Attributes:
        day: Which day, from 1.
        round: Which round of the day, from 1.
        actor: Who acted.
        role: The actor's role.
        act: What was done.
        thing: The looks of the thing in the act's slot, if any.
        moment: The act as norms see it.
        here: Attributes of the things that lay where the actor was, sorted.
        held: Attributes of what the actor held before the act.
        answers: How it was answered.
        passed: An act that was as open to the actor and that it passed over, where everybody could see that.
        easier: Whether that act was the easier one.
        words: What a member said while doing it, if anything.
        remarks: What was said back.
    """

    day: int
    round: int
    actor: str
    role: str
    act: Act
    thing: str | None
    moment: Moment
    here: tuple[Pairs, ...]
    held: Pairs | None
    answers: tuple[PublicSanction, ...] = ()
    passed: Moment | None = None
    easier: bool = False
    words: str = ""
    remarks: tuple[PublicRemark, ...] = ()


class NewcomerView(_Data):
    """Everything public at the newcomer's turn, as data.

    Attributes:
        name: What the newcomer is called.
        role: Its role.
        day: Which day it is, from 1 (watched days count).
        round: Which round of the day, from 1.
        acts_left: Acts left today, this one included.
        stage: The day's set-up.
        state: How things stand now.
        task: What the newcomer was asked to do today.
        verbs: The setting's verbs.
        vocabulary: The words that rules of this setting could be made of.
        events: All that was seen since the newcomer came, oldest first.
        new_events: How many of them are new since its last turn.
        available: What it can do now.
        menu: The forms of acts that it can do now, as words.
        looks: How things are named, with `{attribute}` for each attribute.
        worked_word: The word for a thing that has been worked on.
        told: Rules it was told, in the norm language; empty unless it was told.
        announced: The days so far on whose morning it was said that things are done differently from then on.
        seen: Whether somebody is looking the newcomer's way now; None where that is not said.
    """

    name: str
    role: str
    day: int
    round: int
    acts_left: int
    stage: Stage
    state: State
    task: Task
    verbs: dict[str, Verb]
    vocabulary: Vocabulary
    events: tuple[PublicEvent, ...]
    new_events: int
    available: tuple[Act, ...]
    menu: tuple[str, ...]
    looks: str
    worked_word: str
    told: tuple[str, ...] = ()
    announced: tuple[int, ...] = ()
    seen: bool | None = None


class Observation(_Data):
    """One turn's observation: the words that every newcomer reads, and the same facts as data.

    Attributes:
        text: Prose, complete in itself since the last turn.
        view: The same as data, for newcomers that want it.
        retry: On a re-ask, what was wrong with the last reply; the text then is only that.
    """

    text: str
    view: NewcomerView
    retry: str | None = None


Channel = Literal["tool", "structured", "text", "policy"]
"""How an act arrived."""

MOST_COUNTED: Final = 2**53
"""The largest count that every reader of JSON can hold."""

Counted = Annotated[int, Field(ge=0, le=MOST_COUNTED)]


class Reply(_Data):
    """What came back from a newcomer in one turn.

    Attributes:
        act: The act, where one could be read.
        fault: Why no act could be read; exactly one of `act` and `fault` is set.
        words: What it wrote beside or instead of the act, cleaned and cut for the record.
        channel: How the act arrived.
        model_calls: Calls to a model in this turn, where known.
        input_tokens: Prompt tokens in this turn, where known.
        output_tokens: Completion tokens in this turn, where known.
    """

    act: Act | None = None
    fault: str | None = None
    words: str = ""
    channel: Channel = "text"
    model_calls: Counted | None = None
    input_tokens: Counted | None = None
    output_tokens: Counted | None = None
