"""From visits to findings about memory: what an episode showed must be at hand in it, and nowhere else.

Each visit has a name in its first observation that nothing else holds; where it comes up later tells what was kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from normgym_agents.evaluation.conformance.findings import Finding, Status
from normgym_agents.evaluation.conformance.reading import cut
from normgym_agents.evaluation.conformance.scripted import Scripted, text_of
from normgym_agents.evaluation.conformance.visiting import Visit


def two_at_once(first: Visit, together: Sequence[Visit], place: Scripted, begun: int) -> Finding:
    """Whether two episodes side by side keep apart."""
    name = "two episodes at once"
    broken = next((visit for visit in together if visit.broke is not None), None)
    if broken is not None:
        return Finding(
            name=name,
            status=Status.FAILED,
            found=f"by itself it acts, beside another episode it breaks: {cut(str(broken.broke))}",
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
    return Finding(name=name, status=Status.UNSEEN, found=_unseen(place))


def _unseen(place: Scripted) -> str:
    """Why nothing can be said of what is remembered."""
    why = "what its own model is sent" if place.script is None else "no model was asked here"
    return f"cannot be seen from outside: {why}"


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
    return Finding(name=name, status=Status.UNSEEN, found=_unseen(place))
