"""What is known of each static tool, read from `presets.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import TypeAdapter

from setpoint.domain.value import Value


class Preset(Value):
    """A tool as data; the file explains every field."""

    module: str
    argv: tuple[str, ...]
    format: str
    clean: tuple[int, ...]
    found: tuple[int, ...]
    files: Literal["tree", "changed", "configured"]
    chosen: Literal["configured", "installed"]
    tests: bool
    inputs: tuple[str, ...] = ()
    by_file: bool = False


@cache
def presets() -> dict[str, Preset]:
    """Give every preset by the name of its check."""
    text = files("setpoint.evaluators").joinpath("presets.toml").read_text("utf-8")
    return TypeAdapter(dict[str, Preset]).validate_python(tomllib.loads(text))
