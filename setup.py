"""The one thing that pyproject.toml cannot say: which packages there are, and from which folders.

`graphs/`, `personas/` and `tracing/` are folders of the checkout, but ship as `normgym_agents.graphs` and so
on: a wheel that claimed those generic names at the top level would collide with folders of its users.
"""

from setuptools import find_packages, setup

ROOMS = ("graphs", "personas", "tracing")

setup(
    packages=[
        *find_packages(include=["normgym_agents", "normgym_agents.*"]),
        *(f"normgym_agents.{room}" for room in ROOMS),
        *(f"normgym_agents.{room}.{package}" for room in ROOMS for package in find_packages(room)),
    ],
    package_dir={f"normgym_agents.{room}": room for room in ROOMS},
)
