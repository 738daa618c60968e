"""Prompt templates: found, rendered, and checked for variables that do not exist."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PackageLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    meta,
    nodes,
)

from setpoint.errors import PipelineError

_PACKAGE = "setpoint.pipelines"
_LISTED = "docs/reference/prompts.md lists the variables of each prompt"


class Documented(NamedTuple):
    """Every variable of a prompt with what it holds."""

    given: dict[str, str]
    """Those of the templates of phases, and of what these include."""
    apart: dict[str, dict[str, str]]
    """Templates with variables of their own, by name."""

    def of(self, template: str) -> dict[str, str]:
        """Return the variables that a template can use."""
        return self.apart.get(template, self.given)


class _Unknown(NamedTuple):
    """A variable that a template uses and is not given."""

    variable: str
    file: str
    line: int


@cache
def documented() -> Documented:
    """Read what is known of variables."""
    table = tomllib.loads(resources.files(_PACKAGE).joinpath("variables.toml").read_text("utf-8"))
    return Documented(given=table["given"], apart=table["apart"])


def check_templates(names: Iterable[str], overrides: Path | None = None) -> None:
    """Read templates, with those that stand apart, and look at their variables.

    Raises `PipelineError` for one that is missing, malformed or uses a variable that it is not given.
    """
    for name in sorted({*names, *documented().apart}):
        _checked(name, documented().of(name), overrides)


def render(name: str, variables: Mapping[str, object], overrides: Path | None = None) -> str:
    """Render a prompt template; a project's own template of the same name goes before the shipped one.

    Raises `PipelineError` for a template that is missing, malformed or uses an unknown variable: with its
    file, the line, and the variables there are.
    """
    _checked(name, variables, overrides)
    try:
        return _environment(overrides).get_template(name).render(**variables).strip() + "\n"
    except TemplateError as error:
        raise PipelineError(f"prompt template '{name}': {error}", hint=_LISTED) from None


def variables_of(template: str, overrides: Path | None = None) -> set[str]:
    """Return the variables a template needs, those of templates it includes or extends too."""
    return {each.variable for each in _used(_environment(overrides), template)}


def template_version(name: str, overrides: Path | None = None) -> str:
    """Return a digest of a template and of all that it extends or includes; empty for one that is missing."""
    sources, todo = dict[str, str](), [name]
    environment = _environment(overrides)
    while todo:
        each = todo.pop()
        if each in sources or environment.loader is None:
            continue
        try:
            sources[each], file, _ = environment.loader.get_source(environment, each)
        except TemplateNotFound:
            return ""
        todo += _read(environment, sources[each], file or each)[1]
    text = "\0".join(f"{each}\0{sources[each]}" for each in sorted(sources))
    return sha256(text.encode()).hexdigest()[:12]


def _checked(name: str, known: Iterable[str], overrides: Path | None) -> None:
    environment = _environment(overrides)
    try:
        environment.get_template(name)
        wrong = [each for each in _used(environment, name) if each.variable not in known]
    except TemplateNotFound as error:
        message = f"prompt template '{name}': there is no template '{error.name}'"
        raise PipelineError(
            message, hint="correct the name of it, in the pipeline or where it is included"
        ) from None
    except TemplateSyntaxError as error:
        message = f"prompt template '{name}': {error.filename or name}, line {error.lineno}: {error.message}"
        raise PipelineError(message, hint="correct that line; templates are written in Jinja") from None
    if wrong:
        told = "; ".join(f"{each.file}, line {each.line}: '{each.variable}' is undefined" for each in wrong)
        hint = f"there are {', '.join(sorted(known))}; {_LISTED}"
        raise PipelineError(f"prompt template '{name}': {told}", hint=hint)


def _used(environment: Environment, template: str) -> list[_Unknown]:
    """Return every variable that a template takes from outside, with the first line that does."""
    if environment.loader is None:
        return []
    source, file, _ = environment.loader.get_source(environment, template)
    own, others = _read(environment, source, file or template)
    return [*own, *(each for other in others for each in _used(environment, other))]


@cache  # a run renders the same few templates for each of its prompts
def _read(environment: Environment, source: str, file: str) -> tuple[list[_Unknown], list[str]]:
    """Return what a template itself takes from outside, and the templates that it extends or includes."""
    tree = environment.parse(source, file, file)
    free = meta.find_undeclared_variables(tree)
    lines: dict[str, int] = {}
    for each in tree.find_all(nodes.Name):
        if each.name in free and each.ctx == "load":
            lines.setdefault(each.name, each.lineno)
    found = [_Unknown(name, file, lines.get(name, 1)) for name in sorted(free)]
    return found, [other for other in meta.find_referenced_templates(tree) if other]


@cache
def _environment(overrides: Path | None) -> Environment:
    own = [FileSystemLoader(overrides)] if overrides is not None else []
    loader = ChoiceLoader(
        [*own, PackageLoader(_PACKAGE, "prompts"), PackageLoader(_PACKAGE, "prompts/cover")]
    )
    return Environment(
        loader=loader,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - prompts are plain text for agents
    )
