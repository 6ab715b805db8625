"""How a newcomer is named: every form of a spec, once, for help, listings, errors and the docs.

Imports nothing, so that help can show it at once; `newcomers.loading` and `newcomers.naming` are what reads specs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Form:
    """One form of a spec.

    Attributes:
        text: The spec, with capitals and paths for what is to be filled in.
        names: What it names.
    """

    text: str
    names: str


FORMS: Final = (
    Form(text="path/to/file.py:name", names="an agent, a graph or a factory in a file"),
    Form(text="package.module:name", names="the same in a module that can be imported"),
    Form(text="NAME", names="a graph of the langgraph.json here; path/to/langgraph.json:NAME of another"),
    Form(text="agent.json", names="an AutoGen component that was written out"),
    Form(text="openai:MODEL", names="a chat model, of any provider that LangChain knows"),
    Form(text="endpoint:http://HOST:PORT/v1#MODEL", names="a model of an OpenAI-compatible endpoint"),
    Form(text="langgraph:http://HOST:PORT/ASSISTANT", names="a graph that a LangGraph server runs"),
    Form(text="http-agent:PORT", names="an agent in another process, which comes to us over HTTP"),
    Form(text="plug-in:NAME", names="a newcomer that an installed package brings"),
    Form(text="reference:NAME", names="one that comes with this library"),
)
"""In the order in which they are shown."""


def expected() -> str:
    """The forms as an error names what would have been right."""
    return " | ".join("a name from langgraph.json" if form.text == "NAME" else form.text for form in FORMS)
