"""People from elsewhere: profiles in the public SOTOPIA form, and tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from normgym_agents.community.authoring.profiles import read_profiles
from normgym_agents.community.authoring.villagers import read_villagers
from normgym_agents.errors import BadInput

SECRET = "Once let a rival's kiln burn down and said nothing."

PROFILE = {
    "pk": "01H5TNE5",
    "first_name": "Samira",
    "last_name": "Cox",
    "age": 34,
    "occupation": "Potter",
    "gender": "Woman",
    "gender_pronoun": "She/her",
    "public_info": "Samira Cox teaches glazing on Sundays.\nShe has two cats.",
    "big_five": "Openness: High; Neuroticism: Low",
    "moral_values": ["Care", "Fairness"],
    "schwartz_personal_values": ["Self-Direction"],
    "personality_and_values": "She likes things to be done properly.",
    "decision_making_style": "Intuitive",
    "secret": SECRET,
    "model_id": "gpt-4",
    "mbti": "ENFJ",
    "tag": "pilot",
}
OTHER = {"first_name": "Bao", "secret": "", "mbti": None}


def saved(folder: Path, text: str | bytes, name: str = "people.json") -> Path:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([PROFILE, OTHER]),
        json.dumps(PROFILE) + "\n\n" + json.dumps(OTHER) + "\n",
        "\ufeff" + json.dumps([PROFILE, OTHER], indent=2),
    ],
)
def test_profiles_come_as_a_list_or_as_lines(tmp_path, text):
    imported = read_profiles(saved(tmp_path, text))
    samira, bao = imported.drafts
    assert (samira.key, samira.persona.name, bao.persona.name) == ("samira-cox", "Samira Cox", "Bao")
    assert samira.persona.story == (
        "34 years old, Potter, She/her. Samira Cox teaches glazing on Sundays. She has two cats. "
        "She likes things to be done properly."
    )
    assert samira.persona.goal == "To live by what matters to them: Self-Direction, Care, Fairness."
    assert samira.persona.temperament == "Openness: High; Neuroticism: Low"
    assert bao.persona.secret is None
    assert imported.notes == ()


def test_one_profile_is_an_object(tmp_path):
    assert [d.key for d in read_profiles(saved(tmp_path, json.dumps(PROFILE, indent=1))).drafts] == [
        "samira-cox"
    ]


def test_a_secret_is_in_one_place_only(tmp_path):
    imported = read_profiles(saved(tmp_path, json.dumps(PROFILE)))
    (draft,) = imported.drafts
    assert draft.persona.secret == SECRET
    others = [
        draft.persona.model_copy(update={"secret": None}).model_dump_json(),
        draft.card.model_dump_json(),
        repr(imported.notes),
    ]
    texts = imported.files(tmp_path)
    assert all("rival" not in text for text in others)
    assert [file.parent.name for file, text in texts.items() if "rival" in text] == ["personas"]
    assert sum(text.count("rival") for text in texts.values()) == 1


def test_a_profile_that_tells_its_secret_is_refused(tmp_path):
    telling = PROFILE | {"public_info": f"Teaches glazing. {SECRET.upper()}"}
    with pytest.raises(
        BadInput, match="profile 1: secret: the profile tells its secret in what becomes the story"
    ):
        read_profiles(saved(tmp_path, json.dumps(telling)))


def test_what_does_not_fit_is_cut_at_a_sentence_and_what_is_unknown_named(tmp_path):
    long = PROFILE | {
        "public_info": "She throws pots. " * 60,
        "hobby": "chess",
        "decision_making_style": "so " * 90,
    }
    imported = read_profiles(saved(tmp_path, json.dumps(long)))
    assert imported.drafts[0].persona.story.endswith("pots.")
    assert len(imported.drafts[0].persona.story) <= 500
    assert set(imported.notes) == {
        "samira-cox: story is cut to what a persona holds",
        "samira-cox: voice is cut to what a persona holds",
        "samira-cox: 'hobby' is left out",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no JSON"),
        ("[]", "nobody is in it"),
        ("3", "profile 1: is no profile"),
        ('{"first_name": "A", "first_name": "B"}', "'first_name' is there twice"),
        ('{"first_name": "Ann", "age": NaN}', "NaN is no number"),
        ('{"last_name": "Cox"}', "profile 1: first_name: Field required"),
        ('{"first_name": "Ann", "age": -1}', "profile 1: age"),
        ('{"first_name": "Ann", "secret": ["x"]}', "profile 1: secret"),
        ('{"first_name": "李"}', "makes no file name"),
        ('{"first_name": "An\\u202en"}', "U+202E"),
        ('{"first_name": "Ann"}\n{"first_name": "Bo"}\n{"first_name": "ann"}', "people.json:3: .*called like somebody"),
        ('{"first_name": "Ann"}\n{"first_name": }', "people.json:2: is no JSON"),
        ("[" * 200_000, "is no JSON"),
        (b'{"first_name": "\xff"}', "is not UTF-8"),
        ('{"first_name": "\\ud800n"}', "profile 1: first_name|makes no file name|name"),
        (json.dumps([{"first_name": "Ann"}, {"first_name": "Änn"}]), "filed as"),
    ],
)  # fmt: skip
def test_a_wrong_profile(tmp_path, text, message):
    with pytest.raises(BadInput, match=message.replace("+", r"\+")) as caught:
        read_profiles(saved(tmp_path, text))
    assert "people.json" in str(caught.value)


TABLE = """\
name,role,story,voice,goal,temperament,disclosure,rule,statement
Ida,keeper,"Came with the first snow, and
stayed.",Short sentences.,To mend the roof.,calm,never,forbid take(glaze=sarn),Sarn is left alone.

