"""The kinds of member that a community can have."""

from __future__ import annotations

from enum import StrEnum


class MemberKind(StrEnum):
    """Who decides what a member does, and who words it.

    Attributes:
        SCRIPTED: The world's schedule decides; templates say it. Needs no model.
        VOICED: The schedule decides; a chat model words it.
        AUTONOMOUS: A chat model decides, words and answers by itself.
    """

    SCRIPTED = "scripted"
    VOICED = "voiced"
    AUTONOMOUS = "autonomous"
