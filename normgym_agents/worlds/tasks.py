"""The newcomer's own task on a day: hand over a number of things of one form, within a budget of acts."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from normgym_agents.worlds.stage import GIVEN, NOTHING, Stage, State


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

    def done(self, stage: Stage, state: State) -> bool:
        """Whether enough fitting things have been handed over."""
        return self._delivered(stage, state) >= self.count

    def least_acts(self, stage: Stage, state: State) -> int:
        """A lower bound on the acts still needed: one to take and one to give each missing thing."""
        missing = self.count - self._delivered(stage, state)
        return max(0, 2 * missing - (state.hands[stage.newcomer] != NOTHING))

    def _delivered(self, stage: Stage, state: State) -> int:
        return sum(
            1
            for i, thing in enumerate(stage.things)
            if state.things[i] == GIVEN
            and thing.attributes["form"] == self.form
            and (not self.worked or state.worked >> i & 1)
        )
