"""Suites: fixed sets of certified worlds, kept as one compressed file with their digests.

Sampling takes minutes and reading takes a second, so suites are shipped drawn; anybody can draw them
again from the seed and compare the digests.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from normgym_agents.errors import BadInput
from normgym_agents.norms.fulfilment import check_fulfillable
from normgym_agents.norms.reachability import check_reachable
from normgym_agents.worlds.coherence import check_coherent
from normgym_agents.worlds.faithfulness import DEFAULT_LIMITS, FidelityLimits
from normgym_agents.worlds.vouching import placed, vouch
from normgym_agents.worlds.world import World

T = TypeVar("T", bound=BaseModel)

_SUFFIX = ".jsonl.gz"

PRIVATE = "private"
"""Name of the suite that everybody draws for themselves."""


class Suite(BaseModel):
    """A suite and its worlds, twins next to each other.

    Attributes:
        name: Its name.
        version: Results of different versions are not comparable.
        seed: What its worlds were drawn from; None where that is kept secret.
        digest: Hash over the digests of its worlds.
        worlds: The worlds.
        fidelity: How unfaithful members with models may be in an episode before it is reported apart.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: int
    seed: int | None
    digest: str
    worlds: tuple[World, ...]
    fidelity: FidelityLimits = DEFAULT_LIMITS

    def first(self, worlds: int) -> Suite:
        """The suite cut to its first worlds, with the digest of what is left."""
        kept = self.worlds[:worlds]
        return self.model_copy(update={"worlds": kept, "digest": suite_digest(kept)})


class _Header(BaseModel):
    """The first line of a suite's file.

    Attributes:
        digests: The digest of each world.
        certificates: Hash over the certificates, which no digest covers: they follow from the worlds.
        proved: Hash of the certificate of each world; empty in older files.
        fidelity: Limits of the suite's own; the defaults where it has none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: int
    seed: int | None
    digest: str
    digests: dict[str, str]
    certificates: str
    proved: dict[str, str] = {}
    fidelity: FidelityLimits = DEFAULT_LIMITS


def suite_digest(worlds: Sequence[World]) -> str:
    """Hash over the ids and digests of the worlds, in order."""
    text = "\n".join(f"{world.id} {world.digest}" for world in worlds)
    return sha256(text.encode()).hexdigest()[:16]


def _certificates_digest(worlds: Sequence[World]) -> str:
    lines = [world.certificate.model_dump_json() if world.certificate else "" for world in worlds]
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def _proved(worlds: Sequence[World]) -> dict[str, str]:
    return {world.id: _certificates_digest([world]) for world in worlds}


def make_suite(name: str, version: int, seed: int | None, worlds: Sequence[World]) -> Suite:
    """A suite of these worlds."""
    return Suite(name=name, version=version, seed=seed, digest=suite_digest(worlds), worlds=tuple(worlds))


def available_suites() -> tuple[str, ...]:
    """Names of the bundled suites."""
    names = (entry.name for entry in files(__package__).joinpath("certified").iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


def load_suite(name: str) -> Suite:
    """Read a bundled suite by name, or a suite's file by path.

    Files from outside are believed less: their worlds must be whole, their tasks possible, and their
    certificates must fit them as far as that is quickly told (`vouching`).

    Raises:
        BadInput: No such suite; or a line of the file is no world, does not match its digest, or is a world that
            nothing can be measured in.
    """
    if name in available_suites():
        with files(__package__).joinpath("certified", name + _SUFFIX).open("rb") as stream:
            return _parse(stream.read(), f"suite {name}")
    try:
        content = Path(name).read_bytes() if Path(name).is_file() else None
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", file=name, expected="a suite's file") from None
    if content is None:
        if name == PRIVATE:
            raise BadInput(
                "the worlds of a private suite are drawn anew from its seed, which is nowhere stored",
                field="--suite-seed",
                expected="the seed that they were first drawn from",
            )
        known = ", ".join((*available_suites(), PRIVATE))
        raise BadInput(f"no suite {name!r}", field="--suite", expected=f"one of {known}, or a suite's file")
    return _from_outside(content, name)


@lru_cache(maxsize=2)
def _from_outside(content: bytes, file: str) -> Suite:
    """Runs that are compared name one file again and again, and checking worlds takes its time."""
    suite = _parse(content, file, outside=True)
    vouch(suite.worlds, file)
    return suite


def dump_suite(suite: Suite, *, compressed: bool = True) -> bytes:
    """The suite's file, for a name that ends in .jsonl.gz, else in .jsonl: equal suites give equal bytes."""
    header = _Header(
        name=suite.name,
        version=suite.version,
        seed=suite.seed,
        digest=suite.digest,
        digests={world.id: world.digest for world in suite.worlds},
        certificates=_certificates_digest(suite.worlds),
        proved=_proved(suite.worlds),
        fidelity=suite.fidelity,
    )
    # The defaults are left out, so that files of suites without limits of their own stay as they are.
    unsaid = {"fidelity"} if suite.fidelity == DEFAULT_LIMITS else None
    lines = [header.model_dump_json(exclude=unsaid), *(world.model_dump_json() for world in suite.worlds)]
    text = "\n".join(lines).encode() + b"\n"
    return gzip.compress(text, mtime=0) if compressed else text


