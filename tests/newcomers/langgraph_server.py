"""What a newcomer needs of LangGraph's server, on the loopback: runs as events, states, copies of threads.

Real graphs run behind it, with a memory of the server's own.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from langchain_core.load import dumpd
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from normgym_agents.newcomers.langgraph import copied_thread


class Server(ThreadingHTTPServer):
    """Serves graphs by name."""

    daemon_threads = True

    def __init__(self, graphs: Mapping[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.saver = InMemorySaver()
        self.graphs = {name: graph.copy({"checkpointer": self.saver}) for name, graph in graphs.items()}
        self.used: dict[str, str] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        match self.path.strip("/").split("/"):
            case ["threads", thread, "runs", "stream"]:
                self._run(thread, body)
            case ["threads", thread, "state", "checkpoint"]:
                self._tell_state(thread)
            case ["threads", thread, "copy"]:
                new = copied_thread(self.server.saver, thread)
                self.server.used[new] = self.server.used[thread]
                self._send({"thread_id": new})
            case _:
                self.send_error(404)

    def _tell_state(self, thread: str) -> None:
        state = self._graph(thread).get_state({"configurable": {"thread_id": thread}})
        tasks = [
            {"id": t.id, "name": t.name, "error": None, "state": None, "checkpoint": None,
             "interrupts": [{"value": i.value, "id": i.id} for i in t.interrupts]}
            for t in state.tasks
        ]  # fmt: skip
        place = {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": "x"}
        self._send(
            {"values": plain(state.values), "next": list(state.next), "tasks": tasks, "metadata": {},
             "checkpoint": place, "parent_checkpoint": None, "created_at": None}
        )  # fmt: skip

    def do_DELETE(self) -> None:
        self.server.saver.delete_thread(self.path.rpartition("/")[2])
        self.send_response(204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _graph(self, thread: str) -> Any:
        return self.server.graphs[self.server.used[thread]]

    def _run(self, thread: str, body: dict[str, Any]) -> None:
        self.server.used[thread] = body["assistant_id"]
        config = body.get("config") or {}
        config = {**config, "configurable": {**config.get("configurable", {}), "thread_id": thread}}
        command = body.get("command")
        sent = body["input"] if not command else Command(resume=command["resume"])
        events: list[tuple[str, Any]] = []
        try:
            for chunk in self._graph(thread).stream(sent, config, stream_mode="values"):
                events.append(("values", plain(chunk)))
        except Exception as error:  # noqa: BLE001 # a server tells of every error in an event
            events.append(("error", {"error": type(error).__name__, "message": str(error)}))
        text = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
        self._send(text.encode(), "text/event-stream")

    def _send(self, data: Any, kind: str = "application/json") -> None:
        raw = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def plain(value: Any) -> Any:
    """A state as a server tells it."""
    if isinstance(value, BaseMessage):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if hasattr(value, "value") and hasattr(value, "id"):
        return {"value": value.value, "id": value.id}
    return value if isinstance(value, str | int | float | bool | None) else dumpd(value)


@contextlib.contextmanager
def serving(**graphs: Any) -> Iterator[Server]:
    """A server of graphs, for as long as the block."""
    with Server(graphs) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
