"""The page on prompts: every template with the variables it uses, and what each variable holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from jinja2 import Environment, PackageLoader
from wording import row

from setpoint.pipelines import SHIPPED, load_pipeline
from setpoint.pipelines.prompt_templates import documented, variables_of

APART = {
    "analysis.md.j2": "the tester, after failing tests",
    "interrupted.md.j2": "the agent whose last try was cut off",
    "steered.md.j2": "the agent whose work a person watches",
    "nudge.md.j2": "the agent that repeats a tool call",
    "reflection.md.j2": "the reflector",
    "repair.md.j2": "any role whose answer could not be parsed",
    "request.md.j2": "the reviewer, when the maker requests permission",
}
"""Users of templates that no phase names."""


def prompts() -> Iterator[str]:
    """Yield every prompt template with its variables."""
    yield "# Prompts\n"
    yield (
        "Each prompt is a Jinja template. To replace one, put a template of the same name into "
        "`setpoint-prompts/` at the root of the repository. An unknown variable is an error.\n"
    )
    yield "| template | used by | variables |"
    yield "|---|---|---|"
    users: dict[str, list[str]] = {name: [when] for name, when in APART.items()}
    for name in SHIPPED:
        for phase in load_pipeline(name, Path()).phases:
            for mode, template in phase.prompts.items():
                users.setdefault(template, []).append(f"{phase.name} ({mode})")
    environment = Environment(loader=PackageLoader("setpoint.pipelines", "prompts"), autoescape=True)
    for template in environment.list_templates(extensions=["j2"]):
        used = ", ".join(users.get(template, ["other templates"]))
        variables = sorted(variables_of(template))
        yield row(f"`{template}`", used, ", ".join(f"`{name}`" for name in variables))
    yield "\n## Variables\n"
    yield "Every template of a phase, and every template that it includes, can use these variables.\n"
    yield from _variables(documented().given)
    for template, variables_apart in documented().apart.items():
        yield f"\n### `{template}`\n"
        yield from _variables(variables_apart)


def _variables(texts: Mapping[str, str]) -> Iterator[str]:
    yield "| variable | content |"
    yield "|---|---|"
    for name, text in sorted(texts.items()):
        yield row(f"`{name}`", text)
