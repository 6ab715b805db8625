from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from normgym_agents.errors import BadInput
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.norm import (
    KEYWORDS,
    ActPattern,
    Bearer,
    Deadline,
    Norm,
    Present,
    Quota,
    Sequence,
    SignalBelow,
    SignalIs,
    SlotLiteral,
    Successor,
)
from tests.norms.making import every_form

WORDS = [
    *sorted(KEYWORDS),
    *("act", "acts", "per", "day", "round", "than", "then", "announced"),
    *("take", "iron", "N1", "2", "(", ")", "=", "!=", "<", ","),
]

PYDANTIC = re.compile("[Ii]nput|[Vv]alue error")
"""Words of the library that checks forms: no help to an author."""

# Words that begin or end like words of the language must stay whole.
names = st.sampled_from(
    [
        *("forbidden", "not-yet", "fore", "presenter", "and_", "whenever", "after2", "n1"),
        # These stand only between other words, so that a setting may have them too.
        *("act", "acts", "day", "round", "per", "than", "then", "announced", "without", "more-or-less"),
    ]
) | (st.from_regex(r"[a-z][a-z0-9_\-]{0,8}", fullmatch=True).filter(lambda word: word not in KEYWORDS))


@given(every_form)
@settings(max_examples=300, deadline=None)
def test_what_is_printed_parses_back(norm: Norm) -> None:
    assert parse_norm(print_norm(norm)) == norm


@given(names, names, names, st.booleans())
def test_any_word_of_a_setting_parses_back(verb: str, slot: str, value: str, negated: bool) -> None:
    norm = Norm(
        act=ActPattern(verb=verb, literals=(SlotLiteral(slot=slot, value=value, negated=negated),)),
        when=(SignalIs(signal=slot, value=value, negated=negated), Present(role=verb, negated=negated)),
        bearer=Bearer(role=value, negated=negated),
        sequence=Sequence(relation="after", pattern=ActPattern(verb=value)),
    )
    assert parse_norm(print_norm(norm)) == norm
    bound = {"act": norm.act, "bearer": norm.bearer}
    owed = Norm(deontic="oblige", accompanies=ActPattern(verb=f"{value}2"), **bound)
    below = (SignalBelow(signal=slot, limit=2, negated=negated),)
    limit = Norm(quota=Quota(most=1, window_acts=2 if negated else None), when=below, **bound)
    permit = Norm(deontic="permit", when=below, overriding="N12", **bound)
    change = Successor(day=3, announced=negated, norm=owed)
    for other in (owed, limit, permit, limit.model_copy(update={"successor": change})):
        assert parse_norm(print_norm(other)) == other


@pytest.mark.parametrize(
    "text",
    [
        "forbid take",
        "forbid take(glaze=iron)",
        "forbid take(glaze!=iron, form=cup)",
        "forbid take(glaze=iron) when bell=hanging and present(keeper)",
        "forbid take when not bell=hanging and not present(keeper)",
        "forbid open(thing=chest) for not keeper",
        "forbid take before greet(role=keeper)",
        "forbid take after greet(role!=keeper) when lamp=lit for carrier",
        "forbid take when stock<2 and not stock<1",
        "oblige log within 2 acts after pour",
        "oblige greet(role=keeper) within 1 act after take(glaze=iron) for not keeper",
        "oblige say(address=title) with give",
        "forbid take more than 2 per day",
        "forbid take(glaze=iron) more than 1 per 4 acts when bell=still for carrier",
        "forbid say(topic=price)",
        "permit take(glaze=iron) when stock<2 overriding N1",
        "permit take(glaze=iron, mark=ringed) for carrier overriding N12",
        "forbid take until day 4 then forbid give",
        "forbid take for keeper until day 4 announced then oblige greet with take for keeper",
    ],
)
def test_canonical_text_prints_as_it_was_written(text: str) -> None:
    assert print_norm(parse_norm(text)) == text


