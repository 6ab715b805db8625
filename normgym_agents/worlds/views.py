"""The projection of an episode onto what a newcomer may know.

The only place where public types are filled from the world, so a leak can only happen here.
"""

from __future__ import annotations

from collections.abc import Sequence

from normgym_agents.norms.hypotheses import Vocabulary
from normgym_agents.norms.moments import Pairs
from normgym_agents.worlds.days import Day
from normgym_agents.worlds.public import NewcomerView, PublicEvent
from normgym_agents.worlds.scripts import Scene
from normgym_agents.worlds.settings import Setting
from normgym_agents.worlds.stage import HOME, NOTHING, Stage, State
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.transition import Ground, Yard
from normgym_agents.worlds.wording import looks_of


def thing_looks(setting: Setting, stage: Stage, state: State, thing: int) -> str:
    """How a thing is named now."""
    return looks_of(stage.things[thing], setting.looks, bool(state.worked >> thing & 1), setting.worked)


def public_event(
    setting: Setting,
    yard: Yard,
    state: State,
    actor: int,
    ground: Ground,
    *,
    day: int,
    round_number: int,
    scene: Scene | None = None,
) -> PublicEvent:
    """What everybody sees of an act, not yet answered.

    Args:
        setting: The setting.
        yard: The day's transition model.
        state: How things stood before the act.
        actor: Index of who acts.
        ground: The act with its slots resolved.
        day: Which day it is, from 1.
        round_number: Which round of the day, from 1.
        scene: The act as scripted, where it is: it knows what was passed over.
    """
    stage = yard.stage
    here, held = surroundings(stage, state, actor)
    return PublicEvent.model_construct(
        day=day,
        round=round_number,
        actor=stage.people[actor].name,
        role=stage.people[actor].role,
        act=ground.act,
        thing=thing_looks(setting, stage, state, ground.thing) if ground.thing >= 0 else None,
        moment=yard.moment(state, actor, ground, round_number) if scene is None else scene.moment,
        here=here,
        held=held,
        answers=(),
        passed=None if scene is None else scene.passed,
        easier=scene is not None and scene.easier,
    )


def scripted_events(setting: Setting, day: Day) -> tuple[PublicEvent, ...]:
    """What everybody sees of each scripted act of a day, not yet answered; made once per world."""
    script = day.script
    if script is None:
        return ()
    if day.number not in script.shown:
        script.shown[day.number] = tuple(
            public_event(
                setting,
                day.yard,
                scene.before,
                scene.person,
                scene.ground,
                day=day.number,
                round_number=scene.round,
                scene=scene,
            )
            for scene in script.scenes
        )
    return script.shown[day.number]


def surroundings(stage: Stage, state: State, actor: int) -> tuple[tuple[Pairs, ...], Pairs | None]:
    """Attributes of the things that lie where the actor is, sorted, and of what the actor holds."""
    place = stage.places[state.places[actor]]
    here = sorted(
        thing.slots for i, thing in enumerate(stage.things) if thing.home == place and state.things[i] == HOME
    )
    held = state.hands[actor]
    return tuple(here), None if held == NOTHING else stage.things[held].slots


def newcomer_view(
    *,
    setting: Setting,
    vocabulary: Vocabulary,
    yard: Yard,
    state: State,
    task: Task,
    day: int,
    round_number: int,
    events: Sequence[PublicEvent],
    new_events: int,
    told: tuple[str, ...],
    announced: tuple[int, ...] = (),
    seen: bool | None = None,
) -> NewcomerView:
    """The newcomer's view at its turn."""
    stage = yard.stage
    me = stage.people[stage.newcomer]
    available = yard.available(state, stage.newcomer)
    # Checked types all around: building without checking again keeps a scripted round cheap.
    return NewcomerView.model_construct(
        name=me.name,
        role=me.role,
        day=day,
        round=round_number,
        acts_left=task.budget - round_number + 1,
        stage=stage,
        state=state,
        task=task,
        verbs=setting.verbs,
        vocabulary=vocabulary,
        events=tuple(events),
        new_events=new_events,
        available=tuple(ground.act for ground in available),
        menu=tuple(dict.fromkeys(ground.verb.menu for ground in available)),
        looks=setting.looks,
        worked_word=setting.worked,
        told=told,
        announced=announced,
        seen=seen,
    )
