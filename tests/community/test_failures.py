"""Whatever goes wrong in an episode: its outcome, what is kept of the log, and that nothing is left behind."""

from __future__ import annotations

import asyncio
import logging

import pytest

from normgym_agents.community import steps
from normgym_agents.errors import BadInput, CommunityError, ModelError, NewcomerError
from normgym_agents.evaluation import episodes
from normgym_agents.evaluation.config import DRIVERS, Driver, Limits
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Record
from normgym_agents.newcomers import containment
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.public import Observation, Reply
from tests.community.playing import (
    Holding,
    Scripted,
    first_possible,
    named,
    play,
    quick,
    scripted,
    small_world,
)

WAIT = Act(verb="wait")


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> Driver:
    """Each of the drivers."""
    return request.param  # type: ignore[no-any-return]  # one of DRIVERS


def waiting_until(turn: int, error: BaseException) -> Holding:
    """Waits, until it raises in a turn."""

    def reply(number: int, _: Observation) -> Act:
        if number == turn:
            raise error
        return WAIT

    return Holding(scripted(reply))


def own_acts(record: Record) -> int:
    return sum(event.kind == "act" and event.newcomer for event in record.events)


@pytest.mark.parametrize(
    ("error", "outcome", "told"),
    [
        (NewcomerError("lost the thread"), Outcome.NEWCOMER_FAILED, "lost the thread"),
        (ModelError("429 too many"), Outcome.MODEL_FAILED, "429 too many"),
        (ValueError("no such\nkey"), Outcome.NEWCOMER_FAILED, "ValueError: no such"),
        (TimeoutError(), Outcome.NEWCOMER_FAILED, "TimeoutError"),
        (SystemExit(3), Outcome.NEWCOMER_FAILED, "the agent tried to end the program (status 3)"),
        # An agent cannot make its failure pass for ours, which would not be scored.
        (CommunityError("not mine"), Outcome.NEWCOMER_FAILED, "not mine"),
        (BadInput("not mine"), Outcome.NEWCOMER_FAILED, "not mine"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
@pytest.mark.parametrize("turn", [1, 4, 8])
async def test_a_newcomer_that_raises(driver, turn, error, outcome, told):
    factory = waiting_until(turn, error)
    record = await play(small_world(), Condition.LIVE, factory, driver=driver)
    assert (record.outcome, record.error) == (outcome, told)
    assert own_acts(record) == turn - 1
    assert [e.kind for e in record.events].count("task") == (2 if turn == 8 else 1)
    assert record.events[-1].kind == "task"
    assert not record.events[-1].done
    assert factory.one.left == 1
    if outcome is Outcome.MODEL_FAILED:
        assert record.scores is None
    else:
        assert record.scores is not None
        assert (record.scores.task, record.scores.joint) == (False, False)
        assert record.scores.turns == max(0, turn - 7)


async def test_what_was_met_before_the_break_is_scored(driver):
    """In the small probe: t1 is the cup that must not be taken while the bell rings."""

    def reply(turn: int, _: Observation) -> Act:
        if turn == 2:
            raise NewcomerError("broke")
        return Act(verb="take", thing="t1")

    record = await play(small_world(), Condition.NONE, scripted(reply), driver=driver)
    assert record.outcome is Outcome.NEWCOMER_FAILED
    assert record.scores is not None
    assert (record.scores.opportunities, record.scores.violations, record.scores.tempting_violations) == (
        1,
        1,
        1,
    )
    assert (record.scores.turns, record.scores.task, record.scores.vacuous) == (1, False, False)


async def test_a_hang_ends_at_the_deadline(driver):
    class Hanging(Scripted):
        async def turn(self, observation: Observation) -> Reply:
            if len(self.observations) == 2:
                await asyncio.Event().wait()
            return await super().turn(observation)

    factory = Holding(lambda _: Hanging(first_possible))
    record = await play(small_world(), Condition.NONE, factory, driver=driver, limits=Limits(deadline=0.05))
    assert (record.outcome, record.error) == (Outcome.NEWCOMER_FAILED, "no reply within 0.05 s")
    assert (own_acts(record), factory.one.left) == (2, 1)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_one_that_will_not_be_stopped_is_left_behind(driver, monkeypatch):
    monkeypatch.setattr(containment, "GRACE", 0.05)
    release = asyncio.Event()

    class Stubborn(Scripted):
        async def turn(self, observation: Observation) -> Reply:
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue
            return await super().turn(observation)

    record = await play(
        small_world(),
        Condition.NONE,
        lambda _: Stubborn(first_possible),
        driver=driver,
        limits=Limits(deadline=0.05),
    )
    assert (record.outcome, own_acts(record)) == (Outcome.NEWCOMER_FAILED, 0)
    release.set()
    await asyncio.sleep(0.01)
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("error", [NewcomerError("no"), ValueError("no"), None], ids=str)
async def test_joining_badly(driver, error):
    class Late(Scripted):
        async def join(self, name: str) -> None:
            if error is not None:
                raise error
            await asyncio.Event().wait()

    factory = Holding(lambda _: Late(first_possible))
    record = await play(small_world(), Condition.LIVE, factory, driver=driver, limits=Limits(deadline=0.05))
    assert record.outcome is Outcome.NEWCOMER_FAILED
    assert (record.events, factory.one.left) == ((), 1)
    assert record.scores is not None
    assert not record.scores.task


async def test_a_factory_that_raises_and_one_that_names_bad_input(driver):
    def broken(_: int) -> Scripted:
        raise RuntimeError("no memory")

    def wrong(_: int) -> Scripted:
        raise BadInput("that is no agent")

    record = await play(small_world(), Condition.LIVE, broken, driver=driver)
    assert (record.outcome, record.error) == (Outcome.NEWCOMER_FAILED, "RuntimeError: no memory")
    with pytest.raises(BadInput, match="that is no agent"):
        await play(small_world(), Condition.LIVE, wrong, driver=driver)


@pytest.mark.parametrize("error", [NewcomerError("stuck"), KeyError("x")], ids=str)
async def test_leaving_badly_changes_nothing_and_is_noted(driver, error):
    class Stuck(Scripted):
        async def leave(self) -> None:
            raise error

    good = await play(small_world(), Condition.LIVE, scripted(first_possible), driver=driver)
    record = await play(small_world(), Condition.LIVE, lambda _: Stuck(first_possible), driver=driver)
    assert record.outcome is Outcome.COMPLETED
    assert record.error is not None
    assert record.error.startswith("on leaving: ")
    assert (record.events, record.scores) == (good.events, good.scores)


@pytest.mark.parametrize(
    "answer",
    ["wait", None, Reply.model_construct(act=None, fault=None, words="", channel="text"),
     Reply.model_construct(act=WAIT, fault="?", words="", channel="text"),
     Reply.model_construct(act=WAIT, fault=None, words="", channel="text", model_calls=-5)],
    ids=["text", "nothing", "neither", "both", "counts"],
)  # fmt: skip
async def test_what_is_no_reply_is_the_newcomers_failure(driver, answer):
    record = await play(small_world(), Condition.NONE, scripted(lambda *_: answer), driver=driver)
    assert record.outcome is Outcome.NEWCOMER_FAILED
    assert own_acts(record) == 0


@pytest.mark.parametrize("step", [name for name, _ in steps.AFTER_MEMBERS if name != "newcomer"])
async def test_a_fault_of_our_own_is_community_failed_with_the_log_so_far(driver, step, monkeypatch, caplog):
    """The third round of practice breaks in each step in turn; the log holds what came before that step."""
    whole = await play(small_world(), Condition.LIVE, scripted(lambda *_: WAIT), driver=driver)
    real = dict(steps.AFTER_MEMBERS)[step]

    def breaking(backstage, state):
        if (state["day"], state["round"]) == (2, 3):
            raise RuntimeError("a fault of ours")
        return real(backstage, state)

    patched = tuple((name, breaking if name == step else one) for name, one in steps.AFTER_MEMBERS)
    monkeypatch.setattr(steps, "AFTER_MEMBERS", patched)
    if driver == "graph":
        from normgym_agents.community import graph

        monkeypatch.setattr(graph, "_compiled", graph.community_graph)
    factory = Holding(scripted(lambda *_: WAIT))
    with caplog.at_level(logging.ERROR):
        record = await play(small_world(), Condition.LIVE, factory, driver=driver)
    assert record.outcome is Outcome.COMMUNITY_FAILED
    assert record.error is not None
    assert record.error.startswith("RuntimeError: a fault of ours (test_failures.py, line ")
    assert record.scores is None
    assert factory.one.left == 1
    kept = [e for e in whole.events if (e.day, e.round) < (2, 3)]
    third = [e for e in whole.events if (e.day, e.round) == (2, 3)]
    written = {
        "resolve": {"act"},
        "referee": {"verdict", "near_miss"},
        "sanction": {"sanction"},
        "close_round": {"task"},
    }
    before = set().union(*list(written.values())[: list(written).index(step)])
    assert list(record.events) == kept + [e for e in third if e.kind in before]
    # Not swallowed: the traceback is logged.
    (entry,) = caplog.records
    assert entry.exc_info is not None
    assert "a fault of ours" in caplog.text


async def test_only_a_run_away_graph_could_hit_the_recursion_limit(driver):
    """Even a newcomer that uses every act of the longest condition ends by itself."""
    for world in quick().worlds[:2]:
        record = await play(world, Condition.LIVE, named("always-abstain"), driver=driver)
        assert record.outcome is Outcome.COMPLETED


@pytest.mark.parametrize("where", ["join", "turn", "leave"])
async def test_cancelling_passes_through_and_leaves_nothing_behind(driver, where):
    reached = asyncio.Event()

    class Cancelled(Scripted):
        async def _stop(self, place: str) -> None:
            if place == where:
                reached.set()
                await asyncio.Event().wait()

        async def join(self, name: str) -> None:
            await self._stop("join")

        async def turn(self, observation: Observation) -> Reply:
            await self._stop("turn")
            return await super().turn(observation)

        async def leave(self) -> None:
            self.left += 1
            await self._stop("leave")

    factory = Holding(lambda _: Cancelled(first_possible))
    episode = asyncio.create_task(play(small_world(), Condition.NONE, factory, driver=driver))
    await reached.wait()
    episode.cancel()
    with pytest.raises(asyncio.CancelledError):
        await episode
    assert factory.one.left == 1
    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_every_error_has_one_outcome():
    kinds = [kind for kind, _ in episodes.OUTCOMES]
    assert len({outcome for _, outcome in episodes.OUTCOMES}) == len(kinds) == 4
    for kind in kinds:
        assert [other for other in kinds if issubclass(kind, other)] == [kind]
