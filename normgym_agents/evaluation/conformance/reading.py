"""From visits to findings: what was seen, and what to fix, each in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import Limits
from normgym_agents.evaluation.conformance.advice import SILENT, advice
from normgym_agents.evaluation.conformance.findings import Estimate, Finding, Status
from normgym_agents.evaluation.conformance.scripted import Scripted, text_of
from normgym_agents.evaluation.conformance.visiting import Visit
from normgym_agents.evaluation.texts import counted, on_one_line
from normgym_agents.newcomers.loading import LoadedNewcomer

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
        heard = f"it said {_cut(said)!r}" if said.strip() else "it said nothing"
        return Finding(
            name=name,
            status=Status.FAILED,
            found=f"no act could be read in {counted(len(silent.turns), 'turn')}, each asked twice: {heard}; {_cut(fault)}",
            fix=SILENT,
        )
    again = sum(turn.asked > 1 for turn in turns)
    channels = sorted({turn.reply.channel for turn in turns if turn.reply and turn.reply.act})
    found = f"an act in {read} of {counted(len(turns), 'turn')}, as {' and '.join(channels)}"
    if again:
        return Finding(name=name, status=Status.NOTED, found=f"{found}; asked again in {again}", fix=SILENT)
    return Finding(name=name, status=Status.PASSED, found=found)


def two_at_once(first: Visit, together: Sequence[Visit], place: Scripted, begun: int) -> Finding:
    """Whether two episodes side by side keep apart."""
    name = "two episodes at once"
    broken = next((visit for visit in together if visit.broke is not None), None)
    if broken is not None:
        return Finding(
            name=name,
            status=Status.FAILED,
            found=f"by itself it acts, beside another episode it breaks: {_cut(str(broken.broke))}",
            fix="Give each episode an agent of its own: name a factory that makes one.",
        )
    one, other = together
    requests = [text_of(request) for request in place.requests[begun:]]
    if any(one.token in text and other.token in text for text in requests) or _mixed(one, other):
        return Finding(
            name=name,
            status=Status.FAILED,
            found="what one episode observed came up in the other",
            fix="Give each episode an agent of its own: name a factory that makes one.",
        )
    if one.said() != first.said()[: len(one.turns)] and not requests:
        return Finding(
            name=name,
            status=Status.NOTED,
            found="both act; the first world was answered otherwise than when it was alone",
            fix="Nothing, if the agent draws at random; else something of its process is shared by its episodes.",
        )
    return Finding(
        name=name, status=Status.PASSED, found="both act, and nothing of one was seen in the other"
    )


def _mixed(one: Visit, other: Visit) -> bool:
    return _says(one, other.token) or _says(other, one.token)


def _says(visit: Visit, token: str) -> bool:
    return any(turn.reply is not None and token in turn.reply.words for turn in visit.turns)


def memory(visit: Visit, place: Scripted) -> Finding:
    """Whether what the first turn showed is known in the later ones."""
    name = "memory within an episode"
    later = visit.turns[1:]
    begin, end = (later[0].requests[0], later[-1].requests[1]) if later else (0, 0)
    requests = place.requests[begin:end]
    if any(visit.token in text_of(request) for request in requests) or any(
        turn.reply is not None and visit.token in turn.reply.words for turn in later
    ):
        return Finding(
            name=name, status=Status.PASSED, found="what the first turn showed is at hand in later ones"
        )
    if requests:
        return Finding(
            name=name,
            status=Status.NOTED,
            found="nothing that the first turn showed reached its model in later ones",
            fix="Keep the conversation, with a reducer such as add_messages or a summary; who forgets what it saw "
            "cannot learn from it.",
        )
    return Finding(
        name=name, status=Status.UNSEEN, found="cannot be seen from outside: no model was asked here"
    )


def forgets(earlier: Sequence[Visit], later: Sequence[Visit], place: Scripted) -> Finding:
    """Whether what one episode showed is gone in the next."""
    name = "none across episodes"
    visits = [*earlier, *later]
    carried = False
    for number, visit in enumerate(visits):
        tokens = [one.token for one in visits[:number] if one not in later or visit not in later]
        spans = [turn.requests for turn in visit.turns]
        texts = [text_of(request) for begin, end in spans for request in place.requests[begin:end]]
        said = [turn.reply.words for turn in visit.turns if turn.reply is not None]
        carried = carried or any(token in text for token in tokens for text in [*texts, *said])
    if carried:
        return Finding(
            name=name,
            status=Status.FAILED,
            found="what one episode showed came up in a later one",
            fix="Make what it remembers anew in a factory, for each episode: a store or a list of the module's own "
            "outlives them.",
        )
    if place.requests:
        return Finding(name=name, status=Status.PASSED, found="nothing of one episode reached the next")
    again = next((visit for visit in later if visit.world is earlier[0].world), None)
    if again is not None and again.said() == earlier[0].said()[: len(again.turns)]:
        return Finding(name=name, status=Status.PASSED, found="an equal episode was answered equally")
    return Finding(
        name=name, status=Status.UNSEEN, found="cannot be seen from outside: no model was asked here"
    )


def pauses(visits: Sequence[Visit]) -> Finding:
    """Whether it pauses to ask."""
    asked = [words for visit in visits for words in visit.pauses]
    if not asked:
        return Finding(name="pauses", status=Status.PASSED, found="it did not pause to ask")
    return Finding(
        name="pauses",
        status=Status.NOTED,
        found=f"it paused to ask {counted(len(asked), 'time')}, the first: {_cut(asked[0])!r}",
        fix="Nothing, if the question is meant as its reply; else say with --on-interrupt what it is told.",
    )


def slowest(visits: Sequence[Visit], limits: Limits) -> Finding:
    """How near its turns come to the deadline."""
    return Finding(
        name="deadline",
        status=Status.PASSED,
        found=f"{_slowest(visits, limits)}; being cut off was not tried: there is no scripted model to fall silent",
    )


def cut_off(cut: Visit, after: Visit, visits: Sequence[Visit], limits: Limits, *, overdue: float) -> Finding:
    """Whether it can be cut off where its model says nothing, and the next episode still works."""
    took = sum(turn.seconds for turn in cut.turns)
    if after.broke is not None or not after.acts:
        return Finding(
            name="deadline",
            status=Status.FAILED,
            found="after a turn that was cut off, its next episode does not act: "
            f"{_cut(str(after.broke or 'silence'))}",
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
            found=f"it wanted to reach {_cut(', '.join(place.hosts))}, which this check does not let it",
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
            found=_cut(changed[0]),
            fix="Keep what belongs to an episode out of the environment and other places that episodes share.",
        )
    if badly is None:
        return Finding(name="leaves", status=Status.PASSED, found="each episode was left in order")
    return Finding(
        name="leaves",
        status=Status.NOTED,
        found=_cut(badly),
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
    return Finding(name=name, status=Status.FAILED, found=where + _cut(message), fix=advice(error, place))


def _cut(text: str) -> str:
    line = on_one_line(text)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
