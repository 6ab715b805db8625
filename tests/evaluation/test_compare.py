from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.chances import Chances
from normgym_agents.evaluation.compare import compare
from normgym_agents.evaluation.compare.comparing import compare_runs
from normgym_agents.evaluation.compare.results import Bounds, Difference, Power, Within
from normgym_agents.evaluation.compare.runs import Run
from normgym_agents.evaluation.compare.words import conclude
from normgym_agents.evaluation.config import Limits
from normgym_agents.evaluation.manifest import Manifest, describe
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.plan import Plan
from normgym_agents.evaluation.responses import Responses
from normgym_agents.evaluation.results import SuiteResult
from normgym_agents.evaluation.runner import run_plan
from normgym_agents.evaluation.statistics import mcnemar_power
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.fakes import FakeEntrant, FakePlayer, FakeSuite, FakeWorld, record
from tests.evaluation.test_runner import plan

LIVE = Condition.LIVE


def manifest(records, **config) -> Manifest:
    """The manifest of a run with just these records."""
    worlds = len({r.world for r in records})
    conditions = tuple(c for c in Condition if any(r.condition is c for r in records))
    suite = SuiteResult(name="small", version=1, digest="d", worlds=worlds)
    made = Plan(
        config=plan(conditions=conditions, **config).config,
        newcomer=FakeEntrant(),
        suite=suite,
        episodes=(),
    )
    return describe(made)


def compared(*sides, seed=0, **config):
    """Compare runs given by their records."""
    runs = [
        Run(
            label="ABC"[number],
            folder=Path("ABC"[number]),
            manifest=manifest(records, **config),
            records=tuple(records),
            lines=tuple(range(1, len(records) + 1)),
            uncompared=None,
        )
        for number, records in enumerate(sides)
    ]
    return compare_runs(runs, seed=seed)


def pairs(outcomes: str, condition=LIVE, **counts):
    """One world for each letter, each of a pair of its own: `+` passed, `-` not."""
    return [
        record(f"{n}a", condition=condition, task=letter == "+", **counts)
        for n, letter in enumerate(outcomes)
    ]


def test_joint_success_by_hand():
    # 20 pairs: B passes where A does not in 7, the other way round in 1, alike in 12.
    a = pairs("-" * 7 + "+" + "+" * 6 + "-" * 6)
    b = pairs("+" * 7 + "-" + "+" * 6 + "-" * 6)
    found = compared(a, b).comparisons[0].conditions[LIVE]
    joint = found.metrics["joint_success"]
    assert (joint.first, joint.second, joint.value) == (0.35, 0.65, 0.3)  # 7, 13 and 6 of 20
    assert (joint.more, joint.less, joint.pairs, joint.n) == (7, 1, 20, 20)
    assert joint.p == pytest.approx(2 * (1 + 8) / 2**8, abs=1e-6)
    assert joint.test == "mcnemar"
    assert joint.low is not None and joint.high is not None and 0 < joint.low < 0.3 < joint.high < 1
    # Fewer than 10 pairs differ: the tests rest on their number, 8 of 20.
    assert joint.within is not None and not joint.within.shown
    assert found.power is not None
    assert (found.power.pairs, found.power.discordance, found.power.gap) == (20, 0.4, 0.3)
    assert found.conclusions == (
        "B passed more worlds than A in 7 of 20 pairs of twins, fewer in 1, as many in 12: +30 points "
        f"[{round(100 * joint.low):+d} to {round(100 * joint.high):+d}].",
        "Neither a difference nor its absence is shown (exact McNemar p = 0.070, adjusted p = 0.070; "
        "90% interval [−22 to +56] reaches beyond ±5 points).",
        "With 20 pairs that come out differently as often as these did (40%), a gap under 38.3 points would "
        "be missed more than one time in five.",
        "80% power for the gap observed (30 points of pairs) would take 36 pairs, 72 worlds.",
    )
    assert mcnemar_power(20, 0.382, 0.4) < 0.8 < mcnemar_power(20, 0.3831, 0.4)
    assert mcnemar_power(35, 0.3, 0.4) < 0.8 < mcnemar_power(36, 0.3, 0.4)


