from __future__ import annotations

import json
import os
import threading
from enum import Enum
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, RootModel, field_validator

from normgym_agents.errors import BadInput
from normgym_agents.files import MAX_BYTES, read_yaml, write_atomic


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Tone(Enum):
    WARM = "warm"
    COLD = "cold"


class Card(Strict):
    norm: str
    strictness: float = Field(default=0.5, ge=0, le=1)
    sanctions: tuple[Literal["frown", "fine"], ...] = ()

    @field_validator("norm")
    @classmethod
    def _parses(cls, norm: str) -> str:
        if norm == "unparsable":
            raise BadInput("expected a verb", line=2, field="norm", expected="take | go")
        if norm.startswith("bad"):
            raise ValueError("no such\n  norm")
        return norm


class Dog(Strict):
    kind: Literal["dog"]
    bark: str


class Cat(Strict):
    kind: Literal["cat"]
    mew: str


class Cards(RootModel[list[Card]]):
    model_config = ConfigDict(frozen=True)


class Persona(Strict):
    name: str
    tone: Tone = Tone.WARM
    age: int | None = None
    cards: dict[str, Card] = {}
    listed: list[Card | int] = []
    pet: Annotated[Dog | Cat, Field(discriminator="kind")] | None = None
    deck: Cards | None = None
    role_name: str = Field(default="carrier", alias="role")


@pytest.fixture
def read(tmp_path):
    def read(text: str | bytes) -> Persona:
        path = tmp_path / "mira.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_yaml(path, Persona)

    return read


@pytest.fixture
def refused(read):
    """The message for a text that must be refused, without the folder."""

    def refused(text: str | bytes) -> str:
        with pytest.raises(BadInput) as caught:
            read(text)
        message = str(caught.value)
        assert "\n" not in message
        folder, found, rest = message.partition("mira.yaml")
        assert folder and found, message
        return rest

    return refused


def test_a_good_file_fills_the_model(read):
    text = """\
# a comment
name: Mira
tone: cold
age: 31
role: keeper
cards:
  first: {norm: forbid take, strictness: 1, sanctions: [frown, fine]}
listed:
- 3
- norm: |
    two
    lines
pet: {kind: cat, mew: loud}
"""
    persona = read(text)
    assert persona.cards["first"] == Card(norm="forbid take", strictness=1, sanctions=("frown", "fine"))
    assert persona.listed == [3, Card(norm="two\nlines\n")]
    assert (persona.tone, persona.age, persona.role_name) == (Tone.COLD, 31, "keeper")
    assert persona.pet == Cat(kind="cat", mew="loud")


@pytest.mark.parametrize("word", ["No", "on", "yes", "12:30", "2026-01-02", "0x1f", "1_000", ".inf", "="])
def test_words_that_other_readers_of_yaml_change_stay_words(read, word):
    assert read(f"name: {word}").name == word


def test_a_byte_order_mark_is_no_character_of_the_first_key(read):
    assert read(b"\xef\xbb\xbfname: Mira").name == "Mira"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nam: Mira", ":1: nam: is not a known key: did you mean 'name'?; 1 more to mend (expected: one of"
         " age, cards, deck, listed, name, pet, role, tone)"),
        ("name: Mira\ncards:\n  a:\n    norm: x\n    strictnes: 1\n",
         ":5: cards.a.strictnes: is not a known key: did you mean 'strictness'?"
         " (expected: one of norm, sanctions, strictness)"),
        ("name: Mira\nlisted:\n- 1\n- norm: x\n  colour: red\n",
         ":5: listed[1].colour: is not a known key; 1 more to mend (expected: one of norm, sanctions, strictness)"),
        ("name: Mira\npet:\n  kind: dog\n  bark: x\n  mew: y",
         ":5: pet.mew: is not a known key (expected: one of bark, kind)"),
        ("name: Mira\ndeck:\n- norm: x\n  norn: x",
         ":4: deck[0].norn: is not a known key: did you mean 'norm'? (expected: one of norm, sanctions, strictness)"),
        ('name: Mira\n"a b\\e": 1',
         ":2: 'a b\\x1b': is not a known key (expected: one of age, cards, deck, listed, name, pet, role, tone)"),
        ("age: 3", ":1: name: is missing (expected: this key with a value)"),
        ("name: Mira\ncards:\n  a:\n    strictness: 1", ":3: cards.a.norm: is missing (expected: this key with a value)"),
        ("name: 5", ":1: name: 5 does not fit (expected: a valid string)"),
        ('name: x\nage: "5"', ':2: age: "5" does not fit (expected: a valid integer)'),
        ("name:\n", ":1: name: null does not fit (expected: a valid string)"),
        ("name: x\ntone: wram", ":2: tone: \"wram\" does not fit (expected: 'warm' or 'cold')"),
        ("name: x\ncards: [1]", ":2: cards: a list does not fit (expected: a mapping)"),
        ("name: x\ncards:\n  a:\n    norm: x\n    sanctions:\n    - frown\n    - fin",
         ":7: cards.a.sanctions[1]: \"fin\" does not fit (expected: 'frown' or 'fine')"),
        ("name: x\ncards:\n  a: {norm: x, strictness: 2}",
         ":3: cards.a.strictness: 2 does not fit (expected: less than or equal to 1)"),
        ("name: x\ncards:\n  a: {norm: bad}", ":3: cards.a.norm: no such norm"),
        ("name: x\ncards:\n  a: {norm: unparsable}", ": norm: line 2: expected a verb (expected: take | go)"),
        ("- 1", ":1: a list does not fit (expected: a mapping)"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_located_and_explained(refused, text, message):
    assert refused(text) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: x\nname: y", ":2: the key 'name' is there twice (first in line 1) (expected: each key once)"),
        ("name: x\ncards: {a: 1, 'a': 2}",
         ":2: the key 'a' is there twice (first in line 2) (expected: each key once)"),
        ("name: &a x", ":1: anchors and aliases are not allowed (expected: the text itself)"),
        ("name: x\ncards: *a", ":2: anchors and aliases are not allowed (expected: the text itself)"),
        ("name: !!python/object/apply:os.abort []",
         ":1: the tag 'tag:yaml.org,2002:python/object/apply:os.abort' is not allowed (expected: no tags)"),
        ("name: !!null word", ":1: the tag 'tag:yaml.org,2002:null' is not allowed (expected: no tags)"),
        ("name: x\ncards: " + "[" * 100, ":2: is nested too deep (expected: at most 40 levels)"),
        ("? [a]\n: 1", ":1: a key must be one word (expected: key: value)"),
        ("name: x\n---\nname: y", ":2: is not valid YAML: but found another document"),
        ("name: a: b", ":1: is not valid YAML: mapping values are not allowed here"),
        ("name: x\nage: [1", ":2: is not valid YAML: expected ',' or ']', but got '<stream end>'"),
        ("name: x\nage: 1e999", ":2: 1e999… is too large a number (expected: a finite number)"),
        ("name: x\nage: " + "9" * 5000, f":2: {'9' * 20}… is too large a number (expected: a finite number)"),
        ('name: "\\ud800"', ":1: '\\ud800' holds half a character (expected: surrogates in pairs)"),
        ("name: x\nrole: \x07", ":2: holds the character '\\x07', which YAML does not allow"),
        (b"name: x\nrole: caf\xe9", ":2: is not UTF-8 text (expected: a file saved as UTF-8)"),
        ("", ": is empty (expected: key: value)"),
        ("# only a comment\n", ": is empty (expected: key: value)"),
        ("a" * (MAX_BYTES + 1), ": is too large (expected: at most 1,000,000 bytes)"),
    ],
)  # fmt: skip
def test_what_is_no_plain_yaml_is_refused(refused, text, message):
    assert refused(text) == message


