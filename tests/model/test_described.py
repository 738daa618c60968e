"""What stands under the fields of a value is read when a schema is asked for, not before."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter

from setpoint.model.value import Value, described


class Plank(Value):
    """A piece of wood."""

    width: int
    """In millimetres,
    measured dry."""
    wood: str = "oak"


class Beam(Plank):
    """A thick piece of wood."""

    wood: str = "pine"
    """What grew."""
    halves: tuple[Plank, ...] = ()


def test_a_schema_says_what_stands_under_each_field_of_a_value_and_of_those_inside() -> None:
    schema = TypeAdapter(list[Beam]).json_schema()
    beam, plank = schema["$defs"]["Beam"]["properties"], schema["$defs"]["Plank"]["properties"]
    assert beam["width"]["description"] == "In millimetres,\nmeasured dry."
    assert beam["wood"] == {"default": "pine", "description": "What grew.", "title": "Wood", "type": "string"}
    assert plank["width"]["description"] == beam["width"]["description"]
    assert "description" not in plank["wood"]


def test_a_class_that_is_written_nowhere_has_no_words() -> None:
    assert described(type("Made", (Value,), {})) == {}


@pytest.mark.parametrize("model", [Plank, Beam])
def test_loading_the_module_read_no_source(model: type[Value]) -> None:
    assert {field.description for field in model.model_fields.values()} == {None}
