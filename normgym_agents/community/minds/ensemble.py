"""The members of one episode that models speak for: each line and turn checked, asked for once more, or given up.

What is given up is left to the schedule and the templates, and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from normgym_agents.community.kinds import MemberKind
from normgym_agents.community.log import Fault
from normgym_agents.community.minds.conversation import Conversation, Spent
from normgym_agents.community.minds.lexis import lexis_of, words_in
from normgym_agents.community.minds.lines import LONGEST, Moment, Setup, faults_of, tidy
from normgym_agents.community.minds.models import MemberModels, MemberUsage
from normgym_agents.community.minds.prompt import member_prompt
from normgym_agents.community.minds.turns import TURN_SCHEMA, AnswerGiven, MemberTurn, read_turn

if TYPE_CHECKING:
    from normgym_agents.community.personas import NormCard, Persona
    from normgym_agents.worlds.acts import Act
    from normgym_agents.worlds.world import World

_TRIES: Final = 2

_WRONG: Final[Mapping[Fault, str]] = {
    Fault.INVALID: "it is not in the form that was asked for",
    Fault.IMPOSSIBLE_ACT: "the act is none of those you are offered",
    Fault.STATES_RULE: "it says what one must or may do",
    Fault.NAMES_LITERAL: "it has a word that stays unsaid",
    Fault.CONTRADICTS_ACT: "it does not fit what you do",
    Fault.OUT_OF_CHARACTER: f"nobody here would say it like that, in one line of at most {LONGEST} characters",
    Fault.DISCLOSES: "it gives away what you keep to yourself",
    Fault.CANARY: "it gives away what you keep to yourself",
}


class Said(NamedTuple):
    """What came of asking for a line.

    Attributes:
        words: The line; empty where the template stands by itself.
        faults: What was wrong, per try.
        fallback: Whether asking was given up.
    """

    words: str
    faults: tuple[Fault, ...] = ()
    fallback: bool = False


class Offer(NamedTuple):
    """What a member may decide in a turn.

    Attributes:
        news: What it is told.
        choices: The acts that it can do next, by how they are offered; empty if it is not its turn.
        judged: Whose acts it may answer.
        norms: How many norms are on its card.
        spoken_to: Whether the newcomer spoke to it.
        telling: Whether it may then say how things are done.
        shown: Per act offered, and per person judged, what everybody sees of it.
        forgets: Whether it is offered nothing but a breach, which the schedule has for it.
    """

    news: str
    choices: Mapping[str, Act]
    judged: tuple[str, ...]
    norms: int
    spoken_to: bool
    telling: bool
    shown: Mapping[str, str]
    forgets: bool = False


class Decided(NamedTuple):
    """What a member decided.

    Attributes:
        act: What it does next; None for nothing, or where the schedule decides.
        turn: Its words and answers, those that were wrong blanked; None where nothing could be made of it.
        faults: What was wrong, per try.
        fallback: Whether schedule or template stand in for something.
    """

    act: Act | None
    turn: MemberTurn | None
    faults: tuple[Fault, ...] = ()
    fallback: bool = False


class Ensemble:
    """The members of an episode.

    Args:
        models: Who speaks for whom.
        world: Where.
        cards: The members' cards, in the world's order.
        personas: Who they are, likewise.
    """

    def __init__(
        self, models: MemberModels, world: World, cards: Sequence[NormCard], personas: Sequence[Persona]
    ) -> None:
        self.kind, self.usage = models.kind, MemberUsage()
        self.lexis = lexis_of(world, cards, personas)
        self._names = [member.name for member in world.cast.members]
        self._conversations = [
            Conversation(
                i,
                member.name,
                models.of(member.persona),
                member_prompt(models.kind, personas[i], cards[i], world, i, self.lexis),
                self.usage,
                deadline=models.limits.deadline,
                most_calls=models.limits.episode_calls,
            )
            for i, member in enumerate(world.cast.members)
        ]
        self.heard = [0] * len(self._names)
        """Per member how much of the log it has been told."""

    @property
    def voiced(self) -> bool:
        """Whether models only word what the schedule decides."""
        return self.kind is MemberKind.VOICED

    async def line(self, member: int, asked: str, setup: Setup) -> Said:
        """A line that may be said, or none."""
        found: list[Fault] = []
        for _ in range(_TRIES):
            try:
                raw = await self._conversations[member].ask(asked)
            except Spent:
                return Said("", (*found, Fault.BUDGET), True)
            line = tidy(raw, self._names[member])
            faults = faults_of(line, self.lexis, setup)
            if not faults:
                return Said(line, tuple(found))
            found += faults
            asked = f"Not that: {_explained(faults)}. Other words, please."
        return Said("", tuple(found), True)

    async def turn(self, member: int, offer: Offer) -> Decided:
        """A turn, as far as it can stand."""
        found: list[Fault] = []
        asked, kept = offer.news, Decided(None, None)
        for _ in range(_TRIES):
            try:
                raw = await self._conversations[member].ask(asked, TURN_SCHEMA)
            except Spent:
                return kept._replace(faults=(*found, Fault.BUDGET), fallback=True)
            turn = read_turn(raw)
            if isinstance(turn, str):
                faults: tuple[Fault, ...] = (Fault.INVALID,)
                asked = f"Not that: {turn}. The JSON object once more, please."
            else:
                kept, faults = self._checked(member, turn, offer)
                asked = f"Not that: {_explained(faults)}. The whole JSON object once more, please."
            if not faults:
                return kept._replace(faults=tuple(found))
            found += faults
        return kept._replace(faults=tuple(found), fallback=True)

    def _checked(self, member: int, turn: MemberTurn, offer: Offer) -> tuple[Decided, tuple[Fault, ...]]:
        """What of a turn can stand, and what is wrong with the rest."""
        faults: list[Fault] = []
        act = _chosen(turn.act, offer.choices)
        if act is None and offer.choices:
            faults.append(Fault.IMPOSSIBLE_ACT)
        answers = []
        for answer in turn.answers:
            if answer.whom not in offer.judged or not 1 <= answer.over <= offer.norms:
                faults.append(Fault.INVALID)
                continue
            setup = Setup(
                moment=Moment.SANCTION,
                speaker=self._names[member],
                shown=offer.shown.get(answer.whom, ""),
                verb="shown" if offer.shown.get(answer.whom) is not None else None,
                to=answer.whom,
            )
            answers.append(AnswerGiven(**{**dict(answer), "words": self._kept(answer.words, setup, faults)}))
        shown = "" if act is None else offer.shown.get(turn.act, "")
        setup = Setup(
            moment=Moment.ACT,
            speaker=self._names[member],
            shown=shown,
            verb=None if act is None else act.verb,
            to=None if act is None else act.to,
        )
        words = "" if act is None else self._kept(turn.words, setup, faults)
        reply = ""
        if offer.spoken_to:
            setup = Setup(moment=Moment.REMARK, speaker=self._names[member], telling=offer.telling)
            reply = self._kept(turn.reply, setup, faults)
        kept = MemberTurn(answers=tuple(answers), act=turn.act, words=words, reply=reply)
        return Decided(act, kept), tuple(dict.fromkeys(faults))

    def _kept(self, words: str, setup: Setup, faults: list[Fault]) -> str:
        """The words if they may be said, else none; having none is no fault here."""
        line = tidy(words, setup.speaker)
        wrong = faults_of(line, self.lexis, setup) if line else ()
        faults += wrong
        return "" if wrong else line


def plain(phrase: str) -> str:
    """How an act is offered, without what does not matter in giving it back."""
    return " ".join(word for word in words_in(phrase) if word not in ("the", "a", "an"))


def _chosen(text: str, choices: Mapping[str, Act]) -> Act | None:
    asked = plain(text)
    return next((act for phrase, act in choices.items() if plain(phrase) == asked), None)


def _explained(faults: Sequence[Fault]) -> str:
    return "; ".join(dict.fromkeys(_WRONG[fault] for fault in faults))
