"""Which protected files a run releases from its start, and why: the story, a flag, or a plain request."""

from __future__ import annotations

from glob import escape

from setpoint.checks.discovery.own_commands.command import test_commands
from setpoint.checks.discovery.project import layout_at
from setpoint.checks.integrity.paths.measure_files import measure_files
from setpoint.checks.integrity.paths.only_by_tests import only_by_tests
from setpoint.checks.integrity.paths.protected_paths import Kind, kind_of
from setpoint.checks.integrity.thresholds import tool_settings
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.ids import Commit
from setpoint.model.stories.story import Story
from setpoint.stories.policy.may_change import asked_among, asks_for_tests, released_by
from setpoint.system.git.git import contents, files_at
from setpoint.wiring.project import Project

_MOST_SHOWN = 5
_FROM_SIGNALS = "production-"
"""How the names of stories begin that were written from signals, also before they were marked `external`."""


async def with_released(project: Project, story: Story, base: Commit) -> tuple[Story, tuple[str, ...]]:
    """Return the story with all that is released from the start, and a note for each reason."""
    notes = (
        [f"may change: {', '.join(story.may_change)} (the story or --may-change says so)"]
        if story.may_change
        else []
    )
    if story.external or story.id.startswith(_FROM_SIGNALS):
        return story, tuple(notes)
    protected = await _protected(project, story, base)
    tests = {}
    if asks_for_tests(story):
        read = await contents(project.root, base, [path for path in protected if is_test_path(path)])
        tests = {path: held.decode("utf-8", "replace") for path, held in read.items()}
    found = released_by(story, protected, tests)
    said: dict[str, list[str]] = {}
    for each in found:
        said.setdefault(each.because, []).append(each.path)
    for because, paths in said.items():
        more = f" and {len(paths) - _MOST_SHOWN} more" if len(paths) > _MOST_SHOWN else ""
        notes.append(
            f"may change: {', '.join(paths[:_MOST_SHOWN])}{more}, because the request says '{because}'"
        )
    if not found:
        return story, tuple(notes)
    may_change = tuple(dict.fromkeys((*story.may_change, *(escape(each.path) for each in found))))
    return story.model_copy(update={"may_change": may_change}), tuple(notes)


async def _protected(project: Project, story: Story, base: Commit) -> dict[str, frozenset[str]]:
    """Return the protected files, each with words of which a request has to hold one to release it.

    A `pyproject.toml` is released only where the request speaks of settings of tools in it: its dependencies
    may change anyway.
    """
    named = (*story.protected, *project.settings.integrity.protected)
    kinds = {path: kind_of(path, named) for path in await files_at(project.root, base)}
    tables = [path for path, kind in kinds.items() if kind is Kind.TABLES]
    texts = await contents(project.root, base, tables) if tables else {}
    words = {}
    for path, held in texts.items():
        keys = tool_settings(path, held.decode("utf-8", "replace")) or {}
        parts = (part.lower() for key in keys for name in key for part in name.replace("-", "_").split("_"))
        words[path] = frozenset(part for part in parts if part.isalpha()) or frozenset({"pytest"})
    protected = {path: words.get(path, frozenset()) for path, kind in kinds.items() if kind is not None}
    other = asked_among(story, (path for path, kind in kinds.items() if kind is None))
    if other:
        commands = test_commands((await layout_at(project.root, base)).own)
        measure = await measure_files(project.root, base, other, kinds.keys(), commands)
        doubtful = await only_by_tests(project.root, base, other, kinds.keys(), commands)
        protected |= dict.fromkeys((*measure, *doubtful), frozenset())
    return protected
