from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from pydantic import ValidationError

from normgym_agents.norms.hypotheses import Vocabulary
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import Family
from normgym_agents.norms.units import Excepted
from normgym_agents.worlds.alignment import Alignment, alignment_of, family_of
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.lexicon import draw_lexicon
from normgym_agents.worlds.settings import Setting
from tests.worlds.making import talking, yard_setting

CONGRUENT, ARBITRARY, COUNTER = Alignment.CONGRUENT, Alignment.ARBITRARY, Alignment.COUNTER


def expecting(**changes: Any) -> Setting:
    """The bundled setting, but for speech and a count of what is left, with other expectations."""
    content = yard_setting().model_dump()
    spoken = {name: verb.model_dump() for name, verb in talking().items() if name in ("ask", "hail")}
    go = {**content["verbs"]["go"], "normable": True, "harmless": True}
    return Setting.model_validate(
        {
            **content,
            "verbs": {**content["verbs"], **spoken, "go": go},
            "signals": {**content["signals"], "stock": ("1", "4")},
            "topics": {"count": 2, "pool": ("docs", "gossip", "salt")},
            "addresses": {"count": 1, "pool": ("chief", "pal")},
            "expectations": changes,
        }
    )


@cache
def words() -> Vocabulary:
    vocabulary = draw_lexicon(yard_setting(), Draws("alignment")).vocabulary(yard_setting())
    return vocabulary.model_copy(
        update={
            "overseer": "keeper",
            "roles": ("keeper", "carrier", "tender"),
            "signals": {"bell": ("ringing", "still"), "stock": ("1", "4")},
        }
    )


@pytest.mark.parametrize(
    ("fragment", "norm", "held"),
    [
        ("forbid any when bell=ringing", "forbid take when bell=ringing", True),
        ("forbid any when bell=ringing", "forbid take(glaze=sarn) when bell=ringing for carrier", True),
        ("forbid any when bell=ringing", "forbid take when not bell=still", True),  # two values: the same
        ("forbid any when bell=ringing", "forbid take when bell=still", False),
        ("forbid any when bell=ringing", "forbid take", False),
        # The signal shows 1 or 4, so below 2, 3 and 4 say the same.
        ("forbid any when not stock<3", "forbid take when not stock<4", True),
        ("forbid any when stock<3", "forbid take when not stock<4", False),
        ("forbid take", "forbid give", False),
        ("forbid take(glaze=sarn)", "forbid take(glaze=sarn)", True),
        ("forbid take(glaze=sarn)", "forbid take(glaze!=sarn)", False),
        ("forbid give(role=overseer)", "forbid give(role=keeper)", True),
        ("forbid give(role=overseer)", "forbid give(role=carrier)", False),
        ("forbid any when not present(overseer)", "forbid fire when not present(keeper)", True),
        ("forbid any when not present(overseer)", "forbid fire when present(keeper)", False),
        ("forbid any for not overseer", "forbid fire for not keeper", True),
        ("forbid any for not overseer", "forbid fire for carrier", False),
        ("forbid any before greet(role=overseer)", "forbid give before greet(role=keeper)", True),
        ("forbid any before greet(role=overseer)", "forbid give after greet(role=keeper)", False),
        ("forbid any before greet", "forbid give", False),
        ("oblige greet within 2 acts after any", "oblige greet(role=tender) within 1 acts after give", True),
        ("oblige greet within 2 acts after any", "oblige greet(role=tender) with give", False),
        ("oblige greet(role=overseer) with give", "oblige greet(role=keeper) with give(glaze=sarn)", True),
        ("oblige greet with give", "oblige greet with take", False),
        ("oblige greet with give", "forbid greet", False),
        ("forbid take more than 1 per day", "forbid take(glaze=sarn) more than 1 per day", True),
        ("forbid take more than 1 per day", "forbid take", False),
        ("forbid take", "forbid take more than 1 per day", True),
    ],
)
def test_a_norm_is_aligned_if_it_holds_every_part_of_a_fragment(fragment: str, norm: str, held: bool) -> None:
    congruent, counter = expecting(congruent=[fragment]), expecting(counter=[fragment])
    assert alignment_of(parse_norm(norm), congruent, words()) is (CONGRUENT if held else ARBITRARY)
    assert alignment_of(parse_norm(norm), counter, words()) is (COUNTER if held else ARBITRARY)


def test_what_is_expected_and_not_expected_is_neither() -> None:
    setting = expecting(congruent=["forbid any when bell=ringing"], counter=["forbid any for carrier"])
    norm = parse_norm("forbid take when bell=ringing for carrier")
    assert alignment_of(norm, setting, words()) is ARBITRARY
    assert alignment_of(parse_norm("forbid take for carrier"), setting, words()) is COUNTER


def test_an_exception_is_aligned_as_its_prohibition() -> None:
    base, permit = parse_norm("forbid take"), parse_norm("permit take(glaze=sarn) overriding N1")
    setting = expecting(congruent=["forbid take"])
    assert alignment_of(Excepted(base, permit), setting, words()) is CONGRUENT
    assert family_of(Excepted(base, permit), setting) is Family.EXCEPTION


@pytest.mark.parametrize(
    ("norm", "family"),
    [
        ("forbid take", Family.PROHIBITION),
        ("forbid take more than 1 per day", Family.QUOTA),
        ("oblige greet with give", Family.OBLIGATION),
        ("oblige hail with give", Family.SPEECH),
        ("oblige greet with hail", Family.OBLIGATION),
        ("forbid ask(topic=docs)", Family.SPEECH),
        ("forbid ask when bell=ringing", Family.SPEECH),
        ("forbid go(place=well) for carrier", Family.SILLY),
    ],
)
def test_the_family_follows_the_verb_before_the_form(norm: str, family: Family) -> None:
    assert family_of(parse_norm(norm), expecting()) is family


@pytest.mark.parametrize(
    ("fragment", "message"),
    [
        ("forbid dance", "the setting has no verb 'dance'"),
        ("forbid take(size=big)", "the setting has no slot 'size'"),
        ("forbid take(glaze=kesh)", "the setting has no glaze 'kesh'"),
        ("forbid ask(topic=chief)", "the setting has no topic 'chief'"),
        ("forbid any when rain=heavy", "the setting has no signal 'rain'"),
        ("forbid any when bell=loud", "the setting has no value of bell 'loud'"),
        ("forbid any when present(king)", "the setting has no role 'king'"),
        ("forbid any for king", "the setting has no role 'king'"),
        ("forbid any before bow", "the setting has no verb 'bow'"),
        ("oblige greet with bow", "the setting has no verb 'bow'"),
        ("forbid take when", "the norm ends too early"),
    ],
)
def test_a_fragment_says_what_the_setting_can_say(fragment: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        expecting(counter=[fragment])
    assert message in str(caught.value)


def test_nothing_is_expected_and_not_expected() -> None:
    with pytest.raises(ValidationError, match="'forbid take' is both congruent and counter"):
        expecting(congruent=["forbid take"], counter=["forbid take"])
