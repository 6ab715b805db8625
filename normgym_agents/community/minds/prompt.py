"""What a member's model is told before anything happens: who it is, where, and what it privately holds.

The texts lie beside this file. They are the beginning of every call of an episode, letter for letter, so that
providers can keep them; nothing that changes within an episode stands in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

import jinja2

from normgym_agents.community.kinds import MemberKind
from normgym_agents.community.personas import Disclosure, NormCard, Persona
from normgym_agents.community.phrases import with_article
from normgym_agents.worlds.public import Answer

if TYPE_CHECKING:
    from normgym_agents.community.minds.lexis import Lexis
    from normgym_agents.worlds.world import World

MOST_WORDS: Final = 16
"""Words of a line that a model is asked for."""

_DISCRETION: Final[Mapping[Disclosure, str]] = {
    Disclosure.NEVER: (
        "If somebody asks you how things are done here, or why, you do not say. You turn it aside in your own way."
    ),
    Disclosure.HINT: (
        "If somebody asks you how things are done here, or why, you do not say, but you may name a person here whom "
        "it is worth watching."
    ),
    Disclosure.TELL: (
        "If the newcomer asks you how things are done here, or why, you say it plainly: then, and only then, you put "
        "what you hold to into words of your own. Unasked you say nothing of it."
    ),
}
_ANSWERS: Final = {Answer.GESTURE: "a frown (gesture)", Answer.REBUKE: "a sharp word (rebuke)"}
_SHOWN_THINGS: Final = 4


@cache
def _texts() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("normgym_agents.community", "minds"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # plain text for a model, nothing that a browser shows
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def prompt_texts() -> list[str]:
    """All that members are told beside what is theirs and their world's."""
    texts = _texts()
    names = sorted(name for name in texts.list_templates() if name.endswith(".jinja"))
    sources = [texts.loader.get_source(texts, name)[0] for name in names] if texts.loader is not None else []
    return [*sources, *_DISCRETION.values(), str(MOST_WORDS)]


def member_prompt(
    kind: MemberKind, persona: Persona, card: NormCard, world: World, member: int, lexis: Lexis
) -> str:
    """The system message of a member.

    Args:
        kind: Whether a model words what it does, or decides it.
        persona: Who it is.
        card: What it privately holds.
        world: Where.
        member: Its index among the members.
        lexis: The words that stay unsaid.

    Raises:
        ValueError: Scripted members have no model to be told anything.
    """
    if kind is MemberKind.SCRIPTED:
        raise ValueError("scripted members are told nothing")
    stage, setting, cast = world.probe.stage, world.setting, world.cast
    role = cast.members[member].role
    others = [f"{one.name} ({one.role})" for i, one in enumerate(cast.members) if i != member]
    looks = [setting.looks.format(**thing.attributes) for thing in stage.things[:_SHOWN_THINGS]]
    signals = [
        f"the {name} is {' or '.join(map(str, pair))}" for name, pair in world.vocabulary.signals.items()
    ]
    text = (
        _texts()
        .get_template(f"{kind.value}.jinja")
        .render(
            persona=persona,
            role=with_article(role),
            title=setting.title,
            places=", ".join(f"the {place}" for place in stage.places),
            people=", ".join(others),
            newcomer=cast.newcomer,
            newcomer_role=with_article(cast.role),
            menu=" · ".join(verb.menu for verb in setting.verbs.values()),
            things="; ".join(looks),
            signals="; ".join(signals),
            canary=card.canary or "on the card",
            statements=[held.statement for held in card.norms],
            memories=card.memories,
            ladder=", then ".join(_ANSWERS[answer] for answer in card.answers),
            unsaid=", ".join((*lexis.literals, *lexis.verbs)),
            most_words=MOST_WORDS,
            discretion=_DISCRETION[persona.disclosure],
        )
    )
    return text.strip()
