"""Norms that come with a role, and norms that members agreed on: whose cards they are on, and what is refused."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from normgym_agents.assets import asset
from normgym_agents.community.authored import open_authored
from normgym_agents.community.episode import Asked, Backstage
from normgym_agents.community.kinds import MemberKind
from normgym_agents.community.loop import play_loop
from normgym_agents.community.minds.lexis import lexis_of
from normgym_agents.community.minds.lines import Moment, Setup, faults_of
from normgym_agents.community.minds.prompt import member_prompt
from normgym_agents.community.personas import faults_of_community, read_community
from normgym_agents.errors import BadInput
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.policies import NormBlind
from normgym_agents.worlds.public import Answer, Reply

ROLES = """\
roles:
  keeper:
    minds:
      - rule: forbid take(form=plate)
        statement: Plates are ours.
      - rule: permit take(form=plate) when lamp=lit overriding N1
        statement: By lamplight they are anybody's.
    owes:
      - rule: oblige greet(role=carrier) with give
        statement: A keeper says good day to the carriers.
"""

AGREED = """\
agreements:
  - proposed_by: dalia
    rule: forbid take(form=bowl)
    statement: Bowls are left alone.
    because: Two were dropped at noon.
    objections:
      - {by: bram, words: "I am late as it is."}
    amendments:
      - by: oren
        rule: forbid take(form=bowl) when lamp=dark
        statement: Bowls are left alone in the dark.
        words: "By lamplight one sees what one does."
        accepted: true
    vote: {mira: yes, sef: no, oren: yes, dalia: yes, bram: abstain, yusra: yes}
    needs: two_thirds
    outcome: adopted
    lightly: [sef]
  - proposed_by: bram
    rule: forbid give when bell=still
    statement: Nothing is given away while the bell is still.
    vote: {mira: no, sef: no, oren: no, dalia: no, bram: yes, yusra: no}
    outcome: rejected
"""

BOWLS = "forbid take(form=bowl) when lamp=dark"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One's own folder, where only the community is one's own."""
    (tmp_path / "communities").mkdir()
    file = tmp_path / "communities" / "pottery-yard.yaml"
    shutil.copy(asset("personas", "communities", "pottery-yard.yaml"), file)
    file.write_text(file.read_text() + ROLES + AGREED)
    return tmp_path


def cards_in(folder: Path) -> dict[str, list[str]]:
    _, members = read_community("pottery-yard", folder)
    return {member.key: [held.rule for held in member.card.norms] for member in members}


def edited(folder: Path, old: str, new: str) -> Path:
    file = folder / "communities" / "pottery-yard.yaml"
    text = file.read_text()
    assert text.count(old) >= 1
    file.write_text(text.replace(old, new, 1))
    return file


def test_what_a_role_minds_is_on_the_cards_of_its_holders(folder):
    cards = cards_in(folder)
    holders = {key for key, rules in cards.items() if "forbid take(form=plate)" in rules}
    assert holders == {"mira", "oren"}
    for key in holders:
        place = cards[key].index("forbid take(form=plate)") + 1
        assert f"permit take(form=plate) when lamp=lit overriding N{place}" in cards[key]


def test_what_a_role_owes_binds_the_role_and_is_on_every_card(folder):
    for rules in cards_in(folder).values():
        assert "oblige greet(role=carrier) with give for keeper" in rules


def test_what_was_adopted_is_on_every_card_and_what_was_rejected_on_none(folder):
    for rules in cards_in(folder).values():
        assert BOWLS in rules
        assert "forbid take(form=bowl)" not in rules
        assert not any("bell=still" in rule for rule in rules)


def test_one_may_hold_it_lightly(folder):
    _, members = read_community("pottery-yard", folder)
    lightly = {m.key: [m.card.norms[i].rule for i in m.card.lightly] for m in members if m.card.lightly}
    assert lightly == {"sef": [BOWLS]}


@pytest.mark.parametrize(("lightly", "forms"), [(False, {"rebuke"}), (True, {"gesture"})])
async def test_whoever_holds_a_norm_lightly_only_frowns(lightly, forms):
    """Whatever their usual way of answering is."""
    world, cards = open_authored("pottery-yard")
    held = frozenset(range(12)) if lightly else frozenset()
    stern = tuple(one.model_copy(update={"answers": (Answer.REBUKE,), "lightly": held}) for one in cards)

    async def ask(observation):
        return Asked(Reply(act=NormBlind().choose(observation.view), channel="policy"), 1)

    log = await play_loop(Backstage(arrangement=arrange(world, Condition.LIVE), cards=stern, ask=ask))
    assert {entry["answer"] for entry in log if entry["kind"] == "sanction"} == forms


def test_cards_in_sampled_worlds_know_nothing_of_it(folder):
    _, members = read_community("pottery-yard", folder)
    for member in members:
        dealt = member.card.dealt(member.card.norms[:1], "mark")
        assert (dealt.memories, dealt.lightly, dealt.canary) == ((), frozenset(), "mark")


