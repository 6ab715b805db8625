"""What a model's spec says behind its name, as in `openai:gpt-4o-mini?temperature=0&max_tokens=200`.

A closed list, with the names that most clients share: an option that is misspelt, or that a client would pass over,
would make a run something else than it says it is.
"""

from __future__ import annotations

from typing import Annotated, Any, Final
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from normgym_agents.errors import BadInput
from normgym_agents.newcomers._cleaning import one_line

_MOST: Final = 20


class ModelParameters(BaseModel):
    """How a model is asked; None leaves it to the client.

    Attributes:
        temperature: From 0.
        top_p: In (0, 1].
        max_tokens: The most tokens of an answer.
        seed: For providers that sample with one.
        frequency_penalty: In [-2, 2].
        presence_penalty: In [-2, 2].
        reasoning_effort: A provider's word for it, e.g. `low`.
        timeout: Seconds for one request.
        max_retries: How often a request that failed is sent again.
        base_url: Where the provider is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    seed: int | None = None
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    reasoning_effort: Annotated[str, Field(min_length=1)] | None = None
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    max_retries: Annotated[int, Field(ge=0)] | None = None
    base_url: Annotated[str, Field(pattern="^https?://.")] | None = None

    @property
    def given(self) -> dict[str, Any]:
        """Those that were given, by name."""
        return self.model_dump(exclude_none=True)


def split_spec(spec: str) -> tuple[str, ModelParameters]:
    """A spec without its parameters, and these.

    Raises:
        BadInput: One is unknown, stands twice, or has a value that will not do.
    """
    named, mark, query = spec.partition("?")
    try:
        # An empty query is none where there is no mark, and cannot be read behind one.
        pairs = parse_qsl(
            query or mark, keep_blank_values=True, strict_parsing=bool(mark), max_num_fields=_MOST
        )
    except ValueError as error:
        raise BadInput(f"cannot read {query!r}", field=spec, expected="?key=value&key=value") from error
    if len(dict(pairs)) != len(pairs):
        raise BadInput(f"a parameter stands twice in {query!r}", field=spec)
    try:
        return named, ModelParameters.model_validate(dict(pairs))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = str(first["loc"][0])
        if first["type"] == "extra_forbidden":
            known = " | ".join(ModelParameters.model_fields)
            raise BadInput(f"there is no parameter {key!r} for models", field=spec, expected=known) from error
        raise BadInput(f"{key}: {one_line(first['msg'])}", field=spec) from error
