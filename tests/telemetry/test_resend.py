"""Sending a run's file later."""

from __future__ import annotations

from pathlib import Path

import pytest

from normgym_agents.errors import BadInput, NormgymError
from normgym_agents.telemetry.export import open_spans
from normgym_agents.telemetry.resend import SendReport, send_spans
from tests.telemetry.receiver import OtlpReceiver, Trees, build_trees, read_spans


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of two lines, with three spans each."""
    made = tmp_path / "spans.jsonl"
    for _ in range(2):
        with open_spans(made) as run:
            spans = run.episode_spans()
            with spans.episode(world="w", condition="live", trial=0, newcomer="tam"):
                with spans.round("watch", 1), spans.turn("tam", "go\u2028\x00"):
                    pass
    return made


def test_what_arrives_is_what_was_written(path: Path, receiver: OtlpReceiver, trees_in: Trees) -> None:
    assert send_spans(path, receiver.url) == SendReport(requests=2, spans=6, rejected=0)
    assert receiver.trees() == trees_in(path)


def test_rejected_spans_are_counted(path: Path, receiver: OtlpReceiver) -> None:
    receiver.rejected = 1
    assert send_spans(path, receiver.url) == SendReport(requests=2, spans=4, rejected=2)


def test_an_empty_file_sends_nothing(tmp_path: Path, receiver: OtlpReceiver) -> None:
    (tmp_path / "spans.jsonl").touch()
    assert send_spans(tmp_path / "spans.jsonl", receiver.url) == SendReport(requests=0, spans=0, rejected=0)


@pytest.mark.parametrize("bad", [b"{\n", b"\n", b'{"resourceSpans": [7]}\n', b"\xff\n"])
def test_a_bad_line_is_named_and_nothing_is_sent(path: Path, receiver: OtlpReceiver, bad: bytes) -> None:
    path.write_bytes(path.read_bytes() + bad)
    with pytest.raises(BadInput) as caught:
        send_spans(path, receiver.url)
    assert (caught.value.file, caught.value.line) == (path, 3)
    assert "\n" not in str(caught.value)
    assert receiver.requests == []


def test_a_torn_line_is_called_one(path: Path, receiver: OtlpReceiver) -> None:
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadInput, match=r"spans\.jsonl:2: torn line"):
        send_spans(path, receiver.url)


def test_a_missing_file_and_a_bad_address_are_refused(tmp_path: Path, receiver: OtlpReceiver) -> None:
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        send_spans(tmp_path / "none.jsonl", receiver.url)
    with pytest.raises(BadInput, match="not an address"):
        send_spans(tmp_path / "none.jsonl", "nowhere")


def test_a_refusing_receiver_is_an_error_that_says_how_far_it_went(
    path: Path, receiver: OtlpReceiver
) -> None:
    receiver.answers = [200, 400]
    with pytest.raises(NormgymError, match=r"HTTP 400 Bad Request \(3 of 6 spans sent\)"):
        send_spans(path, receiver.url)


def test_nobody_there_is_an_error(path: Path) -> None:
    with pytest.raises(NormgymError, match=r"could not be sent to http://127\.0\.0\.1:9/v1/traces"):
        send_spans(path, "http://127.0.0.1:9")


def test_the_parts_of_a_tree_may_come_in_any_order(path: Path, receiver: OtlpReceiver) -> None:
    send_spans(path, receiver.url)
    backwards = list(read_spans(reversed(receiver.requests)))
    assert [root.shape() for root in build_trees(backwards)] == [
        ("episode", [("round", [("invoke_agent tam", [])])])
    ] * 2