@pytest.mark.parametrize("text", ['name: "\\UFFFFFFFF"', f"%YAML {'9' * 5000}.1\n--- a"])
def test_escapes_and_versions_beyond_all_numbers(refused, text):
    assert refused(text).startswith(": is not valid YAML: ")


def test_a_file_of_aliases_cannot_blow_up(refused):
    laughs = ['name: &a0 "ha"'] + [f"k{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    assert refused("\n".join(laughs)).startswith(":1: anchors and aliases are not allowed")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("absent.yaml", "No such file or directory"), (".", "Is a directory"), ("a\0b", "embedded null byte")],
)
def test_a_file_that_cannot_be_read(tmp_path, name, reason):
    with pytest.raises(BadInput, match=f"cannot be read: {reason}"):
        read_yaml(tmp_path / name, Persona)


_PIECES = (*"ab:,-?[]{}#&*!|>'\"%@`~ \n\t\\.0123456789exuUN\ufeff\x85\u2028<=", "name: ", "\n  ", "- ", "? ", ": ",
           "---\n", "...\n", "%YAML ", "%TAG ! ", "!!", "!<", "\\x", "\\u", "<<: ")  # fmt: skip
_NEARLY_YAML = st.lists(st.sampled_from(_PIECES), max_size=40).map(lambda pieces: "".join(pieces).encode())


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200) | _NEARLY_YAML)
def test_no_bytes_raise_anything_but_bad_input(tmp_path, raw):
    path = tmp_path / "any.yaml"
    path.write_bytes(raw)
    try:
        read_yaml(path, Persona)
    except BadInput as error:
        assert str(path) in str(error)
        assert "\n" not in str(error)


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(st.characters(codec="utf-8"), max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("abc é", max_size=4), inner)
    ),
    max_leaves=8,
)


class Anything(RootModel[object]):
    model_config = ConfigDict(frozen=True)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_JSON)
def test_what_json_can_say_is_read_back_as_it_was(tmp_path, value):
    path = tmp_path / "json.yaml"
    write_atomic(path, json.dumps(value))
    assert read_yaml(path, Anything).root == value


def test_write_atomic_writes_the_bytes_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "summary.json"
    write_atomic(path, "one\r\n")
    write_atomic(str(path), "zwölf\n")
    assert path.read_bytes() == "zwölf\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "summary.json"
    write_atomic(path, "old")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(BadInput, match=r"summary\.json: cannot be written: No space left on device"):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_write_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(tmp_path / "x", "new")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["no/such/folder/x", "file/x", "a\0b"])
def test_a_place_that_cannot_be_written(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="cannot be written"):
        write_atomic(tmp_path / name, "x")


def test_text_that_cannot_be_encoded_touches_nothing(tmp_path):
    with pytest.raises(UnicodeEncodeError):
        write_atomic(tmp_path / "x", "\ud800")
    assert list(tmp_path.iterdir()) == []


def test_a_reader_never_sees_half_a_file(tmp_path):
    path = tmp_path / "x"
    whole = {letter * 200_000 for letter in "ab"}
    write_atomic(path, "a" * 200_000)
    done = threading.Event()

    def rewrite() -> None:
        for _ in range(20):
            for text in whole:
                write_atomic(path, text)
        done.set()

    writer = threading.Thread(target=rewrite)
    writer.start()
    seen = set()
    while not done.is_set():
        seen.add(path.read_text())
    writer.join()
    assert seen <= whole
