"""Norms in plain words, for every family and every negation."""

from __future__ import annotations

import pytest

from normgym_agents.community.personas import read_setting
from normgym_agents.community.statements import circumstance, statement_of, with_article
from normgym_agents.norms.hypotheses import enumerate_norms
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.moments import Deed, Moment
from tests.community.playing import quick

VERBS = read_setting("pottery-yard").verbs

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
}


@pytest.mark.parametrize("rule", STATEMENTS)
def test_statements(rule):
    assert statement_of(parse_norm(rule), VERBS) == STATEMENTS[rule]


def test_no_two_norms_of_a_world_are_stated_alike():
    """What is told must be enough to act on: different norms, different sentences."""
    for world in quick().worlds[::4]:
        norms = enumerate_norms(world.vocabulary)
        assert len({statement_of(norm, world.setting.verbs) for norm in norms}) == len(norms) > 200


MOMENT = Moment(
    verb="take",
    slots=(("form", "cup"), ("glaze", "sarn")),
    role="carrier",
    signals=(("bell", "ringing"), ("lamp", "lit")),
    present=frozenset({"keeper"}),
    earlier=frozenset({Deed("greet", (("role", "keeper"),))}),
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
}


@pytest.mark.parametrize("rule", BECAUSE)
def test_circumstances(rule):
    assert circumstance(parse_norm(rule), MOMENT, VERBS) == BECAUSE[rule]


@pytest.mark.parametrize(
    ("word", "phrase"),
    [("keeper", "a keeper"), ("ash", "an ash"), ("urn", "an urn"), ("ewer", "a ewer"), ("unit", "a unit")],
)
def test_articles(word, phrase):
    assert with_article(word) == phrase
