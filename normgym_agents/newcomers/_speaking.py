"""A lone sentence that names no act is said aloud.

Somebody who answers `Good morning, Mira.` has spoken. Only that counts: more than one sentence, words in another
language, and whatever touches on a verb, a thing or a place is not speech but an answer that is not clear, and is
asked again, because a turn is too dear to be spent on a misunderstanding.
"""

from __future__ import annotations

import re
from typing import Final

from normgym_agents.newcomers._cleaning import MAX_SAID, one_line
from normgym_agents.newcomers._names import WORD, Names, words
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.settings import Slot

_GREETINGS: Final = frozenset("hello hi hey greetings thanks thank sorry welcome goodbye bye".split())
_ENGLISH: Final = _GREETINGS | frozenset(
    "the you your i i'm i'd i'll is are what my this that how who where why may can could would good please "
    "there here have it everyone everybody morning day evening we they with and of for am nice".split()
)
"""Words that are in nearly every English sentence, and hardly in any of another language."""

_PRONOUNS: Final = frozenset({"it", "them"})
_END: Final = re.compile(r"[.!?\N{HORIZONTAL ELLIPSIS}]+[\"'\N{RIGHT DOUBLE QUOTATION MARK})\]]*")
_MARKUP: Final = re.compile(r"[`{}<>\[\]|=#*_\\]|:\s*$|https?:")


def lone_sentence(text: str, names: Names) -> Act | None:
    """The act of saying a text, if it is one plain sentence about nothing that could be done."""
    said = text.strip()
    tokens = words(said)
    verb = next((v for v, kind in names.view.verbs.items() if kind.slots == (Slot.WORDS,)), None)
    if verb is None or not tokens or len(said) > MAX_SAID or "\n" in said or _MARKUP.search(said):
        return None
    if not _is_sentence(said, tokens) or _touches(tokens, names):
        return None
    if not any(act.verb == verb for act in names.view.available):
        return None
    return Act(verb=verb, say=one_line(said.strip('"')))


def _is_sentence(said: str, tokens: tuple[str, ...]) -> bool:
    if tokens[0] not in _GREETINGS and (len(tokens) < 2 or not _END.search(said)):
        return False
    ends = [match.end() for match in _END.finditer(said) if WORD.search(said, match.end()) is not None]
    return not ends and not _ENGLISH.isdisjoint(tokens)


def _touches(tokens: tuple[str, ...], names: Names) -> bool:
    """Whether a verb in any form, a thing or a place is spoken of."""
    forms = {form for verb in names.view.verbs for form in _forms(verb)}
    return any(
        token in forms
        or names.find(Slot.PLACE, tokens, at) is not None
        or (token not in _PRONOUNS and names.find(Slot.THING, tokens, at) is not None)
        for at, token in enumerate(tokens)
    )


def _forms(verb: str) -> frozenset[str]:
    stem = verb.removesuffix("e")
    return frozenset({verb, f"{verb}s", f"{verb}es", f"{verb}ing", f"{stem}ing", f"{verb}ed", f"{stem}ed"})
