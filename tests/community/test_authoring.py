"""What helps people to write: schemas that say what the code reads, texts that are refused, files that are written."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from normgym_agents.assets import asset
from normgym_agents.community.authoring.checking import check
from normgym_agents.community.authoring.drafting import Draft, key_of
from normgym_agents.community.authoring.kinds import Kind, kind_of
from normgym_agents.community.authoring.schemas import file_name, schema_of, schema_text
from normgym_agents.community.authoring.writing import write_new, yaml_text
from normgym_agents.community.held import CardFile
from normgym_agents.community.written import Persona
from normgym_agents.errors import BadInput
from normgym_agents.files import faults_of_yaml, read_yaml

PUBLISHED = Path(__file__).parents[2] / "docs" / "schemas"

IDA = """\
name: Ida
story: Came with the first snow.
voice: Short sentences.
goal: To mend the roof.
temperament: calm
disclosure: hint
"""


@pytest.mark.parametrize("kind", Kind)
def test_published_schemas_are_those_of_the_code(kind):
    """Written anew by: normgym persona schema KIND > docs/schemas/KIND.json."""
    assert (PUBLISHED / file_name(kind)).read_text("utf-8") == schema_text(kind)


@pytest.mark.parametrize("kind", Kind)
def test_a_schema_explains_every_key_and_knows_no_other(kind):
    schema = schema_of(kind)
    objects = [schema, *(part for part in schema["$defs"].values() if part["type"] == "object")]
    for part in objects:
        assert part["additionalProperties"] is False
        for name, key in part["properties"].items():
            assert key.get("description"), f"{part['title']}.{name}"
    assert set(schema["properties"]) == set(kind.model.model_fields)


def test_schemas_reach_for_nothing_elsewhere():
    for kind in Kind:
        assert schema_text(kind).count("://") == 1  # the name of the dialect
        assert '"$ref": "#/' in schema_text(kind)


@pytest.fixture
def ida(tmp_path):
    def write(text):
        file = tmp_path / "ida.yaml"
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        return file

    return write


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\\0", "U+0000"),
        ("\\x1b", "U+001B"),
        ("\\x85", "U+0085"),
        ("\u202e", "U+202E, RIGHT-TO-LEFT OVERRIDE"),
        ("\u2066", "U+2066"),
        ("\u200b", "U+200B"),
        ("\u00ad", "U+00AD"),
        ("\\u2028", "U+2028"),
        ("\U000e0041", "U+E0041"),
        ("\\n", "U+000A"),
    ],
)
def test_hidden_characters_are_named(ida, character, name):
    (fault,) = faults_of_yaml(ida(IDA.replace("calm", f'"ca{character}lm"')), Persona)
    assert (fault.line, fault.field) == (5, "temperament")
    assert "character 3" in fault.message and name in fault.message


@pytest.mark.parametrize("text", ["خوب", "می\u200cروم", "李雷", "Zoë 👩\u200d🌾", "Ngũgĩ", "क्\u200dष"])
def test_every_tongue_may_be_written(ida, text):
    assert read_yaml(ida(IDA.replace("calm", f'"{text}"')), Persona).temperament == text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('a: &a ["x","x"]\nb: &b [*a,*a]\n', ("anchors and aliases",)),
        (IDA + "<<: {name: Eva}\n", ("<<", "not a known key")),
        (IDA + "other: !include /etc/passwd\n", ("tag", "not allowed")),
        (IDA + "name: Eva\n", ("'name'", "twice")),
        (IDA.encode() + b"\xff\n", ("UTF-8",)),
        (IDA.encode("utf-16"), ("UTF-8",)),
        (IDA.encode() + b"\x00", ("character",)),
        (b"\0" * 100, ("character",)),
        (IDA.replace("calm", "c" * 201), ("at most 200 characters",)),
        (IDA.replace("calm", '"   "'), ("blank",)),
        ("[" * 400_000, ("nested too deep",)),
        ("a: [" + "1," * 400_000 + "]", ("holds too much",)),
        ("- a\n" * 240_000, ("holds too much",)),
        ("x" * 1_000_001, ("too large",)),
    ],
)
def test_nothing_blows_up(ida, text, parts):
    file, start = ida(text), time.monotonic()
    (fault,) = faults_of_yaml(file, Persona)
    assert time.monotonic() - start < 20
    for part in parts:
        assert part in str(fault)


def test_every_fault_of_a_file_is_told_in_its_order(ida):
    text = IDA.replace("goal:", "gaol:").replace("hint", "sometimes").replace("name: Ida", "name: ''")
    faults = faults_of_yaml(ida(text + "extra: 1\n"), Persona)
    assert [(fault.line, fault.field) for fault in faults] == [
        (1, "name"),
        (1, "goal"),
        (4, "gaol"),
        (6, "disclosure"),
        (7, "extra"),
    ]
    assert "did you mean 'goal'?" in faults[2].message


@pytest.fixture
def copied(tmp_path):
    for kind in Kind:
        shutil.copytree(asset("personas", kind.folder), tmp_path / kind.folder)
    return tmp_path


def test_all_that_is_bundled_is_right():
    checked = check([asset("personas")])
    assert not checked.faults
    assert len(checked.files) == len(list(asset("personas").glob("*/*.yaml")))


def test_a_folder_is_checked_whole(copied):
    (copied / "personas" / "mira.yaml").write_text("name: Mira\n")
    (copied / "cards" / "Sef.yaml").write_text("norms: []\nanswers: [shout]\n")
    (copied / "cards" / "eva.yml").write_text("norms: []\nanswers: [gesture]\n")
    setting = copied / "settings" / "pottery-yard.yaml"
    shutil.copy(setting, copied / "settings" / "mill.yaml")
    checked = check([copied])
    at = {(Path(str(fault.file)).name, fault.field) for fault in checked.faults}
    assert at == {
        *(("mira.yaml", field) for field in ("story", "voice", "goal", "temperament", "disclosure")),
        ("Sef.yaml", "answers[0]"),
        ("Sef.yaml", None),
        ("eva.yml", None),
        ("mill.yaml", "name"),
    }


def test_a_file_beside_the_folders_is_named(tmp_path, ida):
    home = tmp_path / "personas"
    (home / "cards").mkdir(parents=True)
    (home / "cards" / "eva.yaml").write_text("norms: []\nanswers: [gesture]\n")
    shutil.copy(ida(IDA), home / "ida.yaml")
    (fault,) = check([home]).faults
    assert (fault.file, fault.message) == (home / "ida.yaml", "nothing looks for it here")


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("mark: [ringed, barred]", f"mark: [{', '.join(f'm{i}' for i in range(12))}]", "words.attributes"),
        ("places: [shed,", f"places: [{', '.join(f'p{i}' for i in range(10))}, shed,", "words.places"),
        ("lamp: [lit, dark]", "\n    ".join(f"l{i}: [lit, dark]" for i in range(6)), "words.signals"),
    ],
)
def test_there_are_no_more_words_than_can_be_thought_through(copied, old, new, field):
    file = copied / "communities" / "pottery-yard.yaml"
    text = file.read_text().replace("form: [cup, bowl, plate]", "form: [cup, bowl, plate, pot]")
    assert old in text
    file.write_text(text.replace(old, new))
    assert field in {fault.field for fault in check([file]).faults}


def test_a_community_is_opened_as_to_play_it(copied, monkeypatch):
    monkeypatch.setattr("normgym_agents.community.authored.DAYS", 2)
    card = copied / "cards" / "sef.yaml"
    card.write_text(card.read_text().replace("take(glaze=sarn) when bell=ringing", "take for carrier"))
    (fault,) = check([copied / "communities" / "pottery-yard.yaml"]).faults
    assert fault.file == copied / "communities" / "pottery-yard.yaml"
    assert "without breaking" in fault.message


def test_ones_own_community_may_have_ones_own_setting_and_bundled_people(tmp_path):
    for kind, name in ((Kind.COMMUNITY, "mill"), (Kind.SETTING, "mill")):
        (tmp_path / kind.folder).mkdir()
        text = asset("personas", kind.folder, "pottery-yard.yaml").read_text()
        text = text.replace("name: pottery-yard", f"name: {name}").replace(
            "setting: pottery-yard", "setting: mill"
        )
        (tmp_path / kind.folder / f"{name}.yaml").write_text(text.replace("the pottery yard", "the mill"))
    checked = check([tmp_path])
    assert (len(checked.files), checked.faults) == (2, ())


@pytest.mark.parametrize(
    ("text", "kind"),
    [(IDA, Kind.PERSONA), ("answers: [gesture]\n", Kind.CARD), ("members: []\n", Kind.COMMUNITY)],
)
def test_a_file_anywhere_is_known_by_its_keys(ida, text, kind):
    assert kind_of(ida(text)) is kind


def test_a_file_of_no_kind(ida):
    (fault,) = check([ida("colour: red\n")]).faults
    assert "nothing tells what it is to be" in fault.message


def test_what_is_not_there_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="there is nothing here"):
        check([tmp_path / "gone"])
    with pytest.raises(BadInput, match="nothing to check in it"):
        check([tmp_path])


@pytest.mark.parametrize(
    "text", ["No", "1e5", "0o17", "12:30", "~", "a: b", "# x", "'", '"', "\\", "true", "=", "- a", "é“"]
)
def test_what_is_written_reads_back(tmp_path, text):
    persona = Persona(name=text, story=text, voice=text, goal=text, temperament=text, disclosure="never")
    file = tmp_path / "x.yaml"
    file.write_text(yaml_text(persona), "utf-8")
    assert read_yaml(file, Persona) == persona


@pytest.mark.parametrize(
    ("name", "key"),
    [("Ana María", "ana-maria"), ("O'Brien 2", "o-brien"), ("李雷", None), ("For", None), ("Ŵyn", "wyn")],
)
def test_names_of_files(name, key):
    assert key_of(name) == key


def draft(name: str) -> Draft:
    persona = Persona(name=name, story="s", voice="v", goal="g", temperament="t", disclosure="never")
    return Draft(key=name.lower(), persona=persona, card=CardFile(norms=(), answers=("gesture",)))


def test_files_are_written_all_or_none_and_never_over_another(tmp_path):
    home = tmp_path / "mine"
    write_new(draft("Ida").files(home))
    before = {file: file.read_bytes() for file in home.rglob("*.yaml")}
    assert check([home]).faults == () and len(before) == 2
    (home / "cards" / "eva.yaml").symlink_to("nowhere")
    with pytest.raises(BadInput, match=r"eva\.yaml: is there already"):
        write_new({**draft("Ola").files(home), **draft("Eva").files(home)})
    assert {file: file.read_bytes() for file in home.rglob("*.yaml") if not file.is_symlink()} == before


def test_a_write_that_fails_half_way_leaves_nothing(tmp_path):
    (tmp_path / "cards").write_text("a file where a folder would be")
    with pytest.raises(BadInput, match="cannot be written"):
        write_new(draft("Ida").files(tmp_path))
    assert os.listdir(tmp_path) == ["cards"]


def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch):
    calls = []

    def interrupt(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_new(draft("Ida").files(tmp_path / "new" / "folder"))
    assert os.listdir(tmp_path) == []


def test_schemas_are_json():
    assert all(json.loads(schema_text(kind))["title"] == kind.value for kind in Kind)
