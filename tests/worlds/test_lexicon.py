from __future__ import annotations

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.lexicon import Lexicon, draw_lexicon, split_looks
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
