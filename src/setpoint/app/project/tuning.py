"""Weights and targets that a project's own runs suggest; a person applies them, and can take them back."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from setpoint.app.checks.goals_today import OF_RUNS
from setpoint.errors import UsageError
from setpoint.history.queries import RunState, runs
from setpoint.history.replay import History, history
from setpoint.learning.policy.tuning import (
    FEWEST,
    Lesson,
    ProposedTarget,
    ProposedWeights,
    enough,
    proposed_targets,
    proposed_weights,
)
from setpoint.model.events.people import DeliveryFate, DeliveryJudged
from setpoint.model.goals import MEASURES, GoalMode, Measure
from setpoint.model.quality import QualityVector
from setpoint.settings import load
from setpoint.system.files.atomic import write_atomic
from setpoint.wiring.project import Project

MOST_RUNS = 500
"""Newest runs that are looked at."""
WEIGHTS = "weights"
"""The name of the proposal for weights."""
_KEPT = "tuned"
"""Folder of the state folder that keeps the settings as they were."""
_HEADER = re.compile(r"^\s*\[")
_SHARES = [name for name, field in QualityVector.model_fields.items() if field.annotation == float | None]
"""Metrics that can have a weight."""


class Proposal(NamedTuple):
    """One change of the settings, with what it rests on."""

    name: str
    """`weights`, or `goals.METRIC`."""
    values: dict[str, Any]
    """What the table is to hold."""
    evidence: tuple[str, ...]


class Tuning(NamedTuple):
    """What the runs of a project suggest."""

    good: int
    """Runs whose work was merged as it was."""
    bad: int
    """Runs whose work was edited or reverted."""
    proposals: tuple[Proposal, ...]
    why_none: str
    """Why nothing is proposed; empty where something is."""


def tuning(project: Project) -> Tuning:
    """Read the newest runs, and propose what they suggest; nothing is changed."""
    ended = runs(project.store, lambda _: None, limit=MOST_RUNS, recorded=(RunState.FINISHED,))
    lessons = lessons_of(history(project.log.replay(each.trace_id)) for each in ended)
    good = sum(each.good for each in lessons)
    settings = project.settings
    found: list[Proposal] = []
    weighed = {**dict.fromkeys(_SHARES, 0.0), **settings.weights}
    if (weights := proposed_weights(lessons, weighed)) is not None:
        found.append(_of_weights(weights, settings.weights))
    high = {field: MEASURES[name].high for name, field in OF_RUNS.items() if name != "tests"}
    targets = proposed_targets(lessons, high)
    for name, field in OF_RUNS.items():
        target = targets.get(field)
        goal = settings.goals.by_name[name]
        if target is not None and goal.target != _rounded(MEASURES[name], target.target):
            mode = GoalMode.ADVICE if goal.mode is GoalMode.OFF else goal.mode
            found.append(_of_target(name, mode, target))
    why = "" if found else _why_none(lessons, good)
    return Tuning(good, len(lessons) - good, tuple(found), why)


def lessons_of(past: Iterable[History]) -> list[Lesson]:
    """Take from each run of which git shows what people made of its branch the metrics of its last round."""
    found: list[Lesson] = []
    for each in past:
        fates = [told.fate for told in each.feedback if isinstance(told, DeliveryJudged)]
        if fates and each.rounds:
            metrics = each.rounds[-1].latest.quality.measured
            found.append(Lesson(metrics=metrics, good=set(fates) == {DeliveryFate.MERGED}))
    return found


def apply(project: Project, names: tuple[str, ...]) -> Path:
    """Write proposals into the settings file, and keep the file as it was; gives the file."""
    proposals = {each.name: each for each in tuning(project).proposals}
    for name in names:
        if name not in proposals:
            known = ", ".join(proposals) or "none"
            raise UsageError(f"nothing is proposed for '{name}'", hint=f"proposed are: {known}")
    path, before = settings_file(project.root)
    after = before
    for name in names:
        after = _with_table(after, name, proposals[name].values)
    write_atomic(path, after)
    try:
        load(project.root, environment={})
    except Exception:
        write_atomic(path, before)
        raise
    kept = project.folders.state / _KEPT
    kept.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    note = {"names": names, "before": before, "after": after}
    write_atomic(kept / f"{stamp}.json", json.dumps(note))
    return path


def undo(project: Project) -> tuple[Path, tuple[str, ...]]:
    """Restore the settings as they were before the last proposals were applied; gives file and names."""
    path, now = settings_file(project.root)
    kept = sorted((project.folders.state / _KEPT).glob("*.json"))
    if not kept:
        raise UsageError("no proposal was applied here", hint="`setpoint lab tune` shows what is proposed")
    note = json.loads(kept[-1].read_text("utf-8"))
    if now != note["after"]:
        message = f"{path} was changed since {', '.join(note['names'])} was applied, so it is not restored"
        raise UsageError(message, hint=f"take the old values from 'before' in {kept[-1]}")
    write_atomic(path, note["before"])
    kept[-1].unlink()
    return path, tuple(note["names"])


def _of_weights(found: ProposedWeights, today: Mapping[str, float]) -> Proposal:
    values = {name: weight for name, weight in found.weights.items() if weight or name in today}
    told = [
        f"{each.metric}: of {each.good} runs merged as they were and {each.bad} edited or reverted, the "
        f"merged one had the better value in {each.area:.0%} of pairs (chance by luck {each.chance:.2g})"
        for each in found.tell
    ]
    told.append(
        f"the score orders {found.before:.0%} of the pairs rightly today, {found.after:.0%} with these "
        "weights (in runs that did not choose them)"
    )
    return Proposal(WEIGHTS, values, tuple(told))


def _of_target(name: str, mode: GoalMode, found: ProposedTarget) -> Proposal:
    measure = MEASURES[name]
    target = _rounded(measure, found.target)
    (bad_short, short), (bad_reached, reached) = found.short, found.reached
    told = (
        f"{bad_short} of {short} runs that miss it were edited or reverted, {bad_reached} of {reached} that "
        f"reach it (chance of that by luck {found.chance:.2g})"
    )
    return Proposal(f"goals.{name}", {"mode": str(mode), "target": target}, (told,))


def _rounded(measure: Measure, target: float) -> float:
    return round(target, 2) if measure.share else float(round(target))


def _why_none(lessons: list[Lesson], good: int) -> str:
    if enough(lessons):
        return f"no metric differs between {good} runs merged as they were and {len(lessons) - good} others"
    return (
        f"too few runs: git shows of {good} that they were merged as they were, and of {len(lessons) - good} "
        f"that they were edited or reverted; at least {FEWEST} of each are needed"
    )


def settings_file(root: Path) -> tuple[Path, str]:
    """Return the file that holds the settings, with its text."""
    path = root / "setpoint.toml"
    if not path.is_file() and "setpoint" in _tools(root):
        hint = "move [tool.setpoint] to setpoint.toml, or write the values yourself"
        raise UsageError("the settings are in pyproject.toml, which is not changed", hint=hint)
    return path, path.read_text("utf-8") if path.is_file() else ""


def _tools(root: Path) -> Mapping[str, Any]:
    project = root / "pyproject.toml"
    found = tomllib.loads(project.read_text("utf-8")).get("tool", {}) if project.is_file() else {}
    return found if isinstance(found, dict) else {}


def _with_table(text: str, name: str, values: Mapping[str, Any]) -> str:
    """Return the text with new values in a table; refuse where other lines would have to change."""
    table, _, key = name.partition(".")
    lines = [f"{each} = {_toml(value)}" for each, value in values.items()]
    if key:
        lines = [f"{key} = {{ {', '.join(lines)} }}"]
    wanted = tomllib.loads(text)
    held = wanted.setdefault(table, {})
    held.update({key: dict(values)} if key else values)
    changed = edited(text, table, lines)
    try:
        right = tomllib.loads(changed) == wanted
    except tomllib.TOMLDecodeError:  # the table is written as dotted keys
        right = False
    if not right:
        hint = f"write below [{table}]: {'; '.join(lines)}"
        raise UsageError(f"setpoint.toml writes {name} in a way that cannot be changed", hint=hint)
    return changed


def edited(text: str, table: str, new: list[str]) -> str:
    """Replace keys below the header of a table, or add them; a table that is not there comes last."""
    header, keys = f"[{table}]", {line.partition(" = ")[0] for line in new}
    found, inside, placed = list[str](), False, False
    for line in text.splitlines():
        if _HEADER.match(line):
            inside = line.split("#")[0].strip() == header
        if inside and line.partition("=")[0].strip() in keys:
            continue
        found.append(line)
        if inside and not placed:
            found += new
            placed = True
    if not placed:
        found += [*([""] if found else []), header, *new]
    return "\n".join(found) + "\n"


def _toml(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else f"{value:g}"