Ola,,Bakes.,Loud.,To sleep.,merry,,,
"""


def test_a_table(tmp_path):
    imported = read_villagers(saved(tmp_path, "\ufeff" + TABLE.replace("\n", "\r\n"), "people.csv"))
    ida, ola = imported.drafts
    assert ida.persona.story == "Came with the first snow, and stayed."
    assert ida.persona.disclosure == "never" and ola.persona.disclosure == "hint"
    assert [held.rule for held in ida.card.norms] == ["forbid take(glaze=sarn)"]
    assert ola.card.norms == () and [answer.value for answer in ola.card.answers] == ["gesture", "rebuke"]
    assert imported.roles == {"ida": "keeper"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("goal,", "gaol,", r":1: gaol: is not a known column: did you mean 'goal'\?"),
        ("voice,goal", "voice,voice", ":1: voice: stands twice"),
        (",temperament,disclosure", ",role2,disclosure", ":1: role2: is not a known column"),
        ("name,role", "id,role", ":1: columns are missing: name"),
        (",never,", ",sometimes,", ":2: disclosure: Input should be"),
        (",Sarn is left alone.", ",", ":2: statement: a rule and its statement"),
        ("forbid take(glaze=sarn)", "forbid", ":2: norms.0.rule"),
        ("Ola,,", "IDA,,", ":5: 'IDA' is called like somebody before, in line 2"),
        ("Ola,,", "Ola,", ":5: the row has 8 cells, and the header 9"),
        ("Ola,,", "Ola,Big Boss,", ":5: role: "),
        ("Ola,,", ",,", ":5: name: String should have at least 1"),
        ('stayed."', "stayed.", ":2: cannot be read as CSV"),
        ("Loud.", "Lo\u202eud.", r":5: voice: character 3 is U\+202E"),
        ("Loud.", "x" * 201, ":5: voice"),
    ],
)
def test_a_wrong_table(tmp_path, old, new, message):
    assert old in TABLE
    with pytest.raises(BadInput, match=rf"people\.csv({message})"):
        read_villagers(saved(tmp_path, TABLE.replace(old, new, 1), "people.csv"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("name,story,voice,goal,temperament\n", "nobody is in it"),
        (TABLE.replace(",", ";"), "not separated by commas"),
        ("name,story,voice,goal,temperament\nIda," + "x" * 200_000 + ",a,b,c\n", "cannot be read as CSV"),
    ],
)
def test_what_is_no_table(tmp_path, text, message):
    with pytest.raises(BadInput, match=message):
        read_villagers(saved(tmp_path, text, "people.csv"))
