"""The authored files ship, and are found the same way, however somebody installs the package.

Nothing here needs a network: the build backend comes from the `test` extra, and the fresh environments see
the dependencies of this one through a folder of links (all but our own package, if it is installed here).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
ROOMS = ("graphs", "personas", "tracing")
WAYS = ("wheel", "editable", "checkout")

PROBE = """
import importlib.util, json, pathlib
import normgym_agents
from normgym_agents.assets import ROOMS, asset
print(json.dumps({
    "package": str(pathlib.Path(normgym_agents.__file__).parent),
    "rooms": {room: str(asset(room)) for room in ROOMS},
    "files": sorted(
        path.relative_to(asset(room).parent).as_posix()
        for room in ROOMS for path in asset(room).rglob("*") if path.is_file() and path.suffix != ".pyc"
    ),
    "claimed": [room for room in ROOMS if importlib.util.find_spec(room)],
    "importable": [room for room in ROOMS if importlib.util.find_spec(f"normgym_agents.{room}")],
}))
"""


def run(*command: str | Path, cwd: Path, **extra: str) -> str:
    """Run a command without a trace of this checkout in its environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COVERAGE_"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=kept | {"PYTHONDONTWRITEBYTECODE": "1"} | extra,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files(root: Path, *folders: str) -> set[str]:
    """The files below some folders of a root, without what Python leaves there."""
    return {
        path.relative_to(root).as_posix()
        for folder in folders
        for path in (root / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, so that building leaves nothing in the checkout."""
    copy = tmp_path_factory.mktemp("sources")
    for folder in ("normgym_agents", *ROOMS, "tests", ".ci"):
        shutil.copytree(CHECKOUT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in CHECKOUT.iterdir():
        if file.is_file():
            shutil.copy(file, copy)
    return copy


@pytest.fixture(scope="module")
def distributions(tree: Path) -> Path:
    """The folder with the sdist and the wheel, which is built from the sdist."""
    run(sys.executable, "-m", "build", "--no-isolation", cwd=tree)
    return tree / "dist"


@pytest.fixture(scope="module")
def dependencies(tmp_path_factory: pytest.TempPathFactory) -> str:
    """All that is installed here but us, as a folder for PYTHONPATH."""
    links = tmp_path_factory.mktemp("dependencies")
    for site in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(site).iterdir():
            if "normgym" not in entry.name and entry.suffix != ".pth":
                (links / entry.name).symlink_to(entry)
    return str(links)


@pytest.fixture(scope="module")
def installed(
    tree: Path, distributions: Path, dependencies: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """The interpreter of a fresh environment with the package installed in one of the ways."""

    def installed(way: str) -> Path:
        folder = tmp_path_factory.mktemp(way)
        venv.create(folder, symlinks=True)
        python = folder / "bin" / "python"
        what = {"wheel": [str(next(distributions.glob("*.whl")))], "editable": ["--editable", str(tree)]}
        if way in what:
            pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet")
            options = ("--no-deps", "--no-index", "--no-build-isolation")
            run(*pip, *options, *what[way], cwd=folder, PYTHONPATH=dependencies)
        return python

    return installed


@pytest.fixture(scope="module")
def found(
    installed: Callable[[str], Path], tree: Path, dependencies: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], dict]]:
    """What the probe prints when it is run outside the checkout, once for each way."""
    seen: dict[str, dict] = {}
    outside = tmp_path_factory.mktemp("outside")

    def found(way: str) -> dict:
        if way not in seen:
            path = [str(tree), dependencies] if way == "checkout" else [dependencies]
            output = run(installed(way), "-c", PROBE, cwd=outside, PYTHONPATH=os.pathsep.join(path))
            seen[way] = json.loads(output)
        return seen[way]

    yield found
    assert not list(outside.iterdir())


@pytest.mark.parametrize("way", WAYS)
def test_every_authored_file_is_found(found, tree, way):
    assert set(found(way)["files"]) == files(tree, *ROOMS)


@pytest.mark.parametrize("way", WAYS)
def test_the_files_are_those_of_this_installation(found, tree, way):
    package = Path(found(way)["package"])
    home = package if way == "wheel" else tree
    assert package.is_relative_to(tree) == (way != "wheel")
    assert found(way)["rooms"] == {room: str(home / room) for room in ROOMS}


@pytest.mark.parametrize("way", ["wheel", "editable"])
def test_an_installation_takes_one_import_name_only(found, way):
    assert found(way)["claimed"] == []
    assert found(way)["importable"] == list(ROOMS)


def test_the_wheel_holds_every_file_under_one_name_and_nothing_else(distributions, tree):
    with zipfile.ZipFile(next(distributions.glob("*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        (scripts,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
        assert "normgym = normgym_agents.cli:main" in wheel.read(scripts).decode()
    assert {name.split("/")[0] for name in names} == {"normgym_agents"}
    assert names == files(tree, "normgym_agents") | {f"normgym_agents/{name}" for name in files(tree, *ROOMS)}


def test_the_sdist_holds_the_folders_where_the_checkout_has_them(distributions, tree):
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert names >= files(tree, "normgym_agents", *ROOMS, "tests", ".ci")
    assert names >= {"pyproject.toml", "setup.py", "LICENSE", "CHANGELOG.md", "constraints.txt"}