def _parse(content: bytes, file: str, *, outside: bool = False) -> Suite:
    lines = _lines(content, file)
    header = _line(_Header, lines[0], file, 1)
    worlds = [_line(World, line, file, number) for number, line in enumerate(lines[1:], start=2)]
    seen: dict[str, int] = {}
    for number, world in enumerate(worlds, start=2):
        _check_seal(world, header, file, number)
        if world.id in seen:
            message = f"world {world.id} stands twice, first in line {seen[world.id]}"
            raise BadInput(message, file=file, line=number, field="id", expected="each world once")
        seen[world.id] = number
        _check_norms(world, file, number)
        if outside:
            before = worlds[number - 3] if number > 2 else None
            with placed(world, file, number):
                check_coherent(world, before)
    _check_seals(worlds, header, file)
    _check_twins(worlds, file)
    return Suite(
        name=header.name,
        version=header.version,
        seed=header.seed,
        digest=header.digest,
        worlds=tuple(worlds),
        fidelity=header.fidelity,
    )


def _lines(content: bytes, file: str) -> list[str]:
    try:
        text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as fault:
        raise BadInput(f"cannot be read: {fault}", file=file, expected="a suite's file") from None
    # Not splitlines: other line breaks may stand within a phrase.
    lines = text.removesuffix("\n").split("\n")
    if lines == [""]:
        raise BadInput("the file is empty", file=file, expected="a suite's file")
    return lines


def _check_seal(world: World, header: _Header, file: str, number: int) -> None:
    if world.certificate is None:
        raise BadInput(
            f"world {world.id} has no certificate",
            file=file,
            line=number,
            field="certificate",
            expected="worlds drawn by normgym world sample",
        )
    stored = header.digests.get(world.id)
    if stored is None:
        raise BadInput(
            f"line 1 lists no world {world.id}",
            file=file,
            line=number,
            field="id",
            expected=_some(header.digests),
        )
    if stored != world.digest or world.computed_digest() != world.digest:
        raise BadInput(
            f"world {world.id} does not match its digest",
            file=file,
            line=number,
            field="digest",
            expected=stored,
        )
    proved = header.proved.get(world.id)
    if header.proved and _proved([world])[world.id] != proved:
        raise _altered(f"the certificate of world {world.id} was altered", file, number, "certificate")


def _check_seals(worlds: Sequence[World], header: _Header, file: str) -> None:
    if suite_digest(worlds) != header.digest:
        missing = [world for world in header.digests if world not in {w.id for w in worlds}]
        found = f"world {missing[0]} is missing" if missing else "they stand in another order"
        raise BadInput(
            f"the worlds do not match the suite's digest: {found}",
            file=file,
            line=1,
            field="digest",
            expected=header.digest,
        )
    if _certificates_digest(worlds) != header.certificates:
        raise _altered("the certificate of some world below was altered", file, 1, "certificates")


def _altered(message: str, file: str, number: int, field: str) -> BadInput:
    expected = "the file as it was written; normgym world sample draws and proves worlds anew"
    return BadInput(f"{message} since it was proved", file=file, line=number, field=field, expected=expected)


def _check_twins(worlds: Sequence[World], file: str) -> None:
    if not worlds:
        raise BadInput("there are no worlds", file=file, expected="a pair of twins or more, a line each")
    ids = {world.id: world.twin for world in worlds}
    for number, world in enumerate(worlds, start=2):
        if ids.get(world.twin) != world.id or world.twin == world.id:
            message = f"world {world.id} stands without its twin"
            raise BadInput(
                message, file=file, line=number, field="twin", expected="the id of another world here"
            )
        # Suites are cut to their first worlds.
        if number % 2 == 0 and worlds[number - 1].id != world.twin:
            message = f"world {world.id} is not followed by its twin"
            raise BadInput(message, file=file, line=number + 1, field="id", expected=world.twin)


def _some(words: Iterable[str]) -> str:
    """The first few."""
    first = list(islice(words, 5))
    return " | ".join(first[:4]) + (" | …" if len(first) > 4 else "")


def _check_norms(world: World, file: str, number: int) -> None:
    """Refuse norms that contradict each other, or that nothing in the world can keep or break."""
    with placed(world, file, number):
        try:
            check_reachable(world.rules.norms, world.vocabulary)
            check_fulfillable(world.rules, world.vocabulary)
        except BadInput as fault:
            place = "norms" if fault.field is None else f"norms, {fault.field}"
            raise BadInput(fault.message, field=place, expected=fault.expected) from fault


def _line(model: type[T], line: str, file: str, number: int) -> T:
    try:
        return model.model_validate_json(line)
    except ValidationError as fault:
        first = fault.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        # A line of JSON has lines of its own, always the first: only the column says something.
        message = " ".join(str(first["msg"]).replace(" at line 1 column ", " at column ").split())
        what = "what normgym world sample writes there: " + ("a head" if number == 1 else "a world")
        raise BadInput(message, file=file, line=number, field=field or None, expected=what) from None
