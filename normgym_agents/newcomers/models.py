"""Chat models by name, through LangChain, with errors that say what to install or set."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final

from normgym_agents.errors import BadInput
from normgym_agents.newcomers._cleaning import one_line
from normgym_agents.newcomers._model_parameters import split_spec

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

PROVIDERS: Final = frozenset(
    "anthropic azure_ai azure_openai baseten bedrock bedrock_converse cohere deepseek fireworks google_genai "
    "google_vertexai groq huggingface ibm litellm mistralai nvidia ollama openai openrouter perplexity together "
    "upstage xai".split()
)
"""Prefixes that name a provider and not a module of the user's."""


def is_model_spec(spec: str) -> bool:
    """Whether a spec names a provider's model, as `openai:gpt-4o-mini` does."""
    provider, colon, model = spec.partition(":")
    return provider in PROVIDERS and bool(colon) and bool(model.partition("?")[0])


def make_chat_model(spec: str) -> BaseChatModel:
    """The chat model of a spec, which may end in parameters: `openai:gpt-4o-mini?temperature=0&max_tokens=200`.

    Raises:
        BadInput: The spec names none, a parameter is unknown or not one of this provider's, something is not
            installed (with the command that installs it), or the provider's client refuses to be made, e.g.
            without a key.
    """
    if not is_model_spec(spec):
        raise BadInput(f"{spec!r} names no chat model", expected="PROVIDER:MODEL, e.g. openai:gpt-4o-mini")
    try:
        from langchain.chat_models import init_chat_model
    except ModuleNotFoundError as error:
        raise BadInput("chat models need LangChain: pip install 'normgym-agents[langchain]'") from error
    named, parameters = split_spec(spec)
    provider, _, model = named.partition(":")
    given = parameters.given
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about what `_taken` refuses
            chat: BaseChatModel = init_chat_model(model, model_provider=provider, **given)
    except ImportError as error:
        raise BadInput(one_line(str(error))) from error
    except Exception as error:
        # Each provider's client has exceptions of its own for a missing key or an odd setting.
        raise BadInput(f"{spec}: {one_line(str(error))}") from error
    for key in given:
        if not _taken(chat, key):
            raise BadInput(f"models of {provider} take no parameter {key!r}", field=spec)
    return chat


def _taken(chat: BaseChatModel, key: str) -> bool:
    """Whether a client has a field of this name; most pass on, or over, what they do not know."""
    return any(key in (name, field.alias) for name, field in type(chat).model_fields.items())
