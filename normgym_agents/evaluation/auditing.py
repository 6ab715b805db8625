"""The audit of a run's members: their conduct, episode by episode and in all, and what their models cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from normgym_agents.community.kinds import MemberKind
from normgym_agents.evaluation.fidelity import Apart, Conduct, apart, beyond, conduct_of, together
from normgym_agents.evaluation.manifest import read_manifest
from normgym_agents.evaluation.records import MembersClock, Record
from normgym_agents.evaluation.store import read_records
from normgym_agents.worlds.conditions import Condition


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True)


class AuditedEpisode(_Data):
    """What members did in an episode.

    Attributes:
        world: Id of the world.
        condition: The condition.
        trial: Counted from 0.
        conduct: What all of them did.
        evidence: As in the record.
        beyond: The limits that were passed, by name.
        apart: Why the episode is reported apart; None if it is not.
    """

    world: str
    condition: Condition
    trial: int
    conduct: Conduct
    evidence: float | None
    beyond: tuple[str, ...]
    apart: Apart | None


class Cost(_Data):
    """What models of members cost, in the mean over episodes.

    Attributes:
        calls: Calls.
        input_tokens: Prompt tokens, as far as providers count them.
        output_tokens: Completion tokens, likewise.
        cached_tokens: Prompt tokens that providers had kept, where they say so.
        prefix_share: Share of the prompts that is the verbatim beginning of the member's previous one, by characters.
        later_share: The same without the first prompt of each member, which has none before it.
        least_share: The least share in a call that was not a member's first.
    """

    calls: float = 0.0
    input_tokens: float = 0.0
    output_tokens: float = 0.0
    cached_tokens: float = 0.0
    prefix_share: float = 0.0
    later_share: float = 0.0
    least_share: float = 0.0


class Audit(_Data):
    """The audit of a run.

    Attributes:
        kind: The kind of its members.
        members: What each did over all episodes, by name; empty where members are scripted.
        together: What all of them did.
        episodes: Episode by episode.
        cost: What their models cost.
    """

    kind: MemberKind
    members: dict[str, Conduct]
    together: Conduct
    episodes: tuple[AuditedEpisode, ...]
    cost: Cost


def audit(folder: Path) -> Audit:
    """Audit the members of a run. Writes nothing.

    Args:
        folder: The run's folder.

    Raises:
        BadInput: It is none, or a file of it does not read as it should.
    """
    manifest, stored = read_manifest(folder), read_records(folder)
    records = sorted(stored.records, key=lambda record: (record.world, record.condition, record.trial))
    members: dict[str, Conduct] = {}
    episodes = []
    for record in records:
        conduct = conduct_of(record.events)
        for member, did in conduct.items():
            members[member] = members.get(member, Conduct()) + did
        if record.clock.members is not None:
            whole = together(conduct)
            episodes.append(
                AuditedEpisode(
                    world=record.world,
                    condition=record.condition,
                    trial=record.trial,
                    conduct=whole,
                    evidence=record.evidence,
                    beyond=beyond(whole, manifest.fidelity),
                    apart=apart(record, manifest.fidelity),
                )
            )
    return Audit(
        kind=manifest.config.members,
        members=dict(sorted(members.items())),
        together=together(members),
        episodes=tuple(episodes),
        cost=cost_of(records),
    )


def cost_of(records: Sequence[Record]) -> Cost:
    """What models of members cost; zeros where there were none."""
    used = [record.clock.members for record in records if record.clock.members is not None]
    if not used:
        return Cost()
    prompts = sum(one.prompt_characters for one in used)
    return Cost(
        calls=_mean(used, "calls"),
        input_tokens=_mean(used, "input_tokens"),
        output_tokens=_mean(used, "output_tokens"),
        cached_tokens=_mean(used, "cached_tokens"),
        prefix_share=_share(sum(one.prefix_characters for one in used), prompts),
        later_share=_share(
            sum(one.prefix_characters for one in used), prompts - sum(one.first_characters for one in used)
        ),
        least_share=min((one.least_share for one in used if one.least_share is not None), default=0.0),
    )


def _mean(used: Sequence[MembersClock], name: str) -> float:
    return float(sum(getattr(one, name) for one in used)) / len(used)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
