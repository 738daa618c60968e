"""The board: stories from their files, their runs from the log, and what is to be done next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from setpoint.app.runs.dependencies import Dependencies
from setpoint.errors import RecordedDataError, StoryError, UsageError
from setpoint.history.queries import RunState, RunSummary, newest_by_story, runs_of
from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.stories.board import ActionKind, Card, NextAction, PhaseProgress
from setpoint.model.stories.story import Delivery, Status, Story
from setpoint.stories.policy.assessor import assess, by_urgency, column, next_action
from setpoint.stories.policy.dependencies import graph_faults
from setpoint.stories.story_faults import KEYS
from setpoint.stories.story_file import StoryFile, claimed_id, read_file
from setpoint.stories.story_folder import StoryFolder
from setpoint.system.git.merge import newest_named
from setpoint.wiring.project import Project

if TYPE_CHECKING:
    from setpoint.model.events import Event

ENDED = ("run.started", "loop.phase_bounce", "run.finished")
"""Kinds of events that determine the status of a finished run."""
SETTABLE = (*sorted(KEYS - {"id"}), "status", "refinement_count", "last_error")
"""Keys that `setpoint story set` takes; all others are Setpoint's own or someone else's."""


def story_folder(project: Project) -> StoryFolder:
    """Return the folder of the project's stories."""
    own = project.settings.stories_dir
    return StoryFolder(project.root / own if own else project.state / "stories", project.state)


def list_cards(project: Project) -> tuple[Card, ...]:
    """Return all stories, most urgent first; an unreadable file becomes a card with the error.

    So is a story whose newest run cannot be read.
    """
    found, stories = _own_cards(project)
    dependencies = Dependencies(project, found, stories)
    return by_urgency(card if card.fault else dependencies.card(card.id) for card in found)


def begin_from(project: Project, story: Story, base: str) -> tuple[Commit, tuple[Delivery, ...]]:
    """Return the newest commit that a run of a story begins from, and whose work it holds beyond the base.

    Raises `UsageError` where the base names none, a dependency has delivered nothing, or they conflict.
    """
    commit = newest_named(project.root, base)
    if commit is None:
        hint = "commit something first, or give another --base"
        raise UsageError(f"'{base}' names no commit in {project.root}", hint=hint)
    if not story.depends_on:
        return commit, ()
    return Dependencies(project, *_own_cards(project)).begin(story, commit)


def _own_cards(project: Project) -> tuple[list[Card], dict[StoryId, Story]]:
    """Return each story by its own file and runs, and the stories that can be read."""
    read = read_stories(project)
    stories = {file.story.id: file.story for file in read.values() if isinstance(file, StoryFile)}
    newest = newest_by_story(project.store, project.locks.owner, list(stories))
    standings = _standings(project, tuple(newest.values()))
    faults = board_faults(read)
    cards = [_card(path, file, standings) for path, file in read.items()]
    return [_faulty(card, faults.get(Path(card.path), "")) for card in cards], stories


def read_stories(project: Project) -> dict[Path, StoryFile | str]:
    """Read every story, or say why it cannot be read."""
    return {path: read_one(path) for path in story_folder(project).paths()}


def board_faults(read: Mapping[Path, StoryFile | str]) -> dict[Path, str]:
    """Say which files cannot be worked on because of others: two with one id, and their dependencies."""
    ids = {
        path: file.story.id if isinstance(file, StoryFile) else claimed_id(path)
        for path, file in read.items()
    }
    needs: dict[StoryId, tuple[StoryId, ...]] = dict.fromkeys(ids.values(), ())
    needs |= {each.story.id: each.story.depends_on for each in read.values() if isinstance(each, StoryFile)}
    graph, count = graph_faults(needs), Counter(ids.values())
    found = dict[Path, str]()
    for path, file in read.items():
        if isinstance(file, StoryFile) and count[ids[path]] > 1:
            text = f"another file has the id '{ids[path]}' too; hint: give one of them another id"
            found[path] = f"{path}:{file.line_of('id')}: {text}"
        elif isinstance(file, StoryFile) and ids[path] in graph:
            found[path] = f"{path}:{file.line_of('depends_on')}: {graph[ids[path]]}"
    return found


