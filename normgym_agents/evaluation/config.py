"""What a run is asked to do, as data: enough to do it again, or to resume it.

Fields that can change a record bind a resumed run; the others (how fast, where spans go) may differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
)

from normgym_agents.community.kinds import MemberKind, MemberLimits
from normgym_agents.errors import BadInput
from normgym_agents.newcomers.wiring import OnInterrupt, StateMapping
from normgym_agents.newcomers.wiring_files import MappingGiven, PolicyGiven, mapping_from, policy_from
from normgym_agents.worlds.conditions import BASE, Condition

Driver = Literal["graph", "loop"]
DRIVERS: Final[tuple[Driver, ...]] = ("graph", "loop")
ALL: Final = "all"
"""What stands for every condition that the suite is certified for."""


class Limits(BaseModel):
    """What a newcomer is allowed in an episode. Beyond it the episode ends as `newcomer_failed`.

    Attributes:
        deadline: Seconds for one turn; those in which a provider that failed is waited for do not count.
        episode_seconds: Seconds for all turns together, likewise.
        turn_calls: Model calls in one turn.
        turn_tokens: Tokens of prompts and answers in one turn, as the provider counts them.
        episode_calls: Model calls in all turns together.
        episode_tokens: Tokens in all turns together.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    deadline: float = Field(default=120.0, gt=0, allow_inf_nan=False)
    episode_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    turn_calls: int | None = Field(default=None, ge=1)
    turn_tokens: int | None = Field(default=None, ge=1)
    episode_calls: int | None = Field(default=None, ge=1)
    episode_tokens: int | None = Field(default=None, ge=1)

    @model_serializer(mode="wrap")
    def _set_alone(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What is not limited is left out, so that a new kind of limit changes the key of no earlier episode."""
        return {name: value for name, value in handler(self).items() if value is not None}


class RunConfig(BaseModel):
    """A run.

    Attributes:
        newcomer: Spec of the newcomer, as `load_newcomer` takes it.
        suite: Name of a suite, or the path of one.
        setting: What the worlds of a private suite are drawn from; None for the pottery yard, and beside other suites.
        conditions: Which evidence the newcomer gets, each once, in the order of `Condition`.
        worlds: How many worlds of the suite, from its first; None for all.
        trials: Episodes per world and condition.
        members: Kind of members.
        member_models: Specs of the models of members by persona; under "" everybody else's.
        member_limits: What these models are allowed.
        model: Spec of a model handed to the newcomer, where it takes one.
        mapping: The keys of a graph without `messages`, and what its runs need besides.
        on_interrupt: What happens where the newcomer pauses to ask.
        trust: Whether code that came inside of data (a component written out) may be run.
        seed: Seeds what a newcomer draws, and the intervals.
        limits: What the newcomer is allowed.
        report: Whether the newcomer is asked, at the end of each episode, what one may and must not do.
        driver: How rounds are driven; both give the same log.
        concurrency: Episodes at a time.
        otlp: Where spans are sent beside the run's folder.
        base: Folder that relative specs and paths are meant from; None is the current one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    newcomer: str
    suite: str = "quick"
    setting: str | None = None
    conditions: tuple[Condition, ...] = BASE
    worlds: int | None = Field(default=None, ge=1)
    trials: int = Field(default=1, ge=1)
    members: MemberKind = MemberKind.SCRIPTED
    member_models: dict[str, str] = {}
    member_limits: MemberLimits = MemberLimits()
    model: str | None = None
    mapping: StateMapping = StateMapping()
    on_interrupt: OnInterrupt = "reply"
    trust: bool = False
    seed: int = Field(default=0, ge=0, lt=2**63)
    limits: Limits = Limits()
    report: bool = False
    driver: Driver = "graph"
    concurrency: int = Field(default=4, ge=1)
    otlp: str | None = None
    base: str | None = None


BINDING: Final = (
    "setting",
    "conditions",
    "worlds",
    "trials",
    "members",
    "member_models",
    "member_limits",
    "model",
    "mapping",
    "on_interrupt",
    "trust",
    "seed",
    "limits",
    "report",
)
"""Fields that a resumed run must share with the one it resumes; newcomer and suite are compared by content."""


def parse_config(given: Mapping[str, object], base: RunConfig | None = None) -> RunConfig:
    """A configuration from what a user typed.

    Args:
        given: Fields by name, as far as they were given: `conditions` as comma-separated names, `limits` as
            a mapping with those that were given, or the deadline in seconds, `mapping` and `on_interrupt` in any
            form that `load_newcomer` takes, the others as in `RunConfig`.
        base: Where fields that were not given come from.

    Raises:
        BadInput: A field has a value that it cannot have; names it, and what would have been right.
    """
    fields = {} if base is None else dict(base)
    fields |= given
    if isinstance(conditions := fields.get("conditions"), str):
        fields["conditions"] = parse_conditions(conditions)
    _check_members(fields)
    if "mapping" in given:
        fields["mapping"] = mapping_from(cast(MappingGiven, given["mapping"]))
    if "on_interrupt" in given:
        fields["on_interrupt"] = policy_from(cast(PolicyGiven, given["on_interrupt"]))
    limits = fields.get("limits")
    if isinstance(limits, float):
        limits = {"deadline": limits}
    if isinstance(limits, Mapping):
        earlier = Limits() if base is None else base.limits
        fields["limits"] = _limits({**dict(earlier), **limits})
    try:
        return RunConfig.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Input should be ")
        raise BadInput(f"{first['input']!r} will not do", field=name, expected=message) from error


def _limits(given: Mapping[str, object]) -> Limits:
    deadline = given.get("deadline")
    if isinstance(deadline, float) and not 0 < deadline < float("inf"):
        raise BadInput(f"{deadline:g} seconds is no deadline", field="deadline", expected="more than 0")
    try:
        return Limits.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise BadInput(
            f"{first['input']!r} will not do",
            field=name,
            expected=first["msg"].removeprefix("Input should be "),
        ) from error


def parse_conditions(text: str) -> tuple[Condition, ...]:
    """Conditions from comma-separated names, or `all`, in the order of `Condition`.

    Raises:
        BadInput: One is unknown or stands twice, or there is none.
    """
    if text.strip() == ALL:
        return tuple(Condition)
    names = [name.strip() for name in text.split(",")]
    known = [condition.value for condition in Condition]
    if ALL in names and len(names) > 1:
        raise BadInput(f"{ALL!r} stands alone", field="conditions", expected=ALL)
    for name in names:
        if name not in known:
            raise BadInput(
                f"there is no condition {name!r}", field="conditions", expected=", ".join([*known, ALL])
            )
        if names.count(name) > 1:
            raise BadInput(f"{name!r} stands twice", field="conditions")
    return tuple(condition for condition in Condition if condition in names)


def _check_members(fields: dict[str, object]) -> None:
    """Members with models have one for everybody; scripted ones have none."""
    kind = str(fields.get("members", MemberKind.SCRIPTED))
    if kind not in tuple(MemberKind):
        raise BadInput(f"there are no {kind!r} members", field="members", expected=" | ".join(MemberKind))
    models = fields.get("member_models")
    if kind == MemberKind.SCRIPTED:
        if models:
            raise BadInput(
                "scripted members have no model",
                field="member_models",
                expected="--members voiced | autonomous",
            )
    elif not isinstance(models, Mapping) or "" not in models:
        raise BadInput(
            f"{kind} members need a model",
            field="member_models",
            expected="--member-model PROVIDER:MODEL, for everybody or beside those of single personas",
        )


def parse_member_models(given: Sequence[str]) -> dict[str, str]:
    """The models of members as they are typed: `PROVIDER:MODEL` for everybody, `PERSONA=PROVIDER:MODEL` for one.

    Raises:
        BadInput: One is for nobody, or two are for the same.
    """
    models: dict[str, str] = {}
    for one in given:
        persona, equals, spec = one.partition("=")
        # Parameters of a spec have an equals sign, too; but they stand behind its colon.
        persona, spec = (
            (persona.strip(), spec.strip()) if equals and ":" not in persona else ("", one.strip())
        )
        if persona in models:
            raise BadInput(f"{persona or 'everybody'} has two models", field="member_models")
        if not spec:
            raise BadInput(
                f"{one!r} names no model", field="member_models", expected="[PERSONA=]PROVIDER:MODEL"
            )
        models[persona] = spec
    return models
