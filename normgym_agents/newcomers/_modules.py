"""Importing the user's code: nothing of ours is shadowed by it, and its errors are shown as its own."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from types import ModuleType

from normgym_agents.errors import BadInput
from normgym_agents.newcomers._keys import TO_SET, missing_key
from normgym_agents.newcomers._legacy import TO_PORT, legacy_import


class ImportFailed(BadInput):
    """The user's module raised while it was imported.

    Args:
        message: One line of ours.
        traceback: Their traceback, without our frames, ready to print; ends with a newline.
        file: What was imported.
        expected: What would have helped.
    """

    def __init__(
        self, message: str, *, traceback: str, file: Path | str | None = None, expected: str | None = None
    ) -> None:
        super().__init__(message, file=file, expected=expected)
        self.traceback = traceback


def import_file(path: Path) -> ModuleType:
    """The module of a file.

    In a package it has the name that it has there, so that it is no second copy of what others import. Else, and
    where that name leads elsewhere, its name depends on its place alone and nothing else has it; what lies
    beside it can be imported relative to it all the same.

    Raises:
        BadInput: There is no such file, or it is not Python.
        ImportFailed: It raised.
    """
    if not path.is_file():
        raise BadInput("there is no such file", file=path)
    if path.suffix != ".py":
        raise BadInput("is not a Python file", file=path, expected="a name that ends in .py")
    place = path.resolve()
    root, packages = package_of(place)
    stem = [] if place.stem == "__init__" and packages else [place.stem.replace(".", "_")]
    if packages and _leads_to(root, packages[0]):
        return _imported(".".join([*packages, *stem]), str(path), place)
    name = ".".join([_anchored(root), *packages, *stem])
    if packages:
        return _imported(name, str(path), place)
    return _executed(name, path, place)


def package_of(place: Path) -> tuple[Path, list[str]]:
    """The folder that a file's outermost package lies in, and the packages from there; the file's own, and none."""
    root, packages = place.parent, list[str]()
    while (root / "__init__.py").is_file() and root.name.isidentifier():
        packages.insert(0, root.name)
        root = root.parent
    return root, packages


def import_module(name: str) -> ModuleType:
    """A module by its dotted name.

    Raises:
        BadInput: There is no such module.
        ImportFailed: It raised.
    """
    try:
        return _imported(name, name, None)
    except ImportFailed as error:
        cause = error.__cause__
        if isinstance(cause, ModuleNotFoundError) and cause.name and f"{name}.".startswith(f"{cause.name}."):
            raise BadInput(
                f"there is no module {name!r}", expected="package.module:name, or path/to/file.py:name"
            ) from cause
        raise
    except (ValueError, TypeError) as error:  # a relative or empty name
        raise BadInput(f"{name!r} is not a module's name") from error


def _leads_to(root: Path, package: str) -> bool:
    """Whether importing a package gives the one that lies in a folder."""
    try:
        spec = importlib.util.find_spec(package)
    except (ValueError, ImportError):  # something in `sys.modules` that came from nowhere
        return False
    return spec is not None and spec.origin == str(root / package / "__init__.py")


def _anchored(root: Path) -> str:
    """The name of a package that stands for a folder."""
    name = f"normgym_newcomer_{blake2b(str(root).encode(), digest_size=6).hexdigest()}"
    if name not in sys.modules:
        anchor = ModuleType(name)
        anchor.__path__ = [str(root)]
        sys.modules[name] = anchor
    return name


def _executed(name: str, path: Path, place: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise BadInput("is not a Python file", file=path, expected="a name that ends in .py")
    module = importlib.util.module_from_spec(spec)
    # Registered before it runs: dataclasses and pickling look their module up there.
    sys.modules[name] = module
    loader = spec.loader
    try:
        _guarded(lambda: loader.exec_module(module), str(path), place)
    except ImportFailed:
        del sys.modules[name]
        raise
    return module


def _imported(name: str, shown: str, file: Path | None) -> ModuleType:
    found: list[ModuleType] = []
    _guarded(lambda: found.append(importlib.import_module(name)), shown, file)
    return found[0]


def _guarded(run: Callable[[], object], name: str, file: Path | None) -> None:
    try:
        run()
    except SystemExit as error:
        raise ImportFailed(
            f"importing {name} ended the program (status {error.code})", traceback=_theirs(error), file=file
        ) from error
    except Exception as error:
        old = legacy_import(error)
        if old is not None:
            told = f"imports {old!r}, which is AutoGen 0.2"
            raise ImportFailed(told, traceback=_theirs(error), file=file or name, expected=TO_PORT) from error
        key = missing_key(error)
        raise ImportFailed(
            f"could not be imported: {type(error).__name__}"
            if key is None
            else f"needs {key}, which is not set",
            traceback=_theirs(error),
            file=file or name,
            expected=None if key is None else TO_SET.format(key=key),
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
