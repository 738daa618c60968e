"""Workflows and prompts as data: TOML pipelines and Jinja prompt templates, both overridable per project."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from pathlib import Path

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PackageLoader,
    StrictUndefined,
    TemplateError,
    meta,
    nodes,
)
from pydantic import ValidationError

from setpoint.domain.pipeline import Pipeline
from setpoint.errors import PipelineError

SHIPPED = ("change", "cover")
"""Names of the pipelines that come with Setpoint."""
VARIABLES = frozenset(
    (
        *(
            "story",
            "problems",
            "iteration",
            "max_iterations",
            "instructions",
            "reason",
            "advice",
            "tried",
        ),
        *("research", "plan", "checks", "diff", "budget", "scratchpad"),
        *("objections", "declined", "reviews", "frozen"),
        *("signals", "explained", "requests", "released", "refused"),
    )
)
"""What a prompt template can use; each is given to every template."""


def load_pipeline(name: str, root: Path) -> Pipeline:
    """Read a shipped pipeline by name, or a TOML file by path (from `root`)."""
    if name in SHIPPED:
        return _parsed(resources.files(__name__).joinpath(f"{name}.toml").read_text("utf-8"), f"{name}.toml")
    path = root / name
    if not path.is_file():
        message = f"pipeline '{name}': no such file below {root}, and no shipped pipeline of that name"
        raise PipelineError(message, mend=f"use one of {', '.join(SHIPPED)} or the path of a TOML file")
    return _parsed(path.read_text("utf-8"), str(path))


def _parsed(text: str, source: str) -> Pipeline:
    try:
        return Pipeline.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        message = f"{source}: not valid TOML: {error}"
        raise PipelineError(message, mend="correct the line named above") from None
    except ValidationError as error:
        details = "; ".join(
            f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}" for each in error.errors()
        )
        message = f"{source}: {details}"
        raise PipelineError(message, mend="docs/reference/pipelines.md describes every key") from None


def check_prompts(pipeline: Pipeline, overrides: Path | None = None) -> int:
    """Read every prompt of a pipeline and look at its variables; gives their number.

    Raises `PipelineError` for a template that is missing, malformed or uses an unknown variable.
    """
    environment = _environment(overrides)
    templates = sorted({name for phase in pipeline.phases for name in phase.prompts.values()})
    for name in templates:
        try:
            environment.get_template(name)
            unknown = sorted(variables_of(environment, name) - VARIABLES)
        except TemplateError as error:
            message = f"prompt template '{name}': {type(error).__name__}: {error}"
            raise PipelineError(message, mend="correct it, or the name of it in the pipeline") from None
        if unknown:
            message = f"prompt template '{name}' uses a variable that does not exist: {', '.join(unknown)}"
            raise PipelineError(message, mend=f"there are {', '.join(sorted(VARIABLES))}")
    return len(templates)


def variables_of(environment: Environment, template: str) -> set[str]:
    """Give the variables a template needs, those of templates it includes or extends too."""
    loader = environment.loader
    if loader is None:
        return set()
    tree = environment.parse(loader.get_source(environment, template)[0])
    found = meta.find_undeclared_variables(tree)
    others: list[nodes.Include | nodes.Extends] = [
        *tree.find_all(nodes.Include),
        *tree.find_all(nodes.Extends),
    ]
    for other in others:
        if isinstance(other.template, nodes.Const):
            found |= variables_of(environment, str(other.template.value))
    return found


def render(name: str, variables: dict[str, object], overrides: Path | None = None) -> str:
    """Render a prompt template; a project's own template of the same name goes before the shipped one.

    Raises `PipelineError` for a template that is missing, malformed or uses an unknown variable.
    """
    try:
        return _environment(overrides).get_template(name).render(**variables).strip() + "\n"
    except TemplateError as error:
        message = f"prompt template '{name}': {error}"
        raise PipelineError(
            message, mend="the variables of each prompt are listed in docs/reference/prompts.md"
        ) from None


@cache
def _environment(overrides: Path | None) -> Environment:
    own = [FileSystemLoader(overrides)] if overrides is not None else []
    loader = ChoiceLoader([*own, PackageLoader(__name__, "prompts")])
    return Environment(
        loader=loader,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - prompts are plain text for agents
    )
