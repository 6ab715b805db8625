"""Model clients of AutoGen: made for a spec, and copied for an episode.

A client keeps a pool of connections, which belongs to one event loop, and a scripted one the place where it is.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping
from typing import Any, Final

from autogen_core.models import ChatCompletionClient, ModelFamily, ModelInfo
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_ext.models.replay import ReplayChatCompletionClient
from openai import OpenAIError
from pydantic import ValidationError

from normgym_agents.errors import BadInput
from normgym_agents.newcomers._cleaning import one_line
from normgym_agents.newcomers._keys import TO_SET, missing_key
from normgym_agents.newcomers._model_parameters import split_spec

_NOT_A_COMPONENT: Final = (NotImplementedError, AttributeError, TypeError, ValueError, ValidationError)
"""What AutoGen raises for something that cannot be written out and made again."""


def make_client(spec: str) -> ChatCompletionClient:
    """A model client for a spec such as `openai:gpt-4o-mini`.

    Raises:
        BadInput: It is another provider's, has a parameter that models do not have, or the key is not set.
    """
    named, parameters = split_spec(spec)
    provider, _, model = named.partition(":")
    if provider != "openai" or not model:
        raise BadInput(f"no AutoGen client can be made for the model {spec!r}", expected="openai:MODEL")
    try:
        return _client(model, parameters.given)
    except OpenAIError as error:
        key = missing_key(error)
        if key is None:
            raise BadInput(f"{spec}: {one_line(str(error))}") from error
        raise BadInput(f"{spec} needs {key}, which is not set", expected=TO_SET.format(key=key)) from error


def _client(model: str, parameters: Mapping[str, Any]) -> ChatCompletionClient:
    try:
        return OpenAIChatCompletionClient(model=model, **parameters)
    except ValueError:  # a model that AutoGen has not heard of needs to be told what it can do
        info = ModelInfo(
            vision=False,
            function_calling=True,
            json_output=True,
            family=ModelFamily.UNKNOWN,
            structured_output=True,
        )
        return OpenAIChatCompletionClient(model=model, model_info=info, **parameters)


def copied(client: ChatCompletionClient) -> tuple[ChatCompletionClient, bool]:
    """A client for one episode, and whether it must be closed at its end."""
    if isinstance(client, ReplayChatCompletionClient):  # plain data, which tells where it is
        return renewed(client) or client, False
    # AutoGen's own clients, and only those that can, come out of a copy with a new connection pool.
    if not hasattr(type(client), "__setstate__"):
        return client, False
    return copy.copy(client), "http_client" not in getattr(client, "_raw_config", {})


def renewed(component: Any) -> Any:
    """A fresh component of the same configuration; None where AutoGen cannot make one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a provider's name is a private module's
        try:
            return type(component).load_component(component.dump_component())
        except _NOT_A_COMPONENT:
            return None
