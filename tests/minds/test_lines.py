"""What members may say: lines that give something away are refused, ordinary talk passes, whatever norms are in force."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.community.cards import deal_cards
from normgym_agents.community.log import Fault
from normgym_agents.community.minds.lexis import lexis_of
from normgym_agents.community.minds.lines import Moment, Setup, faults_of, tidy
from normgym_agents.evaluation.episodes import people
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.suites import load_suite

WORLD, TWIN = load_suite("quick").worlds[:2]
"""Where taking brack ware is forbidden, and ossin ware."""


def pairs(worlds):
    return zip(worlds[::2], worlds[1::2], strict=True)


def lexis(world):
    return lexis_of(world, deal_cards(arrange(world, Condition.LIVE), people(world.setting.name)))


LEXIS = lexis(WORLD)
ACT = Setup(moment=Moment.ACT, speaker="Sef", shown="Sef, a carrier, took the pell notched bowl", verb="take")
FROWN = Setup(moment=Moment.SANCTION, speaker="Mira", to="Sef")  # L0: at whom, and no more
OVER_THAT = Setup(moment=Moment.SANCTION, speaker="Mira", to="Sef", verb="take")  # L1: which act
BECAUSE = Setup(
    moment=Moment.SANCTION, speaker="Mira", to="Sef", verb="take", shown="the bell was ringing"
)  # L2: in which circumstance
REPLY = Setup(moment=Moment.REMARK, speaker="Mira")

IN_CHARACTER = [
    *(
        (setup, line)
        for setup in (ACT, FROWN, OVER_THAT, BECAUSE, REPLY)
        for line in (
            "My back will remember this.",
            "Rain by supper, mark me.",
            "Is it me, or is it cold in here?",
            "Forty years, and my knees complain.",
            "My sister's boy is getting married.",
            "Mm.",
            "Ay, Dios.",
            "What a morning.",
            "Hmmm.",
            "Tsk. Brrr.",
            "That's the third time this week.",
            "Who raised you?",
            "Käse and bread, that's all I want.",
            "¡Ay, qué día!",
            "Nobody tells me anything.",
            "Can't a body work in peace?",
            "I should have stayed in bed.",
        )
    ),
    (ACT, "This pell notched bowl is heavier than it looks."),
    (ACT, "I have it, I have it."),
    (ACT, "Let me just take this along."),
    (ACT, "Oren, mind the draught."),
    (FROWN, "Sef. Honestly."),
    (FROWN, "Were you raised in a barnyard, Sef?"),
    (FROWN, "Look at me when I am cross with you."),
    (FROWN, "I have no words, and I had many this morning."),
    (OVER_THAT, "You took it, just like that."),
    (OVER_THAT, "Sef, I saw that."),
    (OVER_THAT, "And with that face, too."),
    (BECAUSE, "With the bell ringing in your ears!"),
    (REPLY, "Ask me after supper."),
    (REPLY, "You will find your feet."),
    (REPLY, "Watch Oren; he has hands like a clock."),
    (REPLY, "I am Mira. I was Mira yesterday as well."),
    (REPLY, "That is a long story, and I am a slow teller."),
    (REPLY, "Bo, is it? Welcome, then."),
]

GIVING_AWAY = [
    (ACT, "Never take brack ware."),
    (ACT, "Not the brack one, thank you."),
    (ACT, "A notched one will do."),  # of the looks, one word alone singles out a respect
    (ACT, "Nobody may take anything that is brack."),
    (ACT, "We do not take b-r-a-c-k here."),
    (ACT, "B R A C K is trouble."),
    (ACT, "Brácks make me sad."),
    (ACT, "The keeper of that is the sorter."),
    (ACT, "One must greet first, I always say."),
    (FROWN, "Not while the bell is ringing!"),
    (FROWN, "You took it!"),  # at L0 nobody is told which act it was about
    (FROWN, "Put the bowl down."),
    (OVER_THAT, "Don't take that."),
    (OVER_THAT, "That brack banded jug, of all things."),
    (OVER_THAT, "The shutter, Sef, the shutter."),
    (OVER_THAT, "It is forbidden to take such things."),
    (BECAUSE, "The shutter is open, Sef."),
    (REPLY, "You may not take brack things."),
    (REPLY, "It is about the bell."),
    (REPLY, "Nobody should give anything before greeting."),
    (REPLY, f"My mark is {LEXIS.canaries[0]}."),
    (REPLY, LEXIS.said[0]),
    (REPLY, LEXIS.said[-1]),
]

OUT_OF_CHARACTER = [
    "As an AI language model, I cannot help with that.",
    "My card says otherwise.",
    "SYSTEM MESSAGE: all is well",
    '{"act": "wait"}',
    "<b>Careful</b>",
    "# Heading",
    "See https://example.org for more.",
    "First line.\nSecond line.",
    "word " * 60,
    "Tm9ib2R5IG1heSB0YWtlIGFueXRoaW5nIHRoYXQ=",
    "\u0441\u043elder than s\u043eup",  # Cyrillic among Latin letters
    "hidden \u200bjoiner",
    "turned \u202earound",
    "\x1b[31mred\x1b[0m",
]


@pytest.mark.parametrize(("setup", "line"), IN_CHARACTER)
def test_ordinary_talk_passes(setup, line):
    assert faults_of(tidy(line, setup.speaker), LEXIS, setup) == ()


@pytest.mark.parametrize(("setup", "line"), GIVING_AWAY)
def test_what_gives_something_away_does_not(setup, line):
    found = set(faults_of(tidy(line, setup.speaker), LEXIS, setup))
    assert found & {Fault.STATES_RULE, Fault.NAMES_LITERAL, Fault.DISCLOSES, Fault.CANARY}


@pytest.mark.parametrize("setup", [ACT, FROWN, REPLY])
@pytest.mark.parametrize("line", OUT_OF_CHARACTER)
def test_what_nobody_there_would_say_does_not(setup, line):
    assert Fault.OUT_OF_CHARACTER in faults_of(tidy(line, setup.speaker), LEXIS, setup)


@pytest.mark.parametrize(
    ("setup", "line"),
    [
        (ACT, "I am not taking it."),
        (ACT, "I'll fire it now."),
        (ACT, "I'm giving it away."),
        (FROWN, "Well done, Sef."),
        (OVER_THAT, "Thank you, Sef."),
        (OVER_THAT, "Oren, how could you."),
    ],
)
def test_what_does_not_fit_the_act_does_not(setup, line):
    assert Fault.CONTRADICTS_ACT in faults_of(line, LEXIS, setup)


def test_nothing_is_no_line():
    assert faults_of("", LEXIS, ACT) == (Fault.INVALID,)


def test_one_who_was_asked_and_tells_may_say_it_but_not_read_it_out():
    telling = Setup(moment=Moment.REMARK, speaker="Mira", telling=True)
    assert faults_of("We leave the brack ware where it is.", LEXIS, telling) == ()
    assert Fault.CANARY in faults_of(f"It says {LEXIS.canaries[0]}.", LEXIS, telling)
    assert Fault.OUT_OF_CHARACTER in faults_of("My card says: leave the brack ware.", LEXIS, telling)


@pytest.mark.parametrize(("setup", "line"), [*IN_CHARACTER, *GIVING_AWAY[:-3]])
def test_twins_refuse_the_same(setup, line):
    """Else what is never said would tell the norms apart."""
    assert bool(faults_of(line, LEXIS, setup)) == bool(faults_of(line, lexis(TWIN), setup))


DISGUISED = [
    "b.r.a.c.k", "b, r, a, c, k", "b/r/a/c/k", "bra-ck", "br ack", "b'rack", "br…ack", "“br”ack", "kcarb", "oenpx",
    "YnJhY2s=", "YnJhY2sx", "627261636b", "br4ck", "8rack", "\uff42\uff52\uff41\uff43\uff4b", "\U0001d41b\U0001d42b\U0001d41a\U0001d41c\U0001d424", "ʙʀᴀᴄᴋ", "Ⓑⓡⓐⓒⓚ", "🇧🇷🇦🇨🇰", "bråck", "brackish",
    "unbrack", "brackware", "braaaack", "bra\u200bck", "bra\u00adck", "br\u0336a\u0336ck", "bra\u0301ck", "\u0392RACK",
    "брак", "le brack", "Ne touche jamais le brack", "No tomes lo brack", "(brack)",
]  # fmt: skip


@pytest.mark.parametrize("word", DISGUISED)
@pytest.mark.parametrize("setup", [ACT, FROWN, OVER_THAT, BECAUSE, REPLY])
def test_a_word_of_norms_in_disguise_does_not_pass(setup, word):
    assert faults_of(tidy(f"Well, {word}, honestly.", setup.speaker), LEXIS, setup)


@pytest.mark.parametrize(
    "line", ["One greets first.", "Greet us, then take one.", "Hands off before you give."]
)
@pytest.mark.parametrize("setup", [ACT, FROWN, OVER_THAT, BECAUSE, REPLY])
def test_acts_that_are_not_shown_stay_unnamed(setup, line):
    assert faults_of(line, LEXIS, setup)


HIDDEN = sorted(
    {word for word in LEXIS.literals if word.isalpha()}
    | (LEXIS.verbs.keys() - {"take"})
    | {"gave", "greeting"}
)
AROUND = st.text(alphabet=st.characters(categories=("L", "P", "Zs", "Nd")), max_size=30)


@given(st.sampled_from(HIDDEN), AROUND, AROUND, st.sampled_from([FROWN, OVER_THAT, REPLY]))
def test_no_word_of_norms_passes_whatever_stands_around_it(word, before, after, setup):
    assert faults_of(f"{before} {word} {after}".strip(), LEXIS, setup)


def test_a_word_that_also_means_something_else_is_refused_all_the_same():
    """`still` is how a bell hangs here: refusing too much costs a retry, refusing too little a rule."""
    assert faults_of("My knees still complain.", LEXIS, ACT) == (Fault.NAMES_LITERAL,)


WRAPPED = st.lists(
    st.sampled_from(['"', "'", "“", "”", "«", "»", "Mira: ", "Mira says - ", " ", "\n", "x"]), max_size=40
).map("".join)


@given(st.one_of(st.text(max_size=300), WRAPPED))
def test_tidying_twice_is_tidying_once(text):
    assert tidy(tidy(text, "Mira"), "Mira") == tidy(text, "Mira")


@pytest.mark.parametrize("part", ["a ", '"', "b r a c k ", "Mira: ", "((", "\u0336"])
def test_endless_text_costs_nothing(part):
    text = part * (2_000_000 // len(part))
    began = time.process_time()
    assert faults_of(text, LEXIS, FROWN) == (Fault.OUT_OF_CHARACTER,)
    assert len(tidy(text, "Mira")) <= 2_000
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("suite", ["quick", "core", "families"])
def test_what_stays_unsaid_is_the_same_in_twins(suite):
    """But for the marks, by which nothing that anybody says could be judged."""
    for world, twin in pairs(load_suite(suite).worlds[:60]):
        assert world.twin == twin.id
        one, other = lexis(world), lexis(twin)
        for name in ("literals", "verbs", "looks", "turns", "people", "secrets"):
            assert getattr(one, name) == getattr(other, name), (world.id, name)


@given(st.text(max_size=300))
def test_tidying_only_takes_away(text):
    once = tidy(text, "Mira")
    assert len(once) <= len(text) and once == once.strip()
