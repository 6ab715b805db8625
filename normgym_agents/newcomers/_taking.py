"""What a plain function is given at a turn, told by the annotation of its one parameter; and what a stream comes to.

Nothing is guessed from what a function does with it: a parameter that says nothing gets the text.
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from typing import Any, Final, Literal

from normgym_agents.errors import BadInput, NewcomerError
from normgym_agents.newcomers._faults import several
from normgym_agents.newcomers._parameters import parameters_of
from normgym_agents.newcomers._schemas import form_of, hints_of_function
from normgym_agents.newcomers.talking import Place
from normgym_agents.worlds.public import NewcomerView, Observation, Reply

Takes = Literal["text", "observation", "view", "talk"]
"""What a function takes: words, an `Observation`, its `NewcomerView`, or the conversation so far."""

_MOST_PIECES: Final = 100_000
_MOST_CHARACTERS: Final = 8_000_000


def taken_by(function: Callable[..., Any], name: str) -> tuple[Takes, Place]:
    """What a function takes, and where in a conversation's forms that is.

    Raises:
        BadInput: It cannot be called with one thing.
    """
    first = _first(function, name)
    if first is None:
        return "text", Place(path=(), form="text", note=str)
    note = _note(function, first)
    called = note.rpartition(".")[2] if isinstance(note, str) else None
    place = Place(path=(), form="text", note=note)
    if note is Observation or called == "Observation":
        return "observation", place
    if note is NewcomerView or called == "NewcomerView":
        return "view", place
    form = form_of(Any if note is inspect.Parameter.empty else note, first.name)
    return ("text" if form == "text" else "talk"), Place(path=(), form=form, note=note)


def on_the_loop(function: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine or an asynchronous generator, and so takes no time."""
    call = getattr(function, "__call__", None)  # noqa: B004 # for what it is, and not whether it is there
    kinds = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return any(is_one(one) for is_one in kinds for one in (_whole(function), call))


class Pieces:
    """What came of a stream."""

    def __init__(self) -> None:
        self.all: list[object] = []
        self._characters = 0

    def add(self, piece: object) -> None:
        """Keep a piece.

        Raises:
            NewcomerError: There are more than an answer has.
        """
        self.all.append(piece)
        self._characters += len(piece) if isinstance(piece, str) else 0
        if len(self.all) > _MOST_PIECES or self._characters > _MOST_CHARACTERS:
            raise NewcomerError("what the agent streams does not end")


def gathered(stream: Iterator[Any]) -> Pieces:
    """The pieces of a stream.

    Raises:
        NewcomerError: It does not end.
    """
    pieces = Pieces()
    for piece in stream:
        pieces.add(piece)
    return pieces


async def gathered_async(stream: AsyncIterator[Any]) -> Pieces:
    """The pieces of an asynchronous stream, which is closed whatever happens.

    Raises:
        NewcomerError: It does not end.
    """
    pieces = Pieces()
    if not isinstance(stream, collections.abc.AsyncGenerator):
        async for piece in stream:
            pieces.add(piece)
        return pieces
    async with aclosing(stream):
        async for piece in stream:
            pieces.add(piece)
    return pieces


def whole_of(pieces: Pieces, view: NewcomerView) -> object:
    """What pieces come to: their words together, or the one thing among them that is no words."""
    others: list[object] = []
    for piece in pieces.all:
        if piece is not None and not isinstance(piece, str) and piece not in others:
            others.append(piece)
    if not others:
        return "".join(piece for piece in pieces.all if isinstance(piece, str))
    if all(hasattr(piece, "__add__") and hasattr(piece, "content") for piece in others):
        return functools.reduce(lambda one, other: one + other, others)  # type: ignore[operator] # chunks of a message
    return others[0] if len(others) == 1 else Reply(fault=several(view).text)


def _first(function: Callable[..., Any], name: str) -> inspect.Parameter | None:
    """The parameter that is given; None where that cannot be seen, or it takes whatever comes."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # some builtins have none
        return None
    try:
        signature.bind(None)
    except TypeError as error:
        wanted = ", ".join(parameters_of(function)) or "none"
        raise BadInput(
            f"{name} cannot be called with one argument (its parameters: {wanted})",
            expected="a function of the observation alone, e.g. def agent(text: str) -> str; a further parameter "
            "needs a default",
        ) from error
    first = next(iter(signature.parameters.values()))
    return None if first.kind is inspect.Parameter.VAR_POSITIONAL else first


def _note(function: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    """A parameter's annotation, resolved where it can be."""
    if not isinstance(parameter.annotation, str):
        return parameter.annotation
    whole = _whole(function)
    code = whole if inspect.isroutine(whole) else type(whole).__call__
    return hints_of_function(code).get(parameter.name, parameter.annotation)


def _whole(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function
