"""Whether the cards of a community fit it: each norm can bind there, and all of them can hold together.

A card says how its holder sees things; what its words mean only the community can tell. So cards are held
against it wherever a community's file is read, and the line of the rule is named that does not fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from normgym_agents.community.composing import Source
from normgym_agents.community.written import AuthoredMember, Words
from normgym_agents.errors import BadInput
from normgym_agents.files import line_of
from normgym_agents.norms.enumeration import Vocabulary
from normgym_agents.norms.fulfilment import check_fulfillable
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.reachability import check_reachable
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.expectations import patterns_of
from normgym_agents.worlds.lexicon import Facet, Lexicon, Looks
from normgym_agents.worlds.settings import Setting


class Held(NamedTuple):
    """A norm of a community, and where it stands first: on whose card (by index), in which place."""

    norm: Norm
    member: int
    place: int


def held_norms(members: Sequence[AuthoredMember]) -> tuple[Held, ...]:
    """The norms on all cards, each once; a card's labels count its own norms, and here they count these."""
    cards = [[parse_norm(held.rule) for held in member.card.norms] for member in members]
    placed = [Held(norm, m, place) for m, card in enumerate(cards) for place, norm in enumerate(card)]
    found = {one.norm: one for one in reversed(placed) if one.norm.overriding is None}
    held = [one for one in placed if found.get(one.norm) is one]
    bases = [one.norm for one in held]
    permits: dict[Norm, Held] = {}
    for one in placed:
        if one.norm.overriding is not None:
            base = cards[one.member][int(one.norm.overriding.removeprefix("N")) - 1]
            label = f"N{bases.index(base) + 1}"
            permit = one.norm.model_copy(update={"overriding": label})
            permits.setdefault(permit, one._replace(norm=permit))
    return (*held, *permits.values())


def lexicon_of(
    words: Words, setting: Setting, *, unseen: tuple[Looks, ...] = (), seen: tuple[Looks, ...] = ()
) -> Lexicon:
    """The words of a community, with the looks of things that were split for its days, if they were."""
    others = [place for place in words.places if place != setting.workplace]
    return Lexicon(
        places=(*others, setting.workplace),
        attributes=words.attributes,
        signals=words.signals,
        roles=words.roles,
        newcomer=words.newcomer,
        unseen=unseen,
        seen=seen,
        topics=words.topics,
        addresses=words.addresses,
    )


def vocabulary_of(words: Words, setting: Setting, norms: Sequence[Norm]) -> Vocabulary:
    """The vocabulary that such norms are said with."""
    return lexicon_of(words, setting).vocabulary(setting, _facets(norms, setting))


def faults_of_cards(
    name: str,
    words: Words,
    setting: Setting,
    members: Sequence[AuthoredMember],
    sources: Sequence[Sequence[Source]],
) -> Iterator[BadInput]:
    """What about cards does not fit their community, or each other; each names a file, and the line of a rule there.

    Args:
        name: What messages call the community.
        words: Its words.
        setting: Its setting.
        members: Its members.
        sources: Per member, where each norm of its card was written.
    """
    for member, written in zip(members, sources, strict=True):
        try:
            RuleSet(parse_norm(held.rule) for held in member.card.norms)
        except BadInput as fault:
            place = int((fault.field or "N1").removeprefix("N")) - 1
            message = f"with this the card of {member.key!r} does not hold together: {fault.message}"
            yield _at(written[place], message, fault.expected)
            return
    held = held_norms(members)
    norms = [one.norm for one in held]
    vocabulary = vocabulary_of(words, setting, norms)
    unsaid = list(_unsaid(name, held, members, sources, vocabulary))
    if unsaid:
        yield from unsaid
        return
    try:
        check_fulfillable(RuleSet(norms), vocabulary)
    except BadInput as fault:
        said = "; ".join(f"N{i} is {print_norm(norm)!r}" for i, norm in enumerate(norms, start=1))
        label = fault.field or "N1"
        message = f"the cards of the community {name!r} do not go together: {label}: {fault.message} ({said})"
        one = held[int(label.removeprefix("N")) - 1]
        yield _at(sources[one.member][one.place], message, fault.expected)


def _unsaid(
    name: str,
    held: Sequence[Held],
    members: Sequence[AuthoredMember],
    sources: Sequence[Sequence[Source]],
    vocabulary: Vocabulary,
) -> Iterator[BadInput]:
    """Norms that nothing in the community could ever be an opportunity for."""
    for one in held:
        rule = members[one.member].card.norms[one.place].rule
        try:
            check_reachable([one.norm], vocabulary)
            _check_remembered(one.norm, vocabulary)
        except BadInput as fault:
            message = f"{rule!r} cannot be said with the words of the community {name!r}: {fault.message}"
            yield _at(sources[one.member][one.place], message, fault.expected)


def _at(source: Source, message: str, expected: str | None) -> BadInput:
    line = line_of(source.file, *source.keys)
    return BadInput(message, file=source.file, line=line, field=source.field, expected=expected)


def _facets(norms: Sequence[Norm], setting: Setting) -> set[Facet]:
    """What a vocabulary needs for such norms beside plain ones."""
    said = [pattern for norm in norms for now in _phases(norm) for pattern in patterns_of(now)]
    verbs = [setting.verbs[pattern.verb] for pattern in said if pattern.verb in setting.verbs]
    forms = {
        Facet.DUTIES: any(now.deontic == "oblige" for norm in norms for now in _phases(norm)),
        Facet.LIMITS: any(now.quota is not None for norm in norms for now in _phases(norm)),
        Facet.EXCEPTIONS: any(norm.deontic == "permit" for norm in norms),
        Facet.SPEECH: any(verb.speech for verb in verbs),
        Facet.HARMLESS: any(verb.harmless for verb in verbs),
    }
    return {facet for facet, needed in forms.items() if needed}


def _phases(norm: Norm) -> tuple[Norm, ...]:
    return (norm,) if norm.successor is None else (norm, norm.successor.norm)


def _check_remembered(norm: Norm, vocabulary: Vocabulary) -> None:
    """What was done earlier in a day is remembered of some verbs only: of others it would never have been."""
    remembered = {act.verb for act in vocabulary.precursors}
    for now in _phases(norm):
        if now.sequence is not None and (verb := now.sequence.pattern.verb) not in remembered:
            raise BadInput(
                f"nobody remembers {verb!r}", expected=" | ".join(sorted(remembered)) or "no sequence"
            )
