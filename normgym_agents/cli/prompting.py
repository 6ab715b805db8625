"""The line that a person types on, in a real terminal: editing, completion, and a look back.

Reading keys without holding up the event loop, in raw mode, with completion, on terminals of every kind is what
prompt_toolkit is for. It is imported by `terminal` alone, and only when a person sits there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import HSplit, Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import TextArea

_LOOK_BACK: Final = "\0look back"
"""What the line gives where a key asks to look back; nobody can type it."""

_STYLE: Final = Style.from_dict(
    {"prompt": "bold", "bottom-toolbar": "noreverse", "hint": "fg:ansibrightblack"}
)
_HINT: Final = "Tab completes · PgUp looks back · ? helps · Ctrl-D leaves"
_CLOSE: Final = "↑ ↓ PgUp PgDn move · g top · G end · q goes back"


class Prompt:
    """The line, and what lies behind it.

    Args:
        past: All that was shown and typed so far, in lines that fit.
    """

    def __init__(self, past: Callable[[], Sequence[str]]) -> None:
        self._past = past
        self._acts = _Acts()
        self._session: PromptSession[str] = PromptSession(
            completer=self._acts,
            complete_while_typing=True,
            editing_mode=EditingMode.EMACS,
            key_bindings=_keys(),
            bottom_toolbar=FormattedText([("class:hint", _HINT)]),
            reserve_space_for_menu=6,
            style=_STYLE,
        )

    async def line(self, acts: Sequence[str]) -> str:
        """What is typed.

        Args:
            acts: What can be completed.

        Raises:
            EOFError: Ctrl-D.
            KeyboardInterrupt: Ctrl-C.
        """
        self._acts.phrases = acts
        begun = ""
        while True:
            # Whoever runs the loop handles the signal; the key is enough here.
            line = await self._session.prompt_async(
                FormattedText([("class:prompt", "> ")]), default=begun, handle_sigint=False
            )
            if not line.startswith(_LOOK_BACK):
                return line
            begun = line.removeprefix(_LOOK_BACK)
            await self.look_back()

    async def look_back(self) -> None:
        """Show all that was so far, to move about in, until a key closes it."""
        area = TextArea("\n".join(self._past()), read_only=True, scrollbar=True)
        area.buffer.cursor_position = len(area.text)
        keys = KeyBindings()

        for key in ("q", "escape", "enter", "c-c", "c-d"):
            keys.add(key, eager=True)(_close)

        @keys.add("g", eager=True)
        def _(event: KeyPressEvent) -> None:
            area.buffer.cursor_position = 0

        @keys.add("G", eager=True)
        def _(event: KeyPressEvent) -> None:
            area.buffer.cursor_position = len(area.text)

        hint = Window(FormattedTextControl([("class:hint", _CLOSE)]), height=1)
        viewer: Application[None] = Application(
            layout=Layout(HSplit([area, hint])), key_bindings=keys, full_screen=True, style=_STYLE
        )
        await viewer.run_async(handle_sigint=False)


class _Acts(Completer):
    """Completes a line to an act: each word that was typed begins a word of it, in order."""

    def __init__(self) -> None:
        self.phrases: Sequence[str] = ()

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The acts that the line may become; of an empty line, the verbs."""
        typed = document.text_before_cursor
        if document.text_after_cursor:
            return
        found = [phrase for phrase in self.phrases if begins(typed, phrase)]
        verbs = list(dict.fromkeys(phrase.split(" ")[0] for phrase in found))
        if len(typed.split()) < 2 and not typed.endswith(" ") and len(verbs) > 1:
            found = [f"{verb} " if any(p.startswith(f"{verb} ") for p in found) else verb for verb in verbs]
        for phrase in found:
            if phrase != typed:
                yield Completion(phrase, start_position=-len(typed))


def begins(typed: str, phrase: str) -> bool:
    """Whether each typed word begins a word of the phrase, in order, and the first of them the first."""
    rest = iter(phrase.casefold().split())
    words = typed.casefold().split()
    if words and not phrase.casefold().startswith(words[0]):
        return False
    return all(any(word.startswith(begun) for word in rest) for begun in words)


def _close(event: KeyPressEvent) -> None:
    event.app.exit()


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("pageup")
    def _(event: KeyPressEvent) -> None:
        app: Any = event.app
        app.exit(result=_LOOK_BACK + event.app.current_buffer.text)

    @keys.add("tab")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        found = list(buffer.completer.get_completions(buffer.document, CompleteEvent()))
        if len(found) == 1:
            # At once: whoever types on must not be quicker than the menu.
            buffer.apply_completion(found[0])
        elif buffer.complete_state:
            buffer.complete_next()
        else:
            buffer.start_completion(select_first=True)

    return keys
