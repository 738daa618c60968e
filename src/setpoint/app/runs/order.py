"""What a run is ordered to do: every choice made on the user's behalf, with its reason, frozen."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from setpoint import pipelines
from setpoint.app.checks.quarantine import quarantine_at
from setpoint.app.people.suppressions import active
from setpoint.app.project.person import require_person
from setpoint.app.runs.asked_goals import goal_notes, goals_of, measuring_goals
from setpoint.app.runs.board import begin_from, earlier_runs, require_sound, story_folder
from setpoint.app.runs.hidden_files import hidden_files
from setpoint.app.runs.judge_costs import judge_notes
from setpoint.app.runs.role_assignment import assign_roles, with_reviews
from setpoint.app.runs.story_files import FILE_ENDINGS
from setpoint.errors import UsageError
from setpoint.model.attempt import AttemptLimits, Role
from setpoint.model.changes.work_kind import kind_of_request
from setpoint.model.config.limits import Limits
from setpoint.model.gate import Escalation
from setpoint.model.ids import Commit, TraceId, sortable
from setpoint.model.pipeline import Pipeline
from setpoint.model.proof import WorkKind
from setpoint.model.run import RunOrder
from setpoint.model.stories.story import Delivery, KnownRed, Story
from setpoint.pipelines import load_pipeline
from setpoint.settings import SETTINGS_VERSION, Settings
from setpoint.stories.policy.failing_tests import asks_for_repair
from setpoint.stories.story_file import StoryFile, read_file, read_story
from setpoint.system.git.git import is_dirty
from setpoint.wiring.agents import agents_of, prompt_folder
from setpoint.wiring.plugins import enabled, pipelines_of
from setpoint.wiring.project import Project

_DIRTY = "your tree holds uncommitted changes: the run starts from the commit and does not see them"


def resolve_story(
    project: Project,
    what: str,
    acceptance: tuple[str, ...] = (),
    kind: str = "",
    may_change: tuple[str, ...] = (),
    goals: tuple[str, ...] = (),
) -> Story:
    """Make a story of a sentence, or read the one that is named by path or id."""
    require_person(project)
    if kind and kind not in set(WorkKind):
        message = f"'{kind}' is not a kind of work"
        raise UsageError(message, hint=f"take one of {', '.join(WorkKind)}")
    named = [path for path in (Path(what), project.root / what) if _is_story(path)]
    if not named and (known := story_folder(project).find(what)) is not None:
        named = [known]
    if named:
        found = read_story(named[0])
        require_sound(project, named[0])
    else:
        if not what.strip() or (Path(what).suffix in FILE_ENDINGS and " " not in what.strip()):
            message = f"'{what}' is neither a story file nor a request"
            raise UsageError(
                message, hint='write a sentence, for example: setpoint run "make the failing tests pass"'
            )
        found, _ = story_folder(project).new(what)
    update: dict[str, object] = {
        "acceptance": (*found.acceptance, *acceptance),
        "may_change": (*found.may_change, *may_change),
        "goals": {**found.goals, **goals_of(goals)},
    }
    if kind:
        update["kind"] = WorkKind(kind)
    return found.model_copy(update=update)


def _is_story(path: Path) -> bool:
    try:
        return path.suffix == ".md" and path.is_file()
    except OSError:  # a long sentence is not a file name
        return False


def find_pipeline(project: Project, name: str = "") -> Pipeline:
    """Return a pipeline by name or path, with the reviews the settings ask for; none: the settings' own."""
    settings = project.settings
    found = load_pipeline(name or settings.pipeline, project.root, pipelines_of(settings))
    return with_reviews(found, settings.agents.reviews)


def check_prompts(project: Project, wanted: Pipeline) -> int:
    """Look at every prompt of a pipeline, the project's own ones first; gives their number."""
    return pipelines.check_prompts(wanted, prompt_folder(project.root))


def make_order(project: Project, wanted: Story, base: str = "HEAD") -> RunOrder:
    """Freeze all that a run is ordered to do, with the reason for each choice made on the user's behalf."""
    order = asyncio.run(_order(project, wanted, wanted.base if wanted.base and base == "HEAD" else base))
    return order.model_copy(update={"suppressed": active(project)})


