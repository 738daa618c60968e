"""What a person can open while a run works: scratchpad, progress file, and reports in Markdown and HTML.

All of it is computed from the run's events alone, so it can be written again at any time.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from setpoint.errors import RecordedDataError
from setpoint.history import phrases
from setpoint.history.iteration_rows import iteration_rows
from setpoint.history.iterations import Lap, laps
from setpoint.history.model_use import use_in_words
from setpoint.history.replay import History, history
from setpoint.history.reports.diff_text import Change, files_of
from setpoint.history.reports.progress_file import progress, status
from setpoint.history.reports.templates import templates
from setpoint.history.run_figures import RunFigures
from setpoint.history.run_fold import fold
from setpoint.model.attempt import ToolCall
from setpoint.model.ending import EXAMINED, Ending
from setpoint.model.events import Event, ProductShown
from setpoint.model.events.run import AgentFinished, PhaseCompleted, PhaseEntered, RunFinished
from setpoint.model.evidence import CheckState
from setpoint.model.facts import gains
from setpoint.model.facts.halting import decision_line, shadow_line
from setpoint.model.facts.spending import in_words
from setpoint.model.ids import Artifact, Commit, TraceId
from setpoint.model.run import COMPLETION_MARK
from setpoint.model.suppression import suppressed_in_words
from setpoint.model.verdict import HardGate
from setpoint.model.wording import counted
from setpoint.system.files.atomic import write_atomic, write_atomic_bytes

SCRATCHPAD, PROGRESS, MARKDOWN, HTML = "scratchpad.md", "progress.json", "report.md", "report.html"
"""Names of the files that `write_all` keeps up to date in a run's folder."""
HIDDEN = "hidden"
"""The folder for tests that were written before the maker began."""
MOST_OUTPUT = 4000
"""Characters of a tool's raw output, from its end, that a report shows."""

Read = Callable[[Artifact], bytes]
"""Reads an artifact; raises `RecordedDataError` where it is gone."""
Diff = Callable[[Commit, Commit], str]
"""Reads the change between two commits of a run; raises `RecordedDataError` where it is gone."""

_MARKS = {
    CheckState.PASS: "\N{CHECK MARK}",
    CheckState.FAIL: "\N{MULTIPLICATION X}",
    CheckState.FLAKY: "~",
    CheckState.ERROR: "!",
    CheckState.NOT_MEASURED: "\N{EN DASH}",
}
_UNMEASURED = CheckState.NOT_MEASURED


def scratchpad(events: Sequence[Event]) -> str:
    """Return the history that the maker and a person read first: one section per iteration (R2's shape)."""
    return _rendered("scratchpad.md.j2", events)


def markdown(events: Sequence[Event], read: Read | None = None, diff: Diff | None = None) -> str:
    """Return the report as Markdown, for a minute's reading; text from outside is escaped.

    With `read` it holds the ends of raw outputs, with `diff` what is delivered, both folded.
    """
    return _rendered("report.md.j2", events, read, diff)


def pull_text(
    events: Sequence[Event],
    issue: int,
    evidence_ref: str,
    earlier: Sequence[TraceId] = (),
    read: Read | None = None,
) -> str:
    """Return what a pull request says about a run, as Markdown; text from outside is escaped.

    `issue` is the one that asks for the work; 0: none. `evidence_ref` is the git ref of the statement,
    `earlier` are runs whose work the pull request holds already.
    """
    return _rendered("pull.md.j2", events, read, issue=issue, evidence_ref=evidence_ref, earlier=earlier)


def html(events: Sequence[Event], read: Read | None = None, diff: Diff | None = None) -> str:
    """Return the report as one self-contained page without scripts; text from outside is escaped.

    With `read` it holds the ends of the raw outputs, with `diff` what is delivered.
    """
    return _rendered("report.html.j2", events, read, diff)


