from __future__ import annotations

import pytest

from normgym_agents.community.personas import read_setting
from normgym_agents.errors import BadInput
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.lexicon import Facet, Lexicon, draw_lexicon, split_looks
from normgym_agents.worlds.settings import Setting
from tests.worlds.making import quick, yard_setting

SEEDS = range(40)


def drawn(seed: int) -> Lexicon:
    return draw_lexicon(yard_setting(), Draws("lexicon", seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_of_the_probe_is_seen_but_all_it_is_made_of(seed: int) -> None:
    lexicon = drawn(seed)
    form = lexicon.attributes["form"][0]
    seen, unseen = ([tuple(sorted(one.items())) for one in some] for some in (lexicon.seen, lexicon.unseen))
    assert not set(seen) & set(unseen)
    assert len(set(seen)) + len(set(unseen)) == len(seen) + len(unseen) == 3 * 2 * 3
    for name, values in lexicon.attributes.items():
        asked_for = [one for one in lexicon.seen if name == "form" or one["form"] == form]
        assert {one[name] for one in asked_for} == set(values)
        probed = [one for one in lexicon.unseen if name == "form" or one["form"] == form]
        assert len({one[name] for one in probed}) >= 2
    # Half of what the task asks for, a third of the rest.
    assert sum(one["form"] == form for one in lexicon.unseen) == 3
    assert sum(one["form"] != form for one in lexicon.unseen) == 4


@pytest.mark.parametrize("seed", SEEDS)
def test_words_are_the_setting_s_and_each_stands_once(seed: int) -> None:
    setting, lexicon = yard_setting(), drawn(seed)
    assert lexicon.places[-1] == setting.workplace
    assert len(set(lexicon.places)) == setting.places.count + 1
    assert set(lexicon.places[:-1]) <= set(setting.places.pool)
    for name, pool in setting.attributes.items():
        assert len(set(lexicon.attributes[name])) == pool.count
        assert set(lexicon.attributes[name]) <= set(pool.pool)
    assert len(lexicon.signals) == 2
    assert all(setting.signals[name] == values for name, values in lexicon.signals.items())
    assert len(set(lexicon.roles)) == setting.roles.count
    assert lexicon.newcomer in setting.newcomers


def test_worlds_differ_in_their_words() -> None:
    lexicons = [drawn(seed) for seed in SEEDS]
    assert len({lexicon.attributes["glaze"] for lexicon in lexicons}) > 35
    assert {lexicon.roles[0] for lexicon in lexicons} == set(yard_setting().roles.pool)
    assert {name for lexicon in lexicons for name in lexicon.signals} == set(yard_setting().signals)


def test_the_vocabulary_is_what_norms_can_be_about() -> None:
    lexicon = drawn(1)
    vocabulary = lexicon.vocabulary(yard_setting())
    assert {verb.verb: verb.slots for verb in vocabulary.verbs} == {
        "take": ("glaze", "mark", "form"),
        "fire": ("glaze", "mark", "form"),
        "give": ("glaze", "mark", "form", "role"),
    }
    assert vocabulary.values == {**lexicon.attributes, "role": lexicon.roles}
    assert vocabulary.overseer == lexicon.roles[0]
    assert [(pattern.verb, pattern.literals[0].value) for pattern in vocabulary.precursors] == [
        ("greet", role) for role in lexicon.roles
    ]


def triage() -> tuple[Setting, Lexicon]:
    setting = read_setting("triage-desk")
    return setting, draw_lexicon(setting, Draws("triage"))


def test_topics_and_addresses_are_drawn_where_the_setting_has_them() -> None:
    setting, lexicon = triage()
    assert setting.topics is not None
    assert setting.addresses is not None
    assert len(set(lexicon.topics)) == setting.topics.count
    assert set(lexicon.topics) <= set(setting.topics.pool)
    assert len(set(lexicon.addresses)) == setting.addresses.count
    assert (drawn(1).topics, drawn(1).addresses) == ((), ())


def test_without_facets_norms_are_about_neither_speech_nor_harmless_acts() -> None:
    setting, lexicon = triage()
    vocabulary = lexicon.vocabulary(setting)
    assert [entry.verb for entry in vocabulary.verbs] == ["pick", "tag", "hand"]
    assert set(vocabulary.values) == {"label", "age", "form", "role"}
    assert (vocabulary.duties, vocabulary.within, vocabulary.limits, vocabulary.exceptions) == (
        (),
        (),
        (),
        False,
    )


def test_facets_add_what_norms_can_be_about() -> None:
    setting, lexicon = triage()
    base = lexicon.vocabulary(setting)
    spoken = lexicon.vocabulary(setting, [Facet.SPEECH])
    assert {entry.verb: entry.slots for entry in spoken.verbs if entry not in base.verbs} == {
        "ask": ("role", "topic"),
        "hail": ("role", "address"),
    }
    assert spoken.values == {**base.values, "topic": lexicon.topics, "address": lexicon.addresses}
    silly = lexicon.vocabulary(setting, [Facet.HARMLESS])
    assert {entry.verb: entry.slots for entry in silly.verbs if entry not in base.verbs} == {
        "switch": ("place",)
    }
    assert silly.values == {**base.values, "place": lexicon.places}
    owed = lexicon.vocabulary(setting, [Facet.DUTIES])
    assert owed.verbs == base.verbs
    # By role for ask, hail and ping, by topic for ask, by address for hail.
    assert len(owed.duties) == 3 * 3 + 3 + 2
    assert owed.within == (1, 2, 0)
    assert lexicon.vocabulary(setting, [Facet.LIMITS]).limits == (1, 2)
    assert lexicon.vocabulary(setting, [Facet.EXCEPTIONS]) == base.model_copy(update={"exceptions": True})


def test_a_draw_of_words_is_a_function_of_its_key() -> None:
    assert drawn(3) == drawn(3)
    assert drawn(3) != drawn(4)


@pytest.mark.parametrize("name", ["form", "glaze"])
def test_looks_that_cannot_differ_are_refused(name: str) -> None:
    attributes: dict[str, tuple[str, ...]] = {
        "form": ("cup", "jug"),
        "glaze": ("ash", "iron"),
        "mark": ("barred", "ringed"),
    }
    unseen, seen = split_looks(attributes, Draws("split"))
    assert len(unseen) + len(seen) == 8
    with pytest.raises(BadInput, match=f"no choice of '{name}'"):
        split_looks({**attributes, name: ("one", "one")}, Draws("split"))


def test_probes_of_the_bundled_worlds_hold_nothing_that_was_shown() -> None:
    for world in quick().worlds:
        stages = [*(day.stage for day in world.watch), world.practise.stage]
        shown = {thing.slots for stage in stages for thing in stage.things}
        asked_for = [t for t in world.probe.stage.things if t.attributes["form"] == world.probe.task.form]
        assert len(asked_for) >= world.probe.task.count
        assert not shown & {thing.slots for thing in world.probe.stage.things}
        for name, values in world.vocabulary.values.items():
            if name != "role":
                assert {dict(slots)[name] for slots in shown} == set(values)


@pytest.mark.parametrize("alike", [False, True])
def test_things_of_the_probe_are_alike_in_either_attribute_only_where_that_is_asked(alike: bool) -> None:
    setting, corners = yard_setting(), 0
    for key in range(20):
        lexicon = draw_lexicon(setting, Draws("alike", key), alike=alike)
        form = lexicon.attributes["form"][0]
        looks = [one for one in lexicon.unseen if one["form"] == form]
        glazes, marks = ([one[name] for one in looks] for name in ("glaze", "mark"))
        corners += any(glazes.count(one["glaze"]) > 1 and marks.count(one["mark"]) > 1 for one in looks)
        for name, values in lexicon.attributes.items():
            assert {one[name] for one in lexicon.seen} == set(values)
    assert (corners > 0) is alike
