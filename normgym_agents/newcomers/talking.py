"""How a graph is talked to: where in its input an observation goes, and where in its state the answer is.

Three in four graphs talk in `messages`. The others are told by a mapping, and refused without one: which of two
texts of a state is the question and which the answer is its owner's to say.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from langgraph.channels.ephemeral_value import EphemeralValue
from langgraph.channels.last_value import LastValue
from langgraph.channels.untracked_value import UntrackedValue
from langgraph.pregel import Pregel

from normgym_agents.errors import BadInput, NotConnected
from normgym_agents.newcomers._schemas import (
    Form,
    form_of,
    hints,
    hints_of_function,
    makes_objects,
    note_at,
    required,
)
from normgym_agents.newcomers.wiring import StateMapping

Graph = Pregel[Any, Any, Any, Any]

MESSAGES: Final = "messages"
VIEW, ACT = "view", "act"
_ROOT, _START = "__root__", "__start__"
_ANSWERS: Final = ("answer", "output", "response", "result", "reply", "summary", "final", "report")
"""What the answer is often called; only for what is proposed to a user."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A place in a graph's input.

    Attributes:
        path: The keys that lead there; none for the whole input.
        form: What it takes.
        note: Annotation of the first key, or of the whole input.
    """

    path: tuple[str, ...]
    form: Form
    note: object


@dataclass(frozen=True, kw_only=True)
class Talk:
    """How one graph is talked to.

    Attributes:
        told: Where the observation's text goes; None for a graph that reads the view alone.
        answered: The keys that lead to the answer; None where it is in messages, or the whole output.
        whole: Whether input and output are one value and no state (functions, and states that are one list).
        keeps: Whether one thread lasts the episode. Without messages a state's reducers would carry each turn
            into the next.
        resends: Whether the whole conversation is sent each time, because the graph keeps none of it.
        further: What else it is told.
    """

    told: Place | None
    answered: tuple[str, ...] | None = None
    whole: bool = False
    keeps: bool = True
    resends: bool = False
    further: Mapping[str, object]


def talk_of(graph: Graph, mapping: StateMapping, name: str) -> Talk:
    """How to talk to a graph.

    Raises:
        BadInput: That cannot be told from its state, or the mapping names keys that it does not have. Names
            the keys, and the option to add.
    """
    if graph.input_channels == _START and ("__end__" in graph.channels or _ROOT in graph.channels):
        return _of_a_function(graph, mapping, name)
    told_keys, answer_keys = _keys(graph)
    if mapping.input is None and MESSAGES not in told_keys and not _acts_by_view(graph):
        raise _unmapped(name, told_keys, answer_keys, "no `messages`")
    place: Place | None = None
    resends = False
    if mapping.input is not None or MESSAGES in told_keys:
        path = _path(mapping.input or MESSAGES, told_keys)
        if path[0] not in told_keys:
            raise _unknown(name, "input", path[0], told_keys)
        note = told_keys[path[0]]
        place = Place(path=path, form=form_of(note_at(note, path[1:]), path[-1]), note=note)
        kept = not isinstance(graph.channels.get(path[0]), LastValue | EphemeralValue | UntrackedValue)
        resends = not kept and place.form in ("messages", "objects")
    if mapping.output is None and MESSAGES not in graph.channels and not _acts_by_view(graph):
        raise _unmapped(name, told_keys, answer_keys, "no `messages` to answer in")
    answered = None if mapping.output is None else _path(mapping.output, answer_keys)
    if answered is not None and answered[0] not in graph.channels:
        raise _unknown(name, "output", answered[0], answer_keys)
    _check_required(graph, name, {*mapping.state, VIEW, *(() if place is None else place.path[:1])})
    conversation = place is None or place.form in ("messages", "objects")
    return Talk(told=place, answered=answered, keeps=conversation, resends=resends, further={**mapping.state})


def _check_required(graph: Graph, name: str, given: Collection[str]) -> None:
    """A state of pydantic's, or a dataclass, is refused by LangGraph itself without its required fields."""
    schema = getattr(getattr(graph, "builder", None), "input_schema", None)
    if not isinstance(schema, type) or not makes_objects(schema):
        return
    for key, needed in required(schema).items():
        if needed and key in graph.channels and key not in given:
            raise lacking_key(name, key)


def input_keys(graph: Graph) -> set[str]:
    """The keys of its state that a graph can be given; none for functions."""
    return set() if graph.input_channels == _START and "__end__" in graph.channels else set(_keys(graph)[0])


def lacking_key(name: str, key: str) -> NotConnected:
    """A graph needs something in its state that nobody gave."""
    return NotConnected(f"{name} needs {key!r} in its state", expected=f"--mapping state.{key}=VALUE")


def answer_at(value: object, path: Sequence[str]) -> object:
    """What a path leads to inside of a value; None where it leads nowhere."""
    for part in path:
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, Sequence) and not isinstance(value, str) and _is_index(part):
            value = value[int(part)] if -len(value) <= int(part) < len(value) else None
        else:
            value = getattr(value, part, None)
    return value


