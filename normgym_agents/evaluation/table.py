"""Where the newcomer sits: every call to it passes here, contained, under a deadline and within a budget."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from normgym_agents.community.episode import Asked, Json
from normgym_agents.community.question import question_for
from normgym_agents.errors import (
    CommunityError,
    LeftEarly,
    ModelError,
    NewcomerError,
    NormgymError,
    NotConnected,
)
from normgym_agents.evaluation.config import Limits
from normgym_agents.evaluation.deadline import Deadline, Late
from normgym_agents.newcomers.callables import reply_from
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory, waits_for_model
from normgym_agents.newcomers.offering import shown
from normgym_agents.newcomers.reporting import Told, ask_for_norms
from normgym_agents.newcomers.spending import Account, Budget, Spending
from normgym_agents.telemetry import EpisodeSpans
from normgym_agents.worlds.public import NewcomerView, Observation, Reply

T = TypeVar("T")

LEAVING: Final = 10.0
"""Seconds a newcomer has to give back what it holds."""

_MODELS_SHARE: Final = 0.5
"""Of a deadline: a model that has owed its answer for longer is what failed, and not whoever asked it so late."""


@dataclass
class Usage:
    """What an episode cost at a model provider, as far as it can be seen."""

    model_calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None

    def add(self, reply: Reply) -> None:
        """Add up one reply, as far as it tells."""
        for name in ("model_calls", "input_tokens", "output_tokens"):
            spent = getattr(reply, name)
            if spent is not None:
                setattr(self, name, (getattr(self, name) or 0) + spent)


class Table:
    """A newcomer's place in one episode.

    Args:
        factory: Makes the newcomer.
        seed: Seeds what it draws.
        limits: What it is allowed.
        spans: Where spans go.
        known: What spans call it.
    """

    def __init__(
        self, factory: NewcomerFactory, seed: int, limits: Limits, spans: EpisodeSpans, known: str
    ) -> None:
        self._factory, self._seed, self._limits, self._spans = factory, seed, limits, spans
        self._newcomer: Newcomer | None = None
        self._known = known
        self._seen: NewcomerView | None = None
        self._seconds = 0.0
        self._account = Account(
            Budget(calls=limits.turn_calls, tokens=limits.turn_tokens),
            Budget(calls=limits.episode_calls, tokens=limits.episode_tokens),
        )
        self.usage = Usage()
        self.failure: NormgymError | None = None
        """What ended the episode; None where nothing did."""
        self.refused: NotConnected | None = None
        """What is missing for the newcomer to run at all; then there is nothing to score."""
        self.left_badly: str | None = None
        """How leaving went wrong, if it did."""

    async def seat(self, name: str) -> bool:
        """Make the newcomer and let it join; False if it broke.

        Raises:
            BadInput: A factory made something that is no newcomer.
        """

        async def join() -> None:
            self._newcomer = self._factory(self._seed)
            await self._newcomer.join(name)

        try:
            with self._account.turn() as spending:
                await self._within("did not join", join, spending)
        except (NewcomerError, ModelError) as failure:
            self.failure = failure
        return self.failure is None

    async def ask(self, observation: Observation) -> Asked:
        """One turn, with one re-ask if no act could be read from the reply."""
        times = 1
        self._seen = observation.view
        try:
            reply = await self._turn(observation)
            if reply.fault is not None:
                times = 2
                again = Observation.model_construct(
                    text=reply.fault, view=observation.view, retry=reply.fault
                )
                with shown(observation):
                    reply = await self._turn(again)
        except (NewcomerError, ModelError, LeftEarly) as failure:
            self.failure = failure
            return Asked(None, times)
        return Asked(reply, times)

    async def _turn(self, observation: Observation) -> Reply:
        newcomer = self._newcomer
        if newcomer is None:
            raise CommunityError("nobody has joined")

        with self._account.turn() as spending, self._spans.turn(self._known, observation.text) as span:

            async def turn() -> Reply:
                reply = await newcomer.turn(observation)
                if not isinstance(reply, Reply):
                    raise NewcomerError(f"the agent returned {type(reply).__name__}, and not a Reply")
                fit = _fit(reply, observation)
                self.usage.add(fit)
                spending.settle(fit)
                return fit

            try:
                reply = await self._within("no reply", turn, spending)
            except (NewcomerError, ModelError, LeftEarly):
                raise
            except NotConnected as error:
                self.refused = error
                raise NewcomerError(str(error)) from error
            except NormgymError as error:  # of our classes, raised by the agent: its failure all the same
                raise NewcomerError(str(error)) from error
            span.reply(reply.words)
        return reply

    async def report(self, title: str) -> Told | None:
        """What the newcomer says of the norms; None if it cannot be asked, having broken or never acted.

        Args:
            title: How the setting is called.

        Raises:
            NormgymError: Nothing came of asking.
        """
        newcomer = self._newcomer
        if newcomer is None or self._seen is None or self.failure is not None:
            return None
        question = question_for(self._seen, title)
        free = Account(Budget(), Budget())  # the acting is over, and what it may cost with it
        with free.turn() as spending, self._spans.report(self._known, question.text) as span:
            told = await self._ends(
                self._limits.deadline, "no report", lambda: ask_for_norms(newcomer, question), spending
            )
            span.reply(told if isinstance(told, str) else "\n".join(norm.norm for norm in told))
        return told

    async def clear(self) -> None:
        """Let the newcomer leave. That it does so badly is noted, and changes nothing that was measured."""
        if self._newcomer is None:
            return
        try:
            await self._ends(LEAVING, "did not leave", self._newcomer.leave, None)
        except NormgymError as failure:
            self.left_badly = f"on leaving: {failure}"

    async def _within(self, late: str, call: Callable[[], Coroutine[Any, Any, T]], spending: Spending) -> T:
        """What a call returns that counts towards the episode's time."""
        whole = self._limits.episode_seconds
        left = None if whole is None else whole - self._seconds
        if left is None or left > self._limits.deadline:
            return await self._ends(self._limits.deadline, late, call, spending)
        return await self._ends(max(left, 0.0), late, call, spending, whole)

    async def _ends(
        self,
        seconds: float,
        late: str,
        call: Callable[[], Coroutine[Any, Any, T]],
        spending: Spending | None,
        whole: float | None = None,
    ) -> T:
        deadline = Deadline(seconds, spending)
        try:
            return await deadline.run(call)
        except Late:
            if self._model_owes(spending):
                raise ModelError(f"no answer from the model within {seconds:g} s") from None
            if whole is not None:
                raise NewcomerError(f"its turns took more than {whole:g} s in all") from None
            raise NewcomerError(f"{late} within {seconds:g} s") from None
        finally:
            self._seconds += deadline.used

    def _model_owes(self, spending: Spending | None) -> bool:
        """Whether it is the model's failure that the deadline has passed.

        An agent that asks and asks is nearly always waiting for its model; that alone is no excuse.
        """
        if not waits_for_model(self._newcomer):
            return False
        pending = None if spending is None else spending.pending()
        return pending is None or pending >= _MODELS_SHARE * self._limits.deadline

    def end(self, failure: CommunityError, log: list[Json]) -> list[Json]:
        """End the episode by a failure that is not the newcomer's; gives back the log."""
        self.failure = failure
        return log


def _fit(reply: Reply, observation: Observation) -> Reply:
    """The reply, fit for the log: its act can be done now, its words hold nothing that a reader trips over."""
    view, act = observation.view, reply.act
    counted = (reply.model_calls, reply.input_tokens, reply.output_tokens)
    if act in view.available and not reply.words and reply.fault is None and counted == (None, None, None):
        return reply  # what a policy gives, thousands of times
    return reply_from(reply, view)
