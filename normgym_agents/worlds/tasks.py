"""The newcomer's own task on a day: hand over a number of things of one form, within a budget of acts."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from normgym_agents.worlds.stage import GIVEN, Stage, State


class Task(BaseModel):
    """A task.

    Attributes:
        template: Name of the setting's template it was drawn from.
        count: How many things must be handed over.
        form: Their form.
        worked: Whether they must have been worked on.
        budget: How many acts there are.
        sentence: How it is asked.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    template: str
    count: int
    form: str
    worked: bool
    budget: int
    sentence: str

    def fitting(self, stage: Stage) -> tuple[int, ...]:
        """Indices of the things that are of the right form."""
        return tuple(i for i, thing in enumerate(stage.things) if thing.attributes["form"] == self.form)

    def delivered(self, fitting: tuple[int, ...], state: State) -> int:
        """How many of the fitting things have been handed over as asked."""
        things, worked = state.things, state.worked
        return sum([things[i] == GIVEN and (not self.worked or worked >> i & 1 == 1) for i in fitting])

    def done(self, stage: Stage, state: State) -> bool:
        """Whether enough fitting things have been handed over."""
        return self.delivered(self.fitting(stage), state) >= self.count
