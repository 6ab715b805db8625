"""`normgym persona show` and `try`: what whoever speaks for somebody is told, and meeting them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.text import Text

from normgym_agents.cli.console import Status, err, out
from normgym_agents.cli.options import option
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.texts import on_one_line

if TYPE_CHECKING:
    from normgym_agents.community.authoring.meeting import Turn
    from normgym_agents.community.authoring.seating import Seat
    from normgym_agents.community.kinds import MemberKind
    from normgym_agents.community.minds.models import MemberModels

    Meeting = Callable[[Turn, MemberModels | None], Coroutine[object, object, list[dict[str, Any]]]]

_WHERE: Final = "Where"
_HOW: Final = "How"

_TRIED = typer.Argument(
    metavar="NAME", help="Somebody, as for show; or a community, to meet all its people.", show_default=False
)
_NAME = typer.Argument(
    metavar="NAME", help="Name of the persona's file, or what people call them.", show_default=False
)
_FOLDER = option(
    "--folder",
    text="Your folder with personas, cards and communities; the bundled ones are there, too.",
    panel=_WHERE,
    metavar="DIR",
    default="bundled ones",
)
_COMMUNITY = option(
    text="Where they are met.", panel=_WHERE, metavar="NAME", default="where they live, else pottery-yard"
)
_NORMS = option(
    "--norms",
    text="A norm that everybody there holds instead; may be given several times.",
    panel=_WHERE,
    metavar="RULE",
    default="those on the cards",
)
_KIND = option(
    text="What a model does for them: find words, or decide.",
    panel=_HOW,
    metavar="voiced|autonomous",
    default="voiced",
)
_TRIED_KIND = option(
    text="What is done for them by templates or by a model.",
    panel=_HOW,
    metavar="scripted|voiced|autonomous",
    default="voiced with --model, else scripted",
)
_MODEL = option(text="The chat model that speaks for them.", panel=_HOW, metavar="SPEC")
_SECONDS = option(text="Longest call to the model.", panel=_HOW, metavar="SECONDS", default="120")


def show(
    name: Annotated[str, _NAME],
    norms: Annotated[list[str] | None, _NORMS] = None,
    kind: Annotated[str, _KIND] = "voiced",
    community: Annotated[str | None, _COMMUNITY] = None,
    folder: Annotated[str | None, _FOLDER] = None,
) -> None:
    """Print exactly what the model that speaks for somebody is told, before anything happens."""
    chosen = _kind(kind, ("voiced", "autonomous"))
    seated = _seat(name, _place(folder), community, norms or [])
    typer.echo(seated.told(chosen))


def try_out(
    name: Annotated[str, _TRIED],
    norms: Annotated[list[str] | None, _NORMS] = None,
    model: Annotated[str | None, _MODEL] = None,
    kind: Annotated[str | None, _TRIED_KIND] = None,
    community: Annotated[str | None, _COMMUNITY] = None,
    folder: Annotated[str | None, _FOLDER] = None,
    deadline: Annotated[float | None, _SECONDS] = None,
) -> int:
    """Spend a day with somebody: talk to them, do things, and be answered when you break what they hold to.

    Nobody else there minds anything. Of a community you are the newcomer: first you watch, then the work is yours.
    Tab completes, ? helps, Ctrl-D or quit leaves.
    """
    from normgym_agents.cli.interrupting import Interrupted, run_interruptible
    from normgym_agents.cli.terminal import Terminal
    from normgym_agents.community.kinds import MemberKind
    from normgym_agents.newcomers.person import PersonNewcomer

    chosen = _kind(kind or ("voiced" if model else "scripted"), ("scripted", "voiced", "autonomous"))
    if (model is None) is not (chosen is MemberKind.SCRIPTED):
        message, wanted = (
            ("a model is needed for that", "--model SPEC")
            if model is None
            else ("scripted members have no model", "no --model")
        )
        raise BadInput(message, field="--kind", expected=wanted)
    terminal = Terminal(out())
    turn = PersonNewcomer(terminal.hear, terminal.hear_rules).turn
    begin = _meeting(name, _place(folder), community, norms or [])
    models = None if model is None else _models(chosen, model, deadline)
    try:
        log = run_interruptible(begin(turn, models))
    except Interrupted:
        return Status.INTERRUPTED
    if terminal.interrupted:
        return Status.INTERRUPTED
    if log:
        _last_words(log)
    return Status.DONE


def _meeting(name: str, folder: Path | None, community: str | None, rules: Sequence[str]) -> Meeting:
    """Meeting somebody, or everybody of a community."""
    from normgym_agents.community.authored import open_authored
    from normgym_agents.community.authoring.meeting import meet, visit
    from normgym_agents.community.authoring.seating import is_community
    from normgym_agents.community.personas import read_community

    if not is_community(name, folder):
        return partial(meet, _seat(name, folder, community, rules))
    if rules or community is not None:
        raise BadInput(
            f"{name!r} is a community", field="NAME", expected="somebody, or no --norms and --community"
        )
    world, cards = open_authored(name, folder=folder)
    _, members = read_community(name, folder)
    return partial(visit, world, cards, tuple(member.persona for member in members))


def _last_words(log: Sequence[dict[str, object]]) -> None:
    """What came of the last act, which no observation follows."""
    last = log[-1]
    console = out()
    for entry in log:
        at_last = (entry["day"], entry["round"]) == (last["day"], last["round"])
        if not at_last or entry["kind"] not in ("sanction", "remark"):
            continue
        words = f" “{entry['words']}”" if entry["words"] else ""
        did = {"gesture": "frowned at you.", "rebuke": "spoke sharply to you."}.get(
            str(entry.get("answer")), "said:"
        )
        console.print(Text(on_one_line(f"{entry['member']} {did}{words}")), soft_wrap=True)
    console.print(Text("The day is over.", style="bold"))


def _kind(kind: str, known: Sequence[str]) -> MemberKind:
    from normgym_agents.community.kinds import MemberKind

    if kind not in known:
        raise BadInput(f"{kind!r} is no kind of member here", field="--kind", expected=" | ".join(known))
    return MemberKind(kind)


def _place(folder: str | None) -> Path | None:
    place = None if folder is None else Path(folder)
    if place is not None and not place.is_dir():
        raise BadInput("there is no such folder", file=place, field="--folder")
    return place


def _seat(name: str, folder: Path | None, community: str | None, rules: Sequence[str]) -> Seat:
    from normgym_agents.community.authoring.seating import seat

    seated = seat(name, folder=folder, community=community, rules=rules)
    who = seated.personas[seated.member].name
    manner = "as a guest; they do not live there" if seated.guest else "where they live"
    note = f"{who}, in the community {seated.community} ({manner})"
    err().print(Text(on_one_line(note), style="dim"), soft_wrap=True)
    return seated


def _models(kind: MemberKind, spec: str, deadline: float | None) -> MemberModels:
    from normgym_agents.community.kinds import MemberLimits
    from normgym_agents.community.minds.models import member_models
    from normgym_agents.newcomers.models import make_chat_model

    if deadline is not None and not 0 < deadline < float("inf"):
        raise BadInput(f"{deadline} is no time to wait", field="--deadline", expected="seconds, more than 0")
    limits = MemberLimits() if deadline is None else MemberLimits(deadline=deadline)
    return member_models(kind, {"": (spec, make_chat_model(spec))}, limits)
