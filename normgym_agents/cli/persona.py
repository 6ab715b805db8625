"""`normgym persona`: write people, check what was written, and meet them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from normgym_agents.cli import persona_new, persona_show
from normgym_agents.cli.console import Status, err, out
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.texts import counted, on_one_line

if TYPE_CHECKING:
    from normgym_agents.community.authoring.imported import Imported

_FOLDER = typer.Option(
    "--folder", metavar="DIR", help="Your folder with personas, cards and so on.", show_default="bundled ones"
)
_JSON = typer.Option("--json", help="Print as JSON.")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True)
    group.command(name="new", help=persona_new.HELP)(persona_new.new)
    group.command(name="check")(_check)
    group.command(name="show")(persona_show.show)
    group.command(name="try")(persona_show.try_out)
    group.command(name="import")(_import)
    group.command(name="list")(_list)
    group.command(name="schema")(_schema)
    app.add_typer(
        group,
        name="persona",
        help="Write people, norm cards and communities; check them, and meet them.",
        rich_help_panel="Look inside",
    )


def _check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE|FOLDER]...", help="What to check.", show_default="what lies here"),
    ] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> int:
    """Check personas, cards, communities and settings: every fault, with file, line and what would be right.

    Exit status 0 if all is right, 2 if something is not.
    """
    from normgym_agents.community.authoring.checking import check

    checked = check(paths or [_home()])
    if as_json:
        rows = [
            {
                "file": str(fault.file),
                "line": fault.line,
                "field": fault.field,
                "message": fault.message,
                "expected": fault.expected,
            }
            for fault in checked.faults
        ]
        typer.echo(json.dumps(rows, indent=2))
        return Status.BAD_INPUT if rows else Status.DONE
    console = out()
    for fault in checked.faults:
        line = "" if fault.line is None else f":{fault.line}"
        field = "" if fault.field is None else f"{fault.field}: "
        place = f"{_shown(Path(str(fault.file)))}{line}"
        console.print(
            Text.assemble((on_one_line(place), "bold"), ": ", on_one_line(field + fault.message)),
            soft_wrap=True,
        )
        if fault.expected:
            console.print(Text(f"    expected: {on_one_line(fault.expected)}", style="dim"), soft_wrap=True)
    files = counted(len(checked.files), "file")
    if checked.faults:
        console.print(f"{counted(len(checked.faults), 'fault')} in {files}")
        return Status.BAD_INPUT
    console.print(f"{files}: all is right")
    return Status.DONE


def _import(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Profiles in the SOTOPIA form (.json, .jsonl), or a table (.csv).",
            show_default=False,
        ),
    ],
    folder: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Your folder; nothing in it is written over.",
            show_default="the one that lies here, else personas",
        ),
    ] = None,
) -> int:
    """Make personas and cards of people from elsewhere: of all of them, or, if one does not fit, of none.

    A profile's secret goes into the persona's secret, which only whoever speaks for it is told.
    """
    from normgym_agents.community.authoring.schemas import missing_schemas
    from normgym_agents.community.authoring.writing import write_new

    imported, place = _read(file), persona_new.place_of(folder)
    write_new({**imported.files(place), **missing_schemas(place)})
    for note in imported.notes:
        err().print(f"note: {on_one_line(note)}", markup=False, soft_wrap=True)
    console = out()
    people = "1 person" if len(imported.drafts) == 1 else f"{len(imported.drafts)} people"
    console.print(
        f"{people} written to {on_one_line(str(place))}. As members of a community:",
        markup=False,
        soft_wrap=True,
    )
    for draft in imported.drafts:
        role = imported.roles.get(draft.key, "ROLE")
        console.print(
            f"  - {{persona: {draft.key}, card: {draft.key}, role: {role}}}", markup=False, soft_wrap=True
        )
    return Status.DONE


def _read(file: Path) -> Imported:
    match file.suffix.lower():
        case ".csv":
            from normgym_agents.community.authoring.villagers import read_villagers

            return read_villagers(file)
        case ".json" | ".jsonl":
            from normgym_agents.community.authoring.profiles import read_profiles

            return read_profiles(file)
        case _:
            raise BadInput("cannot tell what it holds", file=file, expected="a file .json, .jsonl or .csv")


def _list(
    folder: Annotated[str | None, _FOLDER] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """List the people in a folder of yours, or the bundled ones."""
    from normgym_agents.cli.listing import list_rows

    list_rows(_people(folder), as_json)


def _people(folder: str | None) -> Iterator[dict[str, str | int | float | None]]:
    from normgym_agents.assets import asset
    from normgym_agents.community.written import Persona
    from normgym_agents.files import read_yaml

    home = asset("personas") if folder is None else Path(folder)
    if not (home / "personas").is_dir():
        raise BadInput("there are no personas in it", file=home, expected="a folder with a folder personas")
    for path in sorted((home / "personas").glob("*.yaml")):
        persona = read_yaml(path, Persona)
        yield {"id": path.stem, "name": persona.name, "story": persona.story}


def _schema(
    kind: Annotated[
        str, typer.Argument(metavar="persona|card|community|setting", help="Of which kind of file.")
    ] = "persona",
    folder: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="DIR", help="Write all four to DIR/schemas instead.", show_default=False
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of a kind of file, by which an editor completes and checks it."""
    from normgym_agents.community.authoring.kinds import Kind
    from normgym_agents.community.authoring.schemas import FOLDER, file_name, modeline, schema_text
    from normgym_agents.files import write_atomic

    kinds = [one.value for one in Kind]
    if kind not in kinds:
        raise BadInput(f"there is no kind {kind!r}", field="KIND", expected=" | ".join(kinds))
    if folder is None:
        typer.echo(schema_text(Kind(kind)), nl=False)
        return
    place = Path(folder) / FOLDER
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot be made: {error.strerror}", file=place) from error
    for one in Kind:
        write_atomic(place / file_name(one), schema_text(one))
        first = modeline(one).rstrip("\n")
        out().print(f"{one.folder}/*.yaml: first line {first}", markup=False, soft_wrap=True)


def _home() -> Path:
    from normgym_agents.community.authoring.checking import home_of

    here = Path.cwd()
    home = home_of(here)
    if home is None:
        wanted = "personas, cards, communities or settings here, or in a folder personas; or FILE"
        raise BadInput("there is nothing to check here", file=here, expected=wanted)
    return home


def _shown(path: Path) -> str:
    """A path as it is typed here."""
    absolute = path.absolute()
    return str(absolute.relative_to(Path.cwd())) if absolute.is_relative_to(Path.cwd()) else str(path)