def answer_key(given: Mapping[str, object]) -> str | None:
    """The key that most likely holds the answer; None where nothing is called like one."""
    texts = [key for key, value in given.items() if isinstance(value, str)]
    named = next((key for word in _ANSWERS for key in texts if word in key.casefold()), None)
    return named or (texts[0] if len(texts) == 1 else None)


def _of_a_function(graph: Graph, mapping: StateMapping, name: str) -> Talk:
    """A functional entrypoint, or a state that is one list of messages."""
    answered = None if mapping.output is None else tuple(mapping.output.split("."))
    if _ROOT in graph.channels:
        place = Place(path=(), form="messages", note=list)
        return Talk(told=place, answered=answered, whole=True, further={})
    parameter, note, remembers = _function_of(graph)
    keys = hints(note)
    if mapping.input is not None:
        path = _path(mapping.input, keys)
        if keys and path[0] not in keys:
            raise _unknown(name, "input", path[0], keys)
        place = Place(path=path, form=form_of(note_at(note, path), path[-1]), note=note)
    elif keys and form_of(note, parameter) == "text" and not _is_built_in(note):
        if MESSAGES not in keys:
            raise _unmapped(name, keys, {}, "no `messages`")
        place = Place(path=(MESSAGES,), form=form_of(keys[MESSAGES], MESSAGES), note=note)
    elif _is_dict(note) or (note is Any and parameter in ("inputs", "input", "state", "data", "payload")):
        place = Place(path=(MESSAGES,), form="messages", note=note)
    else:
        # A parameter without an annotation is told by its name, as its list is.
        unsaid = note is Any and "message" in parameter.casefold()
        place = Place(path=(), form="messages" if unsaid else form_of(note, parameter), note=note)
    talks = place.form in ("messages", "objects")
    return Talk(
        told=place, answered=answered, whole=True, resends=talks and not remembers, further={**mapping.state}
    )


def _function_of(graph: Graph) -> tuple[str, Any, bool]:
    """An entrypoint's first parameter, its annotation, and whether the function is given what it returned last."""
    noted: object = cast("Any", graph.channels[_START]).typ
    bound = cast("Any", next(iter(graph.nodes.values())).bound)
    function = getattr(bound, "func", None) or getattr(bound, "afunc", None)
    if function is None:
        return "", noted, True
    parameters = list(inspect.signature(function).parameters)
    if isinstance(noted, str):
        noted = hints_of_function(function).get(parameters[0], noted)
    return parameters[0], noted, "previous" in parameters


def _keys(graph: Graph) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keys that a graph takes and those that it gives, with their annotations."""
    builder = getattr(graph, "builder", None)
    own = {key: Any for key in graph.channels if not key.startswith(("__", "branch:", "join:"))}
    if builder is None:
        told = [graph.input_channels] if isinstance(graph.input_channels, str) else [*graph.input_channels]
        return {key: own.get(key, Any) for key in told}, own
    notes = {**own, **{key: note for key, note in hints(builder.state_schema).items() if key in own}}
    taken = {key: note for key, note in hints(builder.input_schema).items() if key in graph.channels}
    given = {key: note for key, note in hints(builder.output_schema).items() if key in graph.channels}
    return taken or notes, given or notes


def _path(text: str, keys: Mapping[str, object]) -> tuple[str, ...]:
    return (text,) if text in keys else tuple(text.split("."))


def _acts_by_view(graph: Graph) -> bool:
    return {VIEW, ACT} <= set(graph.channels)


def _is_index(part: str) -> bool:
    return part.removeprefix("-").isdecimal()


def _is_dict(note: object) -> bool:
    return (getattr(note, "__origin__", None) or note) in (dict, Mapping)


def _is_built_in(note: object) -> bool:
    return getattr(note, "__module__", "") == "builtins"


def _unmapped(name: str, told: Mapping[str, object], answers: Mapping[str, object], lacks: str) -> BadInput:
    into = next((key for key, note in told.items() if form_of(note, key) == "text"), None)
    free = [key for key, note in answers.items() if key != into and form_of(note, key) == "text"]
    out = next((key for word in _ANSWERS for key in free if word in key.casefold()), None)
    wanted = f"input={into or next(iter(told), 'KEY')},output={out or (free or ['KEY'])[-1]}"
    shown = ", ".join(sorted({*told, *answers})) or "none"
    return BadInput(
        f"the state of {name} has {lacks} (its keys: {shown}): say which key is told and which holds the answer",
        expected=f"--mapping {wanted}",
    )


def _unknown(name: str, field: str, key: str, keys: Mapping[str, object]) -> BadInput:
    return BadInput(
        f"{name} has no key {key!r}",
        field=f"mapping.{field}",
        expected=" | ".join(sorted(keys)) or "no key at all",
    )
