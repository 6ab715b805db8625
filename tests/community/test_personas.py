"""Personas, cards and communities as people write them: what is wrong is named, with file, line and field."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from normgym_agents.assets import asset
from normgym_agents.community import authored
from normgym_agents.community.authored import open_authored
from normgym_agents.community.personas import (
    CommunityFile,
    Disclosure,
    NormCard,
    Persona,
    read_community,
    read_setting,
)
from normgym_agents.errors import BadInput
from normgym_agents.files import read_yaml
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.public import Answer
from normgym_agents.worlds.rollout import watched

PERSONA = """\
name: Ida
story: Came with the first snow.
voice: Short sentences.
goal: To mend the roof.
temperament: calm
disclosure: hint
"""

CARD = """\
norms:
  - rule: forbid take(glaze=sarn) when bell=ringing
    statement: Sarn ware is left alone while the bell rings.
answers: [gesture, rebuke]
"""

BUNDLED = ("pottery-yard", "triage-desk", "noon-kitchen")

CONTRADICTION = """\
  - rule: forbid take(glaze=sarn)
    statement: Sarn ware is left alone.
  - rule: oblige take(glaze=sarn) with fire
    statement: Who fires something takes sarn ware.
"""

EXCEPTION = """\
  - rule: permit take(glaze=sarn, mark=ringed) overriding N7
    statement: Ringed ware may be taken.
