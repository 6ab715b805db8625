from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from normgym_agents.assets import asset
from normgym_agents.errors import BadInput
from normgym_agents.files import read_yaml
from normgym_agents.worlds.settings import Setting, Verb, WordPool
from tests.worlds.making import yard_setting

WAIT = {"past": "waited", "menu": "wait"}
TAKE = {
    "slots": ("thing",),
    "needs": ("hands_free", "thing_here"),
    "effects": ("hold",),
    "past": "took {thing}",
    "menu": "take THING",
}


def verb(base: dict[str, Any], **changes: Any) -> Verb:
    return Verb.model_validate(base | changes)


def setting(**changes: Any) -> Setting:
    return Setting.model_validate({**yard_setting().model_dump(), **changes})


def verbs_without(*names: str, **more: Any) -> dict[str, Any]:
    kept = {name: one for name, one in yard_setting().model_dump()["verbs"].items() if name not in names}
    return {**kept, **more}


def test_the_bundled_setting_is_as_deep_as_promised() -> None:
    bundled = yard_setting()
    assert sum(bool(one.slots and one.needs and one.effects) for one in bundled.verbs.values()) >= 4
    assert len(bundled.attributes) >= 3
    assert len(bundled.signals) >= 2
    assert bundled.roles.count >= 3
    assert len(bundled.tasks) >= 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"slots": ()}, "'thing_here' means nothing without the slot 'thing'"),
        (
            {"needs": ("hands_free", "thing_here", "receiver")},
            "'receiver' means nothing without the slot 'to'",
        ),
        ({"effects": ("hold", "move")}, "'move' means nothing without the slot 'place'"),
        ({"needs": ("thing_here",)}, "both 'hands_free' and 'thing_here'"),
        ({"needs": ()}, "both 'hands_free' and 'thing_here'"),
        ({"effects": ("hand_over",)}, "'hand_over' needs 'holding'"),
        ({"effects": ("put_back",)}, "'put_back' needs 'holding'"),
        ({"past": "took {thingg}"}, "past: nothing is known as {thingg}"),
        ({"past": "took {to}"}, "past: nothing is known as {to}"),
        ({"past": "took {thing.__class__}"}, "past: nothing is known as"),
        ({"past": "took {thing"}, "expected '}'"),
        ({"menu": "take it"}, "menu: it must name each slot"),
        ({"menu": "take THING from PERSON"}, "menu: it must name each slot"),
        ({"menu": "take\nTHING"}, "character 5 is U+000A"),
        ({"need": ()}, "Extra inputs are not permitted"),
        ({"needs": ("levitating",)}, "Input should be"),
        (
            {"needs": ("hands_free", "thing_here", "opened")},
            "'opened' means nothing without the slot 'to'",
        ),
        ({"effects": ("hold", "open")}, "'open' means nothing without the slot 'to'"),
        ({"speech": True}, "speech: it needs slots, and none but"),
        ({"harmless": True}, "harmless: it means nothing for a verb that is not normable"),
        ({"harmless": True, "normable": True}, "harmless: speech, and what is done to things or people"),
    ],
)
def test_a_verb_must_make_sense(changes: dict[str, Any], message: str) -> None:
    assert verb(TAKE).effects
    with pytest.raises(ValidationError) as caught:
        verb(TAKE, **changes)
    assert message in str(caught.value)


def test_only_what_is_always_possible_and_changes_nothing_is_idle() -> None:
    assert verb(WAIT).idle
    assert not verb(WAIT, needs=("hands_free",)).idle
    assert not verb(WAIT, remembered=True).idle
    assert not verb(TAKE).idle
    assert not yard_setting().verbs["say"].idle


