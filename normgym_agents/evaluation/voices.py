"""The members of a run: which models speak for them, and what tells them from others of the same kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from normgym_agents.community.kinds import MemberKind
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import RunConfig

if TYPE_CHECKING:
    from normgym_agents.community.minds.models import MemberModels
    from normgym_agents.worlds.conditions import Condition
    from normgym_agents.worlds.world import World


@dataclass(frozen=True, kw_only=True)
class Voices:
    """Who speaks for the members of a run.

    Attributes:
        identity: Changes whenever members may behave differently: the kind, and for kinds with models a hash of these,
            of the personas and of what they are told.
        models: The models; None where members are scripted.
    """

    identity: str
    models: MemberModels | None = None


SCRIPTED = Voices(identity=MemberKind.SCRIPTED.value)
"""Members without models."""


def open_voices(config: RunConfig, worlds: Iterable[World]) -> Voices:
    """Open the models that a configuration names for its members. Calls none of them.

    Raises:
        BadInput: A spec names no model, or a persona nobody; or a condition varies what autonomous members do.
    """
    if config.members is MemberKind.SCRIPTED:
        return SCRIPTED
    from normgym_agents.community.minds.models import member_models
    from normgym_agents.community.minds.prompt import prompt_texts
    from normgym_agents.evaluation.episodes import people
    from normgym_agents.newcomers.models import make_chat_model

    if config.members is MemberKind.AUTONOMOUS:
        _check_free(config.conditions)
    everybody = {
        key: one
        for name in sorted({world.setting.name for world in worlds})
        for key, one in people(name).items()
    }
    if unknown := sorted(set(config.member_models) - set(everybody) - {""}):
        raise BadInput(
            f"there is no persona {unknown[0]!r} in this suite",
            field="member_models",
            expected=" | ".join(sorted(everybody)),
        )
    opened = {key: (spec, make_chat_model(spec)) for key, spec in config.member_models.items()}
    told = [
        *(f"{key}={spec}" for key, spec in sorted(config.member_models.items())),
        *(
            f"{key}={one.persona.model_dump_json()}{one.card.model_dump_json()}"
            for key, one in sorted(everybody.items())
        ),
        *prompt_texts(),
        config.member_limits.model_dump_json(include={"episode_calls"}),
    ]
    digest = sha256("\n".join(told).encode()).hexdigest()[:12]
    return Voices(
        identity=f"{config.members.value}-{digest}",
        models=member_models(config.members, opened, config.member_limits),
    )


def _check_free(conditions: Iterable[Condition]) -> None:
    from normgym_agents.community.minds.deciding import FREE

    for condition in conditions:
        if condition not in FREE:
            raise BadInput(
                f"{condition.value!r} varies what members do, which autonomous ones decide",
                field="conditions",
                expected=",".join(condition.value for condition in FREE),
            )