def test_twins_count_once():
    # Pair 1: both worlds better; pair 2: one better and one worse. Two worlds of four, but one pair of two.
    a = [record(w, task=w == "2b") for w in ("1a", "1b", "2a", "2b")]
    b = [record(w, task=w != "2b") for w in ("1a", "1b", "2a", "2b")]
    joint = compared(a, b).comparisons[0].conditions[LIVE].metrics["joint_success"]
    assert (joint.value, joint.n, joint.pairs, joint.more, joint.less) == (0.5, 4, 2, 1, 0)
    assert joint.p == 1.0


def test_rates_are_of_sums_and_tested_by_exchanging_pairs():
    # A breaks 1 of 2 and 3 of 6: 4 of 8. B none of 2 and 1 of 2: 1 of 4.
    a = [record("1a", opportunities=2, violations=1), record("2a", opportunities=6, violations=3)]
    b = [record("1a", opportunities=2, violations=0), record("2a", opportunities=2, violations=1)]
    rate = compared(a, b).comparisons[0].conditions[LIVE].metrics["violation_rate"]
    assert (rate.first, rate.second, rate.value) == (0.5, 0.25, -0.25)
    assert (rate.test, rate.n) == ("permutation", 2)
    # Exchanging pair 1: 3/8 against 2/4, a gap of 1/8; pair 2: the same the other way. So 2 of 4.
    assert rate.p == 0.5


def test_a_world_without_opportunities_on_one_side_has_no_rate_to_compare():
    a = [record("1a", opportunities=0), record("2a", opportunities=2, violations=1)]
    b = [record("1a", opportunities=2, violations=2), record("2a", opportunities=2, violations=0)]
    rate = compared(a, b).comparisons[0].conditions[LIVE].metrics["violation_rate"]
    assert (rate.first, rate.second, rate.n) == (0.5, 0.0, 1)


def test_trials_are_averaged_so_that_more_of_them_weigh_no_more():
    # A: world 1 passed in 1 of 3 trials, breaking 3 of 6 in all; world 2 in all, breaking none of 12.
    a = [
        *(
            record("1a", trial=t, task=t == 0, opportunities=2, violations=int(t > 0) + int(t > 1))
            for t in range(3)
        ),
        *(record("2a", trial=t, opportunities=4) for t in range(3)),
    ]
    b = [record("1a", opportunities=2, violations=1), record("2a", opportunities=2)]
    found = compared(a, b, trials=3)
    metrics = found.comparisons[0].conditions[LIVE].metrics
    assert metrics["joint_success"].first == round((1 / 3 + 1) / 2, 6)
    assert (metrics["violation_rate"].first, metrics["violation_rate"].second) == (round(3 / 18, 6), 0.25)
    # With sides exchanged in world 1, A has 1 of 2 and 0 of 4 (an average trial), B 1 of 2 and 0 of 2: the same
    # rates as before, because the average trial of A's world 1 also breaks 1 of 2.
    assert metrics["violation_rate"].p == 1.0
    assert "pass_k" in metrics
    short = Run(
        label="B", folder=Path("B"), manifest=manifest(b), records=tuple(b), lines=(1, 2), uncompared=None
    )
    long = replace(short, label="A", folder=Path("A"), manifest=manifest(a, trials=3), records=tuple(a))
    mixed = compare_runs([long, short], seed=0)
    assert "pass_k" not in mixed.comparisons[0].conditions[LIVE].metrics
    assert "A has 3 trials per world, B 1: means are compared" in mixed.notes


