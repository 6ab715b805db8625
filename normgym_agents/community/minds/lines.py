"""What is wrong with a line that a member's model wrote. Code looks, so that the same line always fares the same.

A line may tell no more than the template that it stands beside. It is held against the words of the world: what the
template shows may be named, nothing else may, and nothing may be said of what must or may not be done.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from normgym_agents.community.log import Fault
from normgym_agents.community.minds.lexis import Lexis, runs_in, words_in

LONGEST: Final = 160
"""Characters of a line."""

_LONGEST_WORD: Final = 24
"""Characters without a space."""

_READ: Final = 2_000
"""Characters of a line that are looked at at all."""

_DEONTIC: Final = re.compile(
    r"\b(must|musn'?t|mustn'?t|may not|shall|shan'?t|should|shouldn'?t|ought|forbid\w*|forbad\w*|prohibit\w*|ban(?:ned|s)?"
    r"|allow\w*|permit\w*|permission|never|always|rules?|norms?|laws?|customs?|nobody|no one|no-one|not until|unless"
    r"|only (?:when|if|after|before|while)|whoever|don'?t|do not|can'?t|cannot|can not|won'?t do|oblig\w*|required?"
    r"|supposed|have to|has to|need to|needs to|not (?:here|today|now)|without|taboo|verboten|interdit\w*|d[ée]fendu\w*"
    r"|prohibid\w*|proibid\w*|vietat\w*|jamais|nunca|niemals|niemand|personne ne|nadie|nessuno)\b",
    re.IGNORECASE,
)
_META: Final = re.compile(
    r"\b(as an ai|language model|ai model|assistant|chatbot|openai|anthropic|prompt|json|role ?-?play\w*|persona"
    r"|norm card|my card|the card|schedule|scripted|instruction\w*|simulat\w*|newcomer agent|benchmark|evaluat\w*"
    r"|system message|episode|i(?:'m| am) sorry,? but|i cannot (?:help|assist|comply))\b",
    re.IGNORECASE,
)
_SENTENCES: Final = 4
"""Most sentences of a line."""

_STOPS: Final = re.compile(r"[.!?…]+(?=\s|$)")
_OWN_LETTERS: Final = frozenset("æøœłđðþß\u0131")
"""Latin letters that are no ASCII letter with a mark on it."""

_CODED: Final = re.compile(
    r"\b(?!(?:Ma?c|De|Di|La|Le|Van)[A-Z])\w*[a-z][A-Z]\w*|[^\W\d_]\d|\d(?!st\b|nd\b|rd\b|th\b)[^\W\d_]"
)
"""Capitals or digits within a word: letters that stand for others."""

_MARKUP: Final = re.compile(r"[<>{}\[\]|`#*_=\\]|https?:|www\.|&\w+;|\w+\(.*\)")
_APPROVAL: Final = re.compile(
    r"\b(well done|thank you|thanks|good (?:work|job)|nicely|lovely|bravo|perfect|excellent|go ahead|carry on|"
    r"no harm|that'?s right|quite right|as it should be)\b",
    re.IGNORECASE,
)
_NOT: Final = re.compile(r"\b(not|no|n't|never|won't|refuse|refuses|leave|leaving|skip)\b", re.IGNORECASE)
_FIRST: Final = re.compile(r"\b(i|i'll|i'm|i'd|i've|let me|me)\b", re.IGNORECASE)


class Moment(StrEnum):
    """What a line stands beside."""

    ACT = "act"
    SANCTION = "sanction"
    REMARK = "remark"


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What a line stands beside, and what may be named in it.

    Attributes:
        moment: Of what kind it is.
        speaker: Who says it.
        shown: The template's own sentences, all of whose words may be named.
        verb: The verb of the act that is shown; None where none is.
        to: Whom it is aimed at, if anybody.
        telling: Whether somebody asked, and the speaker tells: then it may be said how things are done.
    """

    moment: Moment
    speaker: str
    shown: str = ""
    verb: str | None = None
    to: str | None = None
    telling: bool = False


def tidy(raw: str, speaker: str) -> str:
    """A line as it is said: on its own, without quotation marks around it and the speaker's name before it.

    What is far too long to be said is only cut.
    """
    if len(raw) > _READ:
        return raw[:_READ].strip()
    before, line = "", raw
    while line != before:
        before, line = line, _unwrapped(line, speaker)
    return line