def test_blanks_and_line_ends_say_nothing() -> None:
    spread = " forbid\n\ttake ( glaze != iron ,form=cup )\r\n when  not present ( keeper ) "
    assert print_norm(parse_norm(spread)) == "forbid take(glaze!=iron, form=cup) when not present(keeper)"


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("", "line 1, column 1: the norm ends too early", "'forbid'"),
        ("allow take", "line 1, column 1: cannot read 'allow'", "'forbid' or 'oblige' or 'permit'"),
        ("forbidtake", "line 1, column 1: cannot read 'forbidtake'", "'forbid'"),
        ("forbid", "line 1, column 7: the norm ends too early", "a word"),
        ("forbid Take", "line 1, column 8: cannot read 'T'", "a word"),
        ("forbid when", "line 1, column 8: cannot read 'when'", "a word"),
        ("forbid take(", "line 1, column 13: the norm ends too early", "a word"),
        ("forbid take()", "line 1, column 13: cannot read ')'", "a word"),
        ("forbid take(glaze", "line 1, column 18: the norm ends too early", "'=' or '!='"),
        ("forbid take(not=iron)", "line 1, column 13: cannot read 'not'", "a word"),
        ("forbid take(present=iron)", "line 1, column 13: cannot read 'present'", "a word"),
        ("forbid take(glaze==iron)", "line 1, column 19: cannot read '='", "a word"),
        ("forbid take(glaze=iron", "line 1, column 23: the norm ends too early", "')' or ','"),
        ("forbid take(glaze=iron,)", "line 1, column 24: cannot read ')'", "a word"),
        ("forbid take when bell", "line 1, column 22: the norm ends too early", "'='"),
        ("forbid take when bell!=still", "line 1, column 22: cannot read '!='", "'='"),
        ("forbid take when present=x", "line 1, column 25: cannot read '='", "'('"),
        (
            "forbid take\n  when bell=still\n  and ?",
            "line 3, column 7: cannot read '?'",
            "'not' or 'present'",
        ),
        ("forbid take fornot keeper", "line 1, column 13: cannot read 'fornot'", "'for'"),
        ("forbid take for not", "line 1, column 20: the norm ends too early", "a word"),
        ("forbid take before", "line 1, column 19: the norm ends too early", "a word"),
        ("forbid take for keeper when bell=still", "line 1, column 24: cannot read 'when'", "the end"),
        ("forbid take before greet after greet", "line 1, column 26: cannot read 'after'", "the end"),
        ("forbid take before greet more than 1 per day", "line 1, column 26: cannot read 'more'", "the end"),
        ("oblige log within two acts after pour", "line 1, column 19: cannot read 'two'", "a number"),
        ("oblige log within 02 acts after pour", "line 1, column 19: cannot read '0'", "a number"),
        ("oblige log within 2 acts before pour", "line 1, column 26: cannot read 'before'", "'after'"),
        ("forbid take more than 1 per week", "line 1, column 29: cannot read 'week'", "'day'"),
        ("forbid take more than 1 per 4 days", "line 1, column 31: cannot read 'days'", "'acts'"),
        ("permit take overriding N0", "line 1, column 24: cannot read 'N'", "'N1'"),
        ("permit take overriding n1", "line 1, column 24: cannot read 'n1'", "'N1'"),
        (
            "forbid a until day 2 then forbid b until day 4 then forbid c",
            "line 1, column 36: cannot read 'until'",
            "the end",
        ),
        ("forbid take until day 2", "line 1, column 24: the norm ends too early", "'then'"),
        ("forbid take\x00", "line 1, column 12: cannot read '\\x00'", "'when'"),
        ("forbid\u00a0take", "line 1, column 7: cannot read '\\xa0'", "a word"),
    ],
)
def test_broken_text_says_where_and_what_was_expected(text: str, place: str, expected: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_norm(text)
    assert caught.value.message == place
    assert caught.value.field == "norm"
    assert caught.value.expected is not None
    assert expected in caught.value.expected
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message", "expected"),
    [
        ("oblige log", "an obligation needs to say when", "'within N acts after' or 'with'"),
        (
            "oblige log within 2 acts after pour when bell=still",
            "an obligation takes no 'when'",
            "the act that obliges stands in the pattern after 'after' or 'with'",
        ),
        ("oblige log before pour", "an obligation takes no 'before'", "'within N acts after' or 'with'"),
        (
            "oblige log more than 1 per day",
            "an obligation needs to say when",
            "'within N acts after' or 'with'",
        ),
        ("oblige log within 0 acts after pour", "a deadline of 0 acts", "1 to 5 acts"),
        ("oblige log within 6 acts after pour", "a deadline of 6 acts", "1 to 5 acts"),
        (
            "oblige log within 2 acts after log",
            "the act obliges to itself",
            "another act after 'after' or 'with'",
        ),
        ("oblige log with log", "the act obliges to itself", "another act after 'after' or 'with'"),
        ("forbid log within 2 acts after pour", "'forbid' has no deadline", "'oblige'"),
        ("permit log with pour overriding N1", "'permit' has no deadline", "'oblige'"),
        (
            "forbid take more than 2 per round",
            "'per round' limits nothing: everybody acts once a round",
            "'per day' or 'per N acts'",
        ),
        ("forbid take more than 0 per day", "a limit of 0", "1 to 99"),
        ("forbid take more than 100 per day", "a limit of 100", "1 to 99"),
        ("forbid take more than 1 per 7 acts", "a window of 7 acts", "2 to 6 acts"),
        ("forbid take more than 1 per 1 act", "a window of 1 acts", "2 to 6 acts"),
        (
            "forbid take more than 4 per 4 acts",
            "4 acts are never more than 4",
            "a limit below the 4 acts of the window",
        ),
        ("permit take", "a permit that overrides nothing changes nothing", "'overriding N1'"),
        ("permit take more than 1 per day overriding N1", "'permit' has no limit", "'forbid'"),
        ("forbid take overriding N1", "'forbid' overrides nothing", "'permit'"),
        ("oblige log with pour overriding N1", "'oblige' overrides nothing", "'permit'"),
        ("forbid take until day 0 then forbid give", "a change on day 0", "a day from 1 to 99"),
        (
            "forbid take until day 2 then forbid take",
            "the norm that comes after is the same norm",
            "another norm",
        ),
        (
            "permit take overriding N1 until day 2 then forbid give",
            "a permit takes no part in a change",
            "'forbid' or 'oblige' on either side",
        ),
        ("forbid take when stock<0", "stock<0", "a number from 1 to 999999"),
        ("forbid take when stock<1000000", "stock<1000000", "a number from 1 to 999999"),
        (
            "forbid take when not stock=3",
            "numbers are compared, not stock=3",
            "'stock<N' or 'not stock<N'",
        ),
    ],
)
def test_a_norm_that_says_what_no_norm_can_says_why(text: str, message: str, expected: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_norm(text)
    assert (caught.value.message, caught.value.expected, caught.value.field) == (message, expected, "norm")


def test_what_the_text_could_not_say_no_norm_holds() -> None:
    take, log = ActPattern(verb="take"), ActPattern(verb="log")
    sequence, quota = Sequence(relation="after", pattern=log), Quota(most=1)
    with pytest.raises(ValidationError, match="a limit beside a sequence"):
        Norm(act=take, sequence=sequence, quota=quota)
    with pytest.raises(ValidationError, match="an obligation needs to say when"):
        Norm(deontic="oblige", act=log, accompanies=take, deadline=Deadline(within=2, after=take))
    once = Norm(act=take, successor=Successor(day=2, norm=Norm(act=log)))
    with pytest.raises(ValidationError, match="the norm that comes after changes again"):
        Norm(act=log, successor=Successor(day=1, norm=once))


@given(st.text() | st.text(alphabet="forbid takewhn()=!,\n_ANO0$", max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_norm_or_bad_input(text: str) -> None:
    _norm_or_bad_input(text)


@given(st.lists(st.sampled_from(WORDS), max_size=14))
@settings(max_examples=300, deadline=None)
def test_any_order_of_the_languages_own_words_is_a_norm_or_bad_input(words: list[str]) -> None:
    _norm_or_bad_input(" ".join(words))


def _norm_or_bad_input(text: str) -> None:
    try:
        norm = parse_norm(text)
    except BadInput as fault:
        assert fault.expected
        assert re.match(r"line \d+, column \d+: ", fault.message) or not PYDANTIC.search(fault.message)
        # Names of the grammar's own making are no help to an author.
        assert not re.search(r"anon|__|_[a-z]", fault.expected)
    else:
        assert parse_norm(print_norm(norm)) == norm


@pytest.mark.parametrize("word", ["", "Take", "1st", "two words", "take\n", "glaße", *sorted(KEYWORDS)])
def test_a_norm_cannot_hold_what_its_text_could_not(word: str) -> None:
    with pytest.raises(ValidationError):
        ActPattern(verb=word)
