"""A small day at the pottery yard, made by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from normgym_agents.assets import asset
from normgym_agents.files import read_yaml
from normgym_agents.norms.hypotheses import VerbSlots, Vocabulary
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.public import NewcomerView, Observation
from normgym_agents.worlds.settings import Setting
from normgym_agents.worlds.stage import Person, Stage, Thing
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.transition import Yard

ROUNDS = 6


def thing(key: str, looks: str, home: str, *, worked: bool = False) -> Thing:
    glaze, mark, form = looks.split()
    return Thing(id=key, attributes={"glaze": glaze, "mark": mark, "form": form}, home=home, worked=worked)


SHED = (
    thing("t1", "sarn ringed cup", "shed"),
    thing("t2", "velk barred cup", "shed"),
    thing("t3", "sarn barred bowl", "shed"),
    thing("t4", "tosh ringed lamp-base", "loft"),
    thing("t5", "sarn ringed cup", "loft", worked=True),
    thing("t6", "velk barred cup", "shed"),
)


@pytest.fixture(scope="session")
def setting() -> Setting:
    return read_yaml(asset("personas", "settings", "pottery-yard.yaml"), Setting)


@pytest.fixture(scope="session")
def make_view(setting: Setting) -> Callable[..., NewcomerView]:
    """A function that makes the view after some acts of the newcomer."""
    stage = Stage(
        places=("shed", "loft", "kiln"),
        paths=(("shed", "loft"), ("shed", "kiln")),
        workplace="kiln",
        things=SHED,
        people=(
            Person(name="Mira", role="keeper", place="shed"),
            Person(name="Oren", role="carrier", place="shed", receives=True),
            Person(name="Sef", role="carrier", place="loft"),
            Person(name="Tam", role="tender", place="shed"),
        ),
        signals={"bell": ("ringing",) * ROUNDS, "lamp": ("dark",) * ROUNDS},
        rounds=ROUNDS,
    )
    yard = Yard(stage, setting.verbs)

    def make(*acts: Act) -> NewcomerView:
        state = stage.morning()
        for act in acts:
            ground = yard.ground(act)
            assert ground is not None
            assert yard.possible(state, stage.newcomer, ground)
            state = yard.step(state, stage.newcomer, ground)
        available = tuple(g.act for g in yard.available(state, stage.newcomer))
        can = {act.verb for act in available}
        return NewcomerView(
            name="Tam",
            role="tender",
            day=1,
            round=1 + len(acts),
            acts_left=ROUNDS - len(acts),
            stage=stage,
            state=state,
            task=Task(
                template="carry", count=2, form="cup", worked=False, budget=6, sentence="Bring two cups."
            ),
            verbs=setting.verbs,
            vocabulary=Vocabulary(
                values={"form": ("cup", "bowl"), "role": ("keeper", "carrier", "tender")},
                signals={"bell": ("ringing", "still")},
                roles=("keeper", "carrier", "tender"),
                overseer="keeper",
                verbs=(VerbSlots(verb="take", slots=("form",)),),
                precursors=(),
            ),
            events=(),
            new_events=0,
            available=available,
            menu=tuple(verb.menu for name, verb in setting.verbs.items() if name in can),
            looks=setting.looks,
            worked_word=setting.worked,
        )

    return make


@pytest.fixture(scope="session")
def view(make_view: Callable[..., NewcomerView]) -> NewcomerView:
    """The morning: hands free, in the shed with Mira and Oren."""
    return make_view()


@pytest.fixture(scope="session")
def holding(make_view: Callable[..., NewcomerView]) -> NewcomerView:
    """Holding the sarn ringed cup, in the shed."""
    return make_view(Act(verb="take", thing="t1"))


@pytest.fixture
def observe(view: NewcomerView) -> Callable[..., Observation]:
    """A function that makes the observation of a text."""

    def make(text: str = "You are in the shed.", view: NewcomerView = view) -> Observation:
        return Observation(text=text, view=view)

    return make


@pytest.fixture(scope="session")
def agents() -> Path:
    """The folder of agents that nobody here shaped."""
    return Path(__file__).parent.parent / "agents"
