"""Writes the tables about tools and metrics for docs/generate.py."""

from __future__ import annotations

from collections.abc import Iterator

from wording import row, told

from setpoint.domain.quality import WEIGHTS, QualityVector
from setpoint.presets import Preset, Via, presets

_CHOSEN = {
    "configured": "where the project uses it",
    "installed": "where it is installed",
    "asked": "where the settings say so",
}


def tool_tables() -> Iterator[str]:
    """Every tool that is described as data: what it is for, and how it is run and believed."""
    yield "| tool | measures | language | used | metrics | fixes from |"
    yield "|---|---|---|---|---|---|"
    for name, preset in presets().items():
        feeds = ", ".join(f"`{metric}`" for metric in preset.feeds)
        used = _CHOSEN[preset.chosen]
        yield row(f"`{name}`", preset.title, preset.language, used, feeds, preset.fixes or "none")
    yield "\n## How tools are run\n"
    yield (
        "With an exit code that is neither `clean` nor `found`, or with a report that says otherwise, a tool "
        "broke: its state is `error`, never a pass. `{config}` is the file with which the project configures "
        "it.\n"
    )
    yield "| tool | started as | looks at | clean | found | report | its configuration |"
    yield "|---|---|---|---|---|---|---|"
    for name, preset in presets().items():
        command = f"`{' '.join((*_start(preset), *preset.argv))}`"
        found = ", ".join(map(str, preset.found)) if preset.found else "as the report says"
        clean = ", ".join(map(str, preset.clean))
        yield row(
            f"`{name}`", command, _looks_at(preset), clean, found, preset.format, _configuration(preset)
        )


def metric_table() -> Iterator[str]:
    """Every metric of the quality vector with its weight."""
    yield "| metric | weight | what it is |"
    yield "|---|---|---|"
    for name in QualityVector.model_fields:
        yield row(f"`{name}`", f"{WEIGHTS[name]}" if name in WEIGHTS else "", told(QualityVector, name))


def _start(preset: Preset) -> tuple[str, ...]:
    if preset.via is Via.MODULE:
        return ("python", "-I", "-m", preset.program)
    return (f"node_modules/.bin/{preset.program}",) if preset.via is Via.NODE else (preset.program,)


def _looks_at(preset: Preset) -> str:
    files = " ".join(f"`{glob}`" for glob in preset.globs)
    but = "" if preset.tests else ", but for tests"
    return {
        "tree": f"everything: {files}{but}",
        "changed": f"what changed: {files}{but}",
        "configured": f"what its configuration names, else the packages: {files}",
        "none": f"what it finds itself: {files}",
    }[preset.targets]


def _configuration(preset: Preset) -> str:
    signs = preset.signs
    parts = [*signs.files, *(f"[tool.{table}]" for table in signs.tables)]
    parts += [f"[{section}…]" for section in signs.sections]
    parts += [f"package.json: {key}" for key in signs.keys]
    return ", ".join(f"`{part}`" for part in parts)