def _unwrapped(raw: str, speaker: str) -> str:
    """A line without one layer of what stands around it."""
    line = " ".join(raw.split()) if "\n" not in raw.strip() else raw.strip()
    line = re.sub(rf"^{re.escape(speaker)}\s*(?:says)?\s*[:–—-]\s*", "", line, flags=re.IGNORECASE)
    pairs = (('"', '"'), ("“", "”"), ("'", "'"), ("\u2018", "\u2019"), ("«", "»"))
    for opens, closes in pairs:
        if len(line) > 1 and line.startswith(opens) and line.endswith(closes):
            line = line[1:-1].strip()
    return line


def faults_of(line: str, lexis: Lexis, setup: Setup) -> tuple[Fault, ...]:
    """What is wrong with a line, each fault once; empty if it may be said."""
    if not line:
        return (Fault.INVALID,)
    if len(line) > 2 * LONGEST:
        return (Fault.OUT_OF_CHARACTER,)  # whatever is in it, it is not said, and need not be read
    found: list[Fault] = []
    if _strange(line, setup):
        found.append(Fault.OUT_OF_CHARACTER)
    joined = "".join(c for c in line.casefold() if c.isalnum() or c == "-")
    if any(canary in line or canary.replace("-", "") in joined.replace("-", "") for canary in lexis.canaries):
        found.append(Fault.CANARY)
    if _reveals(words_in(line), lexis.secrets):
        found.append(Fault.DISCLOSES)
    if not setup.telling:
        found += _given_away(line, lexis, setup)
    if _contradicts(line, lexis, setup):
        found.append(Fault.CONTRADICTS_ACT)
    return tuple(dict.fromkeys(found))


def _strange(line: str, setup: Setup) -> bool:
    """Whether no person of the place would say it like that."""
    longest = 2 * LONGEST if setup.telling else LONGEST
    return (
        len(line) > longest
        or len(_STOPS.findall(line)) > (2 * _SENTENCES if setup.telling else _SENTENCES)
        or any(len(word) > _LONGEST_WORD for word in line.split())
        or not all(map(_plain, unicodedata.normalize("NFC", line)))
        or any(pattern.search(line) for pattern in (_META, _MARKUP, _CODED))
    )


def _plain(char: str) -> bool:
    """Whether a character is one that the line may be written with: no other alphabet, no sign that looks like a letter."""
    kind = unicodedata.category(char)
    if kind.startswith("L"):
        base = unicodedata.normalize("NFD", char)[0]
        return base.isascii() or char.casefold() in _OWN_LETTERS
    if kind.startswith("N"):
        return char.isascii()
    return kind.startswith("P") or char == " " or kind == "Sc"


def _given_away(line: str, lexis: Lexis, setup: Setup) -> list[Fault]:
    """What the line tells beyond what its template shows."""
    words = words_in(line)
    seen = words_in(setup.shown)
    named, shown = lexis.literals_in(words), lexis.literals_in(seen)
    verbs = lexis.verbs_in(words)
    done = lexis.verbs_in(seen) | ({setup.verb} if setup.verb is not None else set())
    found = []
    if lexis.repeats(words) or (_DEONTIC.search(line) and (named or verbs)):
        found.append(Fault.STATES_RULE)
    # Of how a thing looks, one word alone singles out a respect; all of them together are just the thing.
    singled = bool(named & lexis.looks) and not (shown & lexis.looks) <= named
    if named - shown or singled or verbs - done:
        found.append(Fault.NAMES_LITERAL)
    if setup.moment is Moment.REMARK:
        return [Fault.DISCLOSES] if found else []
    return found


def _reveals(words: Sequence[str], secrets: Sequence[str]) -> bool:
    """Whether the words have a turn of phrase of what is kept secret."""
    runs = runs_in(words)
    return any(not runs.isdisjoint(runs_in(words_in(secret))) for secret in secrets)


def _contradicts(line: str, lexis: Lexis, setup: Setup) -> bool:
    """Whether the line says otherwise than what is done."""
    if setup.moment is Moment.REMARK:
        return False
    if setup.moment is Moment.SANCTION:
        others = [name for name in lexis.people if name not in (setup.to, setup.speaker)]
        words = set(words_in(line))
        return bool(_APPROVAL.search(line)) or any(name.casefold() in words for name in others)
    verbs = lexis.verbs_in(words_in(line))
    own = {setup.verb} if setup.verb is not None else set()
    if _NOT.search(line) and own & verbs:
        return True
    return bool(_FIRST.search(line)) and bool(verbs - own)
