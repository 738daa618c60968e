"""Write the tables about tools and metrics for docs/generate.py."""

from __future__ import annotations

from collections.abc import Iterator

from wording import described_as, row

from setpoint.agents.rules import REVIEW_RULES
from setpoint.model.quality import WEIGHTS, QualityVector
from setpoint.presets import Preset, Via, presets

_CHOSEN = {
    "configured": "if the project uses it",
    "installed": "if it is installed",
    "asked": "if the settings enable it",
    "own": "where no other check runs the project's own command",
}


def tool_tables() -> Iterator[str]:
    """Yield every tool that is described as data: its purpose, its command and its report."""
    yield "| tool | measures | language | used | metrics | fixes from |"
    yield "|---|---|---|---|---|---|"
    for name, preset in presets().items():
        feeds = ", ".join(f"`{metric}`" for metric in preset.feeds)
        used = _CHOSEN[preset.chosen]
        yield row(f"`{name}`", preset.title, preset.language, used, feeds, preset.fixes or "none")
    yield "\n## How tools are run\n"
    yield (
        "A tool broke if its exit code is neither `clean` nor `found`, or if its report contradicts the "
        "code. Its state is then `error`, never a pass. `{config}` is the project's configuration file of "
        "the tool.\n"
    )
    yield "| tool | command | reads | clean | found | report | configuration |"
    yield "|---|---|---|---|---|---|---|"
    for name, preset in presets().items():
        command = f"`{' '.join((*_start(preset), *preset.argv))}`"
        found = ", ".join(map(str, preset.found)) if preset.found else "by the report"
        clean = ", ".join(map(str, preset.clean))
        yield row(
            f"`{name}`", command, _looks_at(preset), clean, found, preset.format, _configuration(preset)
        )


def metric_table() -> Iterator[str]:
    """Yield every metric of the quality vector with its weight."""
    yield "| metric | weight | meaning |"
    yield "|---|---|---|"
    for name in QualityVector.model_fields:
        yield row(
            f"`{name}`", f"{WEIGHTS[name]}" if name in WEIGHTS else "", described_as(QualityVector, name)
        )


def _start(preset: Preset) -> tuple[str, ...]:
    if preset.via is Via.MODULE:
        return ("python", "-I", "-m", preset.program)
    return (f"node_modules/.bin/{preset.program}",) if preset.via is Via.NODE else (preset.program,)


def _looks_at(preset: Preset) -> str:
    files = " ".join(f"`{glob}`" for glob in preset.globs)
    but = "" if preset.tests else ", except tests"
    return {
        "tree": f"everything: {files}{but}",
        "changed": f"changed files: {files}{but}",
        "configured": f"files of its configuration, else the packages: {files}",
        "none": f"files that it finds itself: {files}",
    }[preset.targets]


def _configuration(preset: Preset) -> str:
    signs = preset.signs
    parts = [*signs.files, *(f"[tool.{table}]" for table in signs.tables)]
    parts += [f"[{section}…]" for section in signs.sections]
    parts += [f"package.json: {key}" for key in signs.keys]
    return ", ".join(f"`{part}`" for part in parts)


def review_rules() -> Iterator[str]:
    """Every rule of the built-in reviewer."""
    yield "# Review rules\n"
    yield (
        "The built-in reviewer `rules` looks for these patterns in added lines. It judges form, not intent: "
        "whoever reads the change sees what it finds, as a warning, and it refuses nothing.\n"
    )
    yield "| rule | category | finding |"
    yield "|---|---|---|"
    for rule in REVIEW_RULES:
        yield row(f"`{rule.name}`", rule.category, rule.message)
