"""Each shape of the catalogue does what it says there, and the page of them is up to date."""

import asyncio

import pytest

from tests.shapes.page import PAGE, deeper_tests, everything, named_in, page
from tests.shapes.playing import AGENTS, played

SHAPES = everything()


@pytest.fixture(scope="module")
def found():
    return asyncio.run(played(SHAPES))


@pytest.mark.parametrize(
    "number", range(len(SHAPES)), ids=[f"{s.spec} {s.options or ''}".strip() for s in SHAPES]
)
def test_a_shape(found, number):
    one = found[number]
    assert (one.came_to, bool(one.told)) == (
        one.shape.comes_to,
        one.shape.comes_to in ("newcomer_failed", "refused"),
    ), one.told


def test_the_page_is_what_comes_of_them(found):
    assert PAGE.read_text() == page(found), "write it anew: python -m tests.shapes.page"


def test_every_agent_is_on_the_page_and_in_a_test():
    files = {file.name for file in AGENTS.iterdir() if file.suffix in (".py", ".json")}
    shown = {shape.file: shape for shape in SHAPES if shape.file}
    assert set(shown) == files, "each agent of tests/agents has its lines in tests/shapes/catalogue.py"
    assert not [file for file, shape in shown.items() if not named_in(file, deeper_tests(shape))]
    for mapping in AGENTS.glob("*.mapping.yaml"):
        assert f"{mapping.name.removesuffix('.mapping.yaml')}.py" in files
