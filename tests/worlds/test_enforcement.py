from __future__ import annotations

import pytest
from pydantic import ValidationError

from normgym_agents.worlds.enforcement import Enforcement


def test_breaches_and_kept_norms_are_answered_at_their_rates() -> None:
    enforcement = Enforcement(detection=0.8, false_sanctions=0.1)
    breaches = [enforcement.answered(True, "world", i) for i in range(2000)]
    others = [enforcement.answered(False, "world", i) for i in range(2000)]
    assert sum(breaches) / 2000 == pytest.approx(0.8, abs=0.036)  # four standard errors
    assert sum(others) / 2000 == pytest.approx(0.1, abs=0.027)
    # Twins toss the same coin: what is answered although nothing was broken would have been as a breach.
    assert all(breach for breach, other in zip(breaches, others, strict=True) if other)


def test_rates_of_none_and_all_are_certain() -> None:
    strict = Enforcement(detection=1.0, false_sanctions=0.0)
    assert all(strict.answered(True, i) and not strict.answered(False, i) for i in range(200))


def test_the_default_rates_are_the_documented_ones() -> None:
    assert tuple(Enforcement().rates) == (0.9, 0.02)


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_a_rate_is_a_probability(rate: float) -> None:
    with pytest.raises(ValidationError):
        Enforcement(detection=rate)
