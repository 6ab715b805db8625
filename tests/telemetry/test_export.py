"""A run's spans, in its file and at a real receiver, with the agent's own spans in their place."""

from __future__ import annotations

import errno
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry import trace

from normgym_agents.errors import BadInput
from normgym_agents.telemetry.export import open_spans
from tests.telemetry.episodes import SHAPE, episode, thinking
from tests.telemetry.receiver import OtlpReceiver, Trees, silent_port

pytestmark = pytest.mark.usefixtures("no_global_provider")


async def test_receiver_and_file_hold_the_same_tree(
    tmp_path: Path, receiver: OtlpReceiver, trees_in: Trees
) -> None:
    path = tmp_path / "spans.jsonl"
    with open_spans(path, receiver.url) as run:
        trace_id = await episode(run, thinking)
        assert run.flush()
        report = run.close()
    (sent,) = receiver.trees()
    assert sent.shape() == SHAPE
    assert trees_in(path) == [sent]
    assert sent.trace_id == trace_id
    assert sent.resource["service.name"] == "normgym-agents"
    assert sent.children[0].events[0][0] == "normgym.sanction"
    assert [event[1]["gen_ai.evaluation.name"] for event in sent.events] == ["joint_success"]
    assert [(d.destination, d.exported, d.dropped) for d in report.deliveries] == [
        (str(path), 6, 0),
        (receiver.url + "/v1/traces", 6, 0),
    ]
    assert report.warnings == ()
    assert set(receiver.paths) == {"/v1/traces"}


async def test_odd_text_of_an_agent_spoils_nothing(
    tmp_path: Path, receiver: OtlpReceiver, trees_in: Trees, caplog: pytest.LogCaptureFixture
) -> None:
    async def odd(name: str) -> None:
        with trace.get_tracer("agent\ud800").start_as_current_span("odd \ud800\x00\x1b[31m") as span:
            span.set_attribute("text", "\ud800\n\u2028")
            span.set_attribute("big", 2**80)

    path = tmp_path / "spans.jsonl"
    with open_spans(path, receiver.url) as run:
        await episode(run, odd, "t\ud800m\n")
        report = run.close()
    assert [(d.exported, d.dropped) for d in report.deliveries] == [(5, 0), (5, 0)]
    assert trees_in(path) == receiver.trees()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_headers_come_from_the_variables(
    tmp_path: Path, receiver: OtlpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20abc, x-team=norms")
    with open_spans(tmp_path / "spans.jsonl", receiver.url + "/base/") as run:
        await episode(run, thinking)
    assert receiver.headers[0]["authorization"] == "Basic abc"
    assert receiver.headers[0]["x-team"] == "norms"
    assert receiver.headers[0]["content-type"] == "application/x-protobuf"
    assert receiver.paths[0] == "/base/v1/traces"


async def test_a_busy_receiver_is_tried_again(tmp_path: Path, receiver: OtlpReceiver) -> None:
    receiver.answers = [503]
    with open_spans(tmp_path / "spans.jsonl", receiver.url) as run:
        await episode(run, thinking)
        report = run.close()
    assert report.warnings == ()
    assert report.deliveries[1].exported == 6


async def test_a_refusal_is_counted_and_told_once(tmp_path: Path, receiver: OtlpReceiver) -> None:
    receiver.answers = [401] * 100
    with open_spans(tmp_path / "spans.jsonl", receiver.url) as run:
        await episode(run, thinking)
        assert run.flush()
        await episode(run, thinking)
        report = run.close()
    assert report.warnings == (
        f"12 of 12 spans did not reach {receiver.url}/v1/traces: HTTP 401 Unauthorized",
    )
    assert report.deliveries[0].exported == 12


async def test_spans_a_receiver_rejects_are_counted(tmp_path: Path, receiver: OtlpReceiver) -> None:
    receiver.rejected = 2
    with open_spans(tmp_path / "spans.jsonl", receiver.url) as run:
        await episode(run, thinking)
        (warning,) = run.close().warnings
    assert warning == (
        f"2 of 6 spans did not reach {receiver.url}/v1/traces: the receiver rejected spans: no room for these"
    )


async def test_a_receiver_that_never_answers_delays_nothing(
    tmp_path: Path, trees_in: Trees, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "spans.jsonl"
    with silent_port() as url, open_spans(path, url) as run:
        await episode(run, thinking)
        report = run.close(timeout=0.2)
    assert report.warnings == (f"6 of 6 spans did not reach {url}/v1/traces: no answer within 0.2 s",)
    assert len(trees_in(path)) == 1
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_an_unreachable_receiver_leaves_a_clean_process(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from normgym_agents.telemetry.export import open_spans
run = open_spans(Path(sys.argv[1]), "http://127.0.0.1:9")
spans = run.episode_spans()
for _ in range(500):
    with spans.episode(world="w", condition="live", trial=0, newcomer="tam"), spans.turn("tam", "go"):
        pass
print(run.close(1.0).warnings)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "spans.jsonl")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    assert "1000 of 1000 spans did not reach http://127.0.0.1:9/v1/traces" in done.stdout
    assert "refused" in done.stdout


async def test_a_torn_last_line_is_cut_off_before_appending(tmp_path: Path, trees_in: Trees) -> None:
    path = tmp_path / "spans.jsonl"
    with open_spans(path) as run:
        await episode(run, thinking)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"resourceSpans":[' + b"x" * 200_000)
    with open_spans(path) as run:
        await episode(run, thinking)
    assert path.read_bytes().startswith(whole)
    assert len(trees_in(path)) == 2


async def test_long_lines_are_divided(tmp_path: Path, trees_in: Trees) -> None:
    async def talkative(name: str) -> None:
        with trace.get_tracer("agent").start_as_current_span("talk") as span:
            span.set_attribute("text", "a" * 400_000)

    path = tmp_path / "spans.jsonl"
    with open_spans(path) as run:
        await episode(run, talkative, rounds=6)
    assert max(len(line) for line in path.read_bytes().splitlines()) < 2**20
    (root,) = trees_in(path)
    assert len(root.children) == 6


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost",
        "127.0.0.1:4318",
        "ftp://127.0.0.1",
        "http://",
        "http:///v1/traces",
        "http://127.0.0.1:port",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:0",
        "http://[::1",
        "http://127.0.0.1/?a=b",
        "http://127.0.0.1/#a",
        "http://127.0.0.1/a b",
        "http://127.0.0.1/\n",
        "http://127.0.0.1/\ud800",
    ],
)
def test_a_bad_address_is_refused_before_anything_is_made(tmp_path: Path, url: str) -> None:
    with pytest.raises(BadInput, match="--otlp"):
        open_spans(tmp_path / "spans.jsonl", url)
    assert not list(tmp_path.iterdir())


def test_a_password_in_an_address_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        open_spans(tmp_path / "spans.jsonl", "http://me:hunter2@127.0.0.1")
    assert "hunter2" not in str(caught.value)
    assert "OTEL_EXPORTER_OTLP_HEADERS" in str(caught.value)


def test_a_bad_certificate_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ca.pem").write_text("not one")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", str(tmp_path / "ca.pem"))
    with pytest.raises(BadInput, match=r"ca\.pem"):
        open_spans(tmp_path / "spans.jsonl", "https://127.0.0.1")


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="spans cannot be written"):
        open_spans(tmp_path, "http://127.0.0.1:4318")
    with pytest.raises(BadInput, match="No such file"):
        open_spans(tmp_path / "missing" / "spans.jsonl")


