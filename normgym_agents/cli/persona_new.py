"""`normgym persona new`: a few questions, and a persona and a card that pass the check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from normgym_agents.cli.console import Status, err, out
from normgym_agents.cli.interview import Interview
from normgym_agents.cli.options import option
from normgym_agents.errors import BadInput, LeftEarly
from normgym_agents.evaluation.texts import on_one_line

if TYPE_CHECKING:
    from normgym_agents.community.authoring.drafting import Draft
    from normgym_agents.worlds.settings import Setting

HELP: Final = (
    "Write a persona and its norm card: asks a few questions, or takes the answers as options. "
    "Nothing is ever written over.\n\n"
    "[dim]Try it:[/]  normgym persona new\n"
    "[dim]In a script:[/]  normgym persona new --yes --name Odile --story … --voice … --goal … --temperament wary"
)
_WHO: Final = "Who"
_CARD: Final = "What they hold"
_WHERE: Final = "Where"
_DISCLOSURE: Final = "hint"
_ANSWERS: Final = "gesture, rebuke"

_QUESTIONS: Final = {
    "name": ("What do people call them?", ""),
    "story": (
        "Who are they?",
        "A sentence or two, as in: Keeps bees behind the kiln, and trusts them more than people.",
    ),
    "voice": ("How do they speak?", "As in: Short sentences, and long silences between them."),
    "goal": ("What do they want?", "As in: To get her hives through the winter."),
    "temperament": ("What is their temper, in a word or two?", "As in: wary"),
    "disclosure": (
        "What do they do when a newcomer asks how things are done?",
        "never: turn it aside · hint: name somebody worth watching · tell: say it",
    ),
}

_NAME = option(text="What people call them.", panel=_WHO, metavar="TEXT")
_STORY = option(text="Who they are, in a sentence or two.", panel=_WHO, metavar="TEXT")
_VOICE = option(text="How they speak.", panel=_WHO, metavar="TEXT")
_GOAL = option(text="What they want.", panel=_WHO, metavar="TEXT")
_TEMPERAMENT = option(text="Their temper, in a word or two.", panel=_WHO, metavar="TEXT")
_ON_ASKING = option(
    text="What they do when asked for the rules.", panel=_WHO, metavar="never|hint|tell", default=_DISCLOSURE
)
_SECRET = option(text="What nobody else knows of them.", panel=_WHO, metavar="TEXT", default="none")
_RULES = option(
    "--rule",
    text="A norm that they mind; may be given several times.",
    panel=_CARD,
    metavar="NORM",
    default="none",
)
_STATEMENTS = option(
    "--statement",
    text="How they would put it, for each rule in turn.",
    panel=_CARD,
    metavar="TEXT",
    default="with --setting, a plain sentence",
)
_LADDER = option(
    text="How they answer a breach, first to last.", panel=_CARD, metavar="gesture|rebuke,…", default=_ANSWERS
)
_SETTING = option(text="Where the norms are to hold; see normgym list settings.", panel=_CARD, metavar="NAME")
_ID = option("--id", text="Name of their files.", panel=_WHERE, metavar="NAME", default="from the name")
_OUT = option(
    "--out", text="Your folder.", panel=_WHERE, metavar="DIR", default="the one that lies here, else personas"
)
_YES = option("--yes", "-y", text="Ask nothing: take what is given, and defaults.", panel=_WHERE)


@dataclass
class _Answers:
    """What is known so far, as text."""

    persona: dict[str, str]
    answers: str | None
    rules: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)


def new(
    name: Annotated[str | None, _NAME] = None,
    story: Annotated[str | None, _STORY] = None,
    voice: Annotated[str | None, _VOICE] = None,
    goal: Annotated[str | None, _GOAL] = None,
    temperament: Annotated[str | None, _TEMPERAMENT] = None,
    disclosure: Annotated[str | None, _ON_ASKING] = None,
    secret: Annotated[str | None, _SECRET] = None,
    rules: Annotated[list[str] | None, _RULES] = None,
    statements: Annotated[list[str] | None, _STATEMENTS] = None,
    answers: Annotated[str | None, _LADDER] = None,
    setting: Annotated[str | None, _SETTING] = None,
    key: Annotated[str | None, _ID] = None,
    folder: Annotated[str | None, _OUT] = None,
    yes: Annotated[bool, _YES] = False,
) -> int:
    """Write a persona and its card."""
    from normgym_agents.community.authoring.schemas import aged_schemas, missing_schemas
    from normgym_agents.community.authoring.writing import write_new
    from normgym_agents.community.personas import read_setting

    place = place_of(folder)
    where = None if setting is None else read_setting(setting, place if place.is_dir() else None)
    texts = {
        "name": name,
        "story": story,
        "voice": voice,
        "goal": goal,
        "temperament": temperament,
        "disclosure": disclosure,
        "secret": secret,
    }
    known = _Answers(
        persona={field: text for field, text in texts.items() if text is not None},
        answers=answers,
        rules=list(rules or []),
        statements=list(statements or []),
    )
    if not yes:
        try:
            _ask(known, where)
        except LeftEarly as left:
            raise BadInput(str(left), expected="an answer to each question, or --yes and options") from None
    draft = _drafted(known, where, key)
    files = draft.files(place)
    write_new({**files, **missing_schemas(place)})
    console = out()
    for file in files:
        console.print(f"wrote {on_one_line(str(file))}", markup=False, soft_wrap=True)
    console.print(
        f"To give them a place, add to the members of a community: "
        f"{{persona: {draft.key}, card: {draft.key}, role: ROLE}}",
        markup=False,
        soft_wrap=True,
    )
    for aged in aged_schemas(place):
        note = f"note: {on_one_line(str(aged))} is of another version; normgym persona schema --out {place}"
        err().print(note, markup=False, soft_wrap=True)
    return Status.DONE


def place_of(folder: str | None) -> Path:
    """The folder to write to: the one that was named, else the one that lies here."""
    from normgym_agents.community.authoring.checking import home_of

    return Path(folder) if folder is not None else home_of(Path()) or Path("personas")


def _ask(known: _Answers, setting: Setting | None) -> None:
    """Ask for whatever is not known."""
    from normgym_agents.community.authoring.drafting import checked
    from normgym_agents.community.held import Rule
    from normgym_agents.community.written import Persona
    from normgym_agents.worlds.lines import Statement

    interview = Interview(err())
    for name, (question, hint) in _QUESTIONS.items():
        if name in known.persona:
            continue
        info = Persona.model_fields[name]
        of: Any = Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
        default = _DISCLOSURE if name == "disclosure" else ""
        known.persona[name] = str(interview.ask(question, _reader(of, checked), hint=hint, default=default))
    while not known.rules or len(known.rules) > len(known.statements):
        if len(known.rules) == len(known.statements):
            hint = "In the norm language, as in: forbid take(glaze=sarn) when bell=ringing. An empty line: nothing."
            rule = interview.ask("What do they mind in others?", _or_nothing(Rule, checked), hint=hint)
            if not rule:
                break
            known.rules.append(rule)
        rule = known.rules[len(known.statements)]
        plain = _plainly(rule, setting) or ""
        known.statements.append(
            interview.ask(
                "How would they put that?",
                _reader(Statement, checked),
                hint=f"In one sentence, of: {rule}",
                default=plain,
            )
        )
    if known.answers is None:
        hint = "gesture: a frown · rebuke: a sharp word; the last one goes on"
        known.answers = interview.ask(
            "How do they answer whoever breaks it, the first time, the second, …?",
            _ladder,
            hint=hint,
            default=_ANSWERS,
        )


def _reader(of: Any, checked: Callable[[Any, str], Any]) -> Callable[[str], str]:
    return lambda text: str(checked(of, text))


def _or_nothing(of: Any, checked: Callable[[Any, str], Any]) -> Callable[[str], str]:
    return lambda text: str(checked(of, text)) if text else ""


def _ladder(text: str) -> str:
    from normgym_agents.worlds.public import Answer

    words = text.replace(",", " ").split()
    known = [answer.value for answer in Answer]
    if not words or not set(words) <= set(known):
        raise ValueError(f"{text!r} is not made of {' and '.join(known)}")
    return text


def _plainly(rule: str, setting: Setting | None) -> str | None:
    """A norm as a plain sentence, in the words of a setting; None without one."""
    if setting is None:
        return None
    from normgym_agents.community.statements import statement_of
    from normgym_agents.norms.language import parse_norm

    norm = parse_norm(rule)
    try:
        return statement_of(norm, setting.verbs)
    except KeyError as error:
        known = ", ".join(setting.verbs)
        message = f"the setting {setting.name!r} has no verb {error.args[0]!r}"
        raise BadInput(message, field="--rule", expected=known) from None


def _drafted(known: _Answers, setting: Setting | None, key: str | None) -> Draft:
    from normgym_agents.community.authoring.drafting import Draft, checked, key_of, made
    from normgym_agents.community.held import CardFile, Rule
    from normgym_agents.community.written import Persona
    from normgym_agents.norms.norm import Name

    persona = {"disclosure": _DISCLOSURE, **known.persona}
    if missing := [name for name in _QUESTIONS if name not in persona]:
        raise BadInput("is missing", field=f"--{missing[0]}", expected=f"--{missing[0]} TEXT, or no --yes")
    if len(known.statements) > len(known.rules):
        raise BadInput(
            "there are more of them than rules", field="--statement", expected="one for each --rule"
        )
    norms: list[Mapping[str, str]] = []
    for place, rule in enumerate(known.rules):
        try:
            checked(Rule, rule)
        except ValueError as error:
            raise BadInput(str(error), field="--rule") from error
        said = known.statements[place] if place < len(known.statements) else _plainly(rule, setting)
        if said is None:
            raise BadInput(
                f"nothing says {rule!r} in words", field="--statement", expected="TEXT, or --setting NAME"
            )
        norms.append({"rule": rule, "statement": said})
    try:
        words = _ladder(known.answers or _ANSWERS).replace(",", " ").split()
        name = checked(Name, key) if key is not None else key_of(persona["name"])
    except ValueError as error:
        raise BadInput(str(error), field="--answers" if key is None else "--id") from error
    if name is None:
        raise BadInput(
            f"{persona['name']!r} makes no file name", field="--id", expected="--id NAME, of a-z and 0-9"
        )
    try:
        return Draft(
            key=name, persona=made(Persona, persona), card=made(CardFile, {"norms": norms, "answers": words})
        )
    except BadInput as fault:
        where = {"norms": "--rule", "answers": "--answers"}.get((fault.field or "").partition(".")[0])
        raise BadInput(fault.message, field=where or f"--{fault.field}", expected=fault.expected) from None
