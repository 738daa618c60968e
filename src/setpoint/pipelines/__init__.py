"""Workflows and prompts as data: TOML pipelines and Jinja prompt templates, both overridable per project."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from setpoint.errors import PipelineError
from setpoint.model.pipeline import Pipeline
from setpoint.pipelines.prompt_templates import check_templates
from setpoint.pipelines.prompt_templates import render as render

SHIPPED = ("change", "cover")
"""Names of the pipelines that come with Setpoint."""
ASIDE = ("request.md.j2",)
"""Templates that every run uses whatever its pipeline, with the variables of a phase."""


def load_pipeline(name: str, root: Path, plugged: Mapping[str, str] | None = None) -> Pipeline:
    """Read a pipeline by name, shipped or out of `plugged`, or a TOML file by path (from `root`)."""
    if name in SHIPPED:
        return _parsed(resources.files(__name__).joinpath(f"{name}.toml").read_text("utf-8"), f"{name}.toml")
    if plugged and name in plugged:
        return _parsed(plugged[name], f"pipeline '{name}' of a plug-in")
    path = root / name
    if not path.is_file():
        message = f"pipeline '{name}': no such file below {root}, and no shipped pipeline of that name"
        raise PipelineError(message, hint=f"use one of {', '.join(SHIPPED)} or the path of a TOML file")
    return _parsed(path.read_text("utf-8"), str(path))


def _parsed(text: str, source: str) -> Pipeline:
    try:
        return Pipeline.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        message = f"{source}: not valid TOML: {error}"
        raise PipelineError(message, hint="correct the line named above") from None
    except ValidationError as error:
        details = "; ".join(
            f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}" for each in error.errors()
        )
        message = f"{source}: {details}"
        raise PipelineError(message, hint="docs/reference/pipelines.md describes every key") from None


def check_prompts(pipeline: Pipeline, overrides: Path | None = None) -> int:
    """Read every prompt of a pipeline, and those that every run uses, with their variables; gives its number.

    Raises `PipelineError` for a template that is missing, malformed or uses an unknown variable.
    """
    named = {name for phase in pipeline.phases for name in phase.prompts.values()}
    check_templates({*named, *ASIDE}, overrides)
    return len(named)
