"""From a spec string to newcomers.

Specs follow LangGraph's convention where it has one, so that what a user already writes works here; `specs` lists all
forms. Here are those of files, modules, `langgraph.json` and references; `naming` has models, and agents that are
reached by an address.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from urllib.parse import parse_qsl

from normgym_agents.errors import BadInput
from normgym_agents.newcomers._component_files import read_component
from normgym_agents.newcomers._environment import Variables
from normgym_agents.newcomers._graph_files import GRAPH_FILE, find_graph
from normgym_agents.newcomers._modules import ImportFailed, import_file, import_module
from normgym_agents.newcomers._search_path import SearchPath, folders_for
from normgym_agents.newcomers.adapting import ModelEffect, adapt
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.newcomers.exports import has_of_its_own, of_an_object
from normgym_agents.newcomers.naming import naming_of
from normgym_agents.newcomers.wiring import RECURSION_LIMIT, StateMapping, Wiring
from normgym_agents.newcomers.wiring_files import (
    MappingGiven,
    PolicyGiven,
    mapping_beside,
    mapping_from,
    policy_from,
)
from normgym_agents.specs import expected

__all__ = ["ImportFailed", "LoadedNewcomer", "load_newcomer"]

_REFERENCE: Final = "reference:"


@dataclass(frozen=True, kw_only=True)
class LoadedNewcomer:
    """A newcomer ready for episodes.

    Attributes:
        name: What reports call it: its spec, without the folder of a file.
        kind: What it is: a kind of `Adapted`, or `reference`.
        factory: Makes the newcomer of one episode.
        model_effect: What became of the model that was asked for.
        source: The file that it came from; None for what comes from no file of the user's.
        wiring: How it is connected, with what a file beside it says.
    """

    name: str
    kind: str
    factory: NewcomerFactory
    model_effect: ModelEffect = "none given"
    source: Path | None = None
    wiring: Wiring = field(default_factory=Wiring)
    _held: ExitStack = field(default_factory=ExitStack, repr=False)

    def close(self) -> None:
        """Give back what loading took; call it after the last episode. More than once is harmless."""
        self._held.close()


def load_newcomer(
    spec: str,
    *,
    model: str | None = None,
    recursion_limit: int = RECURSION_LIMIT,
    mapping: MappingGiven = None,
    on_interrupt: PolicyGiven = "reply",
    trust: bool = False,
    folder: Path | None = None,
) -> LoadedNewcomer:
    """Load the newcomer that a spec names. Runs the user's module, and nothing else of the agent.

    Args:
        spec: What to load.
        model: A model's spec for whatever takes one: a factory's parameter, a graph's configuration. A
            graph or agent that looks at neither keeps its own model; `model_effect` of the result tells.
        recursion_limit: The most steps of a graph in one turn.
        mapping: The keys of a graph without `messages`, and what its runs need besides: as a `StateMapping`, its
            fields, the path of a YAML file or `key=value,…`. None takes `<stem>.mapping.yaml` beside the
            agent's file, if there is one.
        on_interrupt: What happens where the agent pauses to ask: `reply`, `approve`, `reject`, rules, or
            the path of a YAML file of these.
        trust: Whether code that came inside of data (a component written out) may be run.
        folder: Where relative paths and `langgraph.json` are looked for; None is the current folder.

    Raises:
        BadInput: The spec names nothing that can take part, or what is said of its wiring will not do.
        ImportFailed: The user's module raised; carries their traceback.
    """
    folder = Path.cwd() if folder is None else folder
    wiring = Wiring(
        model=model,
        recursion_limit=recursion_limit,
        mapping=mapping_from(mapping),
        on_interrupt=policy_from(on_interrupt),
        trust=trust,
    )
    if spec.startswith(_REFERENCE):
        return _reference(spec, model)
    if (naming := naming_of(spec)) is not None:
        with ExitStack() as held:
            adapted = naming(spec, wiring, held)
            return LoadedNewcomer(
                name=spec,
                kind=adapted.kind,
                factory=adapted.factory,
                model_effect=adapted.model_effect,
                wiring=wiring,
                _held=held.pop_all(),
            )
    place, _, attribute = spec.rpartition(":")
    if not spec.strip() or (":" in spec and not (place and attribute)):
        raise BadInput(f"{spec!r} names no newcomer", expected=expected())
    if not place and spec.endswith(".json") and (component := read_component(folder / spec)) is not None:
        return _component(component, folder / spec, wiring)
    if place.endswith(".json") or not place:
        return _from_graph_file(spec, place, attribute, folder, wiring)
    name = f"{Path(place).name}:{attribute}" if _is_file(place) else spec
    with ExitStack() as held:
        return _loaded(held, name, place, attribute, spec, folder, wiring)


def _component(data: Mapping[str, Any], file: Path, wiring: Wiring) -> LoadedNewcomer:
    try:
        from normgym_agents.newcomers.autogen import adapt_component
    except ModuleNotFoundError as error:
        raise BadInput(
            "is a component of AutoGen, which is not installed: pip install 'normgym-agents[autogen]'",
            file=file,
        ) from error
    return LoadedNewcomer(
        name=file.name,
        kind="autogen",
        factory=adapt_component(data, file, file.name, wiring),
        model_effect="none given" if wiring.model is None else "ignored",
        source=file.resolve(),
        wiring=wiring,
    )


def _from_graph_file(spec: str, place: str, name: str, folder: Path, wiring: Wiring) -> LoadedNewcomer:
    file = folder / (place or GRAPH_FILE)
    if not place and not file.is_file():
        raise BadInput(f"{spec!r} names no newcomer, and there is no {GRAPH_FILE} here", expected=expected())
    entry = find_graph(file, name)
    where, _, attribute = entry.spec.rpartition(":")
    with ExitStack() as held:
        held.callback(Variables(entry.variables).close)
        roots = (*entry.roots, file.parent)
        return _loaded(held, name, where, attribute, name, folder, wiring, roots=roots)


def _loaded(
    held: ExitStack,
    name: str,
    place: str,
    attribute: str,
    spec: str,
    folder: Path,
    wiring: Wiring,
    *,
    roots: tuple[Path, ...] = (),
) -> LoadedNewcomer:
    """Import and adapt; what that takes goes over to the result, and back again if it fails."""
    file = folder / place if _is_file(place) else None
    path = SearchPath((*roots, folder) if file is None else folders_for(file, folder, roots))
    held.callback(path.close)
    module = import_module(place) if file is None else import_file(file)
    path.claim()
    origin = getattr(module, "__file__", None)
    source = None if origin is None else Path(origin).resolve()
    if source is not None and wiring.mapping == StateMapping():
        wiring = wiring.model_copy(update={"mapping": mapping_beside(source)})
    adapted = adapt(_found(module, place, attribute), spec, wiring)
    return LoadedNewcomer(
        name=name,
        kind=adapted.kind,
        factory=adapted.factory,
        model_effect=adapted.model_effect,
        source=source,
        wiring=wiring,
        _held=held.pop_all(),
    )


def _is_file(place: str) -> bool:
    return place.endswith(".py") or "/" in place or "\\" in place


def _found(module: ModuleType, place: str, attribute: str) -> object:
    """What a dotted name leads to; where it goes through a class, what an object of it has by that name."""
    found: object = module
    for part in attribute.split("."):
        if isinstance(found, type) and not has_of_its_own(found, part):
            found = of_an_object(found, part)
        elif hasattr(found, part):
            found = getattr(found, part)
        else:
            raise _missing(module, place, attribute)
    return found


def _missing(module: ModuleType, place: str, attribute: str) -> BadInput:
    """What the module has instead, the likeliest first."""
    own = [key for key, value in vars(module).items() if _candidate(module, key, value)]
    close = difflib.get_close_matches(attribute, own, n=3)
    names = [*close, *(key for key in own if key not in close)][:8]
    return BadInput(
        f"has no {attribute!r}", file=place, expected=" | ".join(names) or "a module that holds an agent"
    )


def _candidate(module: ModuleType, key: str, value: object) -> bool:
    """Whether a name may be meant: no class, no module, nothing private, no function from elsewhere."""
    if key.startswith("_") or isinstance(value, type | ModuleType):
        return False
    if callable(value) and hasattr(value, "__code__"):
        return getattr(value, "__module__", None) == module.__name__
    return any(hasattr(value, method) for method in ("ainvoke", "run", "compile", "turn")) or callable(value)


def _reference(spec: str, model: str | None) -> LoadedNewcomer:
    from normgym_agents.newcomers.reference import REFERENCES

    name, _, query = spec.removeprefix(_REFERENCE).partition("?")
    if name not in REFERENCES:
        raise BadInput(f"there is no reference newcomer {name!r}", expected=" | ".join(sorted(REFERENCES)))
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query), max_num_fields=50)
    except ValueError as error:
        raise BadInput(f"cannot read {query!r}", field=spec, expected="?key=value&key=value") from error
    if len(dict(pairs)) != len(pairs):
        raise BadInput(f"a key stands twice in {query!r}", field=spec)
    effect: ModelEffect = "none given" if model is None else "ignored"
    factory = REFERENCES[name](dict(pairs))
    return LoadedNewcomer(name=spec, kind="reference", factory=factory, model_effect=effect)
