"""How probable what a member or an overseer does is, given which acts break a norm.

Every observer takes its numbers from here, so that none of them can believe in another community than the
others do. An event says nothing of a norm set but through one or two bits: whether the set breaks the act
(answered or not), or whether it breaks the act taken and the act passed over (a choice).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Enforcement(NamedTuple):
    """How surely acts are answered.

    Attributes:
        detection: P(sanction | the act breaks a norm), in [0, 1]; the rest of the time it is withheld.
        false_sanctions: P(sanction | the act breaks none), in [0, 1].
    """

    detection: float
    false_sanctions: float


class Choice(NamedTuple):
    """How people choose between two acts that both serve them, one of them easier.

    Attributes:
        obedience: P(a norm is kept | only the easier act breaks one), in [0, 1]: ease is what tempts, and
            this is how often it is withstood.
        temptation: P(the easier act is taken | no norm speaks for either), in [0, 1].
    """

    obedience: float = 0.95
    temptation: float = 0.9


class Evidence(NamedTuple):
    """One event as a likelihood over norm sets.

    Attributes:
        bits: Shape (bits, norms), one row or two: which norms the act breaks; for a choice the act taken,
            then the act passed over. A set's bits are the disjunction of those of its norms.
        likelihood: Shape (2 ** bits,): P(what was seen | bits of the set), where the first row counts one
            and the second two. For a choice: neither broken, only the taken, only the passed, both.
    """

    bits: NDArray[np.bool_]
    likelihood: NDArray[np.float64]


def answer_likelihood(rates: Enforcement, *, sanctioned: bool) -> tuple[float, float]:
    """P(the act is answered, or is not | the set keeps, breaks it)."""
    detection, false = rates
    return (false, detection) if sanctioned else (1.0 - false, 1.0 - detection)


def choice_likelihood(rates: Choice, *, easier: bool) -> tuple[float, float, float, float]:
    """P(this act was taken and not the other | neither, only the taken, only the passed, both are broken).

    An act says something only where another was open. Of two acts neither of which a norm singles out (it
    breaks neither, or both alike) the easier is taken with probability `temptation`. Where only the easier
    breaks a norm, the dearer is taken with probability `obedience`. Where only the dearer does, it is taken
    by whoever neither minds the norm (1 − obedience) nor is moved by ease (1 − temptation): two independent
    lapses. Choosing by ease with a share of lapses is the usual noisy-choice reading of what people do
    (Luce 1959); the rates are given, not fitted.

    Args:
        rates: Obedience and temptation.
        easier: Whether the act passed over was the easier one, so that the dearer was taken.

    Returns:
        In the order of `Evidence.likelihood`. At the default rates, in nats against "neither": passing the
        easier over speaks +2.3 for a norm against it, and −3.0 for one against what was done instead.
    """
    dearer = 1.0 - rates.temptation
    kept, lapsed = rates.obedience, (1.0 - rates.obedience) * (1.0 - rates.temptation)
    if easier:
        return dearer, lapsed, kept, dearer
    return 1.0 - dearer, 1.0 - kept, 1.0 - lapsed, 1.0 - dearer


def answer(broken: NDArray[np.bool_], rates: Enforcement, *, sanctioned: bool) -> Evidence:
    """An act that was answered, or was not.

    Args:
        broken: Shape (norms,), which norms the act breaks if they are in force.
        rates: How surely acts are answered.
        sanctioned: Whether somebody answered it.
    """
    return Evidence(broken[None, :], np.array(answer_likelihood(rates, sanctioned=sanctioned)))


def choice(taken: NDArray[np.bool_], passed: NDArray[np.bool_], rates: Choice, *, easier: bool) -> Evidence:
    """An act that was taken while another was open.

    Args:
        taken: Shape (norms,), which norms the act breaks that was done.
        passed: Shape (norms,), which norms the act breaks that was passed over.
        rates: Obedience and temptation.
        easier: Whether the act passed over was the easier one.
    """
    return Evidence(np.stack([taken, passed]), np.array(choice_likelihood(rates, easier=easier)))


def patterns(bits: NDArray[np.bool_]) -> NDArray[np.intp]:
    """For every norm the place of its own bits in `Evidence.likelihood`, shape (norms,)."""
    place = 1 << np.arange(len(bits))
    return np.asarray(place @ bits, dtype=np.intp)