def write_all(
    folder: Path, events: Sequence[Event], read: Read | None = None, diff: Diff | None = None
) -> None:
    """Write the four files of a run into its folder, each atomically; the event log can write them again.

    Tests that the maker was not to see follow when the run has ended, under `hidden/`.
    """
    for name, text in (
        (SCRATCHPAD, scratchpad(events)),
        (PROGRESS, progress(events).model_dump_json(indent=2) + "\n"),
        (MARKDOWN, markdown(events, read, diff)),
        (HTML, html(events, read, diff)),
    ):
        write_atomic(folder / name, text, flush=False)
    told = history(events)
    if told.outcome is not None and read is not None:  # the maker can read this folder while it works
        for test in {each.path: each for hidden in told.hidden for each in hidden.kept}.values():
            _write_hidden(folder / HIDDEN / test.path, test.source, read)


def _write_hidden(file: Path, source: Artifact, read: Read) -> None:
    try:
        text = read(source)
    except RecordedDataError:  # the record still says what it expects
        return
    if text:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic_bytes(file, text, flush=False)


def _text_of(kept: Artifact, read: Read | None) -> str:
    """Return the text of an artifact, or why it is gone: the record still names it."""
    try:
        return phrases.lines(read(kept).decode("utf-8", errors="replace")) if read is not None else ""
    except RecordedDataError as error:
        return f"({error.message})"


def _rendered(
    template: str, events: Sequence[Event], read: Read | None = None, diff: Diff | None = None, **more: object
) -> str:
    told, every = history(events), laps(events)
    lap, figures = _shown_lap(told, every), fold(events).figures
    return (
        _environment()
        .get_template(template)
        .render(
            told=told,
            laps=every,
            rows=tuple(iteration_rows(events)),
            lap=lap,
            order=told.order,
            headline=_headline(told, figures),
            opening=_opening(told),
            facts=_facts(told, figures, lap),
            missing=not_proved(told, lap),
            change=_change(told, diff),
            held=_held(told, every),
            price=lambda cost: "not told" if cost is None else f"${cost:.2f}",
            answers=_answers(told),
            unjudged=_unjudged(told),
            cost=in_words(told.account).removeprefix("cost "),
            use=use_in_words(told, events),
            spans=_spans(events),
            gate_names=list(dict.fromkeys(gate.name for each in every for gate in each.gates)),
            metric_names=_metric_names(told, every),
            thoughts=[event.body for event in events if isinstance(event.body, PhaseCompleted)],
            attempts=[event.body for event in events if isinstance(event.body, AgentFinished)],
            tools=_tools(told),
            count=len(events),
            word=lambda gate: _word(gate).replace("_", " "),
            source=lambda test: _text_of(test.source, read),
            mark=_MARKS,
            completion_mark=COMPLETION_MARK,
            status=lambda lap: status(told, lap),
            **_product(events, read),
            **more,
        )
    )


def product_html(events: Sequence[Event], read: Read) -> Markup:
    """Return what was shown of the product, as a part of a page; empty where nothing was."""
    return Markup(_environment().get_template("shown.html.j2").render(**_product(events, read)))  # noqa: S704 - the template escapes


def _product(events: Sequence[Event], read: Read | None) -> dict[str, object]:
    """Return what `shown.html.j2` needs."""
    return {
        "shown": [event.body for event in events if isinstance(event.body, ProductShown)],
        "output": lambda kept, most=MOST_OUTPUT: _end(_text_of(kept, read), most) if kept else "",
        "picture": lambda kept: _picture(kept, read),
    }


def _picture(kept: Artifact, read: Read | None) -> str:
    """Return a picture in base64; empty where it is gone."""
    try:
        return b64encode(read(kept)).decode() if read is not None else ""
    except RecordedDataError:
        return ""


def _end(text: str, most: int) -> str:
    return text if len(text) <= most else f"…{text[-most:]}"


