"""What can and what cannot be concluded, in sentences.

Not finding a difference proves nothing, and finding one says nothing of its size; so every conclusion names the
test, the size and, where nothing was found, what could have been found.
"""

from __future__ import annotations

from collections.abc import Iterator

from normgym_agents.evaluation.compare.results import Bounds, Difference, Power
from normgym_agents.evaluation.texts import counted

LEVEL = 0.05


def conclude(
    first: str,
    second: str,
    joint: Difference,
    power: Power | None,
    bounds: Bounds | None,
    *,
    adjusted: float | None,
) -> Iterator[str]:
    """Say what the comparison of joint success under one condition comes to.

    Args:
        first: Label of the first side.
        second: Label of the second.
        joint: Their difference in joint success.
        power: What so many pairs can show.
        bounds: How far unscored episodes could move it.
        adjusted: The adjusted p-value, where this test is of the primary family.
    """
    if power is None or joint.value is None or joint.p is None or joint.more is None or joint.less is None:
        yield "No world was scored on both sides: nothing can be concluded."
        return
    same = joint.pairs - joint.more - joint.less
    yield (
        f"{second} passed more worlds than {first} in {joint.more} of {counted(joint.pairs, 'pair')} of twins, "
        f"fewer in {joint.less}, as many in {same}: {span(joint.value, joint.low, joint.high)}."
    )
    p = joint.p if adjusted is None else adjusted
    test = f"exact McNemar {chance(joint.p)}" + (
        ", not adjusted" if adjusted is None else f", adjusted {chance(p)}"
    )
    if p <= LEVEL:
        yield _found(first, second, joint, test)
    else:
        yield _not_found(joint, test)
        yield from _missed(power)
    if bounds is not None:
        open_end = ", which leaves open who passes more" if bounds.low < 0 < bounds.high else ""
        yield (
            f"With the {counted(bounds.unscored, 'unscored episode')} counted for one side or the other the "
            f"difference is between {signed(bounds.low)} and {signed(bounds.high)} points{open_end}."
        )


def _found(first: str, second: str, joint: Difference, test: str) -> str:
    # The sign of the test: with pairs of one world and of two, the mean might lean the other way.
    often = "more" if (joint.more or 0) > (joint.less or 0) else "less"
    small = joint.within is not None and joint.within.shown
    size = f", but by less than {points(joint.within.margin)} points" if small and joint.within else ""
    return f"{second} passes {often} often than {first}{size} ({test})."


def _not_found(joint: Difference, test: str) -> str:
    within = joint.within
    if within is None:
        return f"No difference is shown ({test})."
    interval = f"90% interval [{signed(within.low)} to {signed(within.high)}]"
    margin = f"{points(within.margin)} points"
    if within.shown:
        return f"The two are as good as equal: they differ by less than {margin} ({interval}; {test})."
    return f"Neither a difference nor its absence is shown ({test}; {interval} reaches beyond ±{margin})."


def _missed(power: Power) -> Iterator[str]:
    pairs, often = counted(power.pairs, "pair"), f"{points(power.discordance)}%"
    if power.smallest_gap is None:
        yield f"{pairs.capitalize()} could not have shown any gap: for 5% at least 6 pairs must come out differently."
    else:
        yield (
            f"With {pairs} that come out differently as often as these did ({often}), a gap under "
            f"{points(power.smallest_gap)} points would be missed more than one time in five."
        )
    if power.gap == 0:
        yield "No number of worlds would show the gap observed, which is 0."
    elif power.pairs_needed is None:
        yield f"80% power for the gap observed ({points(abs(power.gap))} points) would take over a million pairs."
    else:
        yield (
            f"80% power for the gap observed ({points(abs(power.gap))} points of pairs) would take "
            f"{power.pairs_needed:,} pairs, {power.worlds_needed:,} worlds."
        )


def span(value: float, low: float | None, high: float | None) -> str:
    """A difference with its interval, in points."""
    said = f"{signed(value)} points"
    return said if low is None or high is None else f"{said} [{signed(low)} to {signed(high)}]"


def chance(p: float) -> str:
    """A p-value, never as 0."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def points(share: float) -> str:
    """A share in points: whole, or with one digit where it is not."""
    return f"{100 * share:.1f}".removesuffix(".0")


def signed(share: float) -> str:
    """A difference of shares in whole points, with its sign."""
    whole = round(100 * share)
    return f"+{whole}" if whole > 0 else f"−{-whole}" if whole < 0 else "0"
