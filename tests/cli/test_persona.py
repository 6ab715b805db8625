"""`normgym persona`: writing people without reading our code."""

from __future__ import annotations

import io
import json
import re

import pytest

NEW = (
    "--name",
    "Odile",
    "--story",
    "Keeps bees.",
    "--voice",
    "Short.",
    "--goal",
    "Honey.",
    "--temperament",
    "wary",
)
RULE = "forbid take(glaze=sarn) when bell=ringing"


@pytest.fixture
def typed(monkeypatch):
    """Lets a person type these lines."""

    def type_in(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_in


def test_a_persona_from_options_passes_the_check(inline, tmp_path):
    done = inline("persona", "new", "--yes", *NEW, "--rule", RULE, "--setting", "pottery-yard")
    assert (done.returncode, done.stderr) == (0, "")
    assert "{persona: odile, card: odile, role: ROLE}" in done.stdout
    card = (tmp_path / "personas" / "cards" / "odile.yaml").read_text()
    assert card.startswith("# yaml-language-server: $schema=../schemas/card.json\n")
    assert (tmp_path / "personas" / "schemas" / "card.json").is_file()
    assert "Nobody may take anything that is sarn while the bell is ringing." in card
    assert inline("persona", "check").stdout == "2 files: all is right\n"
    again = inline("persona", "new", "--yes", *NEW)
    assert (again.returncode, again.stdout) == (2, "")
    assert "odile.yaml: is there already" in again.stderr


def test_questions_are_asked_again_until_the_answer_will_do(inline, typed, tmp_path):
    typed(
        "Odile",
        "",
        "Keeps bees.",
        "Short.",
        "Honey.",
        "wary",
        "always",
        "tell",
        "forbid tak(",
        RULE,
        "I mind it.",
        "",
        "",
    )
    done = inline("persona", "new")
    assert done.returncode == 0
    assert done.stderr.count("That will not do") == 3
    assert "disclosure: tell" in (tmp_path / "personas" / "personas" / "odile.yaml").read_text()
    assert inline("persona", "check").returncode == 0


def test_what_was_given_is_not_asked(inline, typed, tmp_path):
    typed("hint", "", "rebuke")
    done = inline("persona", "new", *NEW)
    assert done.returncode == 0
    assert "What do people call them?" not in done.stderr
    assert "rebuke" in (tmp_path / "personas" / "cards" / "odile.yaml").read_text()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("--name", "Odile"), ("--story", "is missing")),
        ((*NEW, "--rule", RULE), ("--statement", "--setting NAME")),
        ((*NEW, "--rule", "forbid"), ("--rule", "ends too early")),
        ((*NEW, "--rule", "forbid steal", "--setting", "pottery-yard"), ("--rule", "'steal'", "take")),
        ((*NEW, "--statement", "x"), ("--statement", "more of them")),
        ((*NEW, "--disclosure", "always"), ("--disclosure", "'never', 'hint' or 'tell'")),
        ((*NEW, "--answers", "shout"), ("--answers", "gesture")),
        ((*NEW, "--id", "Bad Id"), ("--id",)),
        ((*NEW, "--name", "李"), ("--id NAME",)),
        ((*NEW, "--secret", "a\x1bb"), ("--secret", "U+001B")),
        ((*NEW, "--setting", "mill"), ("settings/mill.yaml", "pottery-yard")),
    ],
)
def test_options_that_will_not_do(inline, tmp_path, arguments, parts):
    done = inline("persona", "new", "--yes", *arguments)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_answers_that_end_write_nothing(inline, typed, tmp_path):
    typed("Odile", "Keeps bees.")
    done = inline("persona", "new")
    assert done.returncode == 2
    assert "nothing was written" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_every_fault_is_told_with_its_place_and_what_would_be_right(inline, tmp_path):
    folder = tmp_path / "personas" / "personas"
    folder.mkdir(parents=True)
    (folder / "ida.yaml").write_text(
        "name: Ida\naim: x\nstory: s\nvoice: v\ntemperament: t\ndisclosure: maybe\n"
    )
    done = inline("persona", "check")
    assert done.returncode == 2
    assert re.findall(r"^personas/personas/ida\.yaml:(\d+): (\w+): ", done.stdout, flags=re.MULTILINE) == [
        ("1", "goal"),
        ("2", "aim"),
        ("6", "disclosure"),
    ]
    assert "    expected: 'never', 'hint' or 'tell'\n" in done.stdout
    assert done.stdout.endswith("3 faults in 1 file\n")
    rows = json.loads(inline("persona", "check", "personas/personas/ida.yaml", "--json").stdout)
    assert [row["line"] for row in rows] == [1, 2, 6]


def test_there_must_be_something_to_check(inline):
    done = inline("persona", "check")
    assert done.returncode == 2
    assert "nothing to check here" in done.stderr


def test_people_are_imported_all_or_none(inline, tmp_path):
    rows = "Ida,keeper,Came.,Short.,A roof.,calm\nOla,,Bakes.,Loud.,Sleep.,merry\n"
    (tmp_path / "village.csv").write_text("name,role,story,voice,goal,temperament\n" + rows)
    done = inline("persona", "import", "village.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "{persona: ida, card: ida, role: keeper}" in done.stdout
    assert "{persona: ola, card: ola, role: ROLE}" in done.stdout
    assert inline("persona", "check").stdout == "4 files: all is right\n"
    (tmp_path / "personas" / "personas" / "ida.yaml").unlink()
    (tmp_path / "personas" / "cards" / "ida.yaml").unlink()
    again = inline("persona", "import", "village.csv")
    assert again.returncode == 2 and "ola.yaml: is there already" in again.stderr
    assert inline("persona", "check").stdout == "2 files: all is right\n"


def test_secrets_of_profiles_are_not_listed(inline, tmp_path):
    profile = {"first_name": "Ida", "secret": "Hid the second key.", "hobby": "chess"}
    (tmp_path / "people.json").write_text(json.dumps([profile]))
    done = inline("persona", "import", "people.json", "--out", "mine")
    assert done.returncode == 0
    assert "note: ida: 'hobby' is left out" in done.stderr
    shown = inline("persona", "list", "--folder", "mine").stdout
    assert "Ida" in shown
    assert "second key" not in shown + done.stdout + done.stderr
    assert 'secret: "Hid the second key."' in (tmp_path / "mine" / "personas" / "ida.yaml").read_text()


def test_only_files_of_known_kinds_are_imported(inline, tmp_path):
    (tmp_path / "people.txt").write_text("Ida")
    done = inline("persona", "import", "people.txt")
    assert done.returncode == 2 and ".json, .jsonl or .csv" in done.stderr


def test_schemas_are_printed_and_written(inline, tmp_path):
    assert json.loads(inline("persona", "schema", "card").stdout)["title"] == "card"
    assert inline("persona", "schema", "cat").returncode == 2
    done = inline("persona", "schema", "--out", "mine")
    assert "cards/*.yaml: first line # yaml-language-server: $schema=../schemas/card.json" in done.stdout
    assert len(list((tmp_path / "mine" / "schemas").iterdir())) == 4


def test_schemas_of_another_version_are_named(inline, tmp_path):
    for name in ("schemas", "cards"):
        (tmp_path / "personas" / name).mkdir(parents=True)
    (tmp_path / "personas" / "schemas" / "card.json").write_text("{}")
    done = inline("persona", "new", "--yes", *NEW)
    assert done.returncode == 0
    assert "card.json is of another version; normgym persona schema --out personas" in done.stderr
    assert (tmp_path / "personas" / "schemas" / "card.json").read_text() == "{}"