def _word(gate: HardGate) -> str:
    """Return the state of a gate; one that was not reached did not break."""
    return "not reached" if gate.reason.startswith("not reached") else gate.state


def _shown_lap(told: History, every: tuple[Lap, ...]) -> Lap | None:
    """Return the iteration whose state is delivered or offered, or else the last."""
    best = told.outcome.best_iteration if told.outcome else 0
    return next((lap for lap in every if lap.number == best), every[-1] if every else None)


def _facts(told: History, figures: RunFigures, lap: Lap | None) -> list[str]:
    """Return what a reader wants to know beside the verdict: tests, change, iterations, cost and time."""
    back = f", sent back {counted(len(told.bounces), 'time')}" if told.bounces else ""
    iterations = f"{counted(figures.iteration, 'iteration')}{back}"
    quality = f"quality {figures.score}" if figures.score else ""
    every = (
        figures.tests,
        figures.change,
        quality,
        iterations,
        figures.cost,
        phrases.duration(told.active_s),
        suppressed_in_words(lap.findings) if lap else "",
    )
    return [each for each in every if each]


def not_proved(told: History, lap: Lap | None) -> list[str]:
    """Say what a state does not prove: gates, obligations and goals not met, and what was not run."""
    if lap is None or lap.latest is None:
        return []
    proof, outcome = lap.proof, told.outcome
    owed = proof.missing if proof else ()
    found = [f"{gate.name}: {gate.reason or gate.state}" for gate in lap.gates if not gate.passed]
    found += [f"{each.name}: {each.reason}" for each in owed]
    idle = [each for each in lap.gates if each.state is _UNMEASURED]
    found += [f"{each.name}: not measured{f': {each.reason}' if each.reason else ''}" for each in idle]
    unable = [each for each in (proof.not_run if proof else ()) if each not in {gate.name for gate in idle}]
    found += [f"{each}: not possible here" for each in unable]
    found += [f"{each}: switched off by proof.without" for each in told.order.proof.without]
    found += [f"{each.name}: {each.reason}" for each in (outcome.goals if outcome else ()) if each.missing]
    found += [
        f"{each.check}: {each.state.replace('_', ' ')}{f': {each.reason}' if each.reason else ''}"
        for each in lap.latest.evidence
        if each.state in (_UNMEASURED, CheckState.ERROR)
    ]
    return list(dict.fromkeys((*found, *(proof.vouched.lacking if proof else ()))))


def _change(told: History, diff: Diff | None) -> Change:
    """Return what is delivered, or the newest state, against the base."""
    outcome, base = told.outcome, told.order.base
    newest = told.rounds[-1].snapshot.commit if told.rounds else base
    end = outcome.best if outcome else newest
    command = f"git diff {base[:10]}...{outcome.branch}" if outcome and outcome.branch else ""
    command = command or f"git --git-dir .setpoint/snapshots/{told.trace_id}.git diff {base[:10]} {end[:10]}"
    if end == base or diff is None:
        return Change(command=command, empty=end == base)
    try:
        return Change(command=command, files=files_of(diff(base, end)))
    except RecordedDataError as error:
        return Change(command=command, gone=error.message)


def _headline(told: History, figures: RunFigures) -> str:
    if figures.verdict:
        return figures.verdict
    return "Waits for a person" if told.waiting is not None else f"Running: {told.phase or 'starting'}"


def _opening(told: History) -> str:
    """Say why the work is verified, or what it gained all the same."""
    outcome = told.outcome
    if outcome is None or outcome.ending in (Ending.MET, Ending.UNPROVABLE):
        return ""
    if outcome.ending in EXAMINED or told.base is None:
        return outcome.reason if outcome.verdict else ""
    best = next((each for each in told.rounds if each.number == outcome.best_iteration), None)
    return f"not verified; gained: {gains.in_words(told.base, best)}"


def _held(told: History, every: tuple[Lap, ...]) -> str:
    """Say what held the checks of the last tree that was measured."""
    last = next((lap.latest for lap in reversed(every) if lap.latest is not None), told.base)
    return last.held_by if last else ""


