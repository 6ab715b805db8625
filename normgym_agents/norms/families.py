"""The norm families, by which worlds are drawn and results are told apart."""

from __future__ import annotations

from enum import StrEnum


class Family(StrEnum):
    """The norm families, by their labels in the literature of this project.

    Speech and silly norms have the form of another family: which verbs are speech, and which do no harm, is
    known to a setting and not to a norm.
    """

    PROHIBITION = "F1"
    CONTEXT = "F2"
    ROLE = "F3"
    OBLIGATION = "F4"
    SEQUENCE = "F5"
    QUOTA = "F6"
    SPEECH = "F7"
    EXCEPTION = "F8"
    SILLY = "F9"
    CHANGE = "F10"


BASE_FAMILIES = (Family.PROHIBITION, Family.CONTEXT, Family.ROLE, Family.SEQUENCE)
"""The families that every vocabulary can express, in the order in which suites take turns at them."""
