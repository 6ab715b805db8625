"""Where an agent's imports are looked for while it is in use, and which modules are its own.

Folders stand at the end of `sys.path`, where they can hide nothing that is installed. Agents of one process may
each have a `tools.py` of their own: one that is loaded gets its own, and takes its modules along when it goes.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Final

from normgym_agents.newcomers._modules import package_of

_PROJECT: Final = ("pyproject.toml", "setup.py", "langgraph.json")
_INSTALLED: Final = frozenset(Path(path).resolve() for path in sysconfig.get_paths().values())
"""What lies here is everybody's, even where an agent does: its package may be an installed one."""
_open: list[SearchPath] = []
"""Those in use: `sys.path` and `sys.modules` are the process's, so whoever changes them must know of the others."""
_placed: list[str] = []
"""What stands in `sys.path` for them, at its end."""


def folders_for(file: Path, folder: Path, roots: Iterable[Path] = ()) -> list[Path]:
    """Where the imports of a file are looked for: dependencies first, its own folder last.

    A package `helper` that holds a `helper.py` would else be hidden by it.

    Args:
        file: The agent's file.
        folder: Where the program was started.
        roots: Folders that are named as dependencies.
    """
    file = file.resolve()
    project = next((up for up in file.parents if any((up / name).is_file() for name in _PROJECT)), None)
    layout = [] if project is None else [*([project / "src"] if (project / "src").is_dir() else []), project]
    named = [root.resolve() for root in roots]
    others = [*layout, package_of(file)[0], folder.resolve()]
    return list(dict.fromkeys([*named, *(one for one in others if one != file.parent), file.parent]))


class SearchPath:
    """Folders that imports are looked for in, after all others.

    Args:
        folders: The folders, in the order they are searched.
    """

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        self._folders = [place for folder in folders if (place := folder.resolve()) not in _INSTALLED]
        self._hidden = self._hide()
        self._own: dict[str, ModuleType] = {}
        self._before = set(sys.modules)
        _open.append(self)
        _arrange()

    def claim(self) -> None:
        """Take for the agent's own what has come from these folders since, and nothing of a package known before."""
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] not in self._before and _origin(name) in self._folders:
                self._own[name] = module

    def close(self) -> None:
        """Take folders and modules off again, and put back what they hid; more than once is harmless."""
        if self not in _open:
            return
        self.claim()
        _open.remove(self)
        _arrange()
        for name, module in self._own.items():
            self._let_go(name, module)
        for name, module in self._hidden.items():
            sys.modules.setdefault(name, module)

    def _let_go(self, name: str, module: ModuleType) -> None:
        for other in _open:
            if other._hidden.get(name) is module:
                del other._hidden[name]
        if sys.modules.get(name) is not module:
            return
        heir = next((other for other in _open if _origin(name) in other._folders), None)
        if heir is None:
            del sys.modules[name]
        else:
            heir._own[name] = module

    def _hide(self) -> dict[str, ModuleType]:
        """Take away modules of other agents where this one has others of the same names."""
        theirs = {name for other in _open for name in other._own if name in sys.modules}
        tops = {top for name in theirs if (top := name.partition(".")[0]) and self._has_another(top)}
        hidden = [name for name in sys.modules if name.partition(".")[0] in tops]
        return {name: sys.modules.pop(name) for name in hidden}

    def _has_another(self, top: str) -> bool:
        first = next((folder for folder in self._folders if _provides(folder, top)), None)
        return first is not None and first != _origin(top)


def _arrange() -> None:
    """Set the end of `sys.path`: who was loaded last comes first, so that it finds its own."""
    base = [entry for entry in sys.path if entry not in _placed]
    wanted = [str(folder) for one in reversed(_open) for folder in one._folders]
    _placed[:] = [entry for entry in dict.fromkeys(wanted) if entry not in base]
    sys.path[:] = base + _placed


def _provides(folder: Path, top: str) -> bool:
    return (folder / f"{top}.py").is_file() or (folder / top / "__init__.py").is_file()


def _origin(name: str) -> Path | None:
    """The folder that a module's outermost package, or the module itself, lies in; None for what is in none."""
    module = sys.modules.get(name.partition(".")[0])
    if module is None:
        return None
    file = getattr(module, "__file__", None)
    if not file:  # a package without a file of its own, as those that stand for a folder
        path = list(getattr(module, "__path__", ()))
        if not path:
            return None
        return Path(path[0]) if name.startswith("normgym_newcomer_") else Path(path[0]).parent
    place = Path(file).resolve()
    return place.parent.parent if place.name == "__init__.py" else place.parent
