"""Specs that name no file and no module of the user's: what stands before the colon says what the rest means.

Each has a mark that no dotted module name can have, so that a module called `endpoint` or `plugin` stays reachable.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from normgym_agents.errors import BadInput
from normgym_agents.newcomers.adapting import Adapted, ModelEffect, adapt
from normgym_agents.newcomers.models import is_model_spec, make_chat_model
from normgym_agents.newcomers.registry import plug_in
from normgym_agents.newcomers.wiring import Wiring

Naming = Callable[[str, Wiring, ExitStack], Adapted]
"""Makes what a spec names; what must be given back after the last episode goes on the stack."""


def naming_of(spec: str) -> Naming | None:
    """Who knows what a spec names; None for a spec that is looked for in files and modules.

    Raises:
        BadInput: It is a plain address, which could be three things.
    """
    prefix, _, rest = spec.partition(":")
    if prefix in ("http", "https"):
        raise BadInput(
            f"{spec!r} does not say what is there",
            expected=f"endpoint:{spec}#MODEL for a model | langgraph:{spec}/ASSISTANT for a graph of a server | "
            "http-agent:PORT for an agent that comes to us",
        )
    if is_model_spec(spec):
        return _model
    if prefix == "langgraph":
        return _served
    if prefix == "endpoint" and ("/" in rest or "#" in rest):
        return _endpoint
    return {"http-agent": _http_agent, "plug-in": _plug_in}.get(prefix)


def _model(spec: str, wiring: Wiring, held: ExitStack) -> Adapted:
    _refuse_model(spec, wiring)
    adapted = adapt(make_chat_model(spec), spec)
    return Adapted(kind=adapted.kind, factory=adapted.factory, model_effect=_own(wiring))


def _served(spec: str, wiring: Wiring, held: ExitStack) -> Adapted:
    from normgym_agents.newcomers.remote import served_graph

    return adapt(served_graph(spec.partition(":")[2]), spec, wiring)


def _endpoint(spec: str, wiring: Wiring, held: ExitStack) -> Adapted:
    from normgym_agents.newcomers.endpoint import endpoint_newcomers

    _refuse_model(spec, wiring)
    factory = endpoint_newcomers(spec.partition(":")[2])
    return Adapted(kind="endpoint", factory=factory, model_effect=_own(wiring))


def _http_agent(spec: str, wiring: Wiring, held: ExitStack) -> Adapted:
    from normgym_agents.newcomers.http_agent import http_agents

    effect: ModelEffect = "none given" if wiring.model is None else "ignored"
    return Adapted(kind="http_agent", factory=http_agents(spec.partition(":")[2], held), model_effect=effect)


def _plug_in(spec: str, wiring: Wiring, held: ExitStack) -> Adapted:
    return adapt(plug_in(spec.partition(":")[2]), spec, wiring)


def _refuse_model(spec: str, wiring: Wiring) -> None:
    if wiring.model is not None and wiring.model != spec:
        raise BadInput(f"{spec} is a model itself and takes no other", field="--model")


def _own(wiring: Wiring) -> ModelEffect:
    return "none given" if wiring.model is None else "taken"
