"""`run.json`: what a run was asked, and with which versions and digests. It decides what may be resumed."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from normgym_agents.community.kinds import MemberKind
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import BINDING, RunConfig
from normgym_agents.evaluation.plan import Plan
from normgym_agents.evaluation.results import SuiteResult
from normgym_agents.files import write_atomic
from normgym_agents.worlds.faithfulness import DEFAULT_LIMITS, FidelityLimits

MANIFEST_FILE: Final = "run.json"
_OURS: Final = "normgym-agents"
_PACKAGES: Final = (_OURS, "langgraph", "langchain-core", "autogen-agentchat", "numpy", "pydantic")


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class NewcomerIdentity(_Data):
    """Who came.

    Attributes:
        name: What the newcomer is known by.
        fingerprint: Tells it from a changed one of the same name.
    """

    name: str
    fingerprint: str


class Manifest(_Data):
    """The content of `run.json`.

    Attributes:
        manifest_schema: Version of this form (`schema` in JSON).
        config: What was asked for.
        newcomer: Who came.
        suite: Which worlds, with their digest.
        versions: Of Python and of the packages that matter.
        members: What tells its members from others.
        fidelity: How unfaithful members with models may be before an episode is reported apart.
        asked: How many episodes were asked for.
        created: When the run began, in UTC.
        notes: What a reader must know of how it was run.
    """

    manifest_schema: Literal[1] = Field(default=1, alias="schema")
    config: RunConfig
    newcomer: NewcomerIdentity
    suite: SuiteResult
    versions: dict[str, str]
    members: str = MemberKind.SCRIPTED.value
    fidelity: FidelityLimits = DEFAULT_LIMITS
    asked: int = Field(ge=0)
    created: str
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.config.worlds not in (None, self.suite.worlds):
            raise ValueError(f"config.worlds is {self.config.worlds}, suite.worlds {self.suite.worlds}")
        return self


def describe(plan: Plan) -> Manifest:
    """The manifest of a run that begins now."""
    return Manifest(
        config=plan.config,
        newcomer=NewcomerIdentity(name=plan.newcomer.name, fingerprint=plan.newcomer.fingerprint),
        suite=plan.suite,
        versions=versions(),
        members=plan.voices.identity,
        fidelity=plan.fidelity,
        asked=len(plan.episodes),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        notes=plan.notes,
    )


def versions() -> dict[str, str]:
    """Versions of Python and of the installed packages that matter to a result."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write `run.json`, whole or not at all."""
    content = json.dumps(manifest.model_dump(by_alias=True), indent=2, sort_keys=True)
    write_atomic(folder / MANIFEST_FILE, content + "\n")


def read_manifest(folder: Path) -> Manifest:
    """Read `run.json`.

    Raises:
        BadInput: There is none, or it does not read as one.
    """
    path = folder / MANIFEST_FILE
    try:
        return Manifest.model_validate(json.loads(path.read_bytes()))
    except OSError as error:
        raise BadInput(
            f"cannot be read: {error.strerror}", file=path, expected="the folder of a run"
        ) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or None
        raise BadInput(f"is no description of a run: {first['msg']}", file=path, field=field) from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is no description of a run: {error}", file=path) from error


def check_resumable(folder: Path, stored: Manifest, wanted: Manifest) -> None:
    """Refuse to add the episodes of one run to those of another.

    Raises:
        BadInput: Something that can change a record differs; names the field and both values.
    """
    pairs: list[tuple[str, Any, Any]] = [
        (name, getattr(stored.config, name), getattr(wanted.config, name)) for name in BINDING
    ]
    pairs += [
        ("newcomer.name", stored.newcomer.name, wanted.newcomer.name),
        ("newcomer.fingerprint", stored.newcomer.fingerprint, wanted.newcomer.fingerprint),
        ("suite.name", stored.suite.name, wanted.suite.name),
        ("suite.version", stored.suite.version, wanted.suite.version),
        ("suite.digest", stored.suite.digest, wanted.suite.digest),
        (f"versions.{_OURS}", stored.versions.get(_OURS), wanted.versions.get(_OURS)),
    ]
    for name, before, now in pairs:
        if before != now:
            raise BadInput(
                f"this run was begun with {_shown(before)}, not {_shown(now)}",
                file=folder / MANIFEST_FILE,
                field=name,
                expected="the same configuration, or another folder",
            )


def _shown(value: Any) -> str:
    if isinstance(value, BaseModel):
        return ", ".join(f"{name}={part}" for name, part in value)
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return "all" if value is None else str(value)
