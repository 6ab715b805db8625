"""Authored communities as worlds: the words and norms that people wrote, over days that are drawn.

They are for looking at, in Studio or in a demonstration. Nothing is proved of them, so they have no
certificate and stand in no suite.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from normgym_agents.community.cards import canary_of
from normgym_agents.community.personas import (
    AuthoredMember,
    CommunityFile,
    NormCard,
    read_community,
    read_setting,
)
from normgym_agents.errors import BadInput
from normgym_agents.norms.enumeration import Vocabulary, enumerate_norms
from normgym_agents.norms.hypotheses import HypothesisSpace
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.reachability import check_reachable
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.evidence import gather
from normgym_agents.worlds.expectations import patterns_of
from normgym_agents.worlds.layout import Cast, Member, draw_work_day
from normgym_agents.worlds.lexicon import Facet, Lexicon, split_looks
from normgym_agents.worlds.settings import Setting
from normgym_agents.worlds.solving import SPARE, shortest
from normgym_agents.worlds.world import WorkDay, World

BUDGET = 14
"""Acts of an authored day: ample, as nothing is measured."""

DAYS = 40
"""Days drawn before it is said that none can be done."""


def open_authored(
    name: str, seed: int = 0, *, folder: Path | None = None
) -> tuple[World, tuple[NormCard, ...]]:
    """An authored community as a world, with the cards as written.

    Args:
        name: Name of the community's file.
        seed: Draws the days; equal seeds give equal worlds.
        folder: As in `read_community`.

    Raises:
        BadInput: A file is wrong, a norm uses a word that the community does not have, or no day can be
            drawn whose task can be done without breaking a norm.
    """
    community, members = read_community(name, folder)
    setting = read_setting(community.setting)
    draws = Draws("authored", name, seed)
    lexicon = _lexicon(community, setting, draws)
    cast = Cast(
        members=tuple(Member(persona=m.key, name=m.persona.name, role=m.role) for m in members),
        newcomer=community.words.newcomer,
        role=community.words.newcomer_role,
    )
    norms = _norms(members)
    vocabulary = lexicon.vocabulary(setting, _facets(norms, setting))
    rules = _checked(norms, vocabulary, name)
    # What members show on the watched days is chosen among plain norms and their own, which is quick: nothing
    # is proved of it.
    units = RuleSet(norms).units
    space = HypothesisSpace(tuple(dict.fromkeys((*enumerate_norms(lexicon.vocabulary(setting)), *units))))
    truth = tuple(space.norms.index(unit) for unit in units)
    coins = f"{name}/{seed}"
    watch, _ = gather(
        setting, lexicon, cast, space, (truth, truth), space.table([]), community.enforcement, coins, draws
    )
    world = World(
        id=f"{name}-{seed}",
        suite="authored",
        pair=f"{name}-{seed}",
        twin="",
        seed=(seed, 0),
        setting=setting,
        vocabulary=vocabulary,
        cast=cast,
        enforcement=community.enforcement,
        norms=rules,
        coins=coins,
        watch=watch[:2],
        practise=_work_day(setting, lexicon, cast, norms, draws, seen=True),
        probe=_work_day(setting, lexicon, cast, norms, draws, seen=False),
        certificate=None,
    )
    world = world.sealed()
    cards = tuple(m.card.dealt(m.card.norms, canary_of(world, m.persona.name)) for m in members)
    return world, cards


def _lexicon(community: CommunityFile, setting: Setting, draws: Draws) -> Lexicon:
    words = community.words
    others = [place for place in words.places if place != setting.workplace]
    unseen, seen = split_looks(words.attributes, draws)
    return Lexicon(
        places=(*others, setting.workplace),
        attributes=words.attributes,
        signals=words.signals,
        roles=words.roles,
        newcomer=words.newcomer,
        unseen=tuple(unseen),
        seen=tuple(seen),
        topics=words.topics,
        addresses=words.addresses,
    )


def _norms(members: Sequence[AuthoredMember]) -> tuple[Norm, ...]:
    """The norms on all cards, each once; a card's labels count its own norms, and here they count these."""
    cards = [[parse_norm(held.rule) for held in member.card.norms] for member in members]
    found = list(dict.fromkeys(norm for card in cards for norm in card if norm.overriding is None))
    for card in cards:
        for permit in card:
            if permit.overriding is not None:
                base = card[int(permit.overriding.removeprefix("N")) - 1]
                label = f"N{found.index(base) + 1}"
                found.append(permit.model_copy(update={"overriding": label}))
    return tuple(dict.fromkeys(found))


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


def _checked(norms: Sequence[Norm], vocabulary: Vocabulary, name: str) -> tuple[str, ...]:
    """The norms as text, every one of which can bind, and all of which can be kept together."""
    rules = tuple(print_norm(norm) for norm in norms)
    for norm, rule in zip(norms, rules, strict=True):
        try:
            check_reachable([norm], vocabulary)
            _check_remembered(norm, vocabulary)
        except BadInput as fault:
            raise BadInput(
                f"{rule!r} cannot be said with the words of the community {name!r}: {fault.message}",
                field="rule",
                expected=fault.expected,
            ) from None
    try:
        RuleSet(norms)
    except BadInput as fault:
        held = "; ".join(f"N{i} is {rule!r}" for i, rule in enumerate(rules, start=1))
        raise BadInput(
            f"the cards of the community {name!r} do not go together: {fault} ({held})", field="members"
        ) from None
    return rules


def _check_remembered(norm: Norm, vocabulary: Vocabulary) -> None:
    """What was done earlier in a day is remembered of some verbs only: of others it would never have been."""
    remembered = {act.verb for act in vocabulary.precursors}
    for now in _phases(norm):
        if now.sequence is not None and (verb := now.sequence.pattern.verb) not in remembered:
            raise BadInput(
                f"nobody remembers {verb!r}", expected=" | ".join(sorted(remembered)) or "no sequence"
            )


def _work_day(
    setting: Setting,
    lexicon: Lexicon,
    cast: Cast,
    norms: Sequence[Norm],
    draws: Draws,
    *,
    seen: bool,
) -> WorkDay:
    """The first day drawn whose task can be done in time and without breaking a norm."""
    rules, looks = RuleSet(norms), lexicon.seen if seen else lexicon.unseen
    possible = False
    for _ in range(DAYS):
        template = draws.pick(sorted(setting.tasks))
        stage, task = draw_work_day(setting, lexicon, cast, template, looks, draws)
        fitted = task.model_copy(update={"budget": BUDGET})
        plans = shortest(stage, fitted, setting.verbs, rules)
        if plans.keeping is not None:
            return WorkDay(stage=stage, task=fitted, tempting=tuple(() for _ in norms), near_misses=())
        possible |= plans.ignoring is not None
    if possible:
        held = "; ".join(print_norm(norm) for norm in norms)
        raise BadInput(
            f"on none of {DAYS} days drawn can a task be done without breaking a norm and with at most "
            f"{SPARE} acts more than it takes at least: {held}",
            field="members",
            expected="norms on the cards that leave a way to do each task",
        )
    raise BadInput(
        f"on none of {DAYS} days drawn can a task of the setting {setting.name!r} be done in {BUDGET} acts",
        field="tasks",
        expected="tasks of fewer things, or verbs with which they can be handed over",
    )
