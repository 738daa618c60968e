"""What the loop around a forge asks of a project: stories, runs, feedback, and what to show."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from setpoint.app.checks.attest import statement_lines
from setpoint.app.ci.sarif import sarif
from setpoint.app.forge.commands import carried_out
from setpoint.app.forge.evidence import evidence_commit
from setpoint.app.people.deliveries import edits_between, observe_deliveries
from setpoint.app.people.feedback import record
from setpoint.app.production.signals import ProductionRecord, StoryBoard, record_deployment
from setpoint.app.runs.board import find_card, set_keys, story_folder, story_path
from setpoint.errors import RecordedDataError, UsageError
from setpoint.history.phrases import one_line, prose
from setpoint.history.queries import RunState, RunSummary, newest_by_story
from setpoint.history.replay import History, history
from setpoint.history.reports.run_report import markdown, pull_text
from setpoint.model.changes.redaction import redacted
from setpoint.model.ci_report import MOST_NAME, Problem
from setpoint.model.ci_report import Level as ProblemLevel
from setpoint.model.ending import EXAMINED
from setpoint.model.events.people import DeliveryFate, DeliveryJudged, Feedback
from setpoint.model.forge import (
    Annotation,
    CheckConclusion,
    CheckSummary,
    Deployed,
    ForgeCommand,
    Level,
)
from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.run import Round, RunOutcome
from setpoint.model.stories.board import ActionKind, Card
from setpoint.model.stories.story import Status, Story
from setpoint.people.forge_results import EVIDENCE
from setpoint.ports import RunResult, RunTexts
from setpoint.system.git.git import commit_of
from setpoint.version import __version__
from setpoint.wiring.project import Project

MOST_TEXT = 60_000
"""Characters of a pull request's text; GitHub takes 65,536."""
MOST_ANNOTATIONS = 100
_LINKS = re.compile(r"(?<=\w):(?=//)|\bGH-(?=\d)|\\#(?=\d)")
"""Addresses, and numbers of issues, in Markdown that is escaped."""
_CALLS = re.compile(r"@(?=\w)|#(?=\d)|\bGH-(?=\d)|(?<=\w):(?=//)")
"""What mentions people or issues in a plain text."""


class ProjectDesk:
    """The desk of one project; one pass of the loop uses one."""

    def __init__(self, project: Project) -> None:
        """Read nothing yet."""
        self.root: Path = project.root
        self._project = project

    def open(self, story: Story) -> None:
        """Write a story that may be worked on; one that exists stays as it is."""
        StoryBoard(self._project).put(story, ready=True)

    def reopen(self, story: StoryId, more: str, base: Commit) -> None:
        """Have a story worked on again from another commit, with more words at its end."""
        project = self._project
        story_folder(project).append(story_path(project, story), more)
        set_keys(project, story, (f"base={base}", f"status={Status.READY}"))

    def close(self, story: StoryId) -> None:
        """Take a story off the board, unless a run works on it."""
        card = self._card(story)
        if card is not None and card.status is not Status.DONE and card.action.kind is not ActionKind.WAIT:
            set_keys(self._project, story, (f"status={Status.DONE}",))

    def busy(self, story: StoryId) -> bool:
        """Whether a run of the story is under way, or the story is to be taken up."""
        card = self._card(story)
        return card is not None and card.status in (
            Status.READY,
            Status.WAITING,
            Status.IN_PROGRESS,
            Status.REWORK,
            Status.IN_REVIEW,
        )

    def feedback(self, run: TraceId, key: str, body: Feedback) -> None:
        """Record what a person said or did about a run, once."""
        record(self._project, run, key, body)

    def edited(self, run: TraceId, before: Commit, after: Commit) -> None:
        """Record that people changed a delivered branch."""
        body = asyncio.run(edits_between(self._project, before, after))
        if body is not None:
            record(self._project, run, f"feedback:delivery:pushed:{after}", body)

    def merged(self, run: TraceId, tip: Commit) -> None:
        """Record what git shows of delivered work on the branch that ends at this commit."""
        observe_deliveries(self._project, str(tip))
        events = self._project.log.replay(run)
        if any(event.key.startswith("feedback:delivery:") for event in events):
            return
        # A squash may have lost the line that names the run; the forge still says that it is merged.
        outcome = history(events).outcome
        branch = outcome.branch if outcome else ""
        body = DeliveryJudged(branch=branch, fate=DeliveryFate.MERGED, commit=tip)
        record(self._project, run, "feedback:delivery:merged", body)

    def deployed(self, news: Deployed) -> str:
        """Record a deployment; return why that is not possible, empty where it is recorded."""
        try:
            record_deployment(
                ProductionRecord(self._project),
                news.commit,
                environment=news.environment,
                at=news.at,
                id_=f"forge-{news.id}",
            )
        except UsageError as error:
            return error.message
        return ""

    def carry_out(self, story: StoryId, command: ForgeCommand, by: str) -> str:
        """Carry out a command of a person who may push; return what to answer."""
        return carried_out(self._project, self._newest((story,)).get(story), command, by)

    def results(self, stories: Collection[StoryId]) -> tuple[RunResult, ...]:
        """Return the newest run of each of these stories that waits or has ended."""
        found = []
        for story, run in self._newest(stories).items():
            if run.state in (RunState.FINISHED, RunState.WAITING):
                # A damaged record holds up no other story; `setpoint status` names it.
                with contextlib.suppress(RecordedDataError):
                    told = history(self._project.log.replay(run.trace_id))
                    found.append(self._result(story, run, told))
        return tuple(found)

    def texts(self, run: TraceId, issue: int, earlier: Sequence[TraceId] = ()) -> RunTexts:
        """Write what a forge shows of a finished run, without secrets."""
        events = self._project.log.replay(run)
        told, ref = history(events), f"{EVIDENCE}/{run}"
        text = _shown(pull_text(events, issue, ref, earlier, self._project.artifacts.read))
        if len(text) > MOST_TEXT:
            text = f"{text[:MOST_TEXT]}\n\n(cut; the whole report is in `report.md` of `{ref}`)"
        files = {"report.md": _shown(markdown(events, self._project.artifacts.read)).encode()}
        if told.outcome is not None and told.rounds:
            files["statement.json"] = redacted(statement_lines(self._project, run, "evidence")).encode()
        return RunTexts(
            title=_title(told.order.story.title, 200),
            text=text,
            summary=_summary(told, text),
            sarif=sarif(_problems(told), __version__).encode(),
            evidence=asyncio.run(evidence_commit(self.root, files, run)),
        )

    def _card(self, story: StoryId) -> Card | None:
        """Return a story as the board shows it; none where a person removed its file."""
        try:
            return find_card(self._project, story)
        except UsageError:
            return None

    def _newest(self, stories: Collection[StoryId]) -> dict[StoryId, RunSummary]:
        return newest_by_story(self._project.store, self._project.locks.owner, stories)

    def _result(self, story: StoryId, run: RunSummary, told: History) -> RunResult:
        gate, outcome = told.waiting, told.outcome
        branch = outcome.branch if outcome else ""
        headline = gate.question if gate is not None else outcome.reason if outcome else ""
        verdict = f"{outcome.verdict or outcome.ending}: " if outcome else ""
        return RunResult(
            story=story,
            run=run.trace_id,
            title=told.order.story.title,
            finished=outcome is not None,
            verified=outcome is not None and outcome.ending in EXAMINED and outcome.enough,
            branch=branch,
            commit=asyncio.run(commit_of(self.root, f"refs/heads/{branch}")) if branch else None,
            gate=gate.id if gate is not None else "",
            headline=_line(f"{verdict}{headline}", 600),
        )


