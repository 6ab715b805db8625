"""Norms in plain words, for every family and every negation."""

from __future__ import annotations

import re

import pytest

from normgym_agents.community.personas import read_setting
from normgym_agents.community.statements import circumstance, statement_of, with_article
from normgym_agents.norms.enumeration import VerbSlots, Vocabulary, enumerate_norms
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.literals import ActPattern, SlotLiteral
from normgym_agents.norms.moments import Deed, Moment
from normgym_agents.norms.norm import Family
from normgym_agents.norms.units import Excepted
from normgym_agents.worlds.settings import Setting, Slot
from tests.community.playing import quick

YARD, DESK, KITCHEN = (read_setting(name).verbs for name in ("pottery-yard", "triage-desk", "noon-kitchen"))

STATEMENTS = {
    # F1
    "forbid take": "Nobody may take anything.",
    "forbid take(glaze=sarn)": "Nobody may take anything that is sarn.",
    "forbid take(glaze!=sarn)": "Nobody may take anything that is not sarn.",
    "forbid take(form=ewer)": "Nobody may take anything that is a ewer.",
    "forbid fire(form!=urn)": "Nobody may fire anything that is not an urn.",
    "forbid take(glaze=sarn, form=cup)": "Nobody may take anything that is sarn and a cup.",
    "forbid give(role=keeper)": "Nobody may give anything to a keeper.",
    "forbid give(role!=keeper)": "Nobody may give anything to anybody but a keeper.",
    "forbid give(mark=ringed)": "Nobody may give anything that is ringed to anybody.",
    "forbid give(mark=ringed, role=keeper)": "Nobody may give anything that is ringed to a keeper.",
    "forbid put(glaze=sarn)": "Nobody may put anything that is sarn back.",
    "forbid go": "Nobody may go to any place.",
    "forbid go(place!=kiln)": "Nobody may go to any place but the kiln.",
    "forbid say": "Nobody may say anything.",
    "forbid wait": "Nobody may wait.",
    # F2
    "forbid take when bell=ringing": "Nobody may take anything while the bell is ringing.",
    "forbid take when not bell=ringing": "Nobody may take anything while the bell is not ringing.",
    "forbid take(glaze=sarn) when present(keeper)": (
        "Nobody may take anything that is sarn while a keeper is with them."
    ),
    "forbid take(glaze=sarn) when not present(keeper)": (
        "Nobody may take anything that is sarn while no keeper is with them."
    ),
    "forbid fire when bell=still and not present(oiler)": (
        "Nobody may fire anything while the bell is still and no oiler is with them."
    ),
    # F3
    "forbid take for tender": "No tender may take anything.",
    "forbid take(glaze=sarn) for not tender": "Nobody but a tender may take anything that is sarn.",
    "forbid give(role=keeper) for not oiler": "Nobody but an oiler may give anything to a keeper.",
    # F5
    "forbid take before greet(role=keeper)": (
        "Nobody may take anything before they greet a keeper that day."
    ),
    "forbid take(form=cup) after greet(role=keeper)": (
        "Nobody may take anything that is a cup after they greet a keeper that day."
    ),
    "forbid give before take(glaze=sarn)": (
        "Nobody may give anything to anybody before they take anything that is sarn that day."
    ),
    # everything at once
    "forbid take(glaze=sarn) before greet when bell=still for tender": (
        "No tender may take anything that is sarn before they greet anybody that day while the bell is still."
    ),
    "forbid take when stock<2": "Nobody may take anything while the stock is below 2.",
    "forbid take when not stock<2": "Nobody may take anything while the stock is not below 2.",
    "forbid give(role!=keeper, role!=tender)": (
        "Nobody may give anything to anybody that is not a keeper and not a tender."
    ),
    # F4
    "oblige greet(role=keeper) within 2 acts after take(glaze=iron)": (
        "Whoever takes anything that is iron must greet a keeper within two acts after."
    ),
    "oblige greet within 1 acts after fire": (
        "Whoever fires anything must greet somebody within one act after."
    ),
    "oblige put within 3 acts after go(place!=kiln) for oiler": (
        "Whoever is an oiler and goes to any place but the kiln must put something back within three acts after."
    ),
    "oblige give(role!=keeper) with put(mark=ringed) for not tender": (
        "Whoever is no tender and puts anything that is ringed back "
        "must give something to somebody but a keeper right before or right after."
    ),
    # F6
    "forbid take(glaze=iron) more than 1 per day": (
        "Nobody may take anything that is iron more than once a day."
    ),
    "forbid take more than 3 per 5 acts for tender": (
        "No tender may take anything more than three times in any five of their acts."
    ),
    "forbid take more than 2 per day when bell=still": (
        "Nobody may take anything more than twice in all in a day while the bell is still."
    ),
    # F8
    "permit take(glaze=iron, mark=ringed) when stock<2 overriding N1": (
        "Anybody may nevertheless take anything that is iron and ringed while the stock is below 2, "
        "whatever the first of these says."
    ),
    "permit take(mark=ringed) for keeper overriding N3": (
        "Any keeper may nevertheless take anything that is ringed, whatever the third of these says."
    ),
    "permit fire for not keeper overriding N12": (
        "Anybody but a keeper may nevertheless fire anything, whatever the number 12 of these says."
    ),
    # F10
    "forbid take until day 4 then forbid give(role=keeper)": (
        "Until the end of day 4 nobody may take anything, and after that nobody may give anything to a keeper."
    ),
    "oblige greet with fire until day 2 announced then forbid wait for keeper": (
        "Until the end of day 2 whoever fires anything must greet somebody right before or right after, "
        "and after that, as is then told, no keeper may wait."
    ),
}

