"""Whether the cards of a community fit it: each norm can bind there, and all of them can hold together.

A card says how its holder sees things; what its words mean only the community can tell. So cards are held
against it wherever a community's file is read, and the line of the rule is named that does not fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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

if TYPE_CHECKING:
    from normgym_agents.community.personas import AuthoredMember, Words


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


def check_cards(
    name: str, words: Words, setting: Setting, members: Sequence[AuthoredMember], files: Sequence[Path]
) -> None:
    """Refuse cards that do not fit their community, or each other.

    Args:
        name: What messages call the community.
        words: Its words.
        setting: Its setting.
        members: Its members.
        files: The file of each member's card.

    Raises:
        BadInput: Names the card's file, and the line of the rule.
    """
    held = held_norms(members)
    norms = [one.norm for one in held]
    vocabulary = vocabulary_of(words, setting, norms)
    for one in held:
        rule = members[one.member].card.norms[one.place].rule
        try:
            check_reachable([one.norm], vocabulary)
            _check_remembered(one.norm, vocabulary)
        except BadInput as fault:
            message = f"{rule!r} cannot be said with the words of the community {name!r}: {fault.message}"
            raise _on_card(one, files, message, fault.expected) from None
    try:
        check_fulfillable(RuleSet(norms), vocabulary)
    except BadInput as fault:
        said = "; ".join(f"N{i} is {print_norm(norm)!r}" for i, norm in enumerate(norms, start=1))
        label = fault.field or "N1"
        message = f"the cards of the community {name!r} do not go together: {label}: {fault.message} ({said})"
        raise _on_card(held[int(label.removeprefix("N")) - 1], files, message, fault.expected) from None


def _on_card(one: Held, files: Sequence[Path], message: str, expected: str | None) -> BadInput:
    file = files[one.member]
    return BadInput(
        message,
        file=file,
        line=line_of(file, "norms", one.place, "rule"),
        field=f"norms[{one.place}].rule",
        expected=expected,
    )


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
