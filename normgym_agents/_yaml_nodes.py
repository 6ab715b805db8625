"""The small, strict part of YAML that people's files may use, as nodes that still know their line.

A file is data: it cannot name a type, refer to another part of itself (a few aliases of aliases fill any
memory) or say one key twice. Scalars follow the core schema of YAML 1.2 and not the richer one of PyYAML,
because there `no` is false and `12:30` is 750, and a persona called No must stay called No.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

import yaml

MAX_DEPTH: Final = 40
MAX_NODES: Final = 50_000
"""Values of a file; more than anybody writes, and no more than can be read in a second or two."""

_PREFIX: Final = "tag:yaml.org,2002:"
_CORE_SCHEMA: Final = (
    ("null", r"null|Null|NULL|~|", ["n", "N", "~", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+.0123456789")),
)


class NotPlainYaml(Exception):
    """The text is no YAML, or YAML of a kind that is not allowed here."""

    def __init__(self, message: str, *, line: int | None = None, expected: str | None = None) -> None:
        super().__init__(message)
        self.message, self.line, self.expected = message, line, expected


class _Loader(yaml.SafeLoader):
    """Composes nodes, and is never asked to construct an object from them."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (as its base)
    _depth = 0
    _nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # the stubs leave it bare
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise NotPlainYaml("anchors and aliases are not allowed", line=line, expected="the text itself")
        if event.tag not in (None, "!"):
            raise NotPlainYaml(f"the tag {event.tag!r} is not allowed", line=line, expected="no tags")
        if self._depth == MAX_DEPTH:
            raise NotPlainYaml("is nested too deep", line=line, expected=f"at most {MAX_DEPTH} levels")
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise NotPlainYaml("holds too much", line=line, expected=f"at most {MAX_NODES:,} values")
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


for _kind, _pattern, _first in _CORE_SCHEMA:
    _Loader.add_implicit_resolver(_PREFIX + _kind, re.compile(rf"(?:{_pattern})\Z"), _first)


def compose(text: str) -> yaml.Node:
    """Parse one document.

    Raises:
        NotPlainYaml: It is no YAML, empty, several documents, or uses what is not allowed.
    """
    try:
        node: yaml.Node | None = _Loader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join((error.problem or error.context or "cannot be parsed").split())
        line = None if mark is None else mark.line + 1
        raise NotPlainYaml(f"is not valid YAML: {problem}", line=line) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        what = repr(text[error.position])
        raise NotPlainYaml(f"holds the character {what}, which YAML does not allow", line=line) from error
    except (ValueError, OverflowError) as error:
        # PyYAML lets through what int() and chr() say of absurd versions and escapes.
        raise NotPlainYaml(f"is not valid YAML: {error}") from error
    if node is None:
        raise NotPlainYaml("is empty", expected="key: value")
    return node


def plain(node: yaml.Node) -> Any:
    """The node as the values that JSON has: text, finite numbers, booleans, null, lists, mappings of text.

    Raises:
        NotPlainYaml: A key is there twice or is no scalar, or a scalar has no place in JSON.
    """
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return [plain(item) for item in node.value]
    found: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise NotPlainYaml("a key must be one word", line=line, expected="key: value")
        name = _characters(key)
        if name in found:
            message = f"the key {name[:40]!r} is there twice (first in line {lines[name]})"
            raise NotPlainYaml(message, line=line, expected="each key once")
        found[name], lines[name] = plain(value), line
    return found


def _characters(node: yaml.ScalarNode) -> str:
    """The text, with the two escapes by which JSON writes one rare character made one again."""
    text: str = node.value
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as error:
        line = node.start_mark.line + 1
        message = f"{text[:40]!r} holds half a character"
        raise NotPlainYaml(message, line=line, expected="surrogates in pairs") from error


def _scalar(node: yaml.ScalarNode) -> str | int | float | bool | None:
    text = _characters(node)
    kind = node.tag.removeprefix(_PREFIX)
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true"
    if kind not in ("int", "float"):
        return text
    try:
        number = int(text) if kind == "int" else float(text)
    except ValueError:  # more digits than Python is willing to read
        number = math.inf
    if not math.isfinite(number):
        line = node.start_mark.line + 1
        raise NotPlainYaml(f"{text[:20]}… is too large a number", line=line, expected="a finite number")
    return number
