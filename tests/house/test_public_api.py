"""The public API changes on purpose only, and whoever changes it hears what it means for the version."""

from __future__ import annotations

import enum
from types import ModuleType

import pytest
from pydantic import BaseModel

import setpoint
from house.api_surface import MAJOR, MINOR, changes, reachable, recorded, surface_of


def test_the_public_api_is_as_recorded():
    found = changes(recorded(), surface_of(setpoint))
    told = "\n".join(f"{version}: {change}" for version, change in found)
    assert not found, f"the public API changed; if that is wanted, record it with `make api`:\n{told}"


def test_whatever_a_public_value_holds_is_public():
    assert {each.__name__ for each in reachable(setpoint)} == set()


class Colour(enum.StrEnum):
    RED = "red"


class Point(BaseModel):
    x: int
    y: int = 0


class Fault(Exception):
    exit_code = 4


class Closed(Fault):
    pass


def move(point: Point, *, by: int = 1) -> Point:
    return point


BEFORE = {"Colour": Colour, "Point": Point, "Closed": Closed, "move": move}


def _surface(**names):
    module = ModuleType("shop")
    vars(module).update(names)
    module.__all__ = sorted(names)
    return surface_of(module)


def _with(name, made):
    made.__name__ = name
    return {**BEFORE, name: made}


class MoreColours(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class OtherColour(enum.StrEnum):
    RED = "crimson"


class FewerColours(enum.StrEnum):
    pass


class WiderPoint(Point):
    z: int = 0


class LongerPoint(Point):
    z: int


class FloatPoint(Point):
    x: float


class ShortPoint(BaseModel):
    x: int


class Elsewhere(Exception):
    exit_code = 4


class OtherCode(Fault):
    exit_code = 2


def move_more(point: Point, *, by: int = 1, times: int = 1) -> Point:
    return point


def move_needing(point: Point, *, why: str, by: int = 1) -> Point:
    return point


def move_swapped(by: int = 1, point: Point | None = None) -> Point:
    return point


def move_further(point: Point, *, by: int = 2) -> Point:
    return point


async def move_later(point: Point, *, by: int = 1) -> Point:
    return point


CASES = {
    "a new name": ({**BEFORE, "stay": move}, MINOR),
    "a new value with required fields": ({**BEFORE, "Line": ShortPoint}, MINOR),
    "a member more": (_with("Colour", MoreColours), MINOR),
    "a field more that has a default": (_with("Point", WiderPoint), MINOR),
    "a parameter more that has a default": (_with("move", move_more), MINOR),
    "a name less": ({"Colour": Colour}, MAJOR),
    "a member less": (_with("Colour", FewerColours), MAJOR),
    "another value of a member": (_with("Colour", OtherColour), MAJOR),
    "a field more that is required": (_with("Point", LongerPoint), MAJOR),
    "another type of a field": (_with("Point", FloatPoint), MAJOR),
    "a field less": (_with("Point", ShortPoint), MAJOR),
    "an exception elsewhere in the tree": (_with("Closed", Elsewhere), MAJOR),
    "another exit code": (_with("Closed", OtherCode), MAJOR),
    "a parameter more that is required": (_with("move", move_needing), MAJOR),
    "parameters in another order": (_with("move", move_swapped), MAJOR),
    "another default": (_with("move", move_further), MAJOR),
    "a function that has to be awaited": (_with("move", move_later), MAJOR),
}


@pytest.mark.parametrize("case", CASES)
def test_each_change_is_noticed_as_an_addition_or_a_break(case):
    after, version = CASES[case]
    found = changes(_surface(**BEFORE), _surface(**after))
    assert found
    assert min(found)[0] == version


def test_what_did_not_change_is_not_told():
    assert changes(_surface(**BEFORE), _surface(**BEFORE)) == []
