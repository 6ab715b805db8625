"""What is wrong with a reply, in plain words.

A fault's text is sent to the newcomer as it is, so it speaks of what can be done and of nothing else. It
never repeats what the newcomer wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from normgym_agents.worlds.public import NewcomerView

_MOST_LISTED: Final = 12


@dataclass(frozen=True)
class Fault:
    """Why no act could be read.

    Attributes:
        text: One or two sentences that tell the newcomer what can be done.
    """

    text: str


def can(view: NewcomerView) -> str:
    """What can be done, in the words of the menu."""
    return f"You can: {' · '.join(view.menu)}"


def nothing_came(view: NewcomerView) -> Fault:
    """The reply was empty."""
    return Fault(f"Nothing came. Answer with one act. {can(view)}")


def no_act(view: NewcomerView) -> Fault:
    """The reply names nothing that can be done."""
    return Fault(f"That names no act that is known here. Answer with one act. {can(view)}")


def several(view: NewcomerView) -> Fault:
    """The reply names more than one act."""
    return Fault(f"That was more than one act. Answer with exactly one. {can(view)}")


def no_words(menu: str) -> Fault:
    """There was nothing to say."""
    return Fault(f"The words are missing: {menu}")


def incomplete(menu: str, slot: str, phrases: Sequence[str], view: NewcomerView) -> Fault:
    """A slot is empty, or what stands in it is not known."""
    return Fault(f"It is not clear which {slot}: {menu}. {_instead(phrases, view)}")


def ambiguous(phrases: Sequence[str], view: NewcomerView) -> Fault:
    """What was named could be more than one."""
    return Fault(f"That could mean more than one. {_instead(phrases, view)}")


def impossible(menu: str, phrases: Sequence[str], view: NewcomerView) -> Fault:
    """It cannot be done now."""
    return Fault(f"That cannot be done now: {menu}. {_instead(phrases, view)}")


def _instead(phrases: Sequence[str], view: NewcomerView) -> str:
    if not phrases:
        return can(view)
    more = " · …" if len(phrases) > _MOST_LISTED else ""
    return f"You can: {' · '.join(phrases[:_MOST_LISTED])}{more}"
