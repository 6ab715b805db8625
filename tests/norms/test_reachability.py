from __future__ import annotations

import pytest
from hypothesis import given

from normgym_agents.errors import BadInput
from normgym_agents.norms.enumeration import Vocabulary, enumerate_norms
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.rules import RuleSet, check_reachable, texts
from tests.norms.making import ROLES, SIGNALS, SLOTS, VERBS, every_form

IRON = "forbid take(glaze=iron)"

WORDS = Vocabulary.model_validate(
    {
        "values": {"glaze": ("iron", "ash"), "mark": ("ringed", "barred"), "role": ROLES},
        "signals": {"bell": ("ringing", "still"), "stock": ("0", "1", "2")},
        "roles": ROLES,
        "overseer": "keeper",
        "verbs": [{"verb": "take", "slots": ("glaze", "mark")}, {"verb": "give", "slots": ("glaze", "role")}],
        "precursors": [{"verb": "greet", "literals": [{"slot": "role", "value": "keeper"}]}],
        "duties": [{"verb": "log"}],
        "within": (0, 2),
        "limits": (1, 2),
        "exceptions": True,
    }
)


@pytest.mark.parametrize(
    ("norm", "message", "expected"),
    [
        ("forbid open", "there is no verb 'open'", "give | greet | log | take"),
        ("forbid take before open", "there is no verb 'open'", "give | greet | log | take"),
        ("oblige log within 2 acts after open", "there is no verb 'open'", "give | greet | log | take"),
        ("oblige open with take", "there is no verb 'open'", "give | greet | log | take"),
        ("forbid take(role=keeper)", "there is no slot of 'take' 'role'", "glaze | mark"),
        ("forbid log(glaze=iron)", "there is no slot of 'log' 'glaze'", "none"),
        ("forbid take(glaze=salt)", "there is no value of 'glaze' 'salt'", "ash | iron"),
        ("oblige log with take(glaze=salt)", "there is no value of 'glaze' 'salt'", "ash | iron"),
        ("forbid take(glaze=iron, glaze=ash)", "no 'glaze' is left for 'take'", "one of iron | ash"),
        ("forbid take(glaze!=iron, glaze!=ash)", "no 'glaze' is left for 'take'", "one of iron | ash"),
        ("forbid take when flag=up", "there is no signal 'flag'", "bell | stock"),
        ("forbid take when bell=up", "there is no value of 'bell' 'up'", "ringing | still"),
        (
            "forbid take when bell=still and bell=ringing",
            "'bell' never is like that",
            "one of ringing | still",
        ),
        ("forbid take when bell<2", "'bell' is no number", "'bell=ringing'"),
        ("forbid take when not stock<3", "'stock' never is like that", "one of 0 | 1 | 2"),
        (
            "forbid take when present(cook)",
            "there is no role 'cook'",
            "carrier | keeper | tender",
        ),
        (
            "forbid take when present(keeper) and not present(keeper)",
            "a keeper would be present and not present",
            "one of both",
        ),
        ("forbid take for cook", "there is no role 'cook'", "carrier | keeper | tender"),
        ("forbid take until day 2 then forbid open", "there is no verb 'open'", "give | greet | log | take"),
        ("permit open overriding N1", "there is no verb 'open'", "give | greet | log | take"),
    ],
)
def test_a_norm_that_nothing_reaches_is_refused(norm: str, message: str, expected: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_reachable([parse_norm(IRON), parse_norm(norm)], WORDS)
    assert (caught.value.field, caught.value.message, caught.value.expected) == ("N2", message, expected)


def test_where_all_have_one_role_nobody_has_another() -> None:
    alone = WORDS.model_copy(update={"roles": ("keeper",)})
    with pytest.raises(BadInput, match="nobody has another role than 'keeper'"):
        check_reachable([parse_norm("forbid take for not keeper")], alone)


def test_every_hypothesis_can_be_reached() -> None:
    for unit in enumerate_norms(WORDS):
        check_reachable(map(parse_norm, texts([unit])), WORDS)
        assert RuleSet(map(parse_norm, texts([unit]))).units == (unit,)


@given(every_form)
def test_a_norm_is_refused_only_where_its_words_are_at_odds(norm: Norm) -> None:
    """All words are known here, so a norm that is refused must contradict itself or call a word a number."""
    every = Vocabulary.model_validate(
        {
            "values": SLOTS,
            "signals": SIGNALS,
            "roles": ROLES,
            "overseer": "keeper",
            "verbs": [{"verb": verb, "slots": tuple(SLOTS)} for verb in VERBS],
            "precursors": [],
        }
    )
    try:
        check_reachable([norm], every)
    except BadInput as fault:
        assert not fault.message.startswith("there is no")
        assert fault.field == "N1"