def require_sound(project: Project, path: Path) -> None:
    """Raise `StoryError` where a file of the board cannot be worked on because of others."""
    if not story_folder(project).holds(path):
        return
    faults = {each.resolve(): fault for each, fault in board_faults(read_stories(project)).items()}
    if fault := faults.get(path.resolve()):
        message, _, hint = fault.partition("; hint: ")
        raise StoryError(message, hint=hint)


def find_card(project: Project, which: str) -> Card:
    """Return the story with this id or file name; `UsageError` where there is none.

    A file that another machine handed over lies in no folder of stories: its card is of that file alone.
    """
    if queued_folder(project) in Path(which).parents:
        file = read_one(Path(which))
        newest = _newest(project, file.story.id) if isinstance(file, StoryFile) else None
        return _card(Path(which), file, _standings(project, (newest,) if newest else ()))
    path = str(story_path(project, which))
    return next(card for card in list_cards(project) if card.path == path)


def queued_folder(project: Project) -> Path:
    """Return the folder of stories that other machines handed over."""
    return project.state / "queued"


def story_path(project: Project, which: str) -> Path:
    """Return the file of a story by its id or file name; `UsageError` where there is none."""
    path = story_folder(project).find(which)
    if path is None:
        message = f"no story is called '{which}' in {story_folder(project).folder}"
        raise UsageError(message, hint="`setpoint story list` shows them all")
    return path


def read_one(path: Path) -> StoryFile | str:
    """Read a story's file, or say why it is none."""
    try:
        return read_file(path)
    except StoryError as error:
        return " ".join(f"{error.message}; hint: {error.hint}".split())


def _newest(project: Project, story: StoryId) -> RunSummary | None:
    return newest_by_story(project.store, project.locks.owner, (story,)).get(story)


def _card(path: Path, file: StoryFile | str, standings: dict[StoryId, PhaseProgress | str]) -> Card:
    if isinstance(file, str):
        return _unreadable(path, file)
    standing = standings.get(file.story.id)
    if isinstance(standing, str):
        told = {"id": file.story.id, "title": file.story.title, "priority": file.story.priority}
        return _unreadable(path, standing).model_copy(update=told)
    return Card(
        id=file.story.id,
        title=file.story.title,
        path=str(path),
        status=column(file.record, standing),
        priority=file.story.priority,
        refinement_count=len(standing.refinements) if standing else file.record.refinement_count,
        refinement_limit=standing.limit if standing else None,
        last_error=standing.last_error if standing else file.record.last_error,
        run=standing.trace_id if standing else None,
        branch=standing.branch if standing else file.record.branch,
        needs=standing.needs if standing else (),
        edited=bool(standing and standing.digest and standing.digest != file.digest),
        action=assess(file.record, standing),
    )


def _unreadable(path: Path, fault: str) -> Card:
    return Card(
        id=claimed_id(path),
        title=path.name,
        path=str(path),
        status=Status.BLOCKED,
        fault=fault,
        action=_look(fault),
    )


def _faulty(card: Card, fault: str) -> Card:
    """Block a story that cannot be worked on."""
    if not fault:
        return card
    return card.model_copy(update={"fault": fault, "status": Status.BLOCKED, "action": _look(fault)})


def _look(fault: str) -> NextAction:
    return next_action(ActionKind.LOOK, fault)


def progress_of_run(project: Project, run: RunSummary) -> PhaseProgress | None:
    """Return the status of a run, from its events; raises `RecordedDataError` where they cannot be read."""
    standing = _progress(project.log.replay(run.trace_id))
    return _as_now(run, standing) if standing else None


def _progress(events: Sequence[Event]) -> PhaseProgress | None:
    from setpoint.stories.policy.run_progress import phase_progress_of

    return phase_progress_of(events)


def _standings(project: Project, runs: Sequence[RunSummary]) -> dict[StoryId, PhaseProgress | str]:
    """Return the status of the runs by story; finished runs are read in one query.

    A run with a damaged record appears with its error, so that it does not hide the others.
    """
    over = [run.trace_id for run in runs if run.state is RunState.FINISHED]
    events = project.log.readable(over, kinds=ENDED) if over else {}
    found = {run.story_id: _standing(project, run, events) for run in runs}
    return {story: standing for story, standing in found.items() if standing}


