"""People from character profiles in the public SOTOPIA form (`AgentProfile`): an object, a list, or JSON lines.

A profile has a secret. It goes where only whoever speaks for the persona is told it (`secret`), never into the story,
and a profile whose other fields repeat it is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from pydantic import BaseModel, ConfigDict, Field

from normgym_agents.community.authoring.drafting import Draft, key_of, made
from normgym_agents.community.authoring.imported import Imported, Register
from normgym_agents.community.held import CardFile
from normgym_agents.community.written import Persona
from normgym_agents.errors import BadInput
from normgym_agents.files import read_text

_STORY, _PHRASE, _SECRET = 500, 200, 500
_LONGEST: Final = 4_000


class Profile(BaseModel):
    """A character profile; only the first name must be there.

    Attributes:
        first_name: First name.
        last_name: Last name.
        age: Age in years.
        occupation: Trade.
        gender: Not used; the pronoun says enough.
        gender_pronoun: E.g. `She/her`.
        public_info: What others may know.
        big_five: Personality, in words.
        moral_values: What they think is right.
        schwartz_personal_values: What they want of life.
        personality_and_values: Both, in words.
        decision_making_style: How they decide.
        secret: What nobody may know.
        model_id: Not used.
        mbti: A type, e.g. `ENFJ`.
        tag: Not used.
        pk: Not used.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", str_max_length=_LONGEST)

    first_name: str = Field(min_length=1)
    last_name: str = ""
    age: int | None = Field(default=None, ge=0, le=150)
    occupation: str = ""
    gender: str = ""
    gender_pronoun: str = ""
    public_info: str = ""
    big_five: str = ""
    moral_values: tuple[str, ...] | str = ()
    schwartz_personal_values: tuple[str, ...] | str = ()
    personality_and_values: str = ""
    decision_making_style: str = ""
    secret: str = ""
    model_id: str = ""
    mbti: str = ""
    tag: str = ""
    pk: str | None = None


class _Placed(NamedTuple):
    data: dict[str, Any]
    where: str
    line: int | None


def read_profiles(file: Path) -> Imported:
    """Read people from a file of profiles.

    Raises:
        BadInput: It is no JSON, a profile does not fit, tells its secret elsewhere, or shares its name with another.
    """
    register, drafts, notes = Register(file), [], []
    for placed in _profiles(file):
        try:
            profile = made(Profile, placed.data)
            draft, cut = _draft(profile)
        except BadInput as fault:
            field = f"{placed.where}: {fault.field}" if fault.field else placed.where
            raise BadInput(
                fault.message, file=file, line=placed.line, field=field, expected=fault.expected
            ) from None
        register.enter(draft, placed.where, placed.line)
        drafts.append(draft)
        unused = sorted(set(placed.data) - set(Profile.model_fields))
        notes += [f"{draft.key}: {name} is cut to what a persona holds" for name in cut]
        notes += [f"{draft.key}: {name!r} is left out" for name in unused]
    if not drafts:
        raise BadInput("nobody is in it", file=file, expected="a profile, or several")
    return Imported(drafts=tuple(drafts), notes=tuple(notes))


def _profiles(file: Path) -> Iterator[_Placed]:
    text = read_text(file)
    try:
        whole = _json(text)
    except json.JSONDecodeError as error:
        lines = [(i, line) for i, line in enumerate(text.split("\n"), start=1) if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith("{") for _, line in lines):
            raise BadInput(f"is no JSON: {error.msg}", file=file, line=error.lineno) from error
        for number, line in lines:
            try:
                data = _json(line)
            except (ValueError, RecursionError) as fault:
                raise BadInput(f"is no JSON: {_reason(fault)}", file=file, line=number) from fault
            yield _object(data, f"line {number}", number, file)
        return
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is no JSON: {_reason(error)}", file=file) from error
    if isinstance(whole, list):
        for i, data in enumerate(whole, start=1):
            yield _object(data, f"profile {i}", None, file)
    else:
        yield _object(whole, "profile 1", None, file)


def _object(data: object, where: str, line: int | None, file: Path) -> _Placed:
    if not isinstance(data, dict):
        raise BadInput("is no profile", file=file, line=line, field=where, expected="a JSON object")
    # Tools write what somebody lacks as null.
    return _Placed({key: value for key, value in data.items() if value is not None}, where, line)


def _json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(f"the key {twice[:40]!r} is there twice")
    return found


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _reason(error: Exception) -> str:
    return "it is nested too deep" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))


def _draft(profile: Profile) -> tuple[Draft, list[str]]:
    """The persona of a profile, and which of its fields had to be cut."""
    cut: list[str] = []

    def fitting(field: str, text: str, most: int) -> str:
        short = _shortened(_line(text), most)
        if short != _line(text):
            cut.append(field)
        return short

    name = _line(f"{profile.first_name} {profile.last_name}")
    key = key_of(name)
    if key is None:
        raise BadInput(f"{name!r} makes no file name", field="first_name", expected="letters of a to z in it")
    values = (*_listed(profile.schwartz_personal_values), *_listed(profile.moral_values))
    secret = _line(profile.secret)
    persona = {
        "name": name,
        "story": fitting("story", _story(profile), _STORY),
        "voice": fitting("voice", _voice(profile), _PHRASE),
        "goal": fitting(
            "goal",
            f"To live by what matters to them: {', '.join(values)}." if values else "To get by.",
            _PHRASE,
        ),
        "temperament": fitting("temperament", profile.big_five or profile.mbti or "even", _PHRASE),
        "disclosure": "hint",
        "secret": fitting("secret", secret, _SECRET) or None,
    }
    for field, text in persona.items():
        if secret and field != "secret" and secret.casefold() in (text or "").casefold():
            raise BadInput(f"the profile tells its secret in what becomes the {field}", field="secret")
    card = made(CardFile, {"norms": [], "answers": ["gesture", "rebuke"]})
    return Draft(key=key, persona=made(Persona, persona), card=card), cut


def _voice(profile: Profile) -> str:
    style = _line(profile.decision_making_style).casefold().rstrip(".")
    return f"As somebody whose way of deciding is {style}." if style else "In their own plain way."


def _story(profile: Profile) -> str:
    facts = [
        "" if profile.age is None else f"{profile.age} years old",
        _line(profile.occupation),
        _line(profile.gender_pronoun),
    ]
    about = ", ".join(fact for fact in facts if fact)
    told = [
        f"{about[:1].upper()}{about[1:]}." if about else "",
        profile.public_info,
        profile.personality_and_values,
    ]
    return " ".join(part for part in told if part.strip()) or "Nothing is known of them."


def _line(text: str) -> str:
    return " ".join(text.split())


def _listed(values: Sequence[str] | str) -> tuple[str, ...]:
    parts = values.split(",") if isinstance(values, str) else values
    return tuple(line for part in parts if (line := _line(part)))


def _shortened(text: str, most: int) -> str:
    """The whole sentences of a text that fit, else as many whole words."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    stop = head.rfind(". ")
    return head[: stop + 1] if stop > most // 3 else head[: head.rfind(" ")].rstrip(" ,;") + "…"