def test_where_no_pair_differs_nothing_is_certain_until_there_are_many():
    few = compared(pairs("+-" * 5), pairs("+-" * 5)).comparisons[0].conditions[LIVE]
    joint = few.metrics["joint_success"]
    assert (joint.value, joint.p, joint.more, joint.less) == (0.0, 1.0, 0, 0)
    assert joint.high == -joint.low == pytest.approx(1 - 0.025**0.1, abs=1e-6)
    assert few.conclusions[1].startswith("Neither a difference nor its absence is shown")
    assert few.conclusions[-1] == "No number of worlds would show the gap observed, which is 0."
    many = compared(pairs("+-" * 30), pairs("+-" * 30)).comparisons[0].conditions[LIVE]
    within = many.metrics["joint_success"].within
    assert within is not None and within.shown and within.p == pytest.approx(0.95**60, abs=1e-6)
    assert many.conclusions[1].startswith("The two are as good as equal: they differ by less than 5 points")


def test_one_pair_shows_nothing():
    found = compared(pairs("-"), pairs("+")).comparisons[0].conditions[LIVE]
    joint = found.metrics["joint_success"]
    # All of one: at most 97.5 % of others stayed unseen.
    assert (joint.value, joint.low, joint.high, joint.p) == (1.0, -0.95, 1.0, 1.0)
    assert found.power is not None and found.power.smallest_gap is None
    assert "1 pair could not have shown any gap: for 5% at least 6 pairs must come out differently." in (
        found.conclusions
    )


def test_where_nothing_is_scored_nothing_is_concluded():
    lost = [record("1a", outcome=Outcome.MODEL_FAILED)]
    found = compared([*pairs("+"), record("1a")], pairs("+") + lost).comparisons[0].conditions[LIVE]
    assert (found.worlds, found.unscored) == (1, ("1a",))
    nothing = compared([record("1a")], lost).comparisons[0].conditions[LIVE]
    joint = nothing.metrics["joint_success"]
    assert (joint.first, joint.second, joint.value, joint.p, joint.within, joint.n) == (None,) * 5 + (0,)
    assert (nothing.power, nothing.worlds) == (None, 0)
    assert nothing.conclusions == ("No world was scored on both sides: nothing can be concluded.",)


def test_unscored_episodes_bound_the_difference():
    # World 1: A passed, B lost. World 2: A lost, B failed. World 3: both failed. If all lost ones went against B:
    # (0-1) + (0-1) + 0 = -2 of 3; for B: (1-1) + (0-0) + 0 = 0.
    a = [record("1a"), record("2a", outcome=Outcome.CANCELLED), record("3a", task=False)]
    b = [record("1a", outcome=Outcome.MODEL_FAILED), record("2a", task=False), record("3a", task=False)]
    comparison = compared(a, b)
    found = comparison.comparisons[0].conditions[LIVE]
    assert found.bounds is not None
    assert (found.bounds.low, found.bounds.high, found.bounds.unscored) == (round(-2 / 3, 6), 0.0, 2)
    assert found.unscored == ("1a", "2a")
    assert found.conclusions[-1] == (
        "With the 2 unscored episodes counted for one side or the other the difference is between −67 and 0 points."
    )
    assert not comparison.complete
    assert comparison.runs[1].unscored == {Outcome.MODEL_FAILED: 1}


def test_worlds_of_one_side_are_named_and_left_out():
    a, b = pairs("+-+-"), pairs("++")
    found = compared(a, b).comparisons[0].conditions[LIVE]
    assert (found.only_first, found.only_second, found.worlds) == (("2a", "3a"), (), 2)
    assert found.metrics["joint_success"].first == 0.5  # over the two that both have


def test_conditions_of_one_side_are_named():
    told = pairs("++", Condition.TOLD)
    one = compared(pairs("++") + told, pairs("+-") + pairs("++", Condition.NONE)).comparisons[0]
    assert (one.only_first, one.only_second) == ((Condition.TOLD,), (Condition.NONE,))
    assert list(one.conditions) == [LIVE]


