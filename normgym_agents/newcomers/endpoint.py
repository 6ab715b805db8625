"""A model behind any OpenAI-compatible endpoint as a newcomer: `endpoint:http://HOST:PORT/v1#MODEL`.

It gets what a bare chat model gets, the same prompt and the same tools, so that the two can be compared; it needs no
package of a provider's. (`langgraph:http://…` is a graph of a server: an agent, and not a model.)
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from normgym_agents.errors import BadInput, NewcomerError, NormgymError
from normgym_agents.newcomers._completions import KEY, Endpoint, Said
from normgym_agents.newcomers._model_parameters import split_spec
from normgym_agents.newcomers.acting import Answer, Usage
from normgym_agents.newcomers.chat_model import MOST_LOOKS, act_tools, prompt
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.newcomers.offering import LOOK_TOOL, offered
from normgym_agents.worlds.asking import Question
from normgym_agents.worlds.public import Observation, Reply

_FORM: Final = "endpoint:http://HOST:PORT/v1#MODEL, and ?temperature=0&… behind it"

Message = Mapping[str, Any]


def endpoint_newcomers(place: str) -> NewcomerFactory:
    """A factory of newcomers that are a model of an endpoint.

    Args:
        place: The address, `#`, and the model with its parameters.

    Raises:
        BadInput: It is no such address, or a parameter will not do.
    """
    url, _, named = place.partition("#")
    model, parameters = split_spec(named)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or not model:
        raise BadInput(f"{place!r} names no model of an endpoint", expected=_FORM)
    if parts.username or parts.password:
        raise BadInput("a key in an address would be kept with the run", expected=f"the key in {KEY}")
    if parameters.base_url is not None:
        raise BadInput("has its address already, and takes no base_url", field=f"endpoint:{place}")
    endpoint = Endpoint(url, model, parameters, os.environ.get(KEY))
    return lambda _: EndpointNewcomer(endpoint)


class EndpointNewcomer:
    """A model of an endpoint in one episode.

    Args:
        endpoint: The endpoint.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client: httpx.AsyncClient | None = None
        self._messages: list[Message] = []
        self._tools: Sequence[Message] = ()
        self._waiting = False

    @property
    def waiting_for_model(self) -> bool:
        """Whether the endpoint was asked in the last turn and has not answered."""
        return self._waiting

    async def join(self, name: str) -> None:
        """Begin the conversation."""
        self._client = self._endpoint.client()
        self._messages = [{"role": "system", "content": prompt().format(name=name)}]

    async def leave(self) -> None:
        """Close the connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def turn(self, observation: Observation) -> Reply:
        """Ask the endpoint."""
        self._tools = act_tools(observation.view)
        said: list[Message] = [*self._messages, {"role": "user", "content": observation.text}]
        spent: list[Usage] = []
        with offered(observation) as offer:
            for looks in range(MOST_LOOKS + 1):
                answer = await self._ask(said)
                spent.append(answer.usage)
                looking = {name for _, name, _ in answer.calls} == {LOOK_TOOL} and looks < MOST_LOOKS
                said += [answer.message, *_results(answer, offer.text if looking else "ok")]
                if not looking:
                    break
            self._messages = said
            calls = [(name, data) for _, name, data in answer.calls]
            return offer.read(Answer(text=answer.text, calls=calls, usage=_summed(spent)))

    async def report(self, question: Question) -> str:
        """Ask the endpoint in a copy of the conversation."""
        return (await self._ask([*self._messages, {"role": "user", "content": question.text}])).text

    async def _ask(self, messages: Sequence[Message]) -> Said:
        if self._client is None:
            raise NewcomerError("the agent was asked before it joined")
        self._waiting = True
        try:
            said = await self._endpoint.ask(self._client, messages, self._tools)
        except NormgymError:  # it has failed, and owes nothing
            self._waiting = False
            raise
        self._waiting = False
        return said


def _results(said: Said, result: str) -> list[Message]:
    """What closes the calls: endpoints refuse a conversation with open ones."""
    return [{"role": "tool", "tool_call_id": key, "content": result} for key, _, _ in said.calls]


def _summed(spent: Sequence[Usage]) -> Usage:
    return Usage(
        model_calls=len(spent),
        input_tokens=_sum([usage.input_tokens for usage in spent]),
        output_tokens=_sum([usage.output_tokens for usage in spent]),
    )


def _sum(numbers: Sequence[int | None]) -> int | None:
    """The sum of what is known; None where nothing is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