async def _order(project: Project, wanted: Story, base: str) -> RunOrder:
    settings = project.settings
    commit, needs = await _begin_from(project, wanted, base)
    repairs = _repairs(wanted, settings)
    names, workflow, notes, passed_over = await assign_roles(project, find_pipeline(project), repairs=repairs)
    plugins, failed = enabled(settings.plugins)
    notes += map(str, (*failed, *plugins))
    wanted, red_note = _with_known_red(_with_mode(wanted, settings), settings, names[Role.MAKER])
    file = _file(project, wanted)
    notes += [red_note, *_kind_notes(wanted), *_integrity_notes(wanted, settings, file)]
    # Stories do not belong to the change; Setpoint itself writes into them.
    if dirty := await is_dirty(project.root, settings.stories_dir):
        notes.append(_DIRTY)
    limits = _limits(wanted, settings, now := datetime.now(UTC))
    notes += judge_notes(names, agents_of(project).has_model, (wanted, workflow, limits))
    quarantine = quarantine_at(project, now)
    notes += (f"begins from the work of {each.story} ({each.run}, {each.commit[:10]})" for each in needs)
    notes += (*goal_notes(settings.goals, wanted), *(earlier_runs(project, file) if file else ()))
    return RunOrder(
        trace_id=TraceId(sortable("run", now)),
        root=str(project.root),
        base=commit,
        needs=needs,
        story=wanted.model_copy(update={"accept_hidden": ()}),  # agents read the story
        hidden=await hidden_files(project, wanted, commit),
        pipeline=workflow,
        limits=limits,
        escalation=_escalation(wanted, settings),
        halting=settings.halting,
        proof=settings.proof,
        memory=settings.memory,
        agents=names,
        preset=settings.preset,
        weights=settings.weights,
        candidates_at_once=settings.agents.candidates_at_once,
        attempt=AttemptLimits(wall_s=settings.agents.wall_s, idle_s=settings.agents.idle_s),
        settings=measuring_goals(settings, wanted).model_dump_json(exclude={"agent", "database"}),
        settings_version=SETTINGS_VERSION,
        plugins=plugins,
        dirty=dirty,
        notes=tuple(notes),
        passed_over=tuple(passed_over),
        quarantine=tuple(each for each in quarantine if each.active(now)),
        quarantine_ended=tuple(each for each in quarantine if not each.active(now)),
        series=settings.delivery.commits == "series",
        branch=f"{settings.branch_prefix}{wanted.id}",
        story_file=str(file.path) if file else "",
        story_digest=file.digest if file else "",
        started_at=now,
    )


async def _begin_from(project: Project, wanted: Story, base: str) -> tuple[Commit, tuple[Delivery, ...]]:
    """Return the commit to begin from, and whose work it holds, as the shared repository has them now."""
    if shared := project.shared():
        await shared.refresh(project.settings.branch_prefix)
    return begin_from(project, wanted, base)


def _kind_notes(wanted: Story) -> tuple[str, ...]:
    """Say before anything is paid what kind of work a request is taken for."""
    return ("kind of work: {} ({})".format(*kind_of_request(wanted)),)


def _integrity_notes(wanted: Story, settings: Settings, file: StoryFile | None) -> tuple[str, ...]:
    """Say what a person released, and which modes and settings of earlier versions were read otherwise."""
    found = [*settings.notices]
    if file is not None and (mode := file.earlier_mode):
        hint = "write 'both' or 'read-only'"
        found.append(f"{file.path}: integrity '{mode}' is read as 'both'; hint: {hint}")
    if wanted.may_change:
        paths = ", ".join(wanted.may_change)
        found.append(f"may change: {paths} (the story or --may-change says so)")
    return tuple(found)


def _file(project: Project, wanted: Story) -> StoryFile | None:
    """Return the current story file; None for a story outside the board."""
    path = story_folder(project).find(wanted.id)
    if path is None:
        return None
    file = read_file(path)
    return file if file.story.wish == wanted.wish else None


def _limits(wanted: Story, settings: Settings, now: datetime) -> Limits:
    """Return the limits of the settings with what the story says of its own."""
    limits = settings.limits
    update: dict[str, object] = {
        "max_refinement_attempts": wanted.max_refinement_attempts or limits.max_refinement_attempts
    }
    if wanted.deadline is not None:
        left = (wanted.deadline - now).total_seconds()
        if left <= 0:
            message = f"story '{wanted.id}': its deadline {wanted.deadline:%Y-%m-%d %H:%M %Z} has passed"
            raise UsageError(message, hint="give it a later 'deadline', or take the key out")
        update["deadline_s"] = min(left, limits.deadline_s or left)
    return limits.model_copy(update=update)


def _escalation(wanted: Story, settings: Settings) -> Escalation:
    own = {"on_limit": wanted.on_limit, "deadline_s": wanted.gate_deadline_s}
    return settings.escalation.model_copy(update={key: value for key, value in own.items() if value})


def _with_mode(wanted: Story, settings: Settings) -> Story:
    """Take the project's mode for old tests, and what it shows, where the story names none."""
    mode = wanted.integrity if "integrity" in wanted.model_fields_set else settings.integrity.mode
    return wanted.model_copy(update={"integrity": mode, "show": wanted.show or settings.show})


def _repairs(wanted: Story, settings: Settings) -> bool:
    """Whether the work is to make failing tests pass, or to repair what may fail a test."""
    said = wanted.known_red if "known_red" in wanted.model_fields_set else settings.known_red
    fixes = said == KnownRed.FIX
    return fixes or asks_for_repair(wanted.wish) or kind_of_request(wanted)[0] is WorkKind.REPAIR


def _with_known_red(wanted: Story, settings: Settings, maker: str) -> tuple[Story, str]:
    """Decide what to do about tests that fail at the base (docs/decisions: known-red)."""
    if "known_red" in wanted.model_fields_set:
        return wanted, f"tests that fail at the base: {wanted.known_red} (the story says so)"
    if settings.known_red != "auto":
        choice, reason = settings.known_red, "by setting"
    elif maker == "mechanic":
        choice, reason = KnownRed.FIX, "the mechanic fixes failing tests"
    elif asks_for_repair(wanted.wish):
        choice, reason = KnownRed.FIX, "the request asks to make failing tests pass"
    else:
        choice, reason = (
            KnownRed.TOLERATE,
            "the request does not ask to make failing tests pass; hint: --known-red fix includes them",
        )
    return wanted.model_copy(
        update={"known_red": choice}
    ), f"tests that fail at the base: {choice} ({reason})"