def _shown(text: str) -> str:
    """Remove secrets, and the home folder of whoever runs Setpoint, from a text that others read.

    Texts from outside are escaped in it already; what forges turn into links without markup is broken here.
    """
    return _LINKS.sub("\\g<0>\N{WORD JOINER}", redacted(text).replace(f"{Path.home()}/", "~/"))


def _line(text: str, most: int) -> str:
    """Put a text from outside on a line of Markdown at a forge: it mentions nobody and links nothing."""
    return _shown(prose(text, most))


def _title(text: str, most: int) -> str:
    """Put a text from outside into a title, as plain text: it mentions nobody and closes no issue."""
    plain = redacted(one_line(text, most))
    return _CALLS.sub("\\g<0>\N{WORD JOINER}", plain)


def _summary(told: History, text: str) -> CheckSummary:
    outcome = told.outcome
    ending = outcome.ending if outcome else None
    best = _best(told)
    conclusion = CheckConclusion.FAILURE
    if outcome is not None and ending in EXAMINED and outcome.enough:
        conclusion = CheckConclusion.SUCCESS
    elif best is not None and not best.latest.failures and not best.latest.blocking:
        conclusion = CheckConclusion.NEUTRAL
    return CheckSummary(
        conclusion=conclusion,
        title=_title(_conclusion(outcome), 140),
        text=text,
        annotations=_annotations(best),
    )


def _conclusion(outcome: RunOutcome | None) -> str:
    """Say in one line how a run ended, and who vouches for the work."""
    if outcome is None:
        return "not finished"
    return outcome.verdict or f"{outcome.ending}: {outcome.reason}"


def _problems(told: History) -> tuple[Problem, ...]:
    """Return the findings of the delivered state, as code scanning takes them."""
    best = _best(told)
    return tuple(
        Problem(
            level=ProblemLevel.ERROR if each.blocking else ProblemLevel.WARNING,
            blocking=each.blocking,
            kind="finding",
            title=each.source[:MOST_NAME],
            message=redacted(one_line(each.message, 900)),
            file=each.file[:MOST_NAME],
            line=max(each.line, 0),
            rule=each.rule[:MOST_NAME],
            fingerprint=each.fingerprint,
        )
        for each in (best.latest.findings if best else ())
    )


def _best(told: History) -> Round | None:
    number = told.outcome.best_iteration if told.outcome else 0
    return next((each for each in told.rounds if each.number == number), None)


def _annotations(best: Round | None) -> tuple[Annotation, ...]:
    if best is None:
        return ()
    placed = [each for each in best.latest.findings if each.file and each.line > 0]
    return tuple(
        Annotation(
            file=each.file,
            line=each.line,
            level=Level.FAILURE if each.blocking else Level.WARNING,
            title=f"{each.source} {each.rule}".strip(),
            text=redacted(one_line(each.message, 1000)),
        )
        for each in placed[:MOST_ANNOTATIONS]
    )