@pytest.mark.parametrize(
    ("count", "pool", "message"),
    [
        (2, ("ash", "ash", "iron"), "a word stands twice in the pool"),
        (3, ("ash", "iron"), "the pool has 2 words, fewer than count=3"),
        (0, ("ash",), "greater than or equal to 1"),
        (1, ("Ash",), "String should match pattern"),
        (1, ("forbid",), "is a word of the norm language itself"),
    ],
)
def test_a_pool_must_hold_enough_words(count: int, pool: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        WordPool(count=count, pool=pool)
    assert message in str(caught.value)


def pool(*words: str, count: int = 2) -> dict[str, Any]:
    return {"count": count, "pool": words}


ASK = {
    "slots": ("to", "topic"),
    "needs": ("person_here", "topic_of_person"),
    "effects": ("open",),
    "past": "asked {to} about {topic}",
    "menu": "ask PERSON about TOPIC",
}
HAIL = {"slots": ("to", "address"), "past": "hailed {to} as {address}", "menu": "hail PERSON as ADDRESS"}
GIVE = {
    "slots": ("thing", "to"),
    "needs": ("holding", "person_here", "receiver"),
    "effects": ("hand_over",),
    "past": "gave {thing} to {to}",
    "menu": "give THING to PERSON",
}
FIRE = {
    "slots": ("thing",),
    "needs": ("holding", "unworked"),
    "effects": ("work",),
    "past": "fired {thing}",
    "menu": "fire THING",
}
LOOKS = {"form": pool("cup", "jug"), "glaze": pool("ash", "iron"), "mark": pool("barred", "ringed")}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"attributes": {"form": pool("cup", "jug"), "glaze": pool("ash", "iron")}}, "at least two more"),
        ({"attributes": {"a": LOOKS["form"], "b": LOOKS["mark"], "c": LOOKS["glaze"]}}, "needs `form`"),
        ({"attributes": {**LOOKS, "role": pool("big", "small")}}, "'role' is what acts show"),
        ({"attributes": {**LOOKS, "place": pool("big", "small")}}, "'place' is what acts show"),
        ({"attributes": {**LOOKS, "glaze": pool("ash", count=1)}}, "'glaze' needs a count of 2 or more"),
        ({"looks": "{glaze} {form}"}, "looks: it must show every attribute"),
        ({"looks": "{glaze} {mark} {form} {size}"}, "looks: nothing is known as {size}"),
        ({"signals": {"bell": ("still", "ringing")}}, "signals: a setting needs at least two"),
        (
            {"signals": {"bell": ("still", "still"), "lamp": ("lit", "dark")}},
            "both values of 'bell' are the same",
        ),
        ({"roles": pool("keeper", "carrier", "tender")}, "roles: count must be at least 3"),
        ({"workplace": "well"}, "the workplace 'well' must not be in the pool"),
        ({"verbs": verbs_without("take")}, "no verb has the effect 'hold'"),
        ({"verbs": verbs_without("give")}, "no verb has the effect 'hand_over'"),
        ({"verbs": verbs_without("go")}, "no verb has the effect 'move'"),
        ({"verbs": verbs_without("fire")}, "no verb has the effect 'work'"),
        ({"verbs": verbs_without("wait")}, "one verb must do nothing"),
        (
            {"verbs": verbs_without("wait", rest={**WAIT, "needs": ("hands_free",)})},
            "one verb must do nothing",
        ),
        (
            {"verbs": {n: {**v, "normable": False} for n, v in verbs_without().items()}},
            "norms must be able to be about one of them",
        ),
        ({"tasks": {}}, "tasks: a setting needs at least one"),
        (
            {"tasks": {"carry": {"count": 3, "worked": False, "sentence": "Bring {cuont}."}}},
            "sentence: nothing is known as {cuont}",
        ),
        ({"newcomers": ()}, "at least 1 item"),
        ({"attributes": {**LOOKS, "topic": pool("big", "small")}}, "'topic' is what acts show"),
        (
            {"signals": {"bell": ("still", "ringing"), "stock": (1, "few")}},
            "signals: 'stock' mixes a number with a word",
        ),
        ({"topics": pool("docs", "salt")}, "topics: they go with verbs that have the slot 'topic'"),
        ({"verbs": verbs_without(ask=ASK)}, "topics: they go with verbs that have the slot 'topic'"),
        (
            {"verbs": verbs_without(hail={**HAIL, "speech": True})},
            "addresses: they go with verbs that have the slot 'address'",
        ),
        (
            {"verbs": verbs_without("give", give={**GIVE, "needs": (*GIVE["needs"], "opened")})},
            "verbs: one needs 'opened', but none has the effect 'open'",
        ),
        (
            {"verbs": verbs_without("take", "fire", "give", take=TAKE, hand=GIVE, work=FIRE)},
            "norms must be able to be about one of them",
        ),
        ({"motto": "be nice"}, "Extra inputs are not permitted"),
    ],
)
def test_a_setting_must_be_complete(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        setting(**changes)
    assert message in str(caught.value)


def test_numbers_of_signals_may_be_written_as_numbers() -> None:
    signals = {**yard_setting().signals, "stock": (1, 4)}
    assert setting(signals=signals).signals["stock"] == ("1", "4")


def test_a_mistake_in_a_setting_s_file_names_the_line(tmp_path: Path) -> None:
    text = asset("personas", "settings", "pottery-yard.yaml").read_text(encoding="utf-8")
    broken = text.replace("past: fired {thing}", "past: fired {thin}")
    file = tmp_path / "broken.yaml"
    file.write_text(broken, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_yaml(file, Setting)
    block = text.splitlines().index("  fire:") + 1
    assert caught.value.file == file
    assert caught.value.line is not None
    assert block <= caught.value.line <= block + 6
    assert "nothing is known as {thin}" in caught.value.message
