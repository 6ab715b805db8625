from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.worlds.suites import (
    Suite,
    available_suites,
    dump_suite,
    load_suite,
    make_suite,
    suite_digest,
)
from normgym_agents.worlds.world import World
from tests.worlds.making import changed_world, quick


@pytest.fixture
def small() -> Suite:
    return make_suite("small", 3, 7, quick().worlds[:2])


def lines_of(suite: Suite) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(dump_suite(suite)).splitlines()]


def written(path: Path, lines: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def refused(name: str) -> BadInput:
    with pytest.raises(BadInput) as caught:
        load_suite(name)
    assert "\n" not in str(caught.value)
    return caught.value


def test_the_bundled_suite_is_twin_pairs_in_order() -> None:
    suite = load_suite("quick")
    assert "quick" in available_suites()
    assert (suite.name, len(suite.worlds)) == ("quick", 12)
    for one, other in zip(suite.worlds[::2], suite.worlds[1::2], strict=True):
        assert (one.pair, one.twin, other.twin) == (other.pair, other.id, one.id)
    assert len({world.digest for world in suite.worlds}) == 12


@pytest.mark.parametrize("name", available_suites())
def test_bundled_suites_pair_every_world_with_its_twin(name: str) -> None:
    worlds = load_suite(name).worlds
    by_id = {world.id: world for world in worlds}
    assert len(by_id) == len(worlds)
    assert all(by_id[by_id[world.twin].twin] is world for world in worlds)


def test_a_suite_survives_its_file(tmp_path: Path, small: Suite) -> None:
    content = dump_suite(small)
    file = tmp_path / "small.jsonl.gz"
    file.write_bytes(content)
    assert load_suite(str(file)) == small
    assert dump_suite(load_suite(str(file))) == content


def test_a_suite_may_be_plain_text_with_either_line_end(tmp_path: Path, small: Suite) -> None:
    file = tmp_path / "small.jsonl"
    file.write_bytes(gzip.decompress(dump_suite(small)).replace(b"\n", b"\r\n"))
    assert load_suite(str(file)) == small


def test_line_breaks_of_other_scripts_stay_within_a_phrase(tmp_path: Path, small: Suite) -> None:
    task = small.worlds[0].probe.task.model_copy(update={"sentence": "Bring\u2028two\x85cups."})
    probe = small.worlds[0].probe.model_copy(update={"task": task})
    worlds = [world.model_copy(update={"probe": probe}).sealed() for world in small.worlds]
    file = tmp_path / "odd.jsonl.gz"
    file.write_bytes(dump_suite(make_suite("odd", 1, 1, worlds)))
    assert load_suite(str(file)).worlds[1].probe.task.sentence == "Bring\u2028two\x85cups."


def test_a_cut_suite_has_a_digest_of_its_own() -> None:
    cut = quick().first(4)
    assert cut.worlds == quick().worlds[:4]
    assert cut.digest == suite_digest(cut.worlds) != quick().digest
    assert quick().first(12) == quick()


def test_the_order_of_the_worlds_is_part_of_the_digest() -> None:
    assert suite_digest(quick().worlds[::-1]) != suite_digest(quick().worlds)


@pytest.mark.parametrize("name", ["nowhere", "quick.jsonl.gz", "", "."])
def test_an_unknown_suite_names_the_known_ones(name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    fault = refused(name)
    assert fault.field == "--suite"
    assert fault.expected is not None
    assert "quick" in fault.expected


def test_a_name_too_long_for_a_file_is_bad_input() -> None:
    assert "cannot be read" in refused("x" * 5000).message


@pytest.mark.parametrize("kept", [1, 10, 500, -9, -1])
def test_a_truncated_file_is_refused(kept: int, tmp_path: Path, small: Suite) -> None:
    file = tmp_path / "torn.jsonl.gz"
    file.write_bytes(dump_suite(small)[:kept])
    fault = refused(str(file))
    assert fault.file == str(file)


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe", b"\x1f\x8b\x08broken", b"not json\n"])
def test_what_is_no_suite_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_bytes(content)
    assert refused(str(file)).file == str(file)


def test_a_changed_world_does_not_match_its_digest(tmp_path: Path, small: Suite) -> None:
    lines = lines_of(small)
    lines[2]["probe"]["task"]["budget"] += 1
    fault = refused(written(tmp_path / "s.jsonl", lines))
    assert (fault.line, fault.expected) == (3, small.worlds[1].digest)
    assert "does not match its digest" in fault.message


def test_a_changed_world_with_a_fresh_digest_does_not_match_the_header(tmp_path: Path, small: Suite) -> None:
    lines = lines_of(small)
    changed = World.model_validate({**small.worlds[0].model_dump(), "coins": "others"}).sealed()
    lines[1] = changed.model_dump(mode="json")
    fault = refused(written(tmp_path / "s.jsonl", lines))
    assert (fault.line, fault.expected) == (2, small.worlds[0].digest)


def test_worlds_left_out_or_moved_do_not_match_the_suite(tmp_path: Path, small: Suite) -> None:
    lines = lines_of(small)
    for odd, message in (
        (lines[:2], "world quick-1-000b is missing"),
        ([lines[0], lines[2], lines[1]], "stand in another order"),
    ):
        fault = refused(written(tmp_path / "s.jsonl", odd))
        assert (fault.line, fault.expected) == (1, small.digest)
        assert message in fault.message


def test_worlds_that_stand_twice_or_apart_from_their_twins_are_named(tmp_path: Path) -> None:
    """Even where every seal is right."""
    one, two, three, four = quick().worlds[:4]
    for worlds, line, message in (
        ([one, two, one, two], 4, "quick-1-000a stands twice, first in line 2"),
        ([one, three, two, four], 3, "quick-1-000a is not followed by its twin"),
        ([one, two, three], 4, "quick-1-001a stands without its twin"),
        ([], None, "there are no worlds"),
    ):
        file = tmp_path / "odd.jsonl.gz"
        file.write_bytes(dump_suite(make_suite("odd", 1, 1, worlds)))
        fault = refused(str(file))
        assert (fault.line, message in fault.message) == (line, True), fault


def test_a_world_that_the_head_does_not_list_is_named(tmp_path: Path, small: Suite) -> None:
    lines = lines_of(small)
    del lines[0]["digests"]["quick-1-000b"]
    fault = refused(written(tmp_path / "s.jsonl", lines))
    assert (fault.line, fault.field, fault.expected) == (3, "id", "quick-1-000a")


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path, small: Suite) -> None:
    file = tmp_path / "small.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + gzip.decompress(dump_suite(small)))
    assert load_suite(str(file)) == small


def test_a_changed_certificate_is_not_what_the_file_vouches_for(tmp_path: Path, small: Suite) -> None:
    lines = lines_of(small)
    lines[2]["certificate"]["channels"]["own"]["passed"] ^= True
    fault = refused(written(tmp_path / "s.jsonl", lines))
    assert (fault.line, fault.field) == (3, "certificate")
    assert small.worlds[1].id in fault.message
    # Files of old vouch for all certificates at once.
    del lines[0]["proved"]
    fault = refused(written(tmp_path / "s.jsonl", lines))
    assert (fault.line, fault.field) == (1, "certificates")
    assert "some world below" in fault.message


@pytest.mark.parametrize(
    ("path", "value", "field", "message"),
    [
        ("probe.task.budget", 8, "probe.task.budget", "solvable: no plan of at most 8 acts"),
        ("certificate.blind", 1, "certificate.blind", "1 does not fit"),
        ("probe.stage.things.0.home", "moon", "probe.stage.things.0.home", "no place 'moon'"),
    ],
)
def test_a_world_that_was_changed_and_sealed_again_is_refused(
    tmp_path: Path, small: Suite, path: str, value: Any, field: str, message: str
) -> None:
    """The seals fit, but nothing could be measured in it."""
    one, other = small.worlds
    file = tmp_path / "odd.jsonl.gz"
    file.write_bytes(dump_suite(make_suite("odd", 1, 1, [one, changed_world(other, path, value)])))
    fault = refused(str(file))
    assert (fault.file, fault.line, fault.field) == (str(file), 3, field)
    assert f"world {other.id}: " in fault.message and message in fault.message
    assert fault.expected is not None


@pytest.mark.parametrize(
    ("line", "change", "field"),
    [
        (1, {"digests": None}, "digests"),
        (1, {"extra": 1}, "extra"),
        (2, {"certificate": None}, "certificate"),
        (2, {"norms": "forbid take"}, "norms"),
        (3, {"luck": 1}, "luck"),
    ],
)
def test_a_wrong_line_is_named(line: int, change: dict, field: str, tmp_path: Path, small: Suite) -> None:
    lines = lines_of(small)
    lines[line - 1].update(change)
    fault = refused(written(tmp_path / "s.jsonl", lines))
    assert (fault.line, fault.field) == (line, field)
    assert fault.file == str(tmp_path / "s.jsonl")


def test_a_line_that_is_no_json_is_named(tmp_path: Path, small: Suite) -> None:
    file = tmp_path / "s.jsonl"
    text = gzip.decompress(dump_suite(small)).decode()
    file.write_text(text + "\n", encoding="utf-8")
    assert refused(str(file)).line == 4


@pytest.mark.parametrize(
    ("norms", "message"),
    [
        (("forbid fly(mark=ringed)",), "fly"),
        (("forbid take(mark=zzz)",), "zzz"),
        (("forbid take before greet(role=baker)",), "baker"),
        (("oblige greet with take", "forbid greet"), "forbids in all cases"),
    ],
)
def test_norms_that_cannot_be_are_refused_where_the_suite_is_read(
    tmp_path: Path, small: Suite, norms: tuple[str, ...], message: str
) -> None:
    """Even where every seal is right: somebody may have sealed it so."""
    one, other = small.worlds[:2]
    worlds = (one.model_copy(update={"norms": norms}).sealed(), other)
    file = tmp_path / "odd.jsonl.gz"
    file.write_bytes(dump_suite(make_suite("odd", 1, 1, worlds)))
    with pytest.raises(BadInput, match=message) as fault:
        load_suite(str(file))
    assert (fault.value.line, one.id in fault.value.message) == (2, True)
    assert str(fault.value.field).startswith("norms")