"""

TWICE = """\
  - rule: forbid  take(glaze=sarn)  when bell=ringing
    statement: I mean it.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of everything bundled, to break something in."""
    for kind in ("communities", "personas", "cards"):
        shutil.copytree(asset("personas", kind), tmp_path / kind)
    return tmp_path


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) >= 1
    file.write_text(text.replace(old, new, 1))


def refused(call, *parts: str) -> BadInput:
    with pytest.raises(BadInput) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message, message
    return caught.value


def test_a_persona_and_a_card(tmp_path):
    (tmp_path / "ida.yaml").write_text(PERSONA)
    persona = read_yaml(tmp_path / "ida.yaml", Persona)
    assert (persona.name, persona.disclosure) == ("Ida", Disclosure.HINT)
    (tmp_path / "card.yaml").write_text(CARD)
    card = read_yaml(tmp_path / "card.yaml", NormCard)
    assert card.answers == (Answer.GESTURE, Answer.REBUKE)
    assert card.canary == ""


@pytest.mark.parametrize(
    ("old", "new", "line", "parts"),
    [
        ("goal:", "aim:", 4, ("aim",)),
        ("disclosure: hint", "disclosure: always", 6, ("disclosure", "never", "hint", "tell")),
        ("name: Ida", "name: ''", 1, ("name",)),
        ("voice: Short sentences.", 'voice: "two\\nlines"', 3, ("voice",)),
        ("temperament: calm\n", "", None, ("temperament",)),
    ],
)
def test_a_wrong_persona(tmp_path, old, new, line, parts):
    file = tmp_path / "ida.yaml"
    file.write_text(PERSONA.replace(old, new))
    error = refused(lambda: read_yaml(file, Persona), str(file), *parts)
    assert line is None or error.line == line


@pytest.mark.parametrize(
    ("old", "new", "line", "parts"),
    [
        ("answers:", "replies:", 4, ("replies",)),
        ("[gesture, rebuke]", "[]", 4, ("answers",)),
        ("[gesture, rebuke]", "[shout]", 4, ("answers", "gesture", "rebuke")),
        # A norm that does not parse: the column is counted within the rule.
        (
            "when bell=ringing",
            "whenever bell=ringing",
            2,
            ("norms", "rule", "column 25", "'whenever'", "expected"),
        ),
        ("take(glaze=sarn)", "take(glaze=)", 2, ("rule", "column 19", "a word")),
        (" when bell=ringing", " when", 2, ("rule", "ends too early", "'present'")),
        ("forbid", "never", 2, ("rule", "column 1", "'forbid'")),
        # A card is a set of norms: none may stand in the way of another, and exceptions are to one of them.
        ("answers:", CONTRADICTION + "answers:", 1, ("norms", "N3", "N2 forbids in all cases")),
        ("answers:", EXCEPTION + "answers:", 1, ("norms", "N2", "N7 is no prohibition", "N1")),
        ("answers:", TWICE + "answers:", 1, ("norms", "N2", "stands twice")),
        # A mark is dealt, never written.
        ("answers:", "canary: mine\nanswers:", 4, ("canary",)),
    ],
)
def test_a_wrong_card(tmp_path, old, new, line, parts):
    file = tmp_path / "card.yaml"
    file.write_text(CARD.replace(old, new))
    error = refused(lambda: read_yaml(file, NormCard), f"{file}:{line}", *parts)
    assert error.line == line


@pytest.mark.parametrize("name", BUNDLED)
def test_everything_bundled_is_right(folder, name):
    community, members = read_community(name)
    assert len(members) == 6
    assert {m.role for m in members} == set(community.words.roles)
    assert read_community(name, folder) == (community, members)
    assert read_setting(community.setting).name == community.setting
    assert open_authored(name, folder=folder) == open_authored(name)


def test_nobody_is_written_for_nothing():
    """Every persona and every card stands in a community, and every setting has one."""
    communities = [read_community(path.stem)[0] for path in asset("personas", "communities").glob("*.yaml")]
    entries = [entry for community in communities for entry in community.members]
    for kind, used in (
        ("personas", {entry.persona for entry in entries}),
        ("cards", {entry.card for entry in entries}),
        ("settings", {community.setting for community in communities}),
    ):
        assert {path.stem for path in asset("personas", kind).glob("*.yaml")} == used


def test_no_two_people_are_of_one_temper():
    read = [read_yaml(path, Persona) for path in asset("personas", "personas").glob("*.yaml")]
    for field in ("name", "story", "voice", "goal", "temperament"):
        assert len({getattr(persona, field) for persona in read}) == len(read) == 18


@pytest.mark.parametrize("name", BUNDLED[1:])
def test_an_exception_is_to_the_same_norm_on_every_card_and_in_the_world(name):
    """Labels count the norms of the set that they stand in."""
    world, cards = open_authored(name)
    overridden = {norm.overriding and world.norms[int(norm.overriding[1:]) - 1] for norm in world.parsed}
    for card in cards:
        for held in card.norms:
            label = parse_norm(held.rule).overriding
            assert label is None or card.norms[int(label[1:]) - 1].rule in overridden
    assert RuleSet(world.parsed).norms == world.parsed


@pytest.mark.parametrize("name", BUNDLED[1:])
def test_people_at_the_further_places_break_and_keep_what_they_hold(name):
    """In the two days that are watched, most norms of the community are broken by somebody."""
    world, _ = open_authored(name)
    rules = RuleSet(world.parsed)
    broken = {i for event in watched(world) for i in rules.broken_by(event.moment)}
    assert len(broken) >= 3


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("role: carrier}", "role: baker}", ("'baker'", "keeper")),
        ("newcomer_role: carrier", "newcomer_role: baker", ("'baker'",)),
        ("persona: sef, card: sef", "persona: mira, card: sef", ("'mira' stands twice",)),
        ("persona: sef,", "persona: seff,", ("seff", "members[1]", "'sef'")),
        ("card: oren", "card: orin", ("orin", "members[2]", "'oren'")),
        ("explicitness: L1", "explicitness: L3", ("explicitness", "L0")),
        ("detection: 0.9", "detection: 1.5", ("detection",)),
        ("places: [shed, well, court, kiln]", "places: [shed, shed]", ("places", "'shed' stands twice")),
        # With one value there would be no way to draw looks that differ; it must not hang.
        ("mark: [ringed, barred]", "mark: [ringed]", ("mark",)),
        ("mark: [ringed, barred]", "shape: [ringed, barred]", ("words.attributes", "mark")),
        ("newcomer: Tam", "newcomer: Mira", ("two people are called 'Mira'",)),
        ("setting: pottery-yard", "setting: mill", ("mill", "pottery-yard.yaml")),
        ("name: pottery-yard", "title: pottery-yard", ("title",)),
        ("bell: [ringing, still]", "bell: [ringing]", ("bell",)),
        ("keeper, carrier, tender]", "keeper, carrier, for]", ("'for'",)),
        ("newcomer: Tam", "topics: [price]\n  newcomer: Tam", ("words.topics", "no topics", "nothing")),
    ],
)
def test_a_wrong_community(folder, old, new, parts):
    file = folder / "communities" / "pottery-yard.yaml"
    edit(file, old, new)
    where = "settings" if "mill" in new else str(file)
    refused(lambda: read_community("pottery-yard", folder), where, *parts)


def test_people_must_have_something_to_be_asked_about(folder):
    file = folder / "communities" / "triage-desk.yaml"
    edit(file, "  topics: [docs, typos, licences]\n", "")
    refused(lambda: read_community("triage-desk", folder), str(file), "words.topics", "some topics", "docs")


def test_members_are_four_to_six(folder):
    file = folder / "communities" / "pottery-yard.yaml"
    text = file.read_text()
    for gone in ("bram", "dalia", "yusra"):
        text = "\n".join(line for line in text.splitlines() if f"persona: {gone}" not in line)
    file.write_text(text)
    refused(lambda: read_yaml(file, CommunityFile), "members", "4")


@pytest.mark.parametrize("name", ["nowhere", "../personas/mira"])
def test_no_such_community(name, folder):
    refused(lambda: read_community(name), name)
    refused(lambda: read_community("nowhere", folder), "nowhere", "pottery-yard")


def test_a_missing_folder_is_bad_input(tmp_path):
    refused(lambda: read_community("pottery-yard", tmp_path / "gone"), "pottery-yard")


@pytest.mark.parametrize(
    ("rule", "word"),
    [
        ("forbid take(glaze=ash)", "ash"),
        ("forbid steal", "steal"),
        ("forbid take when gong=still", "gong"),
        ("forbid take for baker", "baker"),
        ("forbid give before take(glaze=sarn)", "take"),
        ("oblige greet(role=baker) with give", "baker"),
        ("forbid take(glaze=sarn) until day 1 then forbid take(glaze=ash)", "ash"),
        ("forbid take when bell<2", "bell"),
    ],
)
def test_a_norm_that_the_community_has_no_words_for(folder, rule, word):
    edit(folder / "cards" / "sef.yaml", "forbid take(glaze=sarn) when bell=ringing", rule)
    # Where the community's file is read, and so by whoever lists people or draws worlds for them.
    fault = refused(lambda: read_community("pottery-yard", folder), rule, "pottery-yard", word)
    assert (fault.file, fault.line) == (folder / "cards" / "sef.yaml", 3)
    assert fault.field == "norms[0].rule"


def test_cards_of_one_community_go_together(folder):
    """What one member asks for must not be what another forbids in all cases."""
    edit(
        folder / "cards" / "sef.yaml",
        "forbid take(glaze=sarn) when bell=ringing",
        "oblige take(glaze=velk) with give",
    )
    edit(folder / "cards" / "dalia.yaml", "forbid give before greet(role=keeper)", "forbid take")
    fault = refused(
        lambda: read_community("pottery-yard", folder), "pottery-yard", "do not go together", "N1", "take"
    )
    assert (fault.file, fault.line) == (folder / "cards" / "sef.yaml", 3)


def test_cards_must_leave_a_way_to_do_a_task(folder, monkeypatch):
    monkeypatch.setattr(authored, "DAYS", 2)
    edit(
        folder / "cards" / "sef.yaml", "forbid take(glaze=sarn) when bell=ringing", "forbid take for carrier"
    )
    refused(
        lambda: open_authored("pottery-yard", folder=folder), "members", "without breaking", "forbid take"
    )


def test_a_task_must_be_possible_at_all(monkeypatch):
    monkeypatch.setattr(authored, "DAYS", 2)
    monkeypatch.setattr(authored, "BUDGET", 3)
    refused(lambda: open_authored("pottery-yard"), "tasks", "pottery-yard", "3 acts")


def test_a_norm_may_be_spelled_with_other_spaces(folder):
    """It is the norm that counts, not its spelling: whoever holds it answers."""
    edit(folder / "cards" / "sef.yaml", "take(glaze=sarn) when", "take( glaze = sarn )   when")
    world, _ = open_authored("pottery-yard", folder=folder)
    assert world.norms == open_authored("pottery-yard")[0].norms


def test_the_workplace_is_where_the_setting_says(folder):
    """Wherever it stands among the places, and also if it was left out."""
    file = folder / "communities" / "pottery-yard.yaml"
    edit(file, "[shed, well, court, kiln]", "[kiln, shed, well]")
    first, _ = open_authored("pottery-yard", folder=folder)
    edit(file, "[kiln, shed, well]", "[shed, well]")
    left_out, _ = open_authored("pottery-yard", folder=folder)
    for world in (first, left_out):
        assert world.probe.stage.workplace == "kiln"
        assert world.probe.stage.places == ("shed", "well", "kiln")
