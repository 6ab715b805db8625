"""Whose failure an exception is."""

from typing import Any

import httpx
import openai
import pytest
from langgraph.errors import GraphRecursionError

from normgym_agents.errors import BadInput, ModelError, NewcomerError
from normgym_agents.newcomers._failures import crossed

REQUEST: Any = httpx.Request("POST", "http://127.0.0.1/")


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def in_context(error: Exception, context: Exception) -> Exception:
    error.__context__ = context
    return error


ANTHROPIC = type(
    "RateLimitError", (type("APIError", (Exception,), {"__module__": "anthropic._exceptions"}),), {}
)


@pytest.mark.parametrize(
    "error",
    [
        openai.APIConnectionError(request=REQUEST),
        openai.OpenAIError("no key"),
        httpx.ConnectTimeout("late"),
        ANTHROPIC("slow down"),
        caused(ValueError("wrapped"), httpx.ReadError("gone")),
        in_context(ValueError("wrapped"), openai.APITimeoutError(REQUEST)),
        ExceptionGroup("several", [ValueError("one"), httpx.ReadError("two")]),
    ],
)
def test_a_providers(error):
    assert type(crossed(error)) is ModelError


class APIError(Exception):
    """The agent's own, by the same name."""


def looped() -> Exception:
    one, other = ValueError("one"), ValueError("other")
    one.__context__, other.__context__ = other, one
    return one


@pytest.mark.parametrize(
    "error",
    [
        ValueError("bad\nworse"),
        APIError("mine"),
        GraphRecursionError("50"),
        caused(GraphRecursionError("50"), httpx.ReadError("on the way")),
        KeyError(),
        looped(),
    ],
)
def test_the_newcomers(error):
    told = crossed(error)
    assert type(told) is NewcomerError
    assert "\n" not in str(told) and type(error).__name__ in str(told)


def test_what_was_hidden_on_purpose_does_not_count():
    try:
        try:
            raise httpx.ReadError("gone")
        except httpx.ReadError:
            raise ValueError("mine") from None
    except ValueError as error:
        assert type(crossed(error)) is NewcomerError


def test_errors_of_ours_pass():
    error = BadInput("wrong")
    assert crossed(error) is error
