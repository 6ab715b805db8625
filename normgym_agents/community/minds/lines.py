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
from normgym_agents.community.minds.lexis import Lexis, words_in

LONGEST: Final = 160
"""Characters of a line."""

_RUN: Final = 4
"""Words in a row that a line and a card may not share."""

_DEONTIC: Final = re.compile(
    r"\b(must|musn'?t|mustn'?t|may not|shall|shan'?t|should|shouldn'?t|ought|forbid\w*|forbad\w*|prohibit\w*|ban(?:ned|s)?"
    r"|allow\w*|permit\w*|permission|never|always|rules?|norms?|laws?|customs?|nobody|no one|no-one|not until|unless"
    r"|only (?:when|if|after|before|while)|whoever|don'?t|do not|can'?t|cannot|can not|won'?t do|oblig\w*|required?"
    r"|supposed|have to|has to|need to|needs to|not (?:here|today|now)|without)\b",
    re.IGNORECASE,
)
_META: Final = re.compile(
    r"\b(as an ai|language model|ai model|assistant|chatbot|openai|anthropic|prompt|json|role ?-?play\w*|persona"
    r"|norm card|my card|the card|schedule|scripted|instruction\w*|simulat\w*|newcomer agent|benchmark|evaluat\w*"
    r"|system message|episode|i(?:'m| am) sorry,? but|i cannot (?:help|assist|comply))\b",
    re.IGNORECASE,
)
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
    """A line as it is said: on its own, without quotation marks around it and the speaker's name before it."""
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
    found: list[Fault] = []
    if _strange(line, setup):
        found.append(Fault.OUT_OF_CHARACTER)
    joined = "".join(c for c in line.casefold() if c.isalnum() or c == "-")
    if any(canary in line or canary.replace("-", "") in joined.replace("-", "") for canary in lexis.canaries):
        found.append(Fault.CANARY)
    if _repeats(words_in(line), lexis.secrets):
        found.append(Fault.DISCLOSES)
    if not setup.telling:
        found += _given_away(line, lexis, setup)
    if _contradicts(line, lexis, setup):
        found.append(Fault.CONTRADICTS_ACT)
    return tuple(dict.fromkeys(found))


def _strange(line: str, setup: Setup) -> bool:
    """Whether no person of the place would say it like that."""
    longest = 2 * LONGEST if setup.telling else LONGEST
    odd = any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn") for c in line)
    letters = [word for word in re.findall(r"\S+", line) if len(word) > 24]
    return (
        len(line) > longest
        or odd
        or bool(letters or _META.search(line) or _MARKUP.search(line))
        or _mixed(line)
    )


def _mixed(line: str) -> bool:
    """Whether a word is written in two alphabets, as one that is to look like another."""
    for word in re.findall(r"[^\W\d_]+", line):
        alphabets = {unicodedata.name(c, "?").partition(" ")[0] for c in word}
        if len(alphabets & {"LATIN", "CYRILLIC", "GREEK"}) > 1:
            return True
    return False


def _given_away(line: str, lexis: Lexis, setup: Setup) -> list[Fault]:
    """What the line tells beyond what its template shows."""
    words = words_in(line)
    named, shown = lexis.literals_in(words), lexis.literals_in(words_in(setup.shown))
    verbs = lexis.verbs_in(words)
    found = []
    if _repeats(words, lexis.said) or (_DEONTIC.search(line) and (named or verbs)):
        found.append(Fault.STATES_RULE)
    # Of how a thing looks, one word alone singles out a respect; all of them together are just the thing.
    singled = bool(named & lexis.looks) and not (shown & lexis.looks) <= named
    hidden_verb = setup.moment is Moment.SANCTION and setup.verb is None and bool(verbs)
    if named - shown or singled or hidden_verb:
        found.append(Fault.NAMES_LITERAL)
    if setup.moment is Moment.REMARK:
        return [Fault.DISCLOSES] if found else []
    return found


def _repeats(words: Sequence[str], said: Sequence[str]) -> bool:
    runs = {tuple(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1)}
    if not runs:
        return False
    for text in said:
        card = words_in(text)
        if any(tuple(card[i : i + _RUN]) in runs for i in range(len(card) - _RUN + 1)):
            return True
    return False


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
