"""Contexts of acts: looks for what is done to things, the circumstances for words and ways."""

from __future__ import annotations

import pytest

from normgym_agents.community.personas import read_setting
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.moments import Moment
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.lexicon import Facet, draw_lexicon
from normgym_agents.worlds.unseen import Contexts, contexts_of


def contexts(norm: str, *facets: Facet) -> Contexts:
    setting = read_setting("triage-desk")
    vocabulary = draw_lexicon(setting, Draws("unseen", 1)).vocabulary(setting, facets)
    return contexts_of(setting, vocabulary, [parse_norm(norm)])


def moment(verb: str, *slots: tuple[str, str], freeze: str = "on", present: str = "triager") -> Moment:
    return Moment(verb, slots, "writer", (("freeze", freeze),), frozenset({present}), frozenset())


def test_an_act_on_a_thing_is_known_by_its_looks_alone() -> None:
    known = contexts("forbid pick(age=stale)")
    one = moment("pick", ("age", "stale"))
    assert known.of(one) == known.of(one._replace(signals=(("freeze", "off"),), present=frozenset()))
    assert known.of(one) != known.of(moment("pick", ("age", "fresh")))
    assert known.of(one) != known.of(moment("tag", ("age", "stale")))


def test_words_are_known_by_signals_and_company_too() -> None:
    known = contexts("forbid ask(topic=docs)", Facet.SPEECH)
    asked = moment("ask", ("role", "writer"), ("topic", "docs"))
    assert known.of(asked) == known.of(asked._replace(role="curator"))
    others = [asked._replace(signals=(("freeze", "off"),)), asked._replace(present=frozenset({"curator"}))]
    assert len({known.of(one) for one in (asked, *others)}) == 3


@pytest.mark.parametrize(
    ("norm", "facets", "relevant"),
    [
        ("forbid pick(age=stale)", (), {"pick", "tag", "hand"}),
        # Nobody minds here what is asked, nor, in the next, how people are hailed.
        ("forbid pick(age=stale)", (Facet.SPEECH,), {"pick", "tag", "hand"}),
        ("forbid ask(topic=docs)", (Facet.SPEECH,), {"pick", "tag", "hand", "ask"}),
        ("forbid switch(place=inbox)", (Facet.HARMLESS,), {"pick", "tag", "hand", "switch"}),
        # What is owed may be seen; what it is owed with may not.
        ("oblige hail(address=pal) with ask", (Facet.SPEECH,), {"pick", "tag", "hand", "ask"}),
    ],
)
def test_what_is_about_no_thing_matters_where_norms_are_about_it(
    norm: str, facets: tuple[Facet, ...], relevant: set[str]
) -> None:
    known = contexts(norm, *facets)
    assert known.relevant == relevant
    for verb in ("pick", "tag", "hand", "ask", "hail", "switch", "wait"):
        assert (known.of(moment(verb)) is not None) is (verb in relevant)


def test_the_contexts_of_acts_leave_out_what_no_norm_is_about() -> None:
    known = contexts("forbid pick(age=stale)")
    acts = [moment("pick", ("age", "stale")), moment("wait"), moment("pick", ("age", "stale"), freeze="off")]
    assert known.all_of(acts) == {("pick", (("age", "stale"),))}
