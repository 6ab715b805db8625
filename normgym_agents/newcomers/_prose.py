"""Acts in plain prose.

A reply is read in three passes, and the first that finds anything decides: lines marked as the answer
(`Action: take the cup`), lines that are an act and nothing else, and sentences that announce one (`I'll take
the cup because …`). An act that is only weighed, denied, asked about or made conditional is none: it is
better to ask again than to do what was not meant. A lone sentence about none of these is said aloud (`_speaking`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from normgym_agents.newcomers import _faults
from normgym_agents.newcomers._faults import Fault
from normgym_agents.newcomers._mentions import Mention, fits, scan, settle
from normgym_agents.newcomers._names import WORD, Names, normal, words
from normgym_agents.newcomers._speaking import lone_sentence
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.settings import Slot

_MOST_MENTIONS: Final = 200
_MARKED: Final = re.compile(
    r"^\W*(?:(?:my|the|final|next|chosen)\s+){0,3}(?:act|action|answer|move|command|decision|choice|response)"
    r"(?:\s+is)?\s*[*_`]*\s*[:=]\s*(?P<rest>.*)$",
    re.IGNORECASE,
)
_LEX: Final = re.compile(rf"(?P<word>{WORD.pattern})|(?P<end>[.!?;·\n|])|(?P<soft>[,:\u2013\u2014])")
_JOINS: Final = frozenset({"and", "then", "so", "but", "therefore", "thus"})
_SUBJECTS: Final = frozenset({"i", "i'll", "i'd", "i'm", "let", "let's", "we", "we'll", "me"})
_LEADS: Final = _SUBJECTS | frozenset(
    "will shall would like to want choose decide have decided am going gonna need must now next first ok okay "
    "my act action move is step answer final decision choice please just simply also us it's best option thing "
    "would it here therefore go ahead today think".split()
)
_AFTER: Final = frozenset("please now here next first today then for this turn a moment".split())
_DOUBTS: Final = frozenset(
    "not never no cannot without avoid instead rather if unless whether could might may maybe perhaps "
    "should when whenever before after until".split()
)
_IFS: Final = frozenset({"if", "unless", "when", "whenever", "whether", "until"})
_QUOTES: Final = {
    '"': '"',
    "\N{LEFT DOUBLE QUOTATION MARK}": "\N{RIGHT DOUBLE QUOTATION MARK}",
    "'": "'",
    "`": "`",
}


@dataclass(frozen=True)
class _Clause:
    """Words between two breaks, what came before them in the sentence, and how clause and sentence end."""

    tokens: tuple[str, ...]
    before: tuple[str, ...]
    soft_end: bool
    asked: bool


def read_prose(text: str, names: Names) -> Act | Fault:
    """The one act that a text announces, or what is wrong with it.

    Args:
        text: At most some thousand characters (see `_cleaning.legible`).
        names: What the words can mean.
    """
    lines = text.splitlines()
    if not any(WORD.search(line) for line in lines):
        return _faults.nothing_came(names.view)
    marked = [match["rest"] for line in lines if (match := _MARKED.match(line))]
    for mentions in (_all(marked, names), _whole_lines(lines, names), _all(lines, names)):
        if named := [mention for mention in mentions if mention.filled or _slotless(names, mention.verb)]:
            return _decide(named, names)
    bare = [
        mention
        for line in lines
        for clause in _clauses(line)
        for mention in _announced(clause, names, bare=True)
    ]
    if bare:
        return settle(names, bare[0])
    return lone_sentence(text, names) or _faults.no_act(names.view)


def _slotless(names: Names, verb: str) -> bool:
    return not names.view.verbs[verb].slots


def _decide(mentions: list[Mention], names: Names) -> Act | Fault:
    """All mentions must come to the same; one that is less exact than another may mean the other."""
    settled = [settle(names, mention) for mention in mentions]
    found = list(dict.fromkeys(settled))
    if len(found) == 1:
        return found[0]
    acts = [one for one in found if isinstance(one, Act)]
    vague = [m for m, one in zip(mentions, settled, strict=True) if isinstance(one, Fault)]
    if len(acts) == 1 and all(m.verb == acts[0].verb and fits(acts[0], m) for m in vague):
        return acts[0]
    return _faults.several(names.view)


def _all(lines: list[str], names: Names) -> list[Mention]:
    """Mentions in whole lines, and in the sentences of the other lines."""
    mentions: list[Mention] = []
    for line in lines:
        said, rest = _speech(line, names)
        mentions += said
        for clause in _clauses(rest):
            mentions += _announced(clause, names)
        if len(mentions) > _MOST_MENTIONS:
            break
    return mentions


def _whole_lines(lines: list[str], names: Names) -> list[Mention]:
    mentions: list[Mention] = []
    for line in lines:
        said, rest = _speech(line, names)
        mentions += said
        clauses = list(_clauses(rest))
        found = [_whole(clause, names) for clause in clauses]
        if found and all(found) and not any(clause.asked for clause in clauses):
            mentions += [mention for mention in found if mention]
        if len(mentions) > _MOST_MENTIONS:
            break
    return mentions


def _clauses(line: str) -> Iterator[_Clause]:
    tokens: list[str] = []
    before: list[str] = []
    pending: list[_Clause] = []
    for match in _LEX.finditer(normal(line) + "\n"):
        word = match["word"]
        if word and word not in _JOINS:
            tokens.append(word.removesuffix("'s"))
            continue
        if tokens:
            pending.append(_Clause(tuple(tokens), tuple(before), match["end"] is None, False))
            before += tokens
            tokens = []
        if match["end"]:
            asked = match["end"] == "?"
            yield from (_Clause(c.tokens, c.before, c.soft_end, asked) for c in pending)
            pending, before = [], []


def _doubtful(tokens: tuple[str, ...]) -> bool:
    return any(token in _DOUBTS or token.endswith("n't") for token in tokens)


def _verbs_at(tokens: tuple[str, ...], at: int, names: Names) -> Iterator[tuple[str, int]]:
    """Verbs whose words stand here, by name or as the menu begins, with where their slots begin."""
    for verb, kind in names.view.verbs.items():
        menu = kind.menu.split(" ")
        lead = [word for i, word in enumerate(menu) if not any(w.isupper() for w in menu[: i + 1])]
        for form in dict.fromkeys((words(verb), words(" ".join(lead)))):
            if form and tokens[at : at + len(form)] == form:
                yield verb, at + len(form)
                break


def _third_person(token: str, names: Names) -> str:
    """`takes` as `take`."""
    verbs = names.view.verbs
    return next((v for v in verbs if token in (f"{v}s", f"{v}es")), token)


def _whole(clause: _Clause, names: Names) -> Mention | None:
    """The mention that a clause is, apart from how it is led in."""
    own = words(names.view.name)
    tokens = clause.tokens
    start = 0
    while start < len(tokens) and (tokens[start].isdecimal() or tokens[start] in own):
        start += 1
    if start < len(tokens):
        tokens = (*tokens[:start], _third_person(tokens[start], names), *tokens[start + 1 :])
    while start < len(tokens):
        for verb, at in _verbs_at(tokens, start, names):
            if names.view.verbs[verb].slots == (Slot.WORDS,):
                continue
            mention = scan(names, verb, tokens, at)
            if all(token in _AFTER for token in tokens[mention.end :]):
                return mention
        if tokens[start] not in _LEADS:
            return None
        start += 1
    return None


def _announced(clause: _Clause, names: Names, *, bare: bool = False) -> list[Mention]:
    """The mention of the clause that the writer commits to; with `bare` also one that says no more than a verb."""
    own = frozenset(words(names.view.name))
    for at in range(len(clause.tokens)):
        for verb, start in _verbs_at(clause.tokens, at, names):
            lead = clause.tokens[:at]
            if names.view.verbs[verb].slots == (Slot.WORDS,) or not _committed(lead, clause, own):
                continue
            mention = scan(names, verb, clause.tokens, start)
            tail = clause.tokens[mention.end :]
            alone = all(token in _AFTER for token in tail) and not (clause.soft_end and not lead)
            if (
                mention.filled
                or (bare and not _slotless(names, verb))
                or (_slotless(names, verb) and (alone or not _SUBJECTS.isdisjoint(lead)))
            ):
                return [mention]
    return []


def _committed(lead: tuple[str, ...], clause: _Clause, own: frozenset[str]) -> bool:
    if clause.asked or not all(word in _LEADS or word in own or word.isdecimal() for word in lead):
        return False
    if _SUBJECTS.isdisjoint(lead):
        return not _doubtful(clause.before)
    return _IFS.isdisjoint(clause.before)


def _speech(line: str, names: Names) -> tuple[list[Mention], str]:
    """What a line says with a verb of words, and the rest of the line without it."""
    for verb, kind in names.view.verbs.items():
        if Slot.WORDS not in kind.slots:
            continue
        pattern = (
            rf"^\W*(?P<lead>[^\"\n:]{{0,60}}?)\b{re.escape(verb)}(?![\w'-])(?P<colon>\s*:)?\s*(?P<rest>\S.*)$"
        )
        match = re.match(pattern, line, re.IGNORECASE)
        if match is None:
            continue
        rest, lead = match["rest"].rstrip("*_ "), words(match["lead"])
        lead = tuple(w for w in lead if w not in _JOINS and not w.isdecimal())
        quote = _QUOTES.get(rest[0])
        if lead and (not all(w in _LEADS for w in lead) or not (quote or match["colon"])):
            continue
        close = rest.find(quote, 1) if quote else -1
        if close > 0:
            return [Mention(verb=verb, said=rest[1:close])], rest[close + 1 :]
        return [Mention(verb=verb, said=rest)], ""
    return [], line
