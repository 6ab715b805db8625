"""From what people wrote to the card of each member: its own norms, those of its role, and those that were agreed on.

Each norm keeps where it was written, so that whatever is wrong with it is said of that line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from normgym_agents.community.held import CardFile, HeldNorm, NormCard
from normgym_agents.community.negotiation import remembered
from normgym_agents.community.written import CommunityFile, MemberEntry
from normgym_agents.norms.language import parse_norm, print_norm
from normgym_agents.norms.norm import Bearer, Norm

Keys = tuple[str | int, ...]


class Source(NamedTuple):
    """Where a norm was written: the keys and indices that lead to its rule in a file."""

    file: Path
    keys: Keys

    @property
    def field(self) -> str:
        """The way to the rule, as messages name it."""
        return dotted(self.keys)


class Composed(NamedTuple):
    """A card, and where each of its norms was written."""

    card: NormCard
    sources: tuple[Source, ...]


class _Written(NamedTuple):
    norms: Sequence[HeldNorm]
    sources: Sequence[Source]


def dotted(keys: Keys) -> str:
    """Keys and indices as a path, e.g. `members[1].role`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")


def binding(held: HeldNorm, role: str) -> HeldNorm | None:
    """A norm as it binds the holders of a role; None if it names other people itself."""
    norm = parse_norm(held.rule)
    phases = [norm, *([] if norm.successor is None else [norm.successor.norm])]
    if any(now.bearer not in (None, Bearer(role=role)) for now in phases):
        return None
    bound: dict[str, object] = {"bearer": Bearer(role=role)}
    if norm.successor is not None:
        later = norm.successor.norm.model_copy(update={"bearer": Bearer(role=role)})
        bound["successor"] = norm.successor.model_copy(update={"norm": later})
    return held.model_copy(update={"rule": print_norm(norm.model_copy(update=bound))})


def compose(
    community: CommunityFile,
    file: Path,
    entry: MemberEntry,
    own: CardFile,
    own_file: Path,
    names: Mapping[str, str],
) -> Composed:
    """The card of a member.

    Args:
        community: The community.
        file: Its file.
        entry: The member.
        own: The member's own card.
        own_file: The file of that.
        names: What members are called, by the names of their personas' files.
    """
    found: dict[Norm, tuple[HeldNorm, Source]] = {}
    for written in _written(community, file, entry, own, own_file):
        _add(found, written)
    order = list(found)
    lightly = [
        order.index(parse_norm(one.settled.rule))
        for one in community.agreements
        if one.adopted and entry.persona in one.lightly
    ]
    card = NormCard(
        norms=(),
        answers=own.answers,
        lightly=frozenset(lightly),
        memories=tuple(remembered(one, names, entry.persona) for one in community.agreements),
    )
    # The set is checked where its faults can be said of the line they are in.
    card = card.model_copy(update={"norms": tuple(held for held, _ in found.values())})
    return Composed(card, tuple(source for _, source in found.values()))


def _add(found: dict[Norm, tuple[HeldNorm, Source]], written: _Written) -> None:
    """Add a list of norms to a card, each once. Labels count within the list, so on the card they change."""
    read = [parse_norm(held.rule) for held in written.norms]
    if not found:
        found.update(zip(read, zip(written.norms, written.sources, strict=True), strict=True))
        return
    for norm, held, source in zip(read, written.norms, written.sources, strict=True):
        if norm.overriding is None:
            found.setdefault(norm, (held, source))
    order = {norm: place for place, norm in enumerate(found)}
    for norm, held, source in zip(read, written.norms, written.sources, strict=True):
        if norm.overriding is not None:
            base = read[int(norm.overriding.removeprefix("N")) - 1]
            permit = norm.model_copy(update={"overriding": f"N{order[base] + 1}"})
            found.setdefault(permit, (held.model_copy(update={"rule": print_norm(permit)}), source))


def _written(
    community: CommunityFile, file: Path, entry: MemberEntry, own: CardFile, own_file: Path
) -> Iterator[_Written]:
    yield _Written(own.norms, [Source(own_file, ("norms", i, "rule")) for i in range(len(own.norms))])
    for role, brought in community.roles.items():
        if role == entry.role:
            yield _Written(brought.minds, _listed(file, ("roles", role, "minds"), len(brought.minds)))
        bound = [binding(held, role) or held for held in brought.owes]
        yield _Written(bound, _listed(file, ("roles", role, "owes"), len(bound)))
    for i, agreement in enumerate(community.agreements):
        if agreement.adopted:
            yield _Written([agreement.settled], [Source(file, ("agreements", i, *agreement.place))])


def _listed(file: Path, keys: Keys, count: int) -> list[Source]:
    return [Source(file, (*keys, i, "rule")) for i in range(count)]
