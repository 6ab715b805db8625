"""Runs `normgym` as a process of its own, as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import normgym_agents

HOME = Path(normgym_agents.__file__).parents[1]


def environment(**more: str) -> dict[str, str]:
    """The environment of the process: plain output, and the package that is under test."""
    kept = {name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "COLUMNS"}}
    return {**kept, "PYTHONPATH": str(HOME), **more}


def start(*arguments: str, cwd: Path, **more: str) -> subprocess.Popen[str]:
    """Start it, with pipes for what it says."""
    return subprocess.Popen(
        [sys.executable, "-m", "normgym_agents.cli", *arguments],
        cwd=cwd,
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def normgym(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    process = start(*arguments, cwd=cwd, **more)
    out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)
