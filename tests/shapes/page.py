"""Writes `docs/shapes.md`: `python -m tests.shapes.page`, in the checkout's folder.

The page is what came of the catalogue's shapes and nothing else, so that it cannot promise what does not run.
"""

from __future__ import annotations

import ast
import asyncio
import logging
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from tests.shapes.catalogue import FAILING, REFUSED, SECTIONS, TESTED, Shape
from tests.shapes.playing import AGENTS, Played, played

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "shapes.md"

_TOP = """\
# Which shapes run

Agents of each of these shapes take part as they are. The files are in `tests/agents/`, small and in the style that
people write them. Each line is run by `tests/shapes/test_shapes.py` (one episode, turn by turn, against a scripted
model), or by the tests beside it where that takes a deadline or a process of its own. This page is written by
`python -m tests.shapes.page`, and a test fails where it is not what comes of running it.

`docs/acting.md` says how what an agent answers becomes an act. Behaviour is scored and wiring never is: what cannot
run is refused before anything is spent, with a sentence that says what to add.
"""
_EXAMPLES = """\
## To copy

Short files in `graphs/`, each of which runs by the command in it. Those of LangGraph are in `langgraph.json`, by which
LangGraph's own server and Studio find them; those of AutoGen cannot be, as LangGraph does not serve them.
"""
_FAILING = """\
## What ends an episode

These take part, and break. Each ends its own episode as `newcomer_failed`, which is scored, and leaves the others as
they were.
"""
_REFUSED = """\
## What is refused, and what is said

`normgym run` and `load_newcomer` say this, and run nothing more.
"""
_DEADLINE = "it is out of time, or holds up the event loop for too long"


def page(found: Iterable[Played]) -> str:
    """The page of what came of the shapes."""
    by_shape = {id(one.shape): one for one in found}

    def of(shapes: Sequence[Shape]) -> list[Played]:
        return [by_shape[id(shape)] for shape in shapes]

    parts = [_TOP, _EXAMPLES + "\n" + _table(("Example", "Run it with"), _examples())]
    for heading, shapes in SECTIONS.items():
        rows = [(_title(group[0]), _loaded_all(group), _test(group[0])) for group in _by_file(shapes)]
        parts.append(f"## {heading}\n\n" + _table(("Shape", "Loaded as", "More of it in"), rows))
    rows = [
        (_loaded(one.shape), _before_details(one.told) or one.shape.title, _test(one.shape))
        for one in of(FAILING)
    ]
    parts.append(_FAILING + "\n" + _table(("Loaded as", "What is said", "More of it in"), rows))
    rows = [(one.shape.title, _loaded(one.shape), _code(one.told)) for one in of(REFUSED)]
    parts.append(_REFUSED + "\n" + _table(("What", "Loaded as", "What is said"), rows))
    return "\n".join(parts)


def deeper_tests(shape: Shape) -> Path:
    """The tests that go deeper into a shape."""
    begins = max((one for one in TESTED if shape.spec.startswith(one)), key=len)
    return ROOT / "tests" / TESTED[begins]


def named_in(file: str, test: Path) -> bool:
    """Whether a test names an agent's file."""
    stem = re.escape(Path(file).stem)
    # Where a test puts the framework's name before each of its specs, the file's own name is the rest.
    rest = re.escape(Path(file).stem.removeprefix("langgraph_")) + r"\.py:"
    name = re.escape(file) if file.endswith(".json") else rf"(?:{stem}(?!\w)|{rest})"
    return re.search(rf"(?<!\w){name}", test.read_text()) is not None


def _test(shape: Shape) -> str:
    file = deeper_tests(shape)
    return f"[`{file.name}`](../{file.relative_to(ROOT)})"


def _title(shape: Shape) -> str:
    return shape.title or _first_line(AGENTS / shape.file)


def _examples() -> list[tuple[str, str]]:
    rows = []
    for file in sorted((ROOT / "graphs").glob("*.py")):
        command = re.search(r"`(normgym run [^`]*)`", file.read_text())
        if command is not None:
            rows.append((f"[`{file.name}`](../graphs/{file.name}): {_first_line(file)}", f"`{command[1]}`"))
    return rows


def _first_line(file: Path) -> str:
    return (ast.get_docstring(ast.parse(file.read_text())) or "").partition("\n")[0]


def _by_file(shapes: Sequence[Shape]) -> list[list[Shape]]:
    return [list(group) for _, group in groupby(shapes, key=lambda shape: shape.file or shape.spec)]


def _loaded_all(shapes: Sequence[Shape]) -> str:
    """A file, and the names in it."""
    file = shapes[0].file
    if not file.endswith(".py"):
        return ", ".join(_loaded(shape) for shape in shapes)
    names = [f"`{_command(shape).removeprefix(file)}`" for shape in shapes]  # of an own process all of it
    return f"[`{file}`](../tests/agents/{file}) {', '.join(names)}"


def _loaded(shape: Shape) -> str:
    return f"`{_command(shape)}`"


def _command(shape: Shape) -> str:
    options = [f"--{name.replace('_', '-')}" + _value(value) for name, value in shape.options.items()]
    return " ".join([shape.spec, *options])


def _before_details(told: str) -> str:
    """What we say; what the framework says after it is its own to change."""
    return told.partition(": GraphRecursionError")[0]


def _value(value: object) -> str:
    return "" if value is True else f" {value}"


def _code(text: str) -> str:
    return f"``{text}``" if "`" in text else f"`{text}`"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def everything() -> list[Shape]:
    """All shapes of the page, in its order."""
    return [shape for shapes in [*SECTIONS.values(), FAILING, REFUSED] for shape in shapes]


if __name__ == "__main__":
    logging.disable(logging.ERROR)  # AutoGen logs what agents raise, and some are to
    PAGE.write_text(page(asyncio.run(played(everything()))))
