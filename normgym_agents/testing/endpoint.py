"""An OpenAI-compatible endpoint that says what a script tells it to.

It speaks `POST /v1/chat/completions` and `GET /v1/models` over real HTTP on a loopback port, so that any
agent built on an OpenAI client can be tested as it is. It has no `responses` API: one dialect, done
exactly, is the one that every compatible server and both frameworks' clients speak.
"""

from __future__ import annotations

import threading
from collections import Counter
from types import TracebackType
from typing import Protocol, Self

from normgym_agents.testing import _wire
from normgym_agents.testing._checks import BadRequest, check_answer, parse_body
from normgym_agents.testing._server import Exchange, Reported, Server
from normgym_agents.testing.answers import Answer, Completion, Drop, Fail, Garbage, Hang, Say
from normgym_agents.testing.request import ChatRequest
from normgym_agents.testing.script import Script, ScriptError, as_script

API_KEY = "scripted-key"
MODEL = "scripted-model"
_CHAT, _MODELS = "/v1/chat/completions", "/v1/models"


class ScriptedEndpoint:
    """A scripted model behind real HTTP; a context manager, or `start` and `close`.

    Args:
        script: Decides each answer; a single answer is given to every request. Called from several
            threads when requests come at the same time.
        strict: Whether an answer that the request rules out (a tool that was not offered, words where a
            call is required, prose where JSON was asked for) is an error of the script. False sends it
            anyway, as weak providers do.
        any_key: Whether an agent may come with a key of its own; False wants `api_key`.
    """

    api_key = API_KEY
    model = MODEL

    def __init__(self, script: Script | Answer, *, strict: bool = True, any_key: bool = False) -> None:
        """Hold the script; nothing listens before `start`."""
        self._script, self._strict, self._any_key = as_script(script), strict, any_key
        self._lock = threading.Lock()
        self._requests: list[ChatRequest] = []
        self._errors: list[str] = []
        self._rejected: list[str] = []
        self._seen: Counter[str] = Counter()
        self._server: Server | None = None

    def start(self) -> Self:
        """Listen on a free loopback port; once per endpoint."""
        if self._server is not None:
            raise RuntimeError("this endpoint was started before")
        self._server = Server(self._answer_http, self._report)
        self._server.start()
        return self

    def close(self) -> None:
        """Cut what hangs, join every thread, free the port; more than once is harmless."""
        server, self._server = self._server, None
        if server is not None:
            server.close()

    def __enter__(self) -> Self:
        """Start."""
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    @property
    def base_url(self) -> str:
        """Where it listens, as an OpenAI client wants it: `http://127.0.0.1:PORT/v1`."""
        if self._server is None:
            raise RuntimeError("this endpoint is not running")
        return f"http://127.0.0.1:{self._server.port}/v1"

    def env(self) -> dict[str, str]:
        """The environment variables that send OpenAI clients here."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": self.api_key}

    @property
    def requests(self) -> tuple[ChatRequest, ...]:
        """The accepted requests so far, in order of arrival, retries included."""
        with self._lock:
            return tuple(self._requests)

    @property
    def errors(self) -> tuple[str, ...]:
        """What went wrong on this side, one line each; a test with any should fail."""
        with self._lock:
            return tuple(self._errors)

    @property
    def rejected(self) -> tuple[str, ...]:
        """What was wrong with requests turned away with a 4xx before the script was asked."""
        with self._lock:
            return tuple(self._rejected)

    def _report(self, line: str) -> None:
        with self._lock:
            self._errors.append(line)

    def _answer_http(self, exchange: Exchange) -> None:
        if not self._any_key and exchange.headers.get("authorization") != f"Bearer {self.api_key}":
            self._turn_away(exchange, 401, "Incorrect API key provided.")
        elif exchange.method == "POST" and exchange.path == _CHAT:
            self._answer_chat(exchange)
        elif exchange.method == "GET" and exchange.path == _MODELS:
            exchange.reply(200, _wire.dump(_wire.models_body((self.model,))))
        elif exchange.method == "GET" and exchange.path == f"{_MODELS}/{self.model}":
            exchange.reply(200, _wire.dump(_wire.model_body(self.model)))
        elif exchange.path in (_CHAT, _MODELS):
            self._turn_away(exchange, 405, f"Not allowed to {exchange.method} on {exchange.path}.")
        else:
            self._turn_away(exchange, 404, f"Unknown request URL: {exchange.method} {exchange.path}.")

    def _turn_away(self, exchange: Exchange, status: int, message: str, param: str | None = None) -> None:
        with self._lock:
            self._rejected.append(f"{status} {message}")
        exchange.error(status, message, param=param)

    def _answer_chat(self, exchange: Exchange) -> None:
        try:
            body = parse_body(exchange.body)
        except BadRequest as error:
            self._turn_away(exchange, 400, error.message, error.param)
            return
        headers = {k.lower(): v for k, v in exchange.headers.items() if k.lower() != "authorization"}
        with self._lock:
            request = ChatRequest(body=body, headers=headers, index=len(self._requests))
            self._requests.append(request)
            digest = _wire.digest(body)
            answer_id = f"{digest}{self._seen[digest]:04d}"
            self._seen[digest] += 1
        try:
            answer = self._decide(request)
        except Exception as error:
            # Reported before it is answered, so that the client's test finds it; and the client is told
            # not to retry, or the fault would hide behind its back-off.
            self._report(f"{type(error).__name__}: {error}")
            exchange.error(500, f"script: {error}", headers={"x-should-retry": "false"})
            raise Reported from error
        self._send(exchange, request, answer, answer_id)

    def _decide(self, request: ChatRequest) -> Answer:
        answer = self._script(request)
        checked = answer.then if isinstance(answer, Hang) else answer
        if isinstance(checked, Completion):
            if self._strict:
                check_answer(request, checked)
        elif not isinstance(answer, Fail | Hang | Drop | Garbage):
            raise ScriptError(f"the script answered {answer!r}, which is no answer")
        return answer

    def _send(self, exchange: Exchange, request: ChatRequest, answer: Answer, answer_id: str) -> None:
        match answer:
            case Hang(seconds=seconds, then=then):
                if exchange.wait(seconds) and then is not None:
                    self._send(exchange, request, then, answer_id)
            case Fail(status=status, message=message, code=code):
                exchange.error(status, message, code=code, headers=_wire.retry_headers(answer))
            case Garbage(body=body, content_type=content_type, status=status):
                exchange.reply(status, body, content_type=content_type)
            case Drop(text=text):
                if text is not None:
                    self._break_off(exchange, request, text, answer_id)
            case _ if request.stream:
                chunks = _wire.completion_chunks(request, answer, answer_id)
                events = [_wire.sse(_wire.dump(chunk)) for chunk in chunks]
                exchange.stream([*events, _wire.sse(b"[DONE]")])
            case _:
                exchange.reply(200, _wire.dump(_wire.completion_body(request, answer, answer_id)))

    def _break_off(self, exchange: Exchange, request: ChatRequest, text: str, answer_id: str) -> None:
        if request.stream:
            chunks = list(_wire.completion_chunks(request, Say(text), answer_id))
            said = [c for c in chunks if c["choices"] and c["choices"][0]["finish_reason"] is None]
            exchange.stream([_wire.sse(_wire.dump(chunk)) for chunk in said], finish=False)
        else:
            body = _wire.dump(_wire.completion_body(request, Say(text), answer_id))
            exchange.truncated(body[: len(body) // 2])


class ScriptedEndpointFactory(Protocol):
    """What the fixture `scripted_endpoint` is: start an endpoint that lives as long as the test."""

    def __call__(self, script: Script | Answer, *, strict: bool = True) -> ScriptedEndpoint:
        """See `ScriptedEndpoint`."""
