"""Authored communities as worlds: the words and norms that people wrote, over days that are drawn.

They are for looking at, in Studio or in a demonstration. Nothing is proved of them, so they have no
certificate and stand in no suite.
"""

from __future__ import annotations

from pathlib import Path

from normgym_agents.community.cards import canary_of
from normgym_agents.community.personas import CommunityFile, NormCard, read_community, read_setting
from normgym_agents.errors import BadInput
from normgym_agents.norms.hypotheses import HypothesisSpace, enumerate_norms
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.evidence import gather
from normgym_agents.worlds.layout import Cast, Member, draw_work_day
from normgym_agents.worlds.lexicon import Lexicon, split_looks
from normgym_agents.worlds.settings import Setting
from normgym_agents.worlds.world import WorkDay, World

BUDGET = 14
"""Acts of an authored day: ample, as nothing is measured."""


def open_authored(
    name: str, seed: int = 0, *, folder: Path | None = None
) -> tuple[World, tuple[NormCard, ...]]:
    """An authored community as a world, with the cards as written.

    Args:
        name: Name of the community's file.
        seed: Draws the days; equal seeds give equal worlds.
        folder: As in `read_community`.

    Raises:
        BadInput: A file is wrong, or a norm uses a word that the community does not have.
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
    rules = tuple(dict.fromkeys(print_norm(parse_norm(held.rule)) for m in members for held in m.card.norms))
    space = HypothesisSpace(enumerate_norms(lexicon.vocabulary(setting)))
    truth = _indices(space, rules, name)
    table = space.table([])
    watch, _ = gather(
        setting, lexicon, cast, space, (truth, truth), table, community.enforcement, f"{name}/{seed}", draws
    )
    world = World(
        id=f"{name}-{seed}",
        suite="authored",
        pair=f"{name}-{seed}",
        twin="",
        seed=(seed, 0),
        setting=setting,
        vocabulary=lexicon.vocabulary(setting),
        cast=cast,
        enforcement=community.enforcement,
        norms=rules,
        coins=f"{name}/{seed}",
        watch=watch[:2],
        practise=_work_day(setting, lexicon, cast, rules, draws, seen=True),
        probe=_work_day(setting, lexicon, cast, rules, draws, seen=False),
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
    )


def _indices(space: HypothesisSpace, rules: tuple[str, ...], name: str) -> tuple[int, ...]:
    norms = list(space.norms)
    for rule in rules:
        if parse_norm(rule) not in norms:
            raise BadInput(
                f"{rule!r} cannot be said with the words of the community {name!r}",
                field="rule",
                expected="verbs, attributes, signals and roles that stand under `words` or in the setting",
            )
    return tuple(norms.index(parse_norm(rule)) for rule in rules)


def _work_day(
    setting: Setting, lexicon: Lexicon, cast: Cast, rules: tuple[str, ...], draws: Draws, *, seen: bool
) -> WorkDay:
    template = draws.pick(sorted(setting.tasks))
    looks = lexicon.seen if seen else lexicon.unseen
    stage, task = draw_work_day(setting, lexicon, cast, template, looks, draws)
    fitted = task.model_copy(update={"budget": BUDGET})
    return WorkDay(stage=stage, task=fitted, tempting=tuple(() for _ in rules), near_misses=())