SPOKEN = {
    # F7
    "forbid ask": "Nobody may ask anybody about anything.",
    "forbid ask(topic=gossip)": "Nobody may ask anybody about gossip.",
    "forbid ask(role=mentor, topic!=docs)": "Nobody may ask a mentor about anything but docs.",
    "forbid hail(address=pal) for not mentor": "Nobody but a mentor may hail anybody as pal.",
    "oblige hail(address=doctor) with hand": (
        "Whoever hands anything to anybody must hail somebody as doctor right before or right after."
    ),
    "oblige ask within 3 acts after pick(age=stale)": (
        "Whoever picks up anything that is stale must ask somebody about something within three acts after."
    ),
    # F9
    "forbid switch(place=board) when freeze=on": "Nobody may switch to the board while the freeze is on.",
}

CALLED = {
    "forbid call(address=darling)": "Nobody may call anybody darling.",
    "forbid call(role=cook)": "Nobody may call a cook anything.",
    "oblige call(address!=chef) with serve": (
        "Whoever serves anything to anybody must call somebody something but chef right before or right after."
    ),
    "oblige nod(role=cook) within 2 acts after go(place=cellar)": (
        "Whoever goes to the cellar must nod to a cook within two acts after."
    ),
}


@pytest.mark.parametrize(
    ("rule", "verbs", "statement"),
    [
        (rule, verbs, statement)
        for verbs, statements in ((YARD, STATEMENTS), (DESK, SPOKEN), (KITCHEN, CALLED))
        for rule, statement in statements.items()
    ],
)
def test_statements(rule, verbs, statement):
    assert statement_of(parse_norm(rule), verbs) == statement


def test_a_norm_with_its_exception_is_one_sentence():
    unit = Excepted(
        parse_norm("forbid take(glaze=sarn) when bell=still"),
        parse_norm("permit take(glaze=sarn, mark=ringed) overriding N1"),
    )
    assert statement_of(unit, YARD) == (
        "Nobody may take anything that is sarn while the bell is still; "
        "anybody may nevertheless take anything that is sarn and ringed."
    )


