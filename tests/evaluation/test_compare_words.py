"""What a comparison says in words."""

from __future__ import annotations

from normgym_agents.evaluation.compare.results import Bounds, Difference, Power, Within
from normgym_agents.evaluation.compare.words import conclude
from tests.evaluation.comparing import LIVE, compared, pairs


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
