from __future__ import annotations

import gzip
import inspect
import json
import re
from collections import Counter

import pytest

from normgym_agents.cli.app import execute
from normgym_agents.cli.sampling import REASONS
from normgym_agents.worlds import candidate, certificate, sampling
from normgym_agents.worlds.sampling import Sampled
from normgym_agents.worlds.suites import dump_suite, load_suite, make_suite
from tests.worlds.making import changed_world


def test_all_worlds_of_a_suite_or_everything_about_one(capsys):
    assert execute(["world", "show"]) == 0
    overview = capsys.readouterr().out
    suite = load_suite("quick")
    for world in suite.worlds:
        assert world.id in overview
        assert all(norm in overview for norm in world.norms)
    one = suite.worlds[3]
    assert execute(["world", "show", "quick", one.id]) == 0
    shown = capsys.readouterr().out
    for fact in (one.digest, one.twin, one.probe.task.sentence, *one.norms, "norm-blind", "identifiable"):
        assert fact in shown
    assert execute(["world", "show", "quick", one.id, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["digest"] == one.digest


@pytest.fixture
def drawn(monkeypatch):
    """Stands in for drawing, which takes its time: gives the pairs of `quick`, and what was asked for."""
    worlds, asked = load_suite("quick").worlds, []

    def sample(recipe, index):
        asked.append((recipe.setting.name, recipe.suite, recipe.seed, index))
        return Sampled((worlds[2 * index], worlds[2 * index + 1]), Counter(tempting=2))

    monkeypatch.setattr(sampling, "sample_twins", sample)
    return asked


def test_drawn_worlds_are_a_suite_to_certify_and_to_run(tmp_path, monkeypatch, capsys, drawn):
    monkeypatch.chdir(tmp_path)
    assert (
        execute(
            ["world", "sample", "--seed", "3", "--pairs", "2", "--name", "mine", "--out", "mine.jsonl.gz"]
        )
        == 0
    )
    assert drawn == [("pottery-yard", "mine-1", 3, 0), ("pottery-yard", "mine-1", 3, 1)]
    said, told = capsys.readouterr()
    assert told == "pair 1 of 2 drawn after 3 candidates\npair 2 of 2 drawn after 3 candidates\n"
    suite = load_suite("mine.jsonl.gz")
    assert len(suite.worlds) == 4 and all(world.id in said for world in suite.worlds)
    assert execute(["world", "certify", "mine.jsonl.gz", "--worlds", "2"]) == 0
    assert capsys.readouterr().out.endswith("2 of 2 worlds certified\n")
    run = [
        "run",
        "reference:told-oracle",
        "--suite",
        "mine.jsonl.gz",
        "--conditions",
        "told",
        "-q",
        "--out",
        "run",
    ]
    assert execute(run) == 0
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["suite"]["name"] == "mine"


def test_worlds_can_be_drawn_as_json(capsys, drawn):
    assert execute(["world", "sample", "--json"]) == 0
    assert [world["id"] for world in json.loads(capsys.readouterr().out)] == ["quick-1-000a", "quick-1-000b"]


def test_a_world_that_was_changed_is_refused(tmp_path, monkeypatch, capsys, drawn):
    monkeypatch.chdir(tmp_path)
    assert execute(["world", "sample", "--out", "suite.jsonl.gz"]) == 0
    text = gzip.decompress((tmp_path / "suite.jsonl.gz").read_bytes()).decode()
    (tmp_path / "suite.jsonl.gz").write_text(text.replace('"forbid ', '"forbid  ', 1))
    capsys.readouterr()
    assert execute(["world", "certify", "suite.jsonl.gz"]) == 2
    assert "does not match its digest" in capsys.readouterr().err


def test_a_world_without_its_twin_or_with_another_certificate_is_not_certified(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    one, other = load_suite("quick").worlds[:2]
    assert one.certificate is not None
    # What is met on a plan is not looked up where a file is read: only proving finds that it differs.
    certificate = one.certificate.model_copy(update={"opportunities": (9,)})
    changed = one.model_copy(update={"certificate": certificate})
    (tmp_path / "suite.jsonl.gz").write_bytes(dump_suite(make_suite("odd", 1, 0, [changed, other])))
    assert execute(["world", "certify", "suite.jsonl.gz"]) == 2
    said = capsys.readouterr()
    assert f"{one.id}: certificate: the stored one differs" in said.err
    assert said.out.endswith("1 of 2 worlds certified\n")
    (tmp_path / "alone.jsonl.gz").write_bytes(dump_suite(make_suite("alone", 1, 0, [one])))
    assert execute(["world", "certify", "alone.jsonl.gz"]) == 2
    assert f"alone.jsonl.gz:2: twin: world {one.id} stands without its twin" in capsys.readouterr().err


def test_a_task_that_cannot_be_done_is_called_so_by_whoever_reads_the_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    one, other = load_suite("quick").worlds[:2]
    (tmp_path / "odd.jsonl.gz").write_bytes(
        dump_suite(make_suite("odd", 1, 0, [changed_world(one, "probe.task.budget", 3), other]))
    )
    for command in (["world", "certify", "odd.jsonl.gz"], ["run", "--suite", "odd.jsonl.gz"]):
        assert execute(command) == 2
        said = capsys.readouterr().err
        assert (
            f"odd.jsonl.gz:2: probe.task.budget: world {one.id}: solvable: no plan of at most 3 acts" in said
        )
        assert said.count("\n") == 1


def test_candidates_that_were_not_kept_are_counted_by_family_and_reason(capsys):
    rare = ["world", "sample", "--family", "F7", "--alignment", "counter", "--attempts", "3"]
    assert execute([*rare, "--pairs", "2", "--stats"]) == 0
    said = capsys.readouterr()
    assert "digest" not in said.out
    assert said.err.splitlines()[-1] == "nothing was kept"
    table = [line.split() for line in said.out.splitlines()]
    table = table[table.index([]) + 1 :] if table[0] == [] else table
    assert table[3][:3] == ["words", "no", "norm"]
    assert table[0] == ["family", "candidates", "kept", "acceptance", "rejected", "for"]
    assert table[1] == ["F7", "6", "0", "0.0%", "words", "6"]
    # Without the figures a pair that cannot be found is an error.
    assert execute(rare) == 2
    assert "no pair of worlds with a norm of F7 counter" in capsys.readouterr().err


def test_figures_of_what_was_kept(capsys, drawn):
    assert execute(["world", "sample", "--pairs", "2", "--stats"]) == 0
    *_, row, _, legend = capsys.readouterr().out.splitlines()
    assert row.split() == ["F1", "6", "2", "33.3%", "tempting", "4"]
    assert legend.split()[:2] == ["tempting", "keeping"]


def test_every_reason_has_a_line_in_the_legend():
    """Those of drawing and of certifying: what stands before the colon of each message."""
    raised = re.compile(r'(?:Rejected|NotCertified)\(\s*f?"([a-z ]+): ')
    sources = [inspect.getsource(module) for module in (candidate, certificate)]
    reasons = {reason for source in sources for reason in raised.findall(source)}
    # These are of worlds that were stored, not of candidates.
    assert reasons - {"digest", "stored", "planner"} == set(REASONS)


@pytest.mark.parametrize(("name", "compressed"), [("a.jsonl", False), ("a.jsonl.gz", True)])
def test_worlds_are_compressed_where_the_file_s_name_says_so(tmp_path, monkeypatch, drawn, name, compressed):
    monkeypatch.chdir(tmp_path)
    assert execute(["world", "sample", "--out", name]) == 0
    assert ((tmp_path / name).read_bytes()[:2] == b"\x1f\x8b") is compressed
    assert load_suite(name).worlds == load_suite("quick").worlds[:2]


@pytest.mark.parametrize("name", ["a.json", "a", "a.zip", "a.jsonl.GZ"])
def test_another_ending_is_refused_before_anything_is_drawn(tmp_path, monkeypatch, capsys, drawn, name):
    monkeypatch.chdir(tmp_path)
    assert execute(["world", "sample", "--out", name]) == 2
    said = capsys.readouterr().err
    assert f"--out: '{name}' is no name" in said and "FILE.jsonl.gz" in said
    assert drawn == [] and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--family", "F11"], "--family: there is no family 'F11'"),
        (["--family", "F2", "--alignment", "odd"], "--alignment: there is no alignment 'odd'"),
        (["--alignment", "counter"], "--alignment: it takes a family, too"),
        (["--setting", "nowhere"], "--setting: there is no setting 'nowhere'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(given, said, capsys):
    assert execute(["world", "sample", *given]) == 2
    assert said in capsys.readouterr().err


def test_worlds_are_certified_in_their_order_by_several_processes(capsys):
    assert execute(["world", "certify", "quick", "--worlds", "4", "--jobs", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"quick-1-{pair}  certified" for pair in ("000a", "000b", "001a", "001b")] + [
        "4 of 4 worlds certified"
    ]


def test_a_file_that_is_there_is_never_overwritten(tmp_path, monkeypatch, drawn, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text("mine\n")
    assert execute(["world", "sample", "--out", "a.jsonl"]) == 2
    assert "a.jsonl: --out: is there already (expected: a new file)" in capsys.readouterr().err
    assert (tmp_path / "a.jsonl").read_text() == "mine\n"
