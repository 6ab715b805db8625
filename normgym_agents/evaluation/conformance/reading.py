"""From visits to findings: what was seen, and what to fix, each in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import Limits
from normgym_agents.evaluation.conformance.advice import SILENT, advice
from normgym_agents.evaluation.conformance.findings import Estimate, Finding, Status
from normgym_agents.evaluation.conformance.scripted import Scripted
from normgym_agents.evaluation.conformance.visiting import Visit
from normgym_agents.evaluation.texts import counted, on_one_line
from normgym_agents.newcomers.loading import LoadedNewcomer
from normgym_agents.newcomers.wiring import OnInterrupt

NAMES: Final = (
    "loads",
    "joins",
    "acts in two worlds",
    "two episodes at once",
    "memory within an episode",
    "none across episodes",
    "pauses",
    "deadline",
    "model",
    "leaves",
)
"""What is tried, in order; the cost comes last."""

_SHORT: Final = {"acts": "acts in two worlds"}
_LONGEST: Final = 200


def not_tried(*, after: str) -> list[Finding]:
    """What is not tried any more, because something before it failed."""
    place = NAMES.index(_SHORT.get(after, after))
    return [skipped(name, after) for name in NAMES[place + 1 :]]


def skipped(name: str, after: str = "acts") -> Finding:
    """Something that is not tried any more."""
    return Finding(name=name, status=Status.SKIPPED, found=f"not tried: see {_SHORT.get(after, after)!r}")


def wants_model(error: BadInput) -> bool:
    """Whether an agent was refused because nobody gave it a model."""
    return "--model" in f"{error.expected} {error.field} {error.message}"


def loads(loaded: LoadedNewcomer) -> Finding:
    """It was loaded."""
    return Finding(name="loads", status=Status.PASSED, found=f"taken for: {loaded.kind.replace('_', ' ')}")


def joins(visit: Visit, place: Scripted) -> Finding:
    """Whether it got ready for an episode."""
    if visit.joined:
        return Finding(name="joins", status=Status.PASSED, found="ready for an episode")
    return _failed("joins", visit, place)


def acts(visits: Sequence[Visit], place: Scripted) -> Finding:
    """Whether acts could be read."""
    name = "acts in two worlds"
    broken = next((visit for visit in visits if visit.broke is not None), None)
    if broken is not None:
        return _failed(name, broken, place)
    turns = [turn for visit in visits for turn in visit.turns]
    read = sum(visit.acts for visit in visits)
    silent = next((visit for visit in visits if not visit.acts), None)
    if silent is not None:
        last = silent.turns[-1].reply
        fault = "" if last is None else last.fault or ""
        said = "" if last is None else last.words
        heard = f"it said {cut(said)!r}" if said.strip() else "it said nothing"
        return Finding(
            name=name,
            status=Status.FAILED,
            found=f"no act could be read in {counted(len(silent.turns), 'turn')}, each asked twice: {heard}; {cut(fault)}",
            fix=SILENT,
        )
    again = sum(turn.asked > 1 for turn in turns)
    channels = sorted({turn.reply.channel for turn in turns if turn.reply and turn.reply.act})
    found = f"an act in {read} of {counted(len(turns), 'turn')}, as {' and '.join(channels)}"
    if again:
        return Finding(name=name, status=Status.NOTED, found=f"{found}; asked again in {again}", fix=SILENT)
    return Finding(name=name, status=Status.PASSED, found=found)


def pauses(visits: Sequence[Visit], policy: OnInterrupt) -> Finding:
    """Whether it pauses to ask, and what then becomes of that."""
    asked = [pause for visit in visits for pause in visit.pauses]
    if not asked:
        return Finding(name="pauses", status=Status.PASSED, found="it did not pause to ask")
    found = f"it paused to ask {counted(len(asked), 'time')}, the first: {cut(asked[0].words)!r}"
    if not any(pause.of_a_run for pause in asked):
        # Only LangGraph's pauses are decided by a policy; a question to AutoGen's user always ends the turn.
        return Finding(
            name="pauses",
            status=Status.NOTED,
            found=f"{found}; a question to its user is its reply, and what is observed next answers it",
            fix="Nothing, if that is meant; else have it ask nobody.",
        )
    if policy != "reply":
        how = policy if isinstance(policy, str) else "rules"
        return Finding(
            name="pauses", status=Status.PASSED, found=f"{found}; answered by --on-interrupt: {how}"
        )
    return Finding(
        name="pauses",
        status=Status.NOTED,
        found=found,
        fix="Nothing, if the question is meant as its reply; else say with --on-interrupt what it is told.",
    )


def slowest(visits: Sequence[Visit], limits: Limits) -> Finding:
    """How near its turns come to the deadline."""
    return Finding(
        name="deadline",
        status=Status.PASSED,
        found=f"{_slowest(visits, limits)}; being cut off was not tried: there is no scripted model to fall silent",
    )


def cut_off(
    silenced: Visit, after: Visit, visits: Sequence[Visit], limits: Limits, *, overdue: float
) -> Finding:
    """Whether it can be cut off where its model says nothing, and the next episode still works."""
    took = sum(turn.seconds for turn in silenced.turns)
    if after.broke is not None or not after.acts:
        return Finding(
            name="deadline",
            status=Status.FAILED,
            found="after a turn that was cut off, its next episode does not act: "
            f"{cut(str(after.broke or 'silence'))}",
            fix="Have it take its model's silence in one episode without harm to the next: name a factory.",
        )
    if took >= overdue:
        return Finding(
            name="deadline",
            status=Status.NOTED,
            found=f"{_slowest(visits, limits)}; a turn that was cut off ran on in the background",
            fix="Let asyncio.CancelledError through: catch Exception, never BaseException.",
        )
    return Finding(
        name="deadline",
        status=Status.PASSED,
        found=f"{_slowest(visits, limits)}; it can be cut off, and goes on after that",
    )


def _slowest(visits: Sequence[Visit], limits: Limits) -> str:
    most = max((turn.seconds for visit in visits for turn in visit.turns), default=0.0)
    return f"slowest turn {most:.1f} s of {limits.deadline:g}"


def model(visits: Sequence[Visit], place: Scripted) -> Finding:
    """Which model was asked."""
    if place.script is None:
        calls = [turn.reply.model_calls for visit in visits for turn in visit.turns if turn.reply]
        known = [one for one in calls if one is not None]
        if known:
            return Finding(
                name="model", status=Status.PASSED, found=f"its own, {counted(sum(known), 'call')}"
            )
        return Finding(
            name="model", status=Status.UNSEEN, found="calls of a model cannot be seen from outside"
        )
    asked = counted(len(place.requests), "call")
    if place.hosts:
        return Finding(
            name="model",
            status=Status.NOTED,
            found=f"it wanted to reach {cut(', '.join(place.hosts))}, which this check does not let it",
            fix="Run the check with --live to let it: about ten turns of its own model.",
        )
    if not place.requests:
        return Finding(name="model", status=Status.UNSEEN, found="the scripted model was not asked")
    return Finding(name="model", status=Status.PASSED, found=f"the scripted one, {asked}")


def leaves(visits: Sequence[Visit], changed: Sequence[str]) -> Finding:
    """Whether it gives back what it held, and leaves its process as it was."""
    badly = next((visit.left_badly for visit in visits if visit.left_badly), None)
    if badly is None and changed:
        return Finding(
            name="leaves",
            status=Status.NOTED,
            found=cut(changed[0]),
            fix="Keep what belongs to an episode out of the environment and other places that episodes share.",
        )
    if badly is None:
        return Finding(name="leaves", status=Status.PASSED, found="each episode was left in order")
    return Finding(
        name="leaves",
        status=Status.NOTED,
        found=cut(badly),
        fix="Close what an episode opened in its end: the exit of its context manager, or `leave`.",
    )


def cost(of: Estimate) -> Finding:
    """What a run would cost."""
    run = f"{of.suite}: {counted(of.episodes, 'episode')}, at most {of.turns:,} turns"
    if of.calls is None:
        return Finding(name="cost", status=Status.UNSEEN, found=f"{run}. {of.note}")
    tokens = "tokens unknown" if of.input_tokens is None else f"{of.input_tokens:,} tokens in"
    out = "" if of.output_tokens is None else f", {of.output_tokens:,} out"
    found = f"{run}: about {of.calls:,} model calls, {tokens}{out}. {of.note}"
    return Finding(name="cost", status=Status.PASSED, found=found)


def _failed(name: str, visit: Visit, place: Scripted) -> Finding:
    error = visit.broke
    if error is None:
        return Finding(name=name, status=Status.FAILED, found="it broke")
    message = error.message if isinstance(error, BadInput) else str(error)
    where = "" if name == "joins" else f"turn {len(visit.turns)}: "
    return Finding(name=name, status=Status.FAILED, found=where + cut(message), fix=advice(error, place))


def cut(text: str) -> str:
    """A text in one line, not too long."""
    line = on_one_line(text)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
