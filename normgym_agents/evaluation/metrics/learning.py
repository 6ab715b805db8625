"""What did evidence change? Conditions compared over the worlds that were scored under all of them.

Rates are compared, not joint success: compliance moves long before all of a day's opportunities are kept.

A gain is what was gained of what there was to gain (Hake 1998, "Interactive-engagement versus traditional methods",
American Journal of Physics 66), with `told` in the place of his perfect score. What is contrasted has precedents:
learning from what others earn (Bandura, Ross & Ross 1963, "Vicarious reinforcement and imitative learning", Journal of
Abnormal and Social Psychology 67); being yoked to somebody's course of events, which is fair only where both would
respond alike, and here both are the same newcomer (Church 1964, "Systematic effect of random error in the yoked control
design", Psychological Bulletin 62); answers without meaning (Skinner 1948, "'Superstition' in the pigeon", Journal of
Experimental Psychology 38); the cost of a change (Jersild 1927, "Mental set and shift", Archives of Psychology 89).
"""

from __future__ import annotations

from typing import Final

from normgym_agents.evaluation.metrics.metric import (
    LEAST_SPAN,
    Metric,
    Term,
    Theme,
    difference,
    relative_difference,
)
from normgym_agents.evaluation.metrics.shares import (
    ABSTAINED,
    KEPT,
    binds,
    complied_at,
)
from normgym_agents.evaluation.metrics.success import JOINT
from normgym_agents.worlds.conditions import Condition


def _compliance(condition: Condition | None = None) -> Term:
    return Term(share=KEPT, condition=condition)


_SPAN: Final = (_compliance(Condition.NONE), _compliance(Condition.TOLD))
"""From what it does beforehand to what it can do when told."""

_ANCHORS: Final = frozenset({Condition.NONE, Condition.TOLD})

LEARNING: Final = (
    Metric(
        name="learning_gain",
        title="learning gain",
        explanation=(
            "compliance from `none` (0) to `told` (1); no value where the two are less than 10 points apart"
        ),
        theme=Theme.LEARNING,
        better="higher",
        low=None,
        high=None,
        terms=(_compliance(), _compliance(Condition.NONE), *_SPAN),
        value=relative_difference,
        least_span=LEAST_SPAN,
        applies=lambda condition: binds(condition) and condition not in _ANCHORS,
    ),
    Metric(
        name="learning_gain_raw",
        title="learning gain, raw",
        explanation="compliance minus compliance under `none`; stands in where learning_gain has no value",
        theme=Theme.LEARNING,
        better="higher",
        low=-1.0,
        terms=(_compliance(), _compliance(Condition.NONE)),
        value=difference,
        applies=lambda condition: binds(condition) and condition is not Condition.NONE,
    ),
)
"""Metrics of each condition, in the order in which they are shown."""


def joint_gap(condition: Condition) -> Metric:
    """Joint success under a condition minus that under `none`."""
    return Metric(
        name=f"joint_success_{condition.replace('-', '_')}_minus_none",
        title=f"{condition} − none",
        explanation=f"joint success under `{condition}` minus joint success under `none`",
        theme=Theme.SUCCESS,
        better="higher",
        low=-1.0,
        terms=(Term(share=JOINT, condition=condition), Term(share=JOINT, condition=Condition.NONE)),
        value=difference,
        test="mcnemar",
    )


def _compliance_gap(
    name: str,
    title: str,
    explanation: str,
    first: Condition,
    second: Condition,
    *,
    higher_is_better: bool | None = None,
) -> Metric:
    """Compliance under the first condition minus that under the second."""
    return Metric(
        name=name,
        title=title,
        explanation=explanation,
        theme=Theme.LEARNING,
        better="neither" if higher_is_better is None else "higher" if higher_is_better else "lower",
        low=-1.0,
        terms=(_compliance(first), _compliance(second)),
        value=difference,
    )


_UNBOUND_COMPLIANCE: Final = complied_at(lambda s: s.unbound)

CONTRASTS: Final = (
    *(
        joint_gap(condition)
        for condition in Condition
        if binds(condition) and condition is not Condition.NONE
    ),
    Metric(
        name="vicarious_discount",
        title="vicarious discount",
        explanation="learning gain from one transcript as its own, minus as a peer's (0: learns alike from both)",
        theme=Theme.LEARNING,
        better="lower",
        low=None,
        high=None,
        terms=(_compliance(Condition.REPLAY_OWN), _compliance(Condition.REPLAY_OTHERS), *_SPAN),
        value=relative_difference,
        least_span=LEAST_SPAN,
    ),
    _compliance_gap(
        "vicarious_discount_raw",
        "vicarious discount, raw",
        "compliance after one transcript as its own, minus as a peer's; needs neither `none` nor `told`",
        Condition.REPLAY_OWN,
        Condition.REPLAY_OTHERS,
        higher_is_better=False,
    ),
    _compliance_gap(
        "agency_gap",
        "agency gap",
        "compliance after own practice, minus after watching that very practice as a peer's",
        Condition.OWN,
        Condition.YOKED,
    ),
    _compliance_gap(
        "imitation_gap",
        "imitation gap",
        "compliance after acts with sanctions, minus after the same acts with none (0: sanctions add nothing)",
        Condition.OTHERS,
        Condition.GHOST,
        higher_is_better=True,
    ),
    _compliance_gap(
        "switch_cost",
        "switch cost",
        "compliance where norms were the same all along, minus where they replaced others",
        Condition.OTHERS,
        Condition.CHANGE,
        higher_is_better=False,
    ),
    Metric(
        name="over_transfer",
        title="over-transfer",
        explanation="keeping norms that bind another role only, minus the same where no norm is in force",
        theme=Theme.LEARNING,
        better="lower",
        low=-1.0,
        terms=(
            Term(share=_UNBOUND_COMPLIANCE, condition=Condition.WRONG_ROLE),
            Term(share=_UNBOUND_COMPLIANCE, condition=Condition.ABSENT),
        ),
        value=difference,
    ),
    Metric(
        name="superstition",
        title="superstition",
        explanation="permitted acts never done after sanctions without meaning, minus after no evidence at all",
        theme=Theme.LEARNING,
        better="lower",
        low=-1.0,
        terms=(
            Term(share=ABSTAINED, condition=Condition.SHUFFLED),
            Term(share=ABSTAINED, condition=Condition.NONE),
        ),
        value=difference,
    ),
)
"""Comparisons of two conditions, once in a run, in the order in which they are shown."""