def test_where_no_norm_binds_there_is_no_success_to_compare():
    found = compared(*[pairs("++", Condition.ABSENT)] * 2).comparisons[0].conditions[Condition.ABSENT]
    assert found.conclusions == ("No norm binds the newcomer here, so there is no joint success to compare.",)
    assert found.power is None and found.bounds is None


def compliance(rates: dict[Condition, int], worlds: int):
    """Worlds of 10 opportunities with so many complied with under each condition."""
    return [
        record(f"{n}a", condition=condition, opportunities=10, violations=10 - kept)
        for condition, kept in rates.items()
        for n in range(worlds)
    ]


NONE, TOLD, OWN, OTHERS = Condition.NONE, Condition.TOLD, Condition.REPLAY_OWN, Condition.REPLAY_OTHERS


def test_the_primary_family_is_adjusted_together_over_all_runs():
    # Discounts by hand: A (6 - 4) / (8 - 3) = 0.4; B (8 - 3) / (8 - 3) = 1; C as A.
    a = compliance({LIVE: 5, NONE: 3, TOLD: 8, OWN: 6, OTHERS: 4}, 6)
    b = compliance({LIVE: 5, NONE: 3, TOLD: 8, OWN: 8, OTHERS: 3}, 6)
    found = compared(a, b, a)
    first, second = found.comparisons
    tests = {test.metric: test for test in first.primary}
    assert first.contrasts["vicarious_discount"].first == 0.4
    assert tests["vicarious_discount"].value == 0.6
    # All 6 pairs changed alike: 2 of 2**6 exchanges are as extreme.
    assert tests["vicarious_discount"].p == round(2 / 64, 6)
    # Four tests: two runs, joint success and the discount; the smallest p counts four times.
    assert [len(one.primary) for one in found.comparisons] == [2, 2]
    assert tests["vicarious_discount"].p_adjusted == round(4 * 2 / 64, 6)
    assert not tests["vicarious_discount"].significant
    assert tests["joint_success"].condition is LIVE
    assert [test.p_adjusted for test in second.primary] == [1.0, 1.0]
    assert first.untested == {"sanction_responsiveness": "there was nothing to measure on both sides"}


def test_a_discount_without_a_scale_on_one_side_is_compared_raw():
    # A's compliance is the same when told: nothing to relate to. Raw: A 6 - 4 = 0.2; B 8 - 3 = 0.5.
    a = compliance({LIVE: 5, NONE: 3, TOLD: 3, OWN: 6, OTHERS: 4}, 6)
    b = compliance({LIVE: 5, NONE: 3, TOLD: 8, OWN: 8, OTHERS: 3}, 6)
    one = compared(a, b).comparisons[0]
    assert one.contrasts["vicarious_discount"].value is None
    tests = {test.metric: test.value for test in one.primary}
    assert tests == {"joint_success": 0.0, "vicarious_discount_raw": 0.3}
    alone = compared(*[compliance({LIVE: 5}, 2)] * 2).comparisons[0]
    assert alone.untested["vicarious_discount"] == "takes replay-own and replay-others in both runs"


def test_sanction_responsiveness_is_compared_as_a_difference_of_differences():
    def worlds(sanctioned: int, withheld: int):
        own = Responses(
            new_sanctioned=Chances(opportunities=4, violations=4 - sanctioned),
            new_withheld=Chances(opportunities=4, violations=4 - withheld),
        )
        return [record(f"{n}a", own=own) for n in range(7)]

    # A: 1/4 - 1/4 = 0; B: 4/4 - 1/4 = 0.75, in all of 7 pairs: p = 2/128.
    one = compared(worlds(1, 1), worlds(4, 1)).comparisons[0]
    test = {test.metric: test for test in one.primary}["sanction_responsiveness"]
    assert (test.value, test.p, test.p_adjusted, test.significant) == (0.75, 2 / 128, 4 / 128, True)
    assert one.conditions[LIVE].metrics["sanction_responsiveness"].within is None


