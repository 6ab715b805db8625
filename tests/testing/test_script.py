"""Scripts and answers as data: which answer comes when, without any server."""

import pytest

from normgym_agents.testing import (
    Answer,
    CallTool,
    CallTools,
    ChatRequest,
    Fail,
    Say,
    Script,
    ScriptError,
    by_content,
    by_turn,
    fail_first,
    sequence,
)


def request(*texts: str, **body: object) -> ChatRequest:
    """A conversation in which user and assistant take turns, the user first."""
    messages = [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(texts)]
    return ChatRequest(body={"model": "m", "messages": messages, **body}, headers={}, index=0)


def answers(script: Script, *requests: ChatRequest) -> list[Answer]:
    return [script(r) for r in requests]


def test_a_sequence_goes_by_arrival_then_stays():
    script = sequence(Say("a"), Say("b"), then=Say("c"))
    assert answers(script, *[request("x")] * 4) == [Say("a"), Say("b"), Say("c"), Say("c")]


def test_a_sequence_that_runs_out_is_the_scripts_fault():
    script = sequence(Say("a"))
    script(request("x"))
    with pytest.raises(ScriptError, match="answer 2 was asked for, and it holds 1"):
        script(request("x"))


def test_turns_are_counted_within_each_conversation():
    script = by_turn(Say("first"), Say("second"))
    first, second = request("hi"), request("hi", "first", "and then?")
    assert answers(script, first, second, first) == [Say("first"), Say("second"), Say("first")]
    with pytest.raises(ScriptError, match="answer 3"):
        script(request("hi", "first", "then?", "second", "more?"))


def test_content_is_matched_in_the_last_message_in_order():
    script = by_content({"ash": Say("ash"), "jar": CallTool("take")}, default=Say("nothing"))
    got = answers(script, request("the ash jar"), request("the iron jar"), request("jar", "ash", "none"))
    assert got == [Say("ash"), CallTool("take"), Say("nothing")]


def test_content_without_a_match_names_the_patterns():
    with pytest.raises(ScriptError, match=r"'ash'.*'the iron jar'"):
        by_content({"ash": Say("a")})(request("the iron jar"))


def test_failing_first_leaves_the_inner_script_untouched():
    script = fail_first(2, 503, sequence(Say("a"), Say("b")), retry_after=0.5)
    got = answers(script, *[request("x")] * 4)
    failure = Fail(503, "scripted failure of the first 2", retry_after=0.5)
    assert got == [failure, failure, Say("a"), Say("b")]


def test_scripts_nest():
    script = by_content({"a": sequence(Say("a1"), Say("a2")), "b": sequence(Say("b1"))})
    assert answers(script, request("a"), request("b"), request("a")) == [Say("a1"), Say("b1"), Say("a2")]


def test_a_request_shows_what_was_asked():
    tool = {"type": "function", "function": {"name": "take", "parameters": {}}}
    asked = request("one", "two", "three", tools=[tool], parallel_tool_calls=False)
    assert (asked.turn, asked.last_text, list(asked.tools)) == (1, "three", ["take"])
    assert (asked.tool_choice, asked.must_call, asked.parallel_tool_calls) == ("auto", None, False)
    assert (asked.response_format, asked.schema, asked.stream, asked.include_usage) == (
        "text",
        None,
        False,
        False,
    )


def test_the_words_of_content_parts_are_read():
    parts = [
        {"type": "text", "text": "one "},
        {"type": "image_url", "image_url": {}},
        {"type": "text", "text": "two"},
    ]
    asked = ChatRequest(
        body={"model": "m", "messages": [{"role": "user", "content": parts}]}, headers={}, index=0
    )
    assert asked.last_text == "one two"


@pytest.mark.parametrize(
    "make",
    [lambda: Fail(200), lambda: Fail(429, retry_after=-1), lambda: CallTools()],
    ids=["200", "before", "none"],
)
def test_answers_that_mean_nothing_are_refused(make):
    with pytest.raises(ValueError):
        make()
