"""Starting and closing: nothing is left behind, whatever still hangs."""

import socket
import threading
from urllib.parse import urlsplit

import pytest

from normgym_agents.testing import Hang, Say, ScriptedEndpoint


def threads() -> set[threading.Thread]:
    return {t for t in threading.enumerate() if t.is_alive()}


def connect(endpoint: ScriptedEndpoint) -> socket.socket:
    url = urlsplit(endpoint.base_url)
    return socket.create_connection((url.hostname, url.port), timeout=10)


def send(connection: socket.socket, endpoint: ScriptedEndpoint) -> None:
    body = b'{"model":"m","messages":[{"role":"user","content":"hi"}]}'
    head = f"Authorization: Bearer {endpoint.api_key}\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n" + head.encode() + body)


def test_nothing_runs_before_the_start_and_after_the_end():
    before = threads()
    endpoint = ScriptedEndpoint(Say("yes"))
    assert threads() == before
    with pytest.raises(RuntimeError, match="not running"):
        _ = endpoint.base_url
    with endpoint:
        assert endpoint.env() == {"OPENAI_BASE_URL": endpoint.base_url, "OPENAI_API_KEY": endpoint.api_key}
        port = urlsplit(endpoint.base_url).port
        with pytest.raises(RuntimeError, match="started before"):
            endpoint.start()
    endpoint.close()
    assert threads() == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=10)


def test_closing_releases_a_client_that_waits():
    before = threads()
    asked = threading.Event()

    def script(request):
        asked.set()
        return Hang(3600, then=Say("never"))

    with ScriptedEndpoint(script) as endpoint:
        connection = connect(endpoint)
        send(connection, endpoint)
        assert asked.wait(10)
    with connection:
        assert connection.recv(100) == b""
    assert threads() == before and not endpoint.errors


def test_closing_cuts_a_connection_that_never_asked():
    before = threads()
    with ScriptedEndpoint(Say("yes")) as endpoint, connect(endpoint) as connection:
        connection.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 10\r\n\r\n")
    assert threads() == before and not endpoint.requests


def test_a_client_that_leaves_frees_its_thread_and_is_no_error():
    before = threads()
    asked = threading.Event()

    def script(request):
        asked.set()
        return Hang(3600, then=Say("never"))

    with ScriptedEndpoint(script) as endpoint:
        during = threads()
        with connect(endpoint) as connection:
            send(connection, endpoint)
            assert asked.wait(10)
        for thread in threads() - during:
            thread.join(10)
        assert threads() <= during
    assert threads() == before and not endpoint.errors


def test_a_script_that_never_returns_is_reported(monkeypatch):
    monkeypatch.setattr("normgym_agents.testing._server.JOIN_SECONDS", 0.01)
    before = threads()
    asked, release = threading.Event(), threading.Event()

    def script(request):
        asked.set()
        assert release.wait(10)
        return Say("late")

    with ScriptedEndpoint(script) as endpoint, connect(endpoint) as connection:
        send(connection, endpoint)
        assert asked.wait(10)
        endpoint.close()
        assert endpoint.errors == ("a script was still running 0.01 s after the endpoint closed",)
    release.set()
    for thread in threads() - before:
        thread.join(10)
    assert threads() == before


def test_many_clients_at_once_are_all_answered():
    with ScriptedEndpoint(Say("yes")) as endpoint:
        clients = [connect(endpoint) for _ in range(100)]
        for client in clients:
            send(client, endpoint)
        for client in clients:
            with client:
                assert client.recv(100).startswith(b"HTTP/1.1 200")
    assert sorted(r.index for r in endpoint.requests) == list(range(100))