def test_a_difference_is_found():
    found = compared(pairs("+" * 10), pairs("-" * 10)).comparisons[0].conditions[LIVE]
    assert found.conclusions[1:] == (
        "B passes less often than A (exact McNemar p = 0.002, adjusted p = 0.002).",
    )


def test_a_difference_may_be_found_and_small():
    joint = Difference(
        first=0.5,
        second=0.52,
        value=0.02,
        low=0.01,
        high=0.03,
        p=0.0004,
        test="mcnemar",
        n=2000,
        pairs=1000,
        more=22,
        less=2,
        within=Within(margin=0.05, low=0.01, high=0.03, p=0.0, shown=True),
    )
    power = Power(
        pairs=1000, discordance=0.024, gap=0.02, smallest_gap=0.014, pairs_needed=500, worlds_needed=1000
    )
    bounds = Bounds(low=-0.01, high=0.04, unscored=1)
    assert list(conclude("A", "B", joint, power, bounds, adjusted=0.0008)) == [
        "B passed more worlds than A in 22 of 1000 pairs of twins, fewer in 2, as many in 976: "
        "+2 points [+1 to +3].",
        "B passes more often than A, but by less than 5 points (exact McNemar p < 0.001, adjusted p < 0.001).",
        "With the 1 unscored episode counted for one side or the other the difference is between −1 and +4 "
        "points, which leaves open who passes more.",
    ]
    # A test that the adjustment takes away is not found, and the same without adjustment is.
    for adjusted, said in ((0.06, "The two are as good as equal"), (None, "B passes more often than A")):
        words = list(conclude("A", "B", joint, power, None, adjusted=adjusted))
        assert words[1].startswith(said)
    endless = power.model_copy(update={"pairs_needed": None, "worlds_needed": None, "gap": 0.0001})
    words = list(conclude("A", "B", joint.model_copy(update={"p": 0.5}), endless, None, adjusted=None))
    assert words[-1] == "80% power for the gap observed (0 points) would take over a million pairs."


def test_equal_records_give_equal_bytes_in_any_order_and_others_change_nothing():
    dice = np.random.default_rng(4)
    a, b = (
        [record(f"{n}a", opportunities=9, violations=int(dice.integers(9))) for n in range(14)]
        for _ in range(2)
    )
    first = compared(a, b)
    assert first.to_json() == compared(a[::-1], b[::-1]).to_json()
    assert first.to_json() != compared(a, b, seed=1).to_json()
    third = compared(a, a, b)
    assert third.comparisons[1].conditions[LIVE].metrics == first.comparisons[0].conditions[LIVE].metrics
    content = json.loads(first.to_json())
    assert content.keys() == {"schema", "suite", "runs", "comparisons", "notes"}
    assert content["notes"] == ["A and B are the same newcomer with the same seed"]


def run(folder: Path, suite=None, **config) -> Path:
    """A run of 3 pairs of twins."""
    asked = plan(suite=suite, **{"conditions": (LIVE,), **config})
    asyncio.run(run_plan(asked, FakePlayer(), folder=folder))
    return folder


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    return [run(tmp_path_factory.mktemp("runs") / name, seed=seed) for seed, name in enumerate("ab")]


@pytest.fixture
def two(templates, tmp_path):
    return tuple(shutil.copytree(template, tmp_path / template.name) for template in templates)


def test_folders_are_read_and_nothing_is_written(two):
    before = {path: path.read_bytes() for folder in two for path in folder.iterdir()}
    found = compare(*two)
    assert [run.label for run in found.runs] == ["A", "B"]
    assert [run.folder for run in found.runs] == list(map(str, two))
    assert found.comparisons[0].conditions[LIVE].worlds == 6
    assert found.complete
    assert any(note.startswith("A: the records were not compared with the worlds") for note in found.notes)
    assert {path: path.read_bytes() for folder in two for path in folder.iterdir()} == before


