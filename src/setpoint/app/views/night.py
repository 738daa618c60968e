"""The morning report of a shift of workers: what waits for whom, what ended how, what came, what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from setpoint.app.forge.standing import forge_record
from setpoint.app.landing.standing import LandingStanding, landing_standing
from setpoint.app.runs.board import list_cards
from setpoint.app.runs.shift_record import ShiftRecord
from setpoint.errors import UsageError
from setpoint.history.notices.notice import MOST_CHARS, MOST_LINES, Notice
from setpoint.history.phrases import one_line
from setpoint.history.queries import Cost, RunSummary, newest_by_story
from setpoint.model.changes.redaction import redacted
from setpoint.model.config.notice_target import NoticeKind
from setpoint.model.ids import StoryId
from setpoint.model.stories.board import ActionKind, Card
from setpoint.model.value import Text, Usd, Value
from setpoint.model.wording import counted
from setpoint.wiring.project import Project
from setpoint.wiring.run_ports import SystemClock

YOU = "you"


class WaitingStory(Value):
    """A story that is not done, and what it waits for."""

    story: StoryId
    title: Text
    on: Text
    """`you`, the stories it depends on, `a run under way` or `a worker`."""
    why: Text
    command: Text = ""
    """What a person types next."""


class ShiftReport(Value):
    """What came of a shift."""

    shift: Text
    """Its day, the time of a call of `setpoint run --auto`, or since when."""
    waits: tuple[WaitingStory, ...] = ()
    """Those first that wait for you."""
    worked: tuple[RunSummary, ...] = ()
    """The newest run, as it is now, of each story that was worked on."""
    pulls: dict[StoryId, Text] = {}
    """Addresses of their pull requests."""
    landing: LandingStanding = LandingStanding()
    """What landed meanwhile, and what waits to land."""
    came: tuple[StoryId, ...] = ()
    """Stories that workers had not seen before."""
    cost: Text = ""
    """`$4.10 in this shift`, with how many runs did not tell."""
    cost_usd: Usd

    @property
    def headline(self) -> str:
        """Say it in one line."""
        landed = f", {len(self.landing.landed)} landed" * bool(self.landing.landed)
        good, you = sum(bool(run.branch) for run in self.worked), sum(each.on == YOU for each in self.waits)
        return (
            f"{counted(len(self.worked), 'story')} worked on, {good} with a branch{landed}, "
            f"{you} {'waits' if you == 1 else 'wait'} for you, {self.cost}"
        )

    @property
    def lines(self) -> Iterator[str]:
        """Say all of it, what waits for a person first."""
        waits = []
        for each in self.waits:
            hint = f"; hint: {each.command}" if each.command else ""
            waits.append(f"waits for {each.on}: {each.story}: {each.why}{hint}")
        yield from (line for line, each in zip(waits, self.waits, strict=True) if each.on == YOU)
        for run in self.worked:
            where = filter(None, (run.branch, self.pulls.get(run.story_id), run.cost, told(run)))
            yield f"{str(run.ending or run.state).replace('_', ' ')}: {run.story_id}: {' · '.join(where)}"
        yield from self.landing.lines
        yield from (line for line, each in zip(waits, self.waits, strict=True) if each.on != YOU)
        if self.came:
            yield f"new: {', '.join(self.came)}"


def told(run: RunSummary) -> str:
    """Say who vouches for the work of a run, what it asks, or why it ended otherwise."""
    return one_line(run.verdict or run.asks or run.reason or f"in {run.phase or 'the beginning'}", 160)


def shift_report(project: Project, since: datetime | None = None, name: str = "") -> ShiftReport | None:
    """Return the report of a shift, or of all since a time; none where no worker has worked.

    The shift is the last one, unless it is named.
    """
    record = ShiftRecord(project, SystemClock()).read()
    newest = max([*record.came.values(), *((t.at, t.shift) for t in record.takings)], default=None)
    if newest is None:
        return None
    shift = name or newest[1]
    takings = [t for t in record.takings if (t.at >= since if since else t.shift == shift)]
    cards, stories = list_cards(project), list(dict.fromkeys(each.story for each in takings))
    names = [*stories, *(card.id for card in cards)]
    runs = newest_by_story(project.store, project.locks.owner, names)
    worked = tuple(runs[story] for story in stories if story in runs)
    pulls = {each.story: each.url for each in forge_record(project).pulls.values() if each.story in stories}
    cost = record.cost(takings)
    span = "since then" if since else "in this shift"
    waits = [_waiting(card, runs.get(card.id)) for card in cards if card.action.kind is not ActionKind.REST]
    before = [at for at in record.reported.values() if takings and at < takings[0].at]
    after = [at for at in record.reported.values() if takings and at > takings[-1].at and not since]
    landing = landing_standing(project, since or max(before, default=None), min(after, default=None))
    waits += [_stuck(card, landing.asks[card.id]) for card in cards if card.id in landing.asks]
    return ShiftReport(
        shift=f"since {since:%Y-%m-%d %H:%M}" if since else shift,
        waits=tuple(sorted(waits, key=lambda each: each.on != YOU)),
        worked=worked,
        pulls=pulls,
        landing=landing,
        came=tuple(each for each, (at, of) in record.came.items() if (at >= since if since else of == shift)),
        cost=Cost(cost, sum(run.cost_usd is None for run in worked)).over(span),
        cost_usd=cost,
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


def _waiting(card: Card, run: RunSummary | None) -> WaitingStory:
    on, why, command = "a worker", card.action.reason, ""
    if card.action.kind is ActionKind.ANSWER:
        on, why, command = YOU, run.asks if run else why, f"setpoint answer show {card.run}"
    elif card.action.kind is ActionKind.LOOK:
        on, why = YOU, card.fault or card.last_error or why
        command = f"setpoint show {card.run}" if card.run else f"setpoint story check {card.id}"
    elif card.action.kind is ActionKind.WAIT:
        on = ", ".join(card.waits_for) or "a run under way"
    return WaitingStory(story=card.id, title=card.title, on=on, why=one_line(why, 160), command=command)


def _stuck(card: Card, why: str) -> WaitingStory:
    command = f"setpoint story show {card.id}"
    return WaitingStory(story=card.id, title=card.title, on=YOU, why=one_line(why, 160), command=command)


def shift_notice(project: Project, report: ShiftReport) -> Notice:
    """Return the notice that a shift is over."""
    lines = [one_line(redacted(each), MOST_CHARS) for each in report.lines]
    return Notice(
        kind=NoticeKind.REPORT,
        id=f"work-{report.shift}",
        at=datetime.now(UTC),
        run="",
        repository=project.root.name,
        title=f"Shift of {report.shift}: {report.headline}",
        lines=(*lines[: MOST_LINES - 1], "all of it: setpoint work report"),
    )