async def test_a_full_disk_is_counted_and_leaves_whole_lines(
    tmp_path: Path, trees_in: Trees, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "spans.jsonl"
    write = os.write

    def half(descriptor: int, data: bytes) -> int:
        if len(data) < 1000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data[: len(data) // 2])

    with open_spans(path) as run:
        await episode(run, thinking)
        assert run.flush()
        with monkeypatch.context() as patch:
            patch.setattr("normgym_agents.telemetry.destinations.os.write", half)
            await episode(run, thinking)
            assert run.flush()
        await episode(run, thinking)
        (warning,) = run.close().warnings
    assert warning == f"6 of 18 spans did not reach {path}: cannot be written: No space left on device"
    assert [root.shape() for root in trees_in(path)] == [SHAPE, SHAPE]


async def test_a_disabled_sdk_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    with open_spans(tmp_path / "spans.jsonl") as run:
        assert await episode(run, thinking) is None
        assert run.close().warnings == ("no spans were written: OTEL_SDK_DISABLED is set",)


async def test_spans_are_all_kept_whatever_sampler_the_user_has_set(
    tmp_path: Path, trees_in: Trees, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    with open_spans(tmp_path / "spans.jsonl") as run:
        await episode(run, thinking)
    assert [root.shape() for root in trees_in(tmp_path / "spans.jsonl")] == [SHAPE]


def test_making_spans_brings_in_no_sdk() -> None:
    program = "import sys, normgym_agents.telemetry; sys.exit(any(m.startswith('opentelemetry.sdk') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0
