"""What a factory's parameters get, by what they are called and how they are annotated.

One place for all factories (functions, classes, methods), so that whatever may be asked for is given everywhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

from normgym_agents.errors import BadInput
from normgym_agents.newcomers.models import make_chat_model
from normgym_agents.newcomers.toolset import tools_for
from normgym_agents.newcomers.user import ask
from normgym_agents.newcomers.wiring import Wiring

_MODEL: Final = frozenset({"model", "model_client", "llm", "chat_model"})
_CONFIG: Final = frozenset({"config", "_config", "cfg", "runnable_config"})
_TOOLS: Final = "tools"
_ASKING: Final = frozenset({"input_func", "user_input_func", "input_callback"})
_RUNTIME: Final = "runtime"


def is_factory(function: Callable[..., Any]) -> bool:
    """Whether a function makes an agent, and is not one: all that it must be given, a factory is given."""
    return all(not _required(p) or _role(p) is not None for p in parameters_of(function).values())


def required_of(function: Callable[..., Any]) -> list[str]:
    """The parameters that a factory would have to be given and that nobody knows what to give for."""
    return [key for key, p in parameters_of(function).items() if _required(p) and _role(p) is None]


def takes_model(function: Callable[..., Any]) -> bool:
    """Whether a factory has a parameter for the model."""
    return any(_role(p) == "model" for p in parameters_of(function).values())


def arguments_for(function: Callable[..., Any], name: str, wiring: Wiring) -> Callable[[], dict[str, Any]]:
    """What makes a factory's arguments, anew for each call.

    Args:
        function: The factory. Its parameter `model`, `model_client`, `llm` or `chat_model` gets the model: as a
            string, or as a chat model of LangChain or a client of AutoGen where the annotation says so or the
            name does. A parameter `config`, or one annotated so, gets a run configuration with what the mapping
            says under `configurable`, and the model. A parameter `input_func` gets what asks the agent's user, who
            answers with the next observation. A parameter `tools` that is empty by default, or has no
            default, gets the tools to act with.
        name: What messages call it.
        wiring: How it is connected. Without a model its parameter stays at its default.

    Raises:
        BadInput: It needs a model and there is none, or none can be made of the spec.
    """
    model = wiring.model
    taking: inspect.Parameter | None = None
    fixed: dict[str, Any] = {}
    for key, parameter in parameters_of(function).items():
        role = _role(parameter)
        if role == "model":
            taking = taking or parameter
            if _required(parameter) and model is None:
                raise BadInput(
                    f"{name} needs a model", expected="--model SPEC, e.g. --model openai:gpt-4o-mini"
                )
        elif role == "config":
            fixed[key] = {
                "configurable": {**wiring.mapping.configurable} | ({"model": model} if model else {})
            }
        elif role == "runtime" and _required(parameter):
            fixed[key] = None
        elif role == "asking":
            fixed[key] = ask
        elif role == "tools" and _lacking(parameter):
            fixed[key] = tools_for(function)

    def give() -> dict[str, Any]:
        if taking is None or model is None:
            return dict(fixed)
        return {**fixed, taking.name: _model_for(taking, model)}

    give()  # what is wrong with the model's spec shows before anything runs
    return give


def parameters_of(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """A function's parameters that can be given by name; a class's are its constructor's."""
    try:
        found = inspect.signature(function).parameters
    except ValueError:  # some builtins have none that can be read
        return {}
    loose = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {key: parameter for key, parameter in found.items() if parameter.kind not in loose}


def _role(parameter: inspect.Parameter) -> str | None:
    if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        return None
    note = _note(parameter)
    if parameter.name in _MODEL:
        return "model"
    if parameter.name in _CONFIG or "RunnableConfig" in note:
        return "config"
    if parameter.name == _RUNTIME or "ServerRuntime" in note:
        return "runtime"
    if parameter.name in _ASKING:
        return "asking"
    return "tools" if parameter.name == _TOOLS else None


def _note(parameter: inspect.Parameter) -> str:
    note = parameter.annotation
    return note.__name__ if isinstance(note, type) else str(note)


def _required(parameter: inspect.Parameter) -> bool:
    return parameter.default is inspect.Parameter.empty


def _lacking(parameter: inspect.Parameter) -> bool:
    """Whether a parameter has nothing of the owner's in it."""
    return _required(parameter) or parameter.default is None or parameter.default in ([], ())


def _model_for(parameter: inspect.Parameter, spec: str) -> object:
    note = _note(parameter)
    plain = parameter.annotation is str or note.startswith("str")
    if "ChatCompletionClient" in note or (parameter.name == "model_client" and not plain):
        from normgym_agents.newcomers.autogen import make_client

        return make_client(spec)
    if "ChatModel" in note or "Runnable" in note or (parameter.name in ("llm", "chat_model") and not plain):
        return make_chat_model(spec)
    return spec
