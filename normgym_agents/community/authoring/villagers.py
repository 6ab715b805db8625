"""People from a CSV: one row each, under a header.

Cells are separated by commas and may be quoted; line breaks within a cell count as spaces.
"""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from normgym_agents.community.authoring.drafting import Draft, checked, key_of, made
from normgym_agents.community.authoring.imported import Imported, Register
from normgym_agents.community.held import CardFile
from normgym_agents.community.written import Persona
from normgym_agents.errors import BadInput
from normgym_agents.files import read_text
from normgym_agents.norms.norm import Name

NEEDED: Final = ("name", "story", "voice", "goal", "temperament")
OPTIONAL: Final = ("id", "role", "disclosure", "secret", "rule", "statement", "answers")

_DISCLOSURE: Final = "hint"
_ANSWERS: Final = "gesture rebuke"


class _Row(NamedTuple):
    line: int
    cells: dict[str, str]


def read_villagers(file: Path) -> Imported:
    """Read people from a CSV with the columns `NEEDED` and any of `OPTIONAL`.

    Raises:
        BadInput: A column is missing or unknown, a row has too many or too few cells, a cell does not fit, or two
            rows are about people of one name.
    """
    register, drafts, roles = Register(file), [], {}
    for row in _rows(file):
        draft = _draft(row.cells, file, row.line)
        register.enter(draft, f"line {row.line}", row.line)
        drafts.append(draft)
        if role := row.cells.get("role"):
            try:
                roles[draft.key] = checked(Name, role)
            except ValueError as error:
                raise BadInput(str(error), file=file, line=row.line, field="role") from error
    if not drafts:
        raise BadInput("nobody is in it", file=file, expected="a row for each person, below the header")
    return Imported(drafts=tuple(drafts), roles=roles)


def _rows(file: Path) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(read_text(file), newline=""), strict=True)
    header: list[str] | None = None
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise BadInput(f"cannot be read as CSV: {error}", file=file, line=line) from error
        if cells is None:
            break
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = _header(cells, file, line)
            continue
        if len(cells) != len(header):
            message = f"the row has {len(cells)} cells, and the header {len(header)}"
            raise BadInput(
                message, file=file, line=line, expected="a cell for each column, quoted if it has commas"
            )
        yield _Row(line, {name: " ".join(cell.split()) for name, cell in zip(header, cells, strict=True)})
    if header is None:
        raise BadInput("is empty", file=file, expected=",".join(NEEDED))


def _header(cells: list[str], file: Path, line: int) -> list[str]:
    names = [" ".join(cell.split()).casefold() for cell in cells]
    known = (*NEEDED, *OPTIONAL)
    if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
        raise BadInput("columns are not separated by commas", file=file, line=line, expected=",".join(NEEDED))
    for i, name in enumerate(names):
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f": did you mean {near[0]!r}?" if near else ""
            message = f"is not a known column{hint}"
            raise BadInput(
                message, file=file, line=line, field=name or "''", expected=f"of {', '.join(known)}"
            )
        if name in names[:i]:
            raise BadInput("stands twice", file=file, line=line, field=name, expected="each column once")
    if missing := [name for name in NEEDED if name not in names]:
        message = f"columns are missing: {', '.join(missing)}"
        raise BadInput(message, file=file, line=line, expected=",".join(NEEDED))
    return names


def _draft(cells: Mapping[str, str], file: Path, line: int) -> Draft:
    try:
        persona = {name: cells[name] for name in NEEDED} | {
            "disclosure": cells.get("disclosure") or _DISCLOSURE,
            "secret": cells.get("secret") or None,
        }
        who = made(Persona, persona)
        key = checked(Name, cells["id"]) if cells.get("id") else key_of(cells["name"])
        if key is None:
            raise BadInput(f"{cells['name']!r} makes no file name", field="id", expected="a column id")
        rule, statement = cells.get("rule"), cells.get("statement")
        if bool(rule) is not bool(statement):
            raise BadInput("a rule and its statement go together", field="rule" if statement else "statement")
        norms = [{"rule": rule, "statement": statement}] if rule else []
        answers = (cells.get("answers") or _ANSWERS).replace(",", " ").split()
        return Draft(
            key=key,
            persona=who,
            card=made(CardFile, {"norms": norms, "answers": answers}),
        )
    except BadInput as fault:
        raise BadInput(
            fault.message, file=file, line=line, field=fault.field, expected=fault.expected
        ) from None
    except ValueError as error:
        raise BadInput(str(error), file=file, line=line, field="id") from error
