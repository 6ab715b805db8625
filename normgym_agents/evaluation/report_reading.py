"""From what a newcomer said to norms: line by line, in plain words or in the norm language, or as JSON.

Form is taken leniently and meaning strictly: a line is read whole, in the words of its world, or it counts as
unread. What comes in is bounded, and nothing in it can do more than be a norm.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from normgym_agents.community.statement_reading import LONGEST, Read, read_statement
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.knowledge import Report
from normgym_agents.newcomers.reporting import Told
from normgym_agents.norms.enumeration import Vocabulary
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.reachability import check_reachable
from normgym_agents.worlds.asking import MOST_REPORTED, ReportedNorm, sayable
from normgym_agents.worlds.settings import Verb
from normgym_agents.worlds.world import World

_MOST_LINES: Final = 100
"""Lines that are looked at; further ones count as unread."""

_KEPT: Final = 2_000
"""Characters of an answer that are kept."""

_BULLET: Final = re.compile(r"^(?:[-*•·–—>]+|\(?\d{1,3}[.):])\s+")
_EDGES: Final = " \t-–—:;,.!|~\"'`*="
_EMPTY: Final = re.compile(r"[(\[]\s*[)\]]")
_CONFIDENCE: Final = re.compile(
    r"(?<![\w.])(?P<percent>\d{1,3}(?:[.,]\d+)?)\s?(?:%|per ?cent\b)"
    r"|(?<![\w.])(?P<share>[01]?\.\d+)(?![\w.])"
    r"|\b(?:confidence|certainty|probability)\s*[:=]?\s*(?P<told>\d{1,3})(?![\w.])",
    re.IGNORECASE,
)
_SURE: Final = re.compile(
    r"\b(?:(?:with|my|i am|i'm|about|at)\s+)*(?:confidence|confident|certainty|certain|probability|sure)\b"
    r"(?:\s*[:=])?",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"\b(overriding )n(\d)")
_NOTHING: Final = frozenset({"none", "nothing", "no rule", "no rules", "none found", "n/a"})
_FORMS: Final = ("forbid ", "oblige ", "permit ")
_RULE_KEYS: Final = ("norm", "rule", "statement", "text")
_CONFIDENCE_KEYS: Final = ("confidence", "probability", "sure", "certainty")


class _Said(NamedTuple):
    """One line: what it says, and how surely; no confidence where that is not said, or cannot be."""

    text: str
    confidence: float | None = 1.0


def read_report(told: Told, world: World) -> Report:
    """What a newcomer's answer reports.

    Args:
        told: The answer.
        world: The world that it is about.
    """
    reader = _Reader(sayable(world.vocabulary, world.setting.verbs, world.probe.stage), world.setting.verbs)
    if isinstance(told, str):
        for said in _lines(told):
            reader.line(said)
        return reader.report(told[:_KEPT])
    for norm in told:
        reader.norm(norm)
    return reader.report("")


class _Reader:
    """Collects the norms of one report.

    Args:
        words: The words that they can be made of.
        verbs: The setting's verbs.
    """

    def __init__(self, words: Vocabulary, verbs: Mapping[str, Verb]) -> None:
        self._words, self._verbs = words, verbs
        self._places: list[ReportedNorm | None] = []
        self._unread = self._lines = 0

    def report(self, words: str) -> Report:
        """All that was read, each norm once."""
        kept: dict[tuple[str, str | None], ReportedNorm] = {}
        for norm in self._places:
            if norm is not None:
                kept.setdefault((norm.norm, norm.exception), norm)
        return Report(norms=tuple(kept.values()), unread=self._unread, words=words)

    def line(self, said: _Said) -> None:
        """Read one line."""
        self._lines += 1
        full = self._lines > _MOST_LINES or len(self._places) >= MOST_REPORTED
        read = None if full or said.confidence is None else self._read(said.text)
        if read is None or not self._add(*read, said.confidence or 0.0):
            self._unread += 1

    def norm(self, norm: ReportedNorm) -> None:
        """Take in a norm that was given as one."""
        try:
            read = norm.parsed
        except BadInput:
            read = None
        if read is None or not self._add(*read, norm.confidence):
            self._unread += 1

    def _read(self, text: str) -> Read | None:
        if len(text) > LONGEST:
            return None
        plain = _LABEL.sub(r"\1N\2", text.lower())
        if not plain.startswith(_FORMS):
            return read_statement(text, self._words, self._verbs)
        try:
            return parse_norm(plain), None
        except BadInput:
            return None

    def _add(self, norm: Norm, exception: Norm | None, confidence: float) -> bool:
        """Keep a norm; False if it says nothing here."""
        try:
            check_reachable([norm] if exception is None else [norm, exception], self._words)
        except BadInput:
            return False
        if norm.overriding is not None:
            return exception is None and self._except(norm, norm.overriding)
        if exception is not None and not _can_except(norm, exception):
            return False
        self._places.append(
            ReportedNorm(
                norm=print_norm(norm),
                exception=None if exception is None else print_norm(exception),
                confidence=confidence,
            )
        )
        return True

    def _except(self, permit: Norm, label: str) -> bool:
        """Join a permit to the norm that it overrides, by its place among the lines that were read."""
        place = int(label.removeprefix("N")) - 1
        base = self._places[place] if place < len(self._places) else None
        if base is None or base.exception is not None:
            return False
        own = permit.model_copy(update={"overriding": "N1"})
        if not _can_except(parse_norm(base.norm), own):
            return False
        self._places[place] = base.model_copy(update={"exception": print_norm(own)})
        self._places.append(None)
        return True


def _can_except(norm: Norm, exception: Norm) -> bool:
    return norm.deontic == "forbid" and norm.successor is None and exception.overriding == "N1"


def _lines(answer: str) -> Iterator[_Said]:
    """The lines of an answer that say something; the entries of a list, if it holds one."""
    listed = _list(answer)
    for entry in answer.splitlines() if listed is None else listed:
        if isinstance(entry, Mapping):
            yield _entry(entry)
        elif not entry.strip().startswith("```"):
            said = _object(entry) or _line(entry)
            if said.text and said.text.lower() not in _NOTHING:
                yield said


def _list(answer: str) -> Sequence[str | Mapping[str, object]] | None:
    """The first JSON list of texts or objects, perhaps within an object."""
    decoder = json.JSONDecoder()
    for match in list(re.finditer(r"[\[{]", answer))[:20]:
        try:
            data, _ = decoder.raw_decode(answer, match.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            data = next((value for value in data.values() if isinstance(value, list)), None)
        if isinstance(data, list) and data and all(isinstance(one, str | dict) for one in data):
            return data
    return None


def _object(line: str) -> _Said | None:
    if not line.lstrip().startswith("{"):
        return None
    try:
        data = json.loads(line.strip().rstrip(","))
    except (ValueError, RecursionError):
        return None
    return _entry(data) if isinstance(data, dict) else None


def _entry(data: Mapping[str, object]) -> _Said:
    rule = next((value for key in _RULE_KEYS if isinstance(value := data.get(key), str)), "")
    stated = next((data[key] for key in _CONFIDENCE_KEYS if key in data), None)
    if stated is None:
        return _line(rule)
    if isinstance(stated, str):
        return _Said(_line(rule).text, _stated(stated))
    sure = isinstance(stated, int | float) and not isinstance(stated, bool)
    return _Said(_line(rule).text, _share(float(stated)) if sure else None)  # type: ignore[arg-type] # a number by then


def _stated(text: str) -> float | None:
    """A confidence that stands by itself."""
    found = _line(text)
    if not found.text:
        return found.confidence
    return _share(float(text)) if re.fullmatch(r"\d{1,3}", text.strip()) else None


def _line(line: str) -> _Said:
    """What one line says, without its bullet, its confidence and its ornaments."""
    text = _BULLET.sub("", line.strip())
    found = list(_CONFIDENCE.finditer(text))
    if len(found) > 1:
        return _Said(text, None)
    confidence: float | None = 1.0
    if found:
        one = found[0]
        confidence = _number(one)
        text = f"{text[: one.start()]} {text[one.end() :]}"
        text = _SURE.sub(" ", text)
    text = _EMPTY.sub(" ", text.replace("`", "").replace("**", ""))
    return _Said(" ".join(text.strip(_EDGES).split()), confidence)


def _number(found: re.Match[str]) -> float | None:
    if (percent := found["percent"]) is not None:
        share = float(percent.replace(",", ".")) / 100
        return share if share <= 1 else None
    return _share(float(found["share"] or found["told"]))


def _share(number: float) -> float | None:
    """A number up to 1 as it is, a larger one in per cent; None if it is neither."""
    if 0 <= number <= 1:
        return number
    return number / 100 if 1 < number <= 100 else None
