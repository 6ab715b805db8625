"""The question that a newcomer is asked once the acting is over.

Only here a newcomer reads the word `rule`: nothing that it does afterwards is measured. The texts lie beside
this file. Their examples are made of words that no bundled setting has, and an example with a word of the world
at hand is left out, so that none can stand for an answer.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from normgym_agents.norms.enumeration import Vocabulary
from normgym_agents.worlds.asking import Question, sayable
from normgym_agents.worlds.public import NewcomerView


def question_for(view: NewcomerView, title: str) -> Question:
    """The question to whoever saw this at its last turn.

    Args:
        view: What it saw.
        title: How the setting is called.
    """
    words = sayable(view.vocabulary, view.verbs, view.stage)
    ours = words_of(words)
    shown = [(plain, short) for plain, short in examples() if not ours & set(_tokens(f"{plain} {short}"))]
    text = _template().format(
        title=title,
        plain="\n".join(f"  {plain}" for plain, _ in shown),
        short="\n".join(f"  {short}" for _, short in shown),
        words="\n".join(f"  {line}" for line in _glossary(words)),
    )
    return Question(text=text, view=view)


def words_of(words: Vocabulary) -> frozenset[str]:
    """Every word of a vocabulary but `role`, which belongs to the language."""
    slots = {slot for slot in words.values if slot != "role"}
    values = {value for some in (*words.values.values(), *words.signals.values()) for value in some}
    return frozenset(slots | values | {entry.verb for entry in words.verbs} | set(words.signals))


def _glossary(words: Vocabulary) -> list[str]:
    """Acts with their slots; slots and signals with their values."""
    acts = [f"{one.verb}({', '.join(one.slots)})" if one.slots else one.verb for one in words.verbs]
    return [
        f"acts: {' · '.join(acts)}",
        *(f"{slot}: {' · '.join(values)}" for slot, values in words.values.items()),
        *(f"when {signal}: {' · '.join(values)}" for signal, values in words.signals.items()),
        "when somebody is with them: present(ROLE)",
    ]


@cache
def examples() -> tuple[tuple[str, str], ...]:
    """Rules of nowhere, each in plain words and in short."""
    blocks = _text("question_examples.txt").split("\n\n")
    return tuple((plain, short) for plain, short in (block.split("\n") for block in blocks))


@cache
def _template() -> str:
    return _text("question.txt")


def _text(name: str) -> str:
    return files("normgym_agents.community").joinpath(name).read_text(encoding="utf-8").strip()


def _tokens(text: str) -> list[str]:
    return re.findall(r"[a-z][a-z0-9_\-]*", text.lower())
