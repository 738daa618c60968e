"""The one kind of value the domain is made of: frozen, keyword-only, closed against unknown keys."""

from __future__ import annotations

import ast
import inspect
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, GetJsonSchemaHandler, PlainSerializer
from pydantic_core import CoreSchema

from setpoint.model import syntax


class Value(BaseModel):
    """A frozen value compared by content, written to and read from JSON without loss."""

    # Pydantic would read the docstrings under fields (`use_attribute_docstrings`) while modules load: a fifth
    # of the time that a verb takes to start. They are read when a schema is asked for.
    # JSON has no infinite number: it would be written as null, and what stands there could not be read again.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema of these values, with what is written under each field."""
        schema = handler(core)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, text in described(cls).items():
            if name in properties:
                properties[name].setdefault("description", text)
        return schema


def described(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstrings under the fields of a class and of those it inherits from, by field."""
    told: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if issubclass(owner, BaseModel) and owner not in {BaseModel, Value}:
            try:
                source = inspect.getsource(owner)
            except (OSError, TypeError):
                continue  # made while the program runs, so nothing is written
            (tree,) = syntax.parse(inspect.cleandoc("\n" + source)).body
            for field, text in pairwise(tree.body if isinstance(tree, ast.ClassDef) else ()):
                match field, text:
                    case (
                        ast.AnnAssign(target=ast.Name(id=name)),
                        ast.Expr(value=ast.Constant(value=str(words))),
                    ):
                        told[name] = inspect.cleandoc(words)
    return told


def _aware(at: datetime) -> datetime:
    if at.tzinfo is None:
        msg = "a time without a zone; give it in UTC, for example 2026-01-31T12:00:00Z"
        raise ValueError(msg)
    return at


Instant = Annotated[datetime, AfterValidator(_aware)]
"""An aware point in time, UTC when Setpoint makes it."""


def writable(text: str) -> str:
    """Write what UTF-8 cannot hold (halves of characters, odd bytes of a file name) as escapes."""
    if text.isascii():  # nearly always, and a log of a million events has some million texts
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def spellings(name: str) -> tuple[str, ...]:
    """Return how a file name is written: as it is, and as values and tools write bytes that are not UTF-8."""
    if name.isascii():
        return (name,)
    return name, writable(name), name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


Text = Annotated[str, AfterValidator(writable)]
"""A text from outside; what UTF-8 cannot hold (a file name of odd bytes) is written as escapes."""

Usd = Annotated[Decimal, PlainSerializer(str, return_type=str, when_used="json")]
"""An amount of money in US dollars."""
