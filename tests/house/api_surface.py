"""What `import setpoint` promises, as a table of texts, and what a change of it means for the version.

`make api` records it in `public_api.json`. Keys are paths such as `Outcome.fields.branch`. What is required
says so, because only a major version may add it.
"""

from __future__ import annotations

import enum
import inspect
import json
import types
import typing
from pathlib import Path

import annotated_types
from pydantic import BaseModel

RECORD = Path(__file__).with_name("public_api.json")
MAJOR, MINOR = "major", "minor"
REQUIRED = " (required)"
OPEN = {("Event", "body"): "docs/reference/events.md"}
"""Fields of which the types are promised elsewhere, and where."""

Surface = dict[str, str]


def surface_of(module: types.ModuleType) -> Surface:
    """Describe every public name of a module."""
    told: Surface = {}
    for name in module.__all__:
        told |= {f"{name}{path}": text for path, text in _described(getattr(module, name)).items()}
    return dict(sorted(told.items()))


def recorded() -> Surface:
    return json.loads(RECORD.read_text("utf-8"))


def changes(before: Surface, after: Surface) -> list[tuple[str, str]]:
    """Return what changed, each with the version that it asks for; major changes first."""
    found = [(MAJOR, f"{path} is gone: {text}") for path, text in before.items() if path not in after]
    found += [
        (MAJOR, f"{path} was {text}, is {after[path]}")
        for path, text in before.items()
        if path in after and after[path] != text
    ]
    known = {path.partition(".")[0] for path in before}
    for path, text in after.items():
        if path not in before:
            # What a new name requires breaks no program: none uses it yet.
            breaks = text.endswith(REQUIRED) and path.partition(".")[0] in known
            found.append((MAJOR if breaks else MINOR, f"{path} is new: {text}"))
    return sorted(found)


def reachable(module: types.ModuleType) -> set[type]:
    """Return every value and enumeration that the fields of public values hold, from field to field."""
    public = {getattr(module, name) for name in module.__all__ if isinstance(getattr(module, name), type)}
    left, found = [each for each in public if issubclass(each, BaseModel)], set(public)
    while left:
        model = left.pop()
        for name, field in model.model_fields.items():
            inner = set() if (model.__name__, name) in OPEN else _types_in(field.annotation)
            left += [each for each in inner - found if issubclass(each, BaseModel)]
            found |= inner
    return found - public


def _types_in(annotation: object) -> set[type]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel | enum.Enum):
        return {annotation}
    return {each for inner in typing.get_args(annotation) for each in _types_in(inner)}


def _described(found: object) -> Surface:
    if typing.is_typeddict(found):
        return {"": "options", **{f".{key}": _type(kind) for key, kind in found.__annotations__.items()}}
    if isinstance(found, type):
        return _class(found)
    if inspect.isfunction(found):
        return _function(found)
    return {"": "text" if isinstance(found, str) else f"type {_type(getattr(found, '__supertype__', found))}"}


def _class(found: type) -> Surface:
    if issubclass(found, enum.Enum):
        return {"": "enumeration", **{f".{each.name}": repr(each.value) for each in found}, **_members(found)}
    if issubclass(found, BaseModel):
        return {"": "value", **_fields(found), **_members(found)}
    if issubclass(found, BaseException):
        above = ", ".join(each.__name__ for each in found.__mro__[1:] if each is not object)
        code = {".exit_code": repr(int(found.exit_code))}
        return {"": f"exception below {above}", **code, **_parameters(found.__init__)}
    return {"": "class", **_parameters(found.__init__), **_members(found)}


def _fields(model: type[BaseModel]) -> Surface:
    told = {}
    for name, field in model.model_fields.items():
        limits = [repr(each) for each in field.metadata if isinstance(each, annotated_types.BaseMetadata)]
        kind = " ".join([_type(field.annotation), *limits])
        default = REQUIRED if field.is_required() else f" = {_default(field.get_default())}"
        told[f".fields.{name}"] = OPEN.get((model.__name__, name), kind) + default
    return told


def _members(owner: type) -> Surface:
    told: Surface = {}
    for name, member in inspect.getmembers_static(owner):
        ours = any(name in vars(each) and each.__module__.startswith("setpoint") for each in owner.__mro__)
        if name.startswith("_") or name == "model_config" or not ours:
            continue
        if isinstance(member, property) or hasattr(member, "attrname"):
            read = getattr(member, "fget", None) or member.func
            told[f".{name}"] = f"property: {_type(inspect.signature(read).return_annotation)}"
        elif inspect.isfunction(member):
            told |= {f".{name}{path}": text for path, text in _function(member).items()}
    return told


def _function(found: typing.Callable[..., object]) -> Surface:
    kind = "coroutine" if inspect.iscoroutinefunction(found) else "function"
    returns = _type(inspect.signature(found).return_annotation)
    return {"": f"{kind} returning {returns}", **_parameters(found)}


def _parameters(found: typing.Callable[..., object]) -> Surface:
    told = {}
    for place, (name, each) in enumerate(inspect.signature(found).parameters.items()):
        if name in ("self", "cls"):
            continue
        kind = f"{place}: " if each.kind is each.POSITIONAL_OR_KEYWORD else f"{each.kind.description}: "
        default = REQUIRED if each.default is each.empty else f" = {_default(each.default)}"
        given = "" if each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) else default
        told[f".parameters.{name}"] = f"{kind}{_type(each.annotation)}{given}"
    return told


def _type(found: object) -> str:
    """Write a type without the modules that things live in and the validators behind it: they may change."""
    origin, inner = typing.get_origin(found), typing.get_args(found)
    if isinstance(found, list):
        return f"[{', '.join(map(_type, found))}]"
    if origin is typing.Annotated:
        return _type(inner[0])
    if origin is not None:
        united = origin in (types.UnionType, typing.Union)
        return (
            " | ".join(map(_type, inner)) if united else f"{origin.__name__}[{', '.join(map(_type, inner))}]"
        )
    if isinstance(found, str):
        return found
    named = {None: "None", types.NoneType: "None", ...: "..."}
    return named.get(found) or getattr(found, "__forward_arg__", None) or found.__name__


def _default(found: object) -> str:
    if isinstance(found, BaseModel):
        return f"{type(found).__name__}({found!s})" if found.model_fields_set else f"{type(found).__name__}()"
    return repr(found.value) if isinstance(found, enum.Enum) else repr(found)


def write(surface: Surface) -> None:
    RECORD.write_text(json.dumps(surface, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    import setpoint

    now = surface_of(setpoint)
    for version, change in changes(recorded() if RECORD.exists() else {}, now):
        print(f"{version}: {change}")
    write(now)