def test_no_two_norms_of_a_world_are_stated_alike():
    """What is told must be enough to act on: different norms, different sentences."""
    for world in quick().worlds[::4]:
        norms = enumerate_norms(world.vocabulary)
        assert len({statement_of(norm, world.setting.verbs) for norm in norms}) == len(norms) > 200


@pytest.mark.parametrize("name", ["pottery-yard", "triage-desk", "noon-kitchen"])
def test_no_two_norms_of_any_family_are_stated_alike(name):
    """All that a setting can say, in every family at once."""
    setting = read_setting(name)
    norms = enumerate_norms(everything(setting))
    statements = [statement_of(norm, setting.verbs) for norm in norms]
    assert {norm.family for norm in norms} >= {Family.OBLIGATION, Family.QUOTA, Family.EXCEPTION}
    assert len(set(statements)) == len(norms) > 2000
    for statement in statements:
        assert re.fullmatch(r"[A-Z][a-z0-9',; -]+\.", statement)
        assert not re.search(r"[A-Z]", statement[1:])


def everything(setting: Setting) -> Vocabulary:
    """A vocabulary with every facet: all verbs, the first words of each pool, duties, limits, exceptions."""
    pools = {
        **setting.attributes,
        "role": setting.roles,
        "place": setting.places,
        "topic": setting.topics,
        "address": setting.addresses,
    }
    values = {name: pool.pool[:3] for name, pool in pools.items() if pool is not None}
    verbs, duties = [], []
    for name, verb in setting.verbs.items():
        slots = tuple(setting.attributes) if Slot.THING in verb.slots else ()
        names = {"to": "role", "place": "place", "topic": "topic", "address": "address"}
        slots += tuple(names[slot] for slot in verb.slots if slot in names)
        verbs.append(VerbSlots(verb=name, slots=slots))
        for slot in slots:
            literals = (SlotLiteral(slot=slot, value=values[slot][0]),)
            duties += [ActPattern(verb=name), ActPattern(verb=name, literals=literals)]
    return Vocabulary(
        values=values,
        signals=setting.signals,
        roles=values["role"],
        overseer=values["role"][0],
        verbs=tuple(verbs),
        precursors=tuple(duties[1::6]),
        duties=tuple(duties[::5]),
        within=(0, 1, 3),
        limits=(1, 2, 3),
        exceptions=True,
    )


MOMENT = Moment(
    verb="take",
    slots=(("form", "cup"), ("glaze", "sarn")),
    role="carrier",
    signals=(("bell", "ringing"), ("lamp", "lit"), ("stock", "3")),
    present=frozenset({"keeper"}),
    earlier=frozenset({Deed("greet", (("role", "keeper"),))}),
    recent=(
        Deed("greet", (("role", "keeper"),)),
        Deed("take", (("form", "bowl"), ("glaze", "velk"))),
        Deed("go", (("place", "kiln"),)),
    ),
    tally=frozenset(
        {
            (Deed("take", (("form", "bowl"), ("glaze", "velk"))), 2),
            (Deed("take", (("form", "cup"), ("glaze", "sarn"))), 1),
            (Deed("greet", (("role", "keeper"),)), 1),
        }
    ),
)

