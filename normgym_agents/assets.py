"""Find the authored files of `graphs/`, `personas/` and `tracing/`, however the package was installed.

A wheel holds these folders inside the package; in a checkout, and so in an editable install, they lie beside
it. This is the only module that knows: everybody else asks for a path. It reads nothing.
"""

from __future__ import annotations

from pathlib import Path

from normgym_agents.errors import BadInput

ROOMS = ("graphs", "personas", "tracing")

_PACKAGE = Path(__file__).resolve().parent


def _room(room: str) -> Path:
    installed, checkout = _PACKAGE / room, _PACKAGE.parent
    # Beside an installed package lies site-packages, where `graphs` would be a stranger's.
    if not installed.is_dir() and (checkout / "pyproject.toml").is_file():
        return checkout / room
    return installed


def asset(room: str, *parts: str) -> Path:
    """The path of a shipped file or folder.

    Args:
        room: `graphs`, `personas` or `tracing`.
        parts: The way from there, one name or several; none for the room itself.

    Returns:
        An absolute path that exists and lies inside the room.

    Raises:
        BadInput: There is no such room, or nothing of that name in it.
    """
    if room not in ROOMS:
        raise BadInput(f"there is no room {room!r}", expected=" | ".join(ROOMS))
    root = _room(room)
    path = root.joinpath(*parts)
    if not root.is_dir():
        raise BadInput(f"this installation lacks its {room!r} folder: install it again", file=root)
    name = "/".join((room, *parts))
    try:
        inside = path.resolve().is_relative_to(root.resolve())
        exists = path.exists()
    except ValueError as error:  # a null byte in a name
        raise BadInput(f"{name!r} is not a path: {error}") from error
    if not inside:
        raise BadInput(f"{name!r} leads out of {room!r}", expected=f"a path inside {root}")
    if not exists:
        raise BadInput(f"there is no {name!r}", file=path, expected=_nearby(path.parent, root))
    return path


def _nearby(folder: Path, root: Path) -> str:
    """What does lie where something was looked for, or in the nearest folder that exists."""
    while folder != root and not folder.is_dir():
        folder = folder.parent
    names = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith(("_", ".")))
    return "one of " + ", ".join(names) if names else f"a file in {folder}"
