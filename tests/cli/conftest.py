"""The command line in this process: quicker than a process of its own, where none is needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from normgym_agents.cli.app import execute

Inline = Callable[..., "CompletedProcess[str]"]


@pytest.fixture
def inline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Inline:
    """`normgym`, called here and in `tmp_path`."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str) -> CompletedProcess[str]:
        status = execute(arguments)
        said = capsys.readouterr()
        return CompletedProcess(arguments, status, said.out, said.err)

    return call
