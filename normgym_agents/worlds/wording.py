"""How things and acts are named in prose.

What a newcomer reads and what is read back from its reply must use the same names, so both sides take
them from here and nowhere else. Pure: text in, text out.
"""

from __future__ import annotations

from normgym_agents.worlds.stage import Thing


def looks_of(thing: Thing, setting_looks_template: str, state_worked: bool, worked_word: str) -> str:
    """A thing's name in prose, without an article.

    Args:
        thing: The thing.
        setting_looks_template: How the setting names things, with `{attribute}` for each attribute.
        state_worked: Whether it has been worked on by now.
        worked_word: The setting's word for that, put in front.
    """
    looks = setting_looks_template.format(**thing.attributes)
    return f"{worked_word} {looks}" if state_worked else looks


def phrase_of(
    menu: str,
    *,
    thing: str | None = None,
    place: str | None = None,
    to: str | None = None,
    say: str | None = None,
    topic: str | None = None,
    address: str | None = None,
) -> str:
    """An act in the words of its menu entry, e.g. `give the sarn ringed cup to Oren`.

    Args:
        menu: How the verb is offered, e.g. `give THING to PERSON`.
        thing: The looks of the thing, without an article.
        place: The name of the place.
        to: The name of the person.
        say: The words, quoted in the phrase.
        topic: What is spoken of.
        address: How the person is addressed.
    """
    fillers = {
        "THING": thing and f"the {thing}",
        "PLACE": place and (f"the {place}" if "to PLACE" in menu else place),
        "PERSON": to,
        "WORDS": say and f'"{say}"',
        "TOPIC": topic,
        "ADDRESS": address,
    }
    return " ".join(fillers.get(word) or word for word in menu.split(" "))
