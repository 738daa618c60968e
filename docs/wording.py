"""Write values, types and docstrings of the code as cells of Markdown tables, for docs/generate.py."""

from __future__ import annotations

import ast
import inspect
import types
import typing
from collections.abc import Callable, Iterator
from decimal import Decimal
from enum import Enum

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from setpoint.model.value import described


def signature(method: Callable[..., object]) -> str:
    """Return the source of a signature, without `self`."""
    written = inspect.signature(method)
    parameters = [each for each in written.parameters.values() if each.name != "self"]
    return str(written.replace(parameters=parameters)).replace("'", "")


def row(*cells: str) -> str:
    """Return a table row."""
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def described_as(model: type[BaseModel], name: str) -> str:
    """Return the description of a field."""
    return model.model_fields[name].description or described(model).get(name, "")


def first_words(thing: object) -> str:
    """Return the first paragraph of a docstring."""
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())


def default(field: FieldInfo) -> str:
    """Return a default in TOML syntax."""
    if field.is_required():
        return "required"
    return shown(field.get_default(call_default_factory=True))


def shown(value: object) -> str:
    """Return a value in TOML syntax; `none` for None."""
    match value:
        case None:
            return "none"
        case bool():
            return f"`{str(value).lower()}`"
        case Enum():
            return shown(value.value)
        case str():
            return f'`"{value}"`'
        case tuple() | list():
            return f"`[{', '.join(str(shown(each)).strip('`') for each in value)}]`"
        case dict():
            return (
                f"`{{ {', '.join(f'{key} = {each}' for key, each in value.items())} }}`" if value else "`{}`"
            )
        case Decimal() | int() | float():
            return f"`{value}`"
        case _ if value is PydanticUndefined:
            return ""
        case _:
            return f"`{value}`"


def kind(annotation: object) -> str:
    """Return a type in plain words."""
    if annotation is None or annotation is type(None):
        return "none"
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(kind(each) for each in arguments)
    if origin is typing.Literal:
        return " or ".join(shown(each) for each in arguments)
    if origin is typing.Annotated:
        return kind(arguments[0])
    if origin in (tuple, list):
        return f"list of {kind(arguments[0])}"
    if origin is dict:
        return f"table of {kind(arguments[1])}"
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " or ".join(shown(each.value) for each in annotation)
    names = {
        "str": "text",
        "int": "whole number",
        "float": "number",
        "bool": "true or false",
        "Decimal": "number",
    }
    name = getattr(annotation, "__name__", str(annotation))
    return names.get(name, f"`{name}`")


def attribute_texts(owner: type) -> dict[str, str]:
    """Return the docstrings below the members of a class."""
    body = ast.parse(inspect.getsource(owner)).body[0]
    found: dict[str, str] = {}
    last = ""
    for node in getattr(body, "body", ()):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            last = node.targets[0].id
        elif last and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found[last] = " ".join(str(node.value.value).split())
            last = ""
        else:
            last = ""
    return found


def anchor(place: str) -> str:
    """Return the anchor of a heading."""
    return place.lower().replace(".", "")


def fields(model: type[BaseModel], leaving: str = "") -> Iterator[str]:
    """Yield a table of a model's fields, with their serialised names."""
    yield "| key | type | default | meaning |"
    yield "|---|---|---|---|"
    for name, field in model.model_fields.items():
        if name != leaving:
            yield row(
                f"`{field.alias or name}`", kind(field.annotation), default(field), described_as(model, name)
            )
    yield ""
