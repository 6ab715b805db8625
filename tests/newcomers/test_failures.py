"""Whose failure an exception is."""

from typing import Any

import httpx
import openai
import pytest
from langgraph.errors import GraphRecursionError

from normgym_agents.errors import BadInput, CommunityError, ModelError, NewcomerError
from normgym_agents.newcomers._failures import crossed
from normgym_agents.newcomers.models import make_chat_model

REQUEST: Any = httpx.Request("POST", "http://127.0.0.1/")


def caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


def in_context(error: BaseException, context: BaseException) -> BaseException:
    error.__context__ = context
    return error


ANTHROPIC = type(
    "RateLimitError", (type("APIError", (Exception,), {"__module__": "anthropic._exceptions"}),), {}
)


def raised(error: BaseException, room: str) -> BaseException:
    """The error, raised in a module of that name."""
    space: dict[str, Any] = {"__name__": room}
    exec("def fail(error): raise error", space)
    with pytest.raises(type(error)) as caught:
        space["fail"](error)
    return caught.value


def refused(status: int) -> openai.APIStatusError:
    # Which of the two httpx the client is built on differs between its versions.
    response: Any = httpx.Response(status, request=REQUEST)
    return openai.APIStatusError("no", response=response, body=None)


CLIENT = "openai._base_client"


def reading(room: str = CLIENT) -> Any:
    return raised(httpx.ReadError("gone"), room)


@pytest.mark.parametrize(
    "error",
    [
        raised(openai.APIConnectionError(request=REQUEST), CLIENT),
        raised(openai.OpenAIError("no key"), "openai._client"),
        *(raised(refused(status), CLIENT) for status in (401, 403, 429, 500, 503)),
        raised(ANTHROPIC("slow down"), "anthropic._base_client"),
        raised(httpx.ConnectTimeout("late"), "langchain_mistralai.chat_models"),
        reading("langchain_core.language_models.chat_models"),
        raised(ConnectionResetError("gone"), "autogen_ext.models.ollama._ollama_client"),
        caused(ValueError("wrapped"), reading()),
        in_context(ValueError("wrapped"), raised(openai.APITimeoutError(REQUEST), CLIENT)),
        ExceptionGroup("several", [ValueError("one"), reading()]),
        caused(ModelError("after my own retries"), raised(refused(503), CLIENT)),
    ],
)
def test_a_providers(error):
    assert type(crossed(error)) is ModelError


@pytest.mark.parametrize("status", [400, 404, 413, 422])
def test_what_the_provider_refuses_to_take_is_the_newcomers(status):
    assert type(crossed(raised(refused(status), CLIENT))) is NewcomerError


@pytest.mark.parametrize(
    "error",
    [
        httpx.ConnectError("my search tool is down"),
        ConnectionRefusedError("my database is down"),
        openai.APIConnectionError(request=REQUEST),
        ModelError("nothing of the kind"),
        CommunityError("nothing of the kind"),
        BadInput("nothing of the kind"),
    ],
)
@pytest.mark.parametrize(
    "room", ["my_agent", "langgraph.prebuilt.tool_node", "langchain_tavily.tools", "openai_tools"]
)
def test_no_way_out_by_raising_a_providers_error(error, room):
    told = crossed(raised(error, room))
    assert type(told) is NewcomerError
    assert str(error) in str(told)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (SystemExit(3), "the agent tried to end the program (status 3)"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (type("Mute", (Exception,), {"__str__": lambda self: 1 / 0})(), "Mute"),
    ],
)
def test_odd_exceptions(error, told):
    assert str(crossed(error)) == told


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
        caused(GraphRecursionError("50"), reading()),
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
            raise reading()
        except httpx.ReadError:
            raise ValueError("mine") from None
    except ValueError as error:
        assert type(crossed(error)) is NewcomerError


def test_errors_of_ours_pass():
    """Where our code raised them, as an agent may call it."""
    with pytest.raises(BadInput) as caught:
        make_chat_model("nothing")
    assert crossed(caught.value) is caught.value
