"""`normgym model`: a small real model on this machine, for trying the plumbing without a key."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from normgym_agents.cli.console import Status

_APP: Final = typer.Typer(help="A small real model on this machine, without a key.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_APP, name="model", rich_help_panel="Look inside")
    _APP.command(name="serve")(_serve)


def _serve(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Where; 0 is any that is free.")] = 0,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads", min=1, help="Threads that compute. [dim]\\[all cores][/dim]", show_default=False
        ),
    ] = None,
) -> int:
    """Serve SmolLM2-135M-Instruct as an OpenAI-compatible endpoint on loopback, until Ctrl-C or the caller's end.

    It tries the plumbing: what it does says nothing about larger models, or about norms.
    """
    from normgym_agents.local_model.serving import serve
    from normgym_agents.local_model.weights import MODEL

    def ready(address: str) -> None:
        spec = f"openai:{MODEL}?base_url={address}&temperature=0"
        typer.echo(f"{MODEL} is served on {address} (any key will do; stop with Ctrl-C)")
        typer.echo(f"as a newcomer:  normgym run 'endpoint:{address}#{MODEL}'")
        typer.echo(
            f"as members:     OPENAI_API_KEY=local normgym run … --members voiced --member-model '{spec}'"
        )

    serve(port, ready, threads=threads)
    return Status.DONE
