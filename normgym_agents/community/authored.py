"""Authored communities as worlds: the words and norms that people wrote, over days that are drawn.

They are for looking at, in Studio or in a demonstration. Nothing is proved of them, so they have no
certificate and stand in no suite.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from normgym_agents.community.agreement import held_norms, lexicon_of, vocabulary_of
from normgym_agents.community.cards import canary_of
from normgym_agents.community.personas import (
    CommunityFile,
    NormCard,
    read_community,
    read_setting,
)
from normgym_agents.errors import BadInput
from normgym_agents.norms.enumeration import enumerate_norms
from normgym_agents.norms.hypotheses import HypothesisSpace
from normgym_agents.norms.language import print_norm
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.evidence import gather
from normgym_agents.worlds.layout import Cast, Member, draw_work_day
from normgym_agents.worlds.lexicon import Lexicon, split_looks
from normgym_agents.worlds.settings import Setting
from normgym_agents.worlds.solving import SPARE, shortest
from normgym_agents.worlds.world import WorkDay, World

BUDGET = 14
"""Acts of an authored day: ample, as nothing is measured."""

DAYS = 40
"""Days drawn before it is said that none can be done."""


def open_authored(
    name: str, seed: int = 0, *, folder: Path | None = None, guest: str | None = None
) -> tuple[World, tuple[NormCard, ...]]:
    """An authored community as a world, with the cards as written.

    Args:
        name: Name of the community's file.
        seed: Draws the days; equal seeds give equal worlds.
        folder: As in `read_community`.
        guest: Likewise.

    Raises:
        BadInput: A file is wrong, a norm uses a word that the community does not have, or no day can be
            drawn whose task can be done without breaking a norm.
    """
    community, members = read_community(name, folder, guest=guest)
    setting = read_setting(community.setting, folder)
    draws = Draws("authored", name, seed)
    lexicon = _lexicon(community, setting, draws)
    cast = Cast(
        members=tuple(Member(persona=m.key, name=m.persona.name, role=m.role) for m in members),
        newcomer=community.words.newcomer,
        role=community.words.newcomer_role,
    )
    norms = tuple(one.norm for one in held_norms(members))
    vocabulary = vocabulary_of(community.words, setting, norms)
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
        norms=tuple(map(print_norm, norms)),
        coins=coins,
        watch=watch[:2],
        practise=_work_day(setting, lexicon, cast, norms, draws, seen=True),
        probe=_work_day(setting, lexicon, cast, norms, draws, seen=False),
        certificate=None,
    )
    world = world.sealed()
    cards = tuple(m.card.marked(canary_of(world, m.persona.name)) for m in members)
    return world, cards


def _lexicon(community: CommunityFile, setting: Setting, draws: Draws) -> Lexicon:
    unseen, seen = split_looks(community.words.attributes, draws)
    return lexicon_of(community.words, setting, unseen=tuple(unseen), seen=tuple(seen))


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
