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
    Norm,
    Present,
    Sequence,
    SignalIs,
    SlotLiteral,
)
from tests.norms.making import norms

PYDANTIC = re.compile("[Ii]nput|[Vv]alue error")
"""Words of the library that checks forms: no help to an author."""

# Words that begin or end like words of the language must stay whole.
names = st.sampled_from(["forbidden", "not-yet", "fore", "presenter", "and_", "whenever", "after2"]) | (
    st.from_regex(r"[a-z][a-z0-9_\-]{0,8}", fullmatch=True).filter(lambda word: word not in KEYWORDS)
)


@given(norms)
@settings(deadline=None)
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


@given(st.text() | st.text(alphabet="forbid takewhn()=!,\n_ANO0$", max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_norm_or_bad_input(text: str) -> None:
    _norm_or_bad_input(text)


@given(st.lists(st.sampled_from([*sorted(KEYWORDS), "take", "iron", "(", ")", "=", "!=", ","]), max_size=12))
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
