"""The morning report of a shift of workers: what waits for whom, what came, what ended how, what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from setpoint.app.forge.standing import forge_record
from setpoint.app.runs.board import list_cards
from setpoint.app.runs.shift_record import ShiftRecord
from setpoint.errors import UsageError
from setpoint.history.notices.notice import MOST_CHARS, MOST_LINES, Notice
from setpoint.history.phrases import one_line
from setpoint.history.queries import Cost, RunSummary, newest_by_story
from setpoint.model.changes.redaction import redacted
from setpoint.model.config.notice_target import NoticeKind
from setpoint.model.facts.spending import amount
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.stories.board import ActionKind, Card
from setpoint.model.value import Instant, Text, Usd, Value
from setpoint.model.wording import counted
from setpoint.system.files.locks import RunLocks
from setpoint.wiring.project import Project
from setpoint.wiring.run_ports import SystemClock

YOU, _REST = "you", ActionKind.REST
_MOST = 160


class WorkedStory(Value):
    """A story that was worked on in the shift, with its newest run as it is now."""

    story: StoryId
    title: Text
    run: TraceId | None = None
    state: str
    """How the run ended, or its state, as `setpoint status` shows it."""
    said: Text = ""
    """Who vouches for the work, or why it did not end well."""
    branch: Text = ""
    pull: Text = ""
    """Address of its pull request."""
    cost: Text

    @property
    def line(self) -> str:
        """Say it in one line."""
        where = [f"branch {self.branch}"] * bool(self.branch) + [self.pull] * bool(self.pull)
        return f"{self.state.replace('_', ' ')}: {', '.join((self.story, *where, self.cost))}: {self.said}"


class WaitingStory(Value):
    """A story that is not done, and what it waits for."""

    story: StoryId
    title: Text
    on: Text
    """`you`, the stories it depends on, `a run under way` or `a worker`."""
    why: Text
    command: Text = ""
    """What a person types next."""

    @property
    def line(self) -> str:
        """Say it in one line."""
        hint = f"; hint: {self.command}" if self.command else ""
        return f"waits for {self.on}: {self.story}: {self.why}{hint}"


class ShiftReport(Value):
    """What came of a shift."""

    shift: Text
    """Its day, the time of a call of `setpoint run --auto`, or since when."""
    since: Instant | None = None
    """When the first story was taken up."""
    until: Instant | None = None
    """When the last story was left that a run has ended of."""
    waits: tuple[WaitingStory, ...] = ()
    """Those first that wait for you."""
    came: tuple[StoryId, ...] = ()
    """Stories that workers had not seen before."""
    worked: tuple[WorkedStory, ...] = ()
    cost: Text = ""
    """`$4.10 in this shift`, with how many stories did not tell."""
    cost_usd: Usd
    untold: int = 0
    """Stories whose agents did not tell their cost in full."""

    @property
    def when(self) -> str:
        """Name the shift with its first and last minute, in local time."""
        times = [f"{at.astimezone():%H:%M}" for at in (self.since, self.until) if at]
        return ", ".join((self.shift, *(["-".join(times)] if times else [])))

    @property
    def headline(self) -> str:
        """Say it in one line."""
        good = sum(bool(each.branch) for each in self.worked)
        you = sum(each.on == YOU for each in self.waits)
        return (
            f"{counted(len(self.worked), 'story')} worked on, {good} with a branch, "
            f"{you} {'waits' if you == 1 else 'wait'} for you, {self.cost}"
        )

    @property
    def lines(self) -> Iterator[str]:
        """Say all of it, what waits for a person first."""
        yield from (each.line for each in self.waits if each.on == YOU)
        yield from (each.line for each in self.worked)
        yield from (each.line for each in self.waits if each.on != YOU)
        if self.came:
            yield f"came: {', '.join(self.came)}"


def shift_report(project: Project, since: datetime | None = None, name: str = "") -> ShiftReport | None:
    """Return the report of a shift, or of all since a time; none where no worker has worked.

    The shift is the last one, unless it is named.
    """
    record = ShiftRecord(project, SystemClock()).read()
    seen = max(record.came.values(), key=lambda each: each[1], default=("", None))
    shift = name or (record.takings[-1].shift if record.takings else seen[0])
    if not shift:
        return None
    takings = record.of(shift) if since is None else [each for each in record.takings if each.at >= since]
    came = (each for each, (of, at) in record.came.items() if (at >= since if since else of == shift))
    cards = {card.id: card for card in list_cards(project)}
    stories = list(dict.fromkeys(each.story for each in takings))
    runs = newest_by_story(project.store, RunLocks(project.state).owner, [*cards, *stories])
    pulls = {each.story: each.url for each in forge_record(project).pulls.values()}
    untold = {story for story in stories if story in runs and runs[story].cost_usd is None}
    worked = []
    for story in stories:
        cost = record.cost([each for each in takings if each.story == story])
        told = _worked(story, cards.get(story), runs.get(story))
        shown = amount(cost, known=story not in untold)
        worked.append(told.model_copy(update={"pull": pulls.get(story, ""), "cost": shown}))
    waits = [_waiting(card, runs.get(card.id)) for card in cards.values() if card.action.kind is not _REST]
    total = record.cost(takings)
    return ShiftReport(
        shift=shift if since is None else f"since {since:%Y-%m-%d %H:%M}",
        since=takings[0].at if takings else None,
        until=max((each.until for each in takings if each.until), default=None),
        waits=tuple(sorted(waits, key=lambda each: each.on != YOU)),
        came=tuple(came),
        worked=tuple(worked),
        cost=Cost(total, len(untold)).over("in this shift" if since is None else "since then"),
        cost_usd=total,
        untold=len(untold),
    )


def report_since(project: Project, since: str) -> ShiftReport:
    """Return the report of all since a local time, or of the last shift; `UsageError` where there is none."""
    try:
        report = shift_report(project, datetime.fromisoformat(since).astimezone() if since else None)
    except ValueError:
        raise UsageError(f"'{since}' is not a time", hint="for example --since 2026-01-31T18:00") from None
    if report is None:
        raise UsageError(f"no worker has worked in {project.root} yet", hint="setpoint work --now")
    return report


def _worked(story: StoryId, card: Card | None, run: RunSummary | None) -> WorkedStory:
    title = card.title if card else run.title if run else story
    if run is None:
        said = "no run began; its command says why"
        return WorkedStory(story=story, title=title, state="not begun", said=said, cost="")
    said = run.verdict or run.asks or run.reason or f"in {run.phase or 'the beginning'}"
    return WorkedStory(
        story=story,
        title=title,
        run=run.trace_id,
        state=str(run.ending or run.state),
        said=one_line(said, _MOST),
        branch=run.branch,
        cost="",
    )


def _waiting(card: Card, run: RunSummary | None) -> WaitingStory:
    on, why, command = "a worker", card.action.reason, ""
    match card.action.kind:
        case ActionKind.ANSWER:
            on, why = YOU, run.asks if run else why
            command = f"setpoint answer show {card.run}"
        case ActionKind.LOOK:
            on, why = YOU, card.fault or card.last_error or why
            command = f"setpoint show {card.run}" if card.run else f"setpoint story check {card.id}"
        case ActionKind.WAIT:
            on = ", ".join(card.waits_for) or "a run under way"
        case _:
            pass
    return WaitingStory(story=card.id, title=card.title, on=on, why=one_line(why, _MOST), command=command)


def shift_notice(project: Project, report: ShiftReport) -> Notice:
    """Return the notice that a shift is over."""
    lines = [one_line(redacted(each), MOST_CHARS) for each in report.lines]
    if len(lines) >= MOST_LINES:
        lines[MOST_LINES - 2 :] = [f"and {counted(len(lines) - MOST_LINES + 2, 'line')} more"]
    return Notice(
        kind=NoticeKind.REPORT,
        id=f"work-{report.shift}",
        at=datetime.now(UTC),
        run="",
        repository=project.root.name,
        title=f"Shift of {report.shift}: {report.headline}",
        lines=(*lines, "details: setpoint work report"),
    )
