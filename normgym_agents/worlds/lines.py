"""Lines of prose that people write: what is read aloud to a newcomer or a model, on one line, with nothing hidden.

A text that shows one thing and says another (controls, marks that turn the direction of writing, characters without
width) has no place in a file that others are to read and trust.
"""

from __future__ import annotations

import unicodedata
from typing import Annotated, Final

from pydantic import AfterValidator, Field, StringConstraints

_JOINERS: Final = frozenset("\u200c\u200d")
"""Without width, but letters of several languages and many emoji are written with them."""

_HIDDEN: Final = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Categories of characters that cannot be seen, or end a line."""

PATTERN: Final = r"^[^\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]*$"
"""Most of the same for editors, which check a JSON Schema."""


def plain(text: str) -> str:
    """A text with nothing in it that cannot be seen.

    Raises:
        ValueError: It has something hidden, or is nothing but spaces.
    """
    if not text.isprintable():
        for place, character in enumerate(text, start=1):
            if unicodedata.category(character) in _HIDDEN and character not in _JOINERS:
                name = unicodedata.name(character, "a control character")
                raise ValueError(
                    f"character {place} is U+{ord(character):04X}, {name}: one plain line is wanted"
                )
    if not text.strip():
        raise ValueError("it is blank")
    return text


_PATTERN = {"pattern": PATTERN}

Phrase = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    AfterValidator(plain),
    Field(json_schema_extra=_PATTERN),
]
"""One line of prose."""

Statement = Annotated[
    str,
    StringConstraints(min_length=1, max_length=500),
    AfterValidator(plain),
    Field(json_schema_extra=_PATTERN),
]
"""One line that says a norm; one that changes on a day, or one with all its conditions, takes more than a phrase."""
