"""`normgym traces`: what becomes of a run's spans afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from normgym_agents.cli.console import named
from normgym_agents.evaluation.texts import counted


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True)
    group.command(name="export")(_export)
    app.add_typer(
        group,
        name="traces",
        help="Send the spans of a run to an observability tool.",
        rich_help_panel="Look inside",
    )


def _export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.", show_default=False)],
    to: Annotated[
        str, typer.Option(metavar="URL", help="Where to, e.g. http://localhost:4318.", show_default=False)
    ],
) -> None:
    """Send spans.jsonl of a run to an OTLP/HTTP receiver.

    Headers come from the variable OTEL_EXPORTER_OTLP_HEADERS.
    """
    from normgym_agents.evaluation.runner import SPANS_FILE
    from normgym_agents.telemetry.resend import send_spans

    with named("--to", instead_of="--otlp"):
        report = send_spans(folder / SPANS_FILE, to)
    rejected = f", {report.rejected} rejected" if report.rejected else ""
    sent = f"{counted(report.spans, 'span')} sent in {counted(report.requests, 'request')}"
    typer.echo(sent + rejected)
