"""A guard that keeps a test suite on this machine.

It stands in front of Python's own socket calls, below every HTTP client, so that no client has to be known
or patched. Refused attempts are also collected: a client may swallow the exception, in a thread of its own
or behind its retries, and the suite should still hear of it.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from normgym_agents.errors import NormgymError


class RemoteSocketForbidden(NormgymError):
    """Something tried to leave the machine."""


def is_local(host: str | bytes | None) -> bool:
    """Whether a host is this machine: `localhost`, a loopback address, or none at all."""
    if host is None:
        return True
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name in ("", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


@contextlib.contextmanager
def forbid_remote_sockets() -> Iterator[list[str]]:
    """Refuse every connection, datagram and name look-up that is not for this machine.

    Yields:
        The refused attempts so far, as `HOST (CALL)`; a suite asserts at its end that there are none.

    Raises:
        RemoteSocketForbidden: In the code that made the attempt.
    """
    refused: list[str] = []

    def check(host: Any, call: str) -> None:
        if not is_local(host):
            refused.append(f"{host} ({call})")
            raise RemoteSocketForbidden(f"a test may not reach {host}: only loopback ({call})")

    def guard_address(name: str) -> Callable[..., Any]:
        real = getattr(socket.socket, name)

        def guarded(self: socket.socket, *args: Any) -> Any:
            # The address comes last (sendto has data and flags before it); AF_UNIX has no host.
            if self.family in (socket.AF_INET, socket.AF_INET6):
                check(args[-1][0], name)
            return real(self, *args)

        return guarded

    def guard_name(name: str) -> Callable[..., Any]:
        real = getattr(socket, name)

        def guarded(host: Any, *args: Any, **kwargs: Any) -> Any:
            check(host, name)
            return real(host, *args, **kwargs)

        return guarded

    with contextlib.ExitStack() as stack:
        for name in ("connect", "connect_ex", "sendto"):
            stack.enter_context(mock.patch.object(socket.socket, name, guard_address(name)))
        for name in ("getaddrinfo", "gethostbyname"):
            stack.enter_context(mock.patch.object(socket, name, guard_name(name)))
        yield refused
