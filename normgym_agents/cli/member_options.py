"""The options that say who lives in the community, and which models speak for them."""

from __future__ import annotations

from typing import Annotated, Final

from normgym_agents.cli.options import option

PANEL: Final = "Who lives there"

Members = Annotated[
    str | None,
    option(
        "--members",
        text="Members follow a schedule, have a model word it, or have one decide.",
        panel=PANEL,
        metavar="scripted|voiced|autonomous",
        default="scripted",
    ),
]
MemberModel = Annotated[
    list[str] | None,
    option(
        "--member-model",
        text="Model of the members, or of one persona; may be given several times.",
        panel=PANEL,
        metavar="[PERSONA=]SPEC",
    ),
]
MemberDeadline = Annotated[
    float | None,
    option(
        "--member-deadline",
        text="Longest call to a member's model.",
        panel=PANEL,
        metavar="SECONDS",
        default="120",
    ),
]
MemberCalls = Annotated[
    int | None,
    option(
        "--member-calls",
        text="Most calls of all members in an episode; then schedule and templates stand in.",
        panel=PANEL,
        metavar="N",
        default="no limit",
    ),
]
MemberConcurrency = Annotated[
    int | None,
    option(
        "--member-concurrency", text="Calls at a time to one provider.", panel=PANEL, metavar="N", default="4"
    ),
]


def members_given(
    members: str | None,
    models: list[str] | None,
    deadline: float | None,
    episode_calls: int | None,
    concurrency: int | None,
) -> dict[str, object]:
    """The fields of a configuration, as far as they were given.

    Raises:
        BadInput: Two models are for the same persona, or one is none.
    """
    from normgym_agents.evaluation.config import parse_member_models

    limits = {"deadline": deadline, "episode_calls": episode_calls, "concurrency": concurrency}
    set_limits = {name: value for name, value in limits.items() if value is not None}
    return {
        **({} if members is None else {"members": members}),
        **({"member_models": parse_member_models(models)} if models else {}),
        **({"member_limits": set_limits} if set_limits else {}),
    }
