"""An agent that changes what belongs to the whole process, and tells whether somebody did so before."""

import logging
import os
import random
import sys
import tempfile
import warnings

SEEN: list[tuple[object, ...]] = []


def agent(text: str) -> str:
    SEEN.append(
        (
            os.environ.get("LEAKY"),
            os.getcwd(),
            "leaky" in sys.path,
            logging.root.level,
            random.random(),
            len(warnings.filters),
        )
    )
    os.environ["LEAKY"] = "secret"
    os.environ.pop("LEAKY_BEFORE", None)
    os.chdir(tempfile.gettempdir())
    sys.path.append("leaky")
    logging.root.setLevel(7)
    random.seed(len(SEEN))  # noqa: TID251 # what is to be put back
    warnings.filterwarnings("ignore", message=f"leaky {len(SEEN)}")
    return "wait"
