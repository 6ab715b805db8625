"""What tells a newcomer from a changed one of the same name, as far as that can be seen from outside.

Records of two versions of an agent must not be mixed when a run is resumed. Seen are the name, the model, and
the file that the newcomer came from; not seen are modules which that file imports, and what a provider changes
behind a model's name.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path


def fingerprint(name: str, model: str | None, source: Path | None) -> str:
    """Hash of what can be seen of a loaded newcomer.

    Args:
        name: What it is known by, which does not depend on the folder.
        model: The model that was handed to it, if any.
        source: The file it came from, if any.

    Returns:
        16 hex digits.
    """
    digest = sha256(f"{name}\n{model}\n".encode("utf-8", "surrogateescape"))
    if source is not None:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]
