"""The endpoint as a process: it listens on loopback alone, and ends with the process that began it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from normgym_agents.errors import BadInput, CommunityError
from normgym_agents.local_model.shim import mended
from normgym_agents.local_model.weights import MODEL, find_weights

HOST: Final = "127.0.0.1"
CONTEXT: Final = 8192
"""Tokens of prompt and answer together: all that the model was made for."""
_PDEATHSIG: Final = 1
_POLL: Final = 1.0
_STARTS: Final = 120.0
_ENDS: Final = 10.0


def listening(port: int) -> socket.socket:
    """A socket on loopback; port 0 is any that is free.

    Raises:
        BadInput: Somebody else listens there.
    """
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((HOST, port))
    except OSError as error:
        sock.close()
        raise BadInput(
            f"cannot listen on {HOST}:{port}: {error.strerror}", expected="--port of one that is free"
        ) from error
    return sock


def serve(port: int, on_ready: Callable[[str], None], *, threads: int | None = None) -> None:
    """Serve until the process is told to end, or the one that began it is gone.

    Args:
        port: Where; 0 is any that is free.
        on_ready: Is told the address, up to `/v1`, once requests are answered.
        threads: Threads that compute; None for as many as there are cores.

    Raises:
        BadInput: The extra is not installed, or the port is taken.
    """
    weights = find_weights()
    with listening(port) as sock:
        import uvicorn
        from llama_cpp import Llama
        from llama_cpp.server.app import create_app
        from llama_cpp.server.settings import ModelSettings, ServerSettings

        cores = threads or os.cpu_count() or 1
        model: Any = ModelSettings(
            model=str(weights),
            model_alias=MODEL,
            n_ctx=CONTEXT,
            n_threads=cores,
            n_threads_batch=cores,
            cache=False,
            verbose=False,
        )
        # Else a request that comes while another is answered cuts that one off.
        server: Any = ServerSettings(host=HOST, port=sock.getsockname()[1], interrupt_requests=False)
        _begin_anew(Llama)
        app = mended(create_app(server_settings=server, model_settings=[model]))
        running = uvicorn.Server(
            uvicorn.Config(
                app, log_level="warning", access_log=False, lifespan="off", timeout_graceful_shutdown=2
            )
        )
        _end_with_parent(running)
        address = f"http://{HOST}:{sock.getsockname()[1]}/v1"
        threading.Thread(target=_tell, args=(running, on_ready, address), daemon=True).start()
        running.run(sockets=[sock])


def _begin_anew(model: Any) -> None:
    """Have each answer computed from its whole prompt.

    What is kept of the prompt before is computed in other batches, so its numbers differ a little, and with them the
    answer at temperature 0.
    """
    generate = model.generate

    def anew(self: Any, *given: Any, **options: Any) -> Any:
        self.reset()
        return generate(self, *given, **options)

    model.generate = anew


def _tell(running: Any, on_ready: Callable[[str], None], address: str) -> None:
    while not running.started and not running.should_exit:
        time.sleep(0.05)
    if running.started:
        on_ready(address)


def _end_with_parent(running: Any) -> None:
    """Have the process end when the one that began it does, however that ends."""
    parent = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PDEATHSIG, signal.SIGTERM)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_POLL)
        running.should_exit = True
        time.sleep(_ENDS)
        os._exit(0)  # a long computation in a thread does not hold it up

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()


@contextlib.contextmanager
def serving(threads: int | None = None) -> Iterator[str]:
    """The endpoint in a process of its own, as long as the block; yields its address, up to `/v1`.

    Raises:
        BadInput: The extra is not installed.
        CommunityError: The server did not start.
    """
    find_weights()
    command = [sys.executable, "-m", "normgym_agents.cli", "model", "serve", "--port", "0"]
    process = subprocess.Popen(
        [*command, *(() if threads is None else ("--threads", str(threads)))],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield _address(process)
    finally:
        process.terminate()
        try:
            process.wait(_ENDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _address(process: subprocess.Popen[str]) -> str:
    """What the server says of where it is."""
    if process.stdout is None:
        raise CommunityError("the local model's server has no output")
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        if not selector.select(_STARTS):
            raise CommunityError(f"the local model did not start within {_STARTS:g} s")
    line = process.stdout.readline()
    found = next((word for word in line.split() if word.startswith("http://")), None)
    if found is None:
        raise CommunityError(f"the local model did not start (status {process.poll()})")
    return found
