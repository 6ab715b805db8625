"""Agents in other processes, in whatever language, over a small HTTP contract: `http-agent:PORT`.

The server is ours and the agent calls it, so that an agent needs nothing but a client, and can sit behind whatever
lets connections out. `docs/http-agent.md` tells the contract; its OpenAPI document is written by
`python -m normgym_agents.newcomers.http_agent`.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from importlib.util import find_spec
from typing import Final
from urllib.parse import urlsplit

from normgym_agents.errors import BadInput
from normgym_agents.newcomers.contract import NewcomerFactory

TOKEN: Final = "NORMGYM_AGENT_TOKEN"
"""The environment variable that both sides read. In a spec it would be kept with the run, in an address with logs."""

_SHORTEST: Final = 16


def http_agents(place: str, held: ExitStack) -> NewcomerFactory:
    """A factory of newcomers that are whoever comes.

    Args:
        place: The port to listen on, or `HOST:PORT`; without a host, this machine alone can reach it.
        held: What closes the server at the end.

    Raises:
        BadInput: The place is none, there is no token, or something is not installed.
    """
    host, port = _read(place)
    token = os.environ.get(TOKEN, "")
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise BadInput(
            f"an agent that comes must show a token: {TOKEN} is not set"
            if not token
            else f"{TOKEN} is no token",
            expected=f"export {TOKEN}=… with {_SHORTEST} characters or more, e.g. $(openssl rand -hex 16)",
        )
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise BadInput("agents of other processes need a server: pip install 'normgym-agents[http-agent]'")
    from normgym_agents.newcomers.http_agent.newcomer import HttpNewcomer
    from normgym_agents.newcomers.http_agent.server import Server

    server = Server(host, port, token)
    held.callback(server.close)
    return lambda _: HttpNewcomer(server)


def _read(place: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{place}" if ":" in place else f"//127.0.0.1:{place}")
        host, port = parts.hostname, parts.port
    except ValueError:  # no number, or one that no port has
        host = port = None
    if not host or not port or parts.path or parts.query or parts.fragment or parts.username is not None:
        raise BadInput(f"{place!r} is no place to listen", expected="http-agent:PORT | http-agent:HOST:PORT")
    return host, port