def test_members_remember_the_talk_each_from_their_own_side(folder):
    world, cards = open_authored("pottery-yard", folder=folder)
    _, members = read_community("pottery-yard", folder)
    lexis = lexis_of(world, cards)
    told = {
        member.key: member_prompt(MemberKind.VOICED, member.persona, cards[i], world, i, lexis)
        for i, member in enumerate(members)
    }
    assert "Dalia proposed: “Bowls are left alone.” “Two were dropped at noon.” Bram objected" in told["mira"]
    assert "You proposed: “Bowls are left alone.”" in told["dalia"]
    assert "You objected: “I am late as it is.”" in told["bram"]
    assert "Oren wanted instead (“By lamplight one sees what one does.”)" in told["sef"]
    assert "yes: Mira, Oren, Dalia, Yusra; no: you; abstain: Bram." in told["sef"]
    assert "and you hold to it like everybody. You take it lightly" in told["sef"]
    assert "You take it lightly" not in told["bram"]
    assert "It was not adopted, and nobody is held to it." in told["yusra"]


@pytest.mark.parametrize(
    ("old", "new", "where", "parts"),
    [
        ("proposed_by: dalia", "proposed_by: dali", "agreements[0].proposed_by", ("no member", "dalia")),
        ("{by: bram, words", "{by: tam, words", "agreements[0].objections[0].by", ("no member",)),
        ("yusra: yes}", "yusra: yes, tam: yes}", "agreements[0].vote.tam", ("no member",)),
        ("bram: abstain, ", "", "agreements[0].vote", ("'bram' has no vote",)),
        ("bram: abstain, yusra: yes", "bram: no, yusra: no", "agreements[0].outcome", ("3 of 6", "rejected")),
        ("outcome: rejected", "outcome: adopted", "agreements[1].outcome", ("1 of 6", "rejected")),
        ("needs: two_thirds", "needs: all", "agreements[0].outcome", ("4 of 6", "every member")),
        ("lightly: [sef]", "lightly: [tam]", "agreements[0].lightly[0]", ("no member",)),
        (
            "outcome: rejected",
            "outcome: rejected\n    lightly: [sef]",
            "agreements[1].lightly",
            ("rejected",),
        ),
        ("(form=bowl) when lamp=dark", "(form=jug)", "agreements[0].amendments[0].rule", ("'jug'",)),
        ("  keeper:\n    minds", "  baker:\n    minds", "roles.baker", ("'baker'", "keeper")),
        ("with give\n", "with give for carrier\n", "roles.keeper.owes[0].rule", ("'for keeper'",)),
        ("(form=plate)\n", "(form=pot)\n", "roles.keeper.minds[0].rule", ("'pot'",)),
        ("forbid give when bell=still", BOWLS, "agreements[1].outcome", ("rejected", "holds it")),
        (
            "mira: yes, sef: no",
            "mira: maybe, sef: no",
            "agreements[0].vote.mira",
            ("'yes', 'no' or 'abstain'",),
        ),
    ],
)
def test_what_does_not_fit_is_named(folder, old, new, where, parts):
    file = edited(folder, old, new)
    with pytest.raises(BadInput) as caught:
        read_community("pottery-yard", folder)
    assert (caught.value.file, caught.value.field) == (file, where)
    assert caught.value.line is not None
    for part in parts:
        assert part in str(caught.value)


def test_every_fault_is_told_at_once(folder):
    edited(folder, "proposed_by: dalia", "proposed_by: dali")
    edited(folder, "newcomer_role: carrier", "newcomer_role: baker")
    edited(folder, "card: sef", "card: seff")
    file = edited(folder, "outcome: rejected", "outcome: adopted")
    fields = [fault.field for fault in faults_of_community(file, folder)]
    assert {
        "words.newcomer_role",
        "members[1].card",
        "agreements[0].proposed_by",
        "agreements[1].outcome",
    } <= set(fields)


def test_what_contradicts_a_card_is_said_of_the_line_that_was_agreed(folder):
    edited(folder, "rule: forbid take(form=bowl) when lamp=dark", "rule: oblige take(form=cup) with give")
    edited(folder, "rule: forbid take(form=plate)\n", "rule: forbid take\n")
    with pytest.raises(
        BadInput,
        match=r"pottery-yard\.yaml:\d+: agreements\[0\]\.amendments\[0\]\.rule: .*do not go together",
    ):
        read_community("pottery-yard", folder)


def test_a_secret_is_told_to_its_owner_and_stays_unsaid_also_by_those_who_tell(folder):
    world, cards = open_authored("pottery-yard", folder=folder)
    _, members = read_community("pottery-yard", folder)
    secret = "She sold the old bell to a dealer in town."
    personas = [m.persona.model_copy(update={"secret": secret} if m.key == "mira" else {}) for m in members]
    lexis = lexis_of(world, cards, personas)
    prompts = [
        member_prompt(kind, persona, cards[i], world, i, lexis)
        for kind in (MemberKind.VOICED, MemberKind.AUTONOMOUS)
        for i, persona in enumerate(personas)
    ]
    assert [secret in prompt for prompt in prompts] == [m.key == "mira" for m in members] * 2
    telling = Setup(moment=Moment.REMARK, speaker="Oren", telling=True)
    assert faults_of("They sold the old bell to somebody.", lexis, telling)
    assert not faults_of("They keep an old bell there.", lexis, telling)
    assert re.search(r"hears from you: She sold", prompts[0])
