"""Importing the user's code: nothing of ours is shadowed by it, and its errors are shown as its own."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path
from types import ModuleType

from normgym_agents.errors import BadInput


class ImportFailed(BadInput):
    """The user's module raised while it was imported.

    Args:
        message: One line of ours.
        traceback: Their traceback, without our frames, ready to print; ends with a newline.
    """

    def __init__(self, message: str, *, traceback: str, file: Path | str | None = None) -> None:
        super().__init__(message, file=file)
        self.traceback = traceback


class SearchPath:
    """Folders at the end of `sys.path`, where they can hide nothing that is installed.

    Args:
        folders: The folders, in the order they are searched.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self._added: list[str] = []
        for folder in folders:
            entry = str(folder.resolve())
            if entry not in sys.path:
                sys.path.append(entry)
                self._added.append(entry)

    def close(self) -> None:
        """Take the folders off again; more than once is harmless."""
        for entry in self._added:
            if entry in sys.path:
                sys.path.remove(entry)
        self._added.clear()


def import_file(path: Path) -> ModuleType:
    """The module of a file, under a name that depends on its place alone and that nothing else has.

    Raises:
        BadInput: There is no such file, or it is not Python.
        ImportFailed: It raised.
    """
    if not path.is_file():
        raise BadInput("there is no such file", file=path)
    place = path.resolve()
    digest = blake2b(str(place).encode(), digest_size=6).hexdigest()
    name = f"normgym_newcomer_{digest}_{place.stem}"
    spec = importlib.util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise BadInput("is not a Python file", file=path, expected="a name that ends in .py")
    module = importlib.util.module_from_spec(spec)
    # Registered before it runs: dataclasses and pickling look their module up there.
    sys.modules[name] = module
    loader = spec.loader
    try:
        _import(lambda: loader.exec_module(module), str(path), place)
    except ImportFailed:
        del sys.modules[name]
        raise
    return module


def import_module(name: str) -> ModuleType:
    """A module by its dotted name.

    Raises:
        BadInput: There is no such module.
        ImportFailed: It raised.
    """
    found: list[ModuleType] = []
    try:
        _import(lambda: found.append(importlib.import_module(name)), name, None)
    except ImportFailed as error:
        cause = error.__cause__
        if isinstance(cause, ModuleNotFoundError) and cause.name and f"{name}.".startswith(f"{cause.name}."):
            raise BadInput(
                f"there is no module {name!r}", expected="package.module:name, or path/to/file.py:name"
            ) from cause
        raise
    except (ValueError, TypeError) as error:  # a relative or empty name
        raise BadInput(f"{name!r} is not a module's name") from error
    return found[0]


def _import(run: Callable[[], object], name: str, file: Path | None) -> None:
    try:
        run()
    except SystemExit as error:
        raise ImportFailed(
            f"importing {name} ended the program (status {error.code})", traceback=_theirs(error), file=file
        ) from error
    except Exception as error:
        kind = type(error).__name__
        raise ImportFailed(
            f"could not be imported: {kind}", traceback=_theirs(error), file=file or name
        ) from error


def _theirs(error: BaseException) -> str:
    """A traceback from the first frame that is neither ours nor the import machinery's."""
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file != __file__ and "importlib" not in file:
            break
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))