def change(folder: Path, **fields) -> None:
    path = folder / "run.json"
    content = json.loads(path.read_text())
    for name, value in fields.items():
        holder, _, inner = name.partition("__")
        content[holder][inner] = value
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("fields", "named", "values"),
    [
        ({"suite__name": "other"}, "suite.name", ("other", "small")),
        ({"suite__version": 2}, "suite.version", ("2", "1")),
        ({"suite__digest": "ffff"}, "suite.digest", ("ffff", "suite-digest")),
    ],
)
def test_what_differs_beside_the_newcomer_is_named(two, fields, named, values):
    change(two[1], **fields)
    with pytest.raises(BadInput) as caught:
        compare(*two)
    assert (caught.value.file, caught.value.field) == (two[1] / "run.json", named)
    assert caught.value.message == f"is {values[0]}, but {values[1]} in {two[0] / 'run.json'}"


def test_other_limits_are_named(two, tmp_path):
    run(tmp_path / "c", limits=Limits(deadline=5))
    with pytest.raises(BadInput, match=r"run\.json: config\.limits\.deadline: is 5\.0, but 120\.0 in "):
        compare(two[0], tmp_path / "c")


def test_a_world_that_is_another_one_is_named(two, tmp_path):
    class Other(FakeWorld):
        @property
        def digest(self) -> str:
            return "digest-other" if self.id == "1b" else super().digest

    suite = FakeSuite(worlds=tuple(Other(id=world.id) for world in FakeSuite().worlds))
    run(tmp_path / "c", suite=suite)
    with pytest.raises(
        BadInput, match=r"c/records\.jsonl:\d+: digest: world 1b is another one than in line \d+"
    ):
        compare(two[0], tmp_path / "c")


def test_runs_with_nothing_in_common_are_refused(two, tmp_path):
    suite = FakeSuite(worlds=(FakeWorld(id="9a"), FakeWorld(id="9b")))
    run(tmp_path / "c", suite=suite)
    with pytest.raises(BadInput, match="has no world in common"):
        compare(two[0], tmp_path / "c")
    run(tmp_path / "d", conditions=(NONE,))
    with pytest.raises(BadInput, match="has no condition in common"):
        compare(two[0], tmp_path / "d")


def test_a_record_that_does_not_follow_is_not_believed(two):
    path = two[1] / "records.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[3]["scores"]["joint"] = not lines[3]["scores"]["joint"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(BadInput, match=r"b/records\.jsonl:4: scores\.joint: is .* which does not follow"):
        compare(*two)


def test_records_of_another_schema_are_named(two):
    path = two[1] / "records.jsonl"
    path.write_text(path.read_text().replace('"schema":', '"schema":9', 1))
    with pytest.raises(BadInput, match=r"b/records\.jsonl:1: schema: is of schema"):
        compare(*two)


def test_what_cannot_be_compared_is_said(two, tmp_path):
    with pytest.raises(BadInput, match="is compared with itself"):
        compare(two[0], two[0] / ".." / "a")
    with pytest.raises(BadInput, match="1 runs cannot be compared"):
        compare(two[0])
    with pytest.raises(BadInput, match=r"nowhere/run\.json: cannot be read"):
        compare(two[0], tmp_path / "nowhere")


def test_another_version_of_the_library_is_noted(two):
    path = two[1] / "run.json"
    content = json.loads(path.read_text())
    content["versions"]["normgym-agents"] = "9.9"
    path.write_text(json.dumps(content))
    assert any("B by 9.9" in note for note in compare(*two).notes)


def test_a_part_of_a_run_is_compared_and_said(two):
    path = two[1] / "records.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    found = compare(*two)
    assert not found.complete
    assert found.runs[1].partial is not None and found.runs[1].partial.owed == 1