def _answers(told: History) -> list[tuple[str, str]]:
    """Return the commands that answer what a person is asked, each with what happens then."""
    gate = told.waiting
    if gate is None:
        return []
    return [(phrases.gate_command(told.trace_id, gate, each.choice), each.text) for each in gate.options]


def _unjudged(told: History) -> list[tuple[str, str, str]]:
    """Return each state that was not judged, with the commands that show it and make it a branch."""
    gate, outcome = told.waiting, told.outcome
    left = outcome.unjudged if outcome is not None else gate.unjudged if gate is not None else ()
    lines: list[tuple[str, str, str]] = []
    for each in left:
        store = f".setpoint/snapshots/{each.copy_of or told.trace_id}.git"
        look = phrases.look_command(store, told.order.base, each)
        lines.append((each.shown, look, phrases.keep_command(store, told.trace_id, each)))
    return lines


@cache
def _environment() -> Environment:
    environment = templates()
    environment.filters |= {
        "one_line": phrases.one_line,
        "prose": phrases.prose,
        "code": phrases.code,
        "figure": phrases.figure,
        "duration": phrases.duration,
        "finding": phrases.finding_line,
        "failure": phrases.failure_line,
        "change": phrases.change_line,
        "argv": phrases.argv_line,
        "fenced": phrases.fenced,
    }
    environment.globals["place"] = phrases.place
    environment.filters |= {"decision_line": decision_line, "shadow_line": shadow_line}
    return environment


@dataclass(frozen=True, kw_only=True)
class Span:
    """One phase on the time line."""

    name: str
    start_s: float
    """Seconds after the beginning of the run."""
    duration_s: float
    whole_s: float
    """Seconds of the whole line."""

    @property
    def left(self) -> float:
        """Where it begins, in percent of the line."""
        return round(100 * self.start_s / self.whole_s, 2) if self.whole_s else 0.0

    @property
    def width(self) -> float:
        """How much of the line it takes, in percent, at least enough to be seen."""
        return max(round(100 * self.duration_s / self.whole_s, 2) if self.whole_s else 0.0, 0.4)


def _spans(events: Sequence[Event]) -> list[Span]:
    """Return the phases in order, each up to the beginning of the next."""
    over = [event.at for event in events if isinstance(event.body, RunFinished)]
    began, ended = events[0].at, over[0] if over else events[-1].at
    whole = (ended - began).total_seconds()
    entries = [(event.at, event.body) for event in events if isinstance(event.body, PhaseEntered)]
    ends = [*(at for at, _ in entries[1:]), ended]
    return [
        Span(
            name=f"{body.phase} {body.iteration}" if body.iteration else body.phase,
            start_s=(at - began).total_seconds(),
            duration_s=(end - at).total_seconds(),
            whole_s=whole,
        )
        for (at, body), end in zip(entries, ends, strict=False)
    ]


def _metric_names(told: History, every: tuple[Lap, ...]) -> list[str]:
    """Name the metrics that were measured at least once."""
    measured = [lap.latest.quality for lap in every if lap.latest]
    measured += [told.base.quality] if told.base else []
    names = dict.fromkeys(name for quality in measured for name in type(quality).model_fields)
    return [name for name in names if any(getattr(quality, name) is not None for quality in measured)]


def _tools(told: History) -> list[tuple[str, int, int, float]]:
    """Count the agents' tool calls by name: calls, failures, seconds; the most used first."""
    calls: dict[str, list[ToolCall]] = {}
    for call in (call for of in told.calls.values() for call in of):
        calls.setdefault(call.name, []).append(call)
    rows = [
        (name, len(of), sum(call.ok is False for call in of), sum(call.duration_s or 0.0 for call in of))
        for name, of in calls.items()
    ]
    return sorted(rows, key=lambda row: (-row[1], row[0]))
