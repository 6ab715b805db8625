"""The guard against the network: what it lets through, what it refuses, that it goes away."""

import asyncio
import socket
import urllib.request

import pytest

from normgym_agents.testing import RemoteSocketForbidden, Say, ScriptedEndpoint, forbid_remote_sockets
from normgym_agents.testing.sockets import is_local

# Reserved for documentation: nobody answers there, should the guard fail.
REMOTE = "192.0.2.1"


@pytest.mark.parametrize(
    "host", [None, "", "localhost", b"localhost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]
)
def test_this_machine_is_local(host):
    assert is_local(host)


@pytest.mark.parametrize(
    "host",
    [REMOTE, "0.0.0.0", "example.invalid", "::ffff:192.0.2.1", "fe80::1%eth0", "localhost.example.invalid"],
)
def test_everything_else_is_not(host):
    assert not is_local(host)


def test_connections_datagrams_and_names_are_refused_and_listed():
    with forbid_remote_sockets() as refused:
        with socket.socket() as tcp:
            for connect in (tcp.connect, tcp.connect_ex):
                with pytest.raises(RemoteSocketForbidden, match=REMOTE):
                    connect((REMOTE, 80))
        with socket.socket(type=socket.SOCK_DGRAM) as udp, pytest.raises(RemoteSocketForbidden):
            udp.sendto(b"x", (REMOTE, 80))
        with pytest.raises(RemoteSocketForbidden, match=r"example\.invalid"):
            urllib.request.urlopen("http://example.invalid")
        assert refused == [
            f"{REMOTE} (connect)",
            f"{REMOTE} (connect_ex)",
            f"{REMOTE} (sendto)",
            "example.invalid (getaddrinfo)",
        ]


async def test_asyncio_is_guarded_too():
    with forbid_remote_sockets() as refused:
        with pytest.raises(RemoteSocketForbidden):
            await asyncio.open_connection(REMOTE, 80)
        assert refused == [f"{REMOTE} (connect)"]


def test_loopback_and_local_pipes_still_work():
    with forbid_remote_sockets() as refused, ScriptedEndpoint(Say("yes")) as endpoint:
        request = urllib.request.Request(
            f"{endpoint.base_url}/models", headers={"Authorization": f"Bearer {endpoint.api_key}"}
        )
        with urllib.request.urlopen(request) as response:
            assert response.status == 200
        left, right = socket.socketpair()
        with left, right:
            left.sendall(b"x")
            assert right.recv(1) == b"x"
    assert refused == []


def test_the_guard_goes_away():
    before = (socket.socket.connect, socket.getaddrinfo)
    with forbid_remote_sockets():
        assert socket.socket.connect is not before[0]
    assert (socket.socket.connect, socket.getaddrinfo) == before