BECAUSE = {
    # in force, and broken by the moment
    "forbid take": "it was done at all",
    "forbid take(glaze=sarn)": "it was sarn",
    "forbid take(glaze!=velk)": "it was not velk",
    "forbid take(form=cup)": "it was a cup",
    "forbid take(glaze=sarn) when bell=ringing": "the bell was ringing",
    "forbid take when not bell=still": "the bell was ringing",
    "forbid take when present(keeper)": "a keeper was with them",
    "forbid take when not present(oiler)": "no oiler was with them",
    "forbid take for carrier": "they are a carrier",
    "forbid take for not keeper": "they are no keeper",
    "forbid take after greet(role=keeper)": "they did greet a keeper before",
    "forbid take before greet(role=tender)": "they did not greet a tender before",
    "forbid take before greet(role=tender) when lamp=lit": (
        "the lamp was lit and they did not greet a tender before"
    ),
    # not broken: the same respects, as they were
    "forbid take(glaze=velk)": "it was sarn",
    "forbid take(glaze!=sarn)": "it was sarn",
    "forbid take when bell=still": "the bell was ringing",
    "forbid take when not present(keeper)": "a keeper was with them",
    "forbid take for tender": "they are a carrier",
    "forbid take for not carrier": "they are a carrier",
    "forbid take before greet(role=keeper)": "they did greet a keeper before",
    "forbid take(mark=ringed)": "it was done at all",
    "forbid take when not stock<2": "the stock was 3",
    "forbid take when stock<2": "the stock was 3",
    "forbid take after greet": "they did greet somebody before",
    # which time it was, never how often is too often
    "forbid take(glaze=sarn) more than 1 per day": "it was the second time today",
    "forbid take more than 2 per day when bell=ringing": (
        "the bell was ringing and it was the fourth time today"
    ),
    "forbid take more than 1 per 3 acts": "it was the second time lately",
    "forbid take more than 1 per 2 acts": "it was the first time lately",
    "forbid greet more than 1 per day": "it was the second time today",
    # what was owed, never since when: as things stood at the end of its time
    "oblige greet(role=keeper) within 2 acts after take(glaze=velk)": "they did not greet a keeper lately",
    "oblige greet(role=keeper) within 4 acts after take(glaze=velk)": "they did greet a keeper lately",
    "oblige greet within 1 acts after go": "they did not greet anybody lately",
    "oblige greet with go": "they did not greet anybody lately",
    "oblige greet with take(glaze=velk)": "they did not greet anybody lately",
    "oblige go(place=kiln) with put for carrier": "they did go to the kiln lately and they are a carrier",
    # as it is in force
    "permit take(glaze=sarn) overriding N1": "it was sarn",
}

ASKING = Moment(
    verb="ask",
    slots=(("role", "mentor"), ("topic", "gossip")),
    role="curator",
    signals=(),
    present=frozenset(),
    earlier=frozenset(),
)


@pytest.mark.parametrize("rule", BECAUSE)
def test_circumstances(rule):
    assert circumstance(parse_norm(rule), MOMENT, YARD) == BECAUSE[rule]


@pytest.mark.parametrize(
    ("rule", "because"),
    [
        ("forbid ask(topic=gossip)", "it was about gossip"),
        ("forbid ask(topic!=docs)", "it was not about docs"),
        ("forbid ask(role=mentor)", "it was a mentor"),
    ],
)
def test_circumstances_of_speech(rule, because):
    assert circumstance(parse_norm(rule), ASKING, DESK) == because


def test_circumstances_of_words_and_places():
    hail = ASKING._replace(verb="hail", slots=(("address", "pal"), ("role", "mentor")))
    assert circumstance(parse_norm("forbid hail(address=pal)"), hail, DESK) == "the word was pal"
    go = ASKING._replace(verb="switch", slots=(("place", "forum"),))
    assert circumstance(parse_norm("forbid switch(place=forum)"), go, DESK) == "it was the forum"


def test_an_overdue_duty_is_the_reason_however_long_ago_it_was_done():
    """The act with which its time runs out is no matter; what was done before it fell due is none, either."""
    norm = parse_norm("oblige greet(role=keeper) within 2 acts after take(glaze=velk)")
    assert norm.violated_by(MOMENT)
    assert MOMENT.recent[0].verb == "greet"
    assert circumstance(norm, MOMENT, YARD) == "they did not greet a keeper lately"


@pytest.mark.parametrize(
    ("word", "phrase"),
    [("keeper", "a keeper"), ("ash", "an ash"), ("urn", "an urn"), ("ewer", "a ewer"), ("unit", "a unit")],
)
def test_articles(word, phrase):
    assert with_article(word) == phrase