def _standing(
    project: Project, run: RunSummary, events: dict[TraceId, list[Event]]
) -> PhaseProgress | str | None:
    """Return the status of a run, or why it is unknown."""
    try:
        standing = _progress(events.get(run.trace_id) or project.log.replay(run.trace_id))
    except RecordedDataError as error:
        return " ".join(str(error).split())
    return _as_now(run, standing) if standing else None


def _as_now(run: RunSummary, standing: PhaseProgress) -> PhaseProgress:
    late = standing.waits_until is not None and datetime.now(UTC) >= standing.waits_until
    # After the deadline no answer is needed: the run continues with the default.
    over = {"waiting": False, "last_error": ""} if late else {}
    return standing.model_copy(update={"alive": run.process is not None, **over})


def runs_of_story(project: Project, story: StoryId) -> tuple[tuple[RunSummary, PhaseProgress], ...]:
    """Return all runs of a story with their status, newest first."""
    found = []
    for run in runs_of(project.store, project.locks.owner, story):
        standing = _progress(project.log.replay(run.trace_id))
        if standing is not None:
            found.append((run, standing))
    return tuple(found)


def earlier_runs(project: Project, file: StoryFile) -> tuple[str, ...]:
    """Say what a new run of a story should know of the one before it."""
    run = _newest(project, file.story.id)
    if run is None:
        return ()
    if run.process is not None:
        return (f"another run of this story is under way: {run.trace_id}",)
    if run.state is not RunState.FINISHED:
        return (
            f"{run.trace_id} of this story is not finished; `setpoint resume {run.trace_id}` continues it",
        )
    standing = progress_of_run(project, run)
    edited = standing is not None and standing.digest not in ("", file.digest)
    return (f"the story was edited since {run.trace_id}",) if edited else ()


def add_story(project: Project, wish: str, **keys: Any) -> tuple[Story, Path]:  # noqa: ANN401 - any key of a story
    """Write a new story; raise `UsageError` for an empty request."""
    if not wish.strip():
        raise UsageError("a story needs a title", hint='for example: setpoint story new "Export as JSON"')
    given = {key: value for key, value in keys.items() if value not in (None, "", ())}
    return story_folder(project).new(wish, **given)


def set_keys(project: Project, which: str, assignments: tuple[str, ...]) -> StoryFile:
    """Change keys of a story, each given as `key=value` with the value in YAML; `key=` takes it out."""
    path = story_path(project, which)
    changes = dict(_assignment(text) for text in assignments)
    if not changes:
        raise UsageError("nothing to set", hint="give key=value, for example priority=200")
    if "status" in changes:
        # A person's word is about the newest run: said here, so that the file counts as up to date.
        known = find_card(project, which)
        changes["last_run"] = str(known.run) if known.run else None
        _allowed(str(changes["status"] or ""), known)
    return story_folder(project).change(path, changes)


def _allowed(status: str, known: Card) -> None:
    if known.action.kind is ActionKind.WAIT and not known.waits_for:
        message = f"{known.id}: {known.run} works on it just now"
        raise UsageError(message, hint="wait until it has ended")
    if known.run is not None and status not in _PERSONS:
        message = f"{known.id}: its run {known.run} says whether it is {status or 'anything'}"
        raise UsageError(message, hint=f"set one of {', '.join(_PERSONS)}")


_PERSONS = (str(Status.BACKLOG), str(Status.READY), str(Status.DONE))
"""Columns that a person may put a story into that has a run."""


def _assignment(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or name not in SETTABLE:
        message = f"'{text}' sets nothing" if not equals else f"'{name}' is not a settable key"
        raise UsageError(message, hint=f"give key=value with one of: {', '.join(SETTABLE)}")
    try:
        return name, yaml.safe_load(value) if value else None
    except yaml.YAMLError:
        raise UsageError(f"'{text}': the value is not valid YAML", hint="put it into quotes") from None
