"""What a person can open while a run works: scratchpad, progress file, and reports in Markdown and HTML.

All of it is computed from the run's events alone, so it can be written again at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from jinja2 import Environment

from setpoint.errors import RecordedDataError
from setpoint.history import phrases
from setpoint.history.iterations import Lap, laps
from setpoint.history.model_use import use_in_words
from setpoint.history.replay import History, history
from setpoint.history.reports.progress_file import progress, status
from setpoint.history.reports.templates import templates
from setpoint.model.attempt import ToolCall
from setpoint.model.ending import EXAMINED, Ending
from setpoint.model.evaluation import Evaluation
from setpoint.model.events import Event
from setpoint.model.events.run import AgentFinished, PhaseCompleted, PhaseEntered, RunFinished
from setpoint.model.evidence import CheckState, Evidence
from setpoint.model.facts import gains
from setpoint.model.facts.halting import shadow_line
from setpoint.model.facts.spending import in_words
from setpoint.model.ids import Artifact, TraceId
from setpoint.model.run import COMPLETION_MARK, SELF_TESTED_MARK, UNPROVEN_MARK
from setpoint.system.files.atomic import write_atomic

SCRATCHPAD, PROGRESS, MARKDOWN, HTML = "scratchpad.md", "progress.json", "report.md", "report.html"
"""Names of the files that `write_all` keeps up to date in a run's folder."""
HIDDEN = "hidden"
"""The folder for tests that were written before the maker began."""
MOST_OUTPUT = 4000
"""Characters of a tool's raw output, from its end, that the HTML report shows."""

Read = Callable[[Artifact], bytes]
"""Reads an artifact; raises `RecordedDataError` where it is gone."""

_MARKS = {
    CheckState.PASS: "\N{CHECK MARK}",
    CheckState.FAIL: "\N{MULTIPLICATION X}",
    CheckState.FLAKY: "~",
    CheckState.ERROR: "!",
    CheckState.NOT_MEASURED: "\N{EN DASH}",
}
_ENDINGS = {
    Ending.VERIFIED: COMPLETION_MARK,
    Ending.SELF_TESTED: SELF_TESTED_MARK,
    Ending.UNPROVEN: f"{UNPROVEN_MARK}: nobody examined it, or a run of the verdict failed",
    Ending.UNPROVABLE: "Nothing here could prove the work, so no agent was started",
    Ending.STOPPED: "Stopped by a guard, best state kept",
    Ending.ESCALATED: "Needs a person, best state kept",
    Ending.ACCEPTED: "Accepted by a person, not verified",
    Ending.SKIPPED: "Left to a person, best state kept",
    Ending.BROKEN_AGENT: "The agent broke",
    Ending.CANCELLED: "Cancelled, best state kept",
    Ending.MET: "Nothing to do: all that was asked is there already",
}


def scratchpad(events: Sequence[Event]) -> str:
    """Return the history that the maker and a person read first: one section per iteration (R2's shape)."""
    return _rendered("scratchpad.md.j2", events)


def markdown(events: Sequence[Event]) -> str:
    """Return the report as Markdown, fit for a pull request; text from outside is escaped."""
    return _rendered("report.md.j2", events)


def pull_text(events: Sequence[Event], issue: int, evidence_ref: str, earlier: Sequence[TraceId] = ()) -> str:
    """Return what a pull request says about a run, as Markdown; text from outside is escaped.

    `issue` is the one that asks for the work; 0: none. `evidence_ref` is the git ref of the statement,
    `earlier` are runs whose work the pull request holds already.
    """
    told = history(events)
    number = told.outcome.best_iteration if told.outcome else 0
    best = next((each for each in told.rounds if each.number == number), None)
    return _rendered("pull.md.j2", events, issue=issue, evidence_ref=evidence_ref, best=best, earlier=earlier)


def html(events: Sequence[Event], read: Read | None = None) -> str:
    """Return the report as one self-contained page without scripts; text from outside is escaped.

    With `read`, the ends of the raw outputs of failed and broken checks are shown too.
    """
    return _rendered("report.html.j2", events, read)


def write_all(folder: Path, events: Sequence[Event], read: Read | None = None) -> None:
    """Write the four files of a run into its folder, each atomically; the event log can write them again.

    Tests that the maker was not to see follow when the run has ended, under `hidden/`.
    """
    for name, text in (
        (SCRATCHPAD, scratchpad(events)),
        (PROGRESS, progress(events).model_dump_json(indent=2) + "\n"),
        (MARKDOWN, markdown(events)),
        (HTML, html(events, read)),
    ):
        write_atomic(folder / name, text, flush=False)
    told = history(events)
    if told.outcome is not None and read is not None:  # the maker can read this folder while it works
        for test in {each.path: each for hidden in told.hidden for each in hidden.kept}.values():
            _write_hidden(folder / HIDDEN / test.path, test.source, read)


def _write_hidden(file: Path, source: Artifact, read: Read) -> None:
    if text := _text_of(source, read):
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, text, flush=False)


def _text_of(source: Artifact, read: Read | None) -> str:
    """Return the text of a hidden test; empty where it is gone: the record still says what it expects."""
    try:
        return read(source).decode("utf-8", errors="replace") if read is not None else ""
    except RecordedDataError:
        return ""


def _rendered(template: str, events: Sequence[Event], read: Read | None = None, **more: object) -> str:
    told, every = history(events), laps(events)
    return (
        _environment()
        .get_template(template)
        .render(
            told=told,
            laps=every,
            order=told.order,
            headline=_headline(told),
            opening=_opening(told),
            set_of=partial(_set_of, told.order.weights),
            held=_held(told, every),
            price=lambda cost: "unknown" if cost is None else f"${cost:.2f}",
            answers=_answers(told),
            unjudged=_unjudged(told),
            cost=in_words(told.account),
            use=use_in_words(told, events),
            tokens=told.account.tokens,
            spans=_spans(events),
            gate_names=list(dict.fromkeys(gate.name for lap in every for gate in lap.gates)),
            metric_names=_metric_names(told, every),
            thoughts=[event.body for event in events if isinstance(event.body, PhaseCompleted)],
            attempts=[event.body for event in events if isinstance(event.body, AgentFinished)],
            tools=_tools(told),
            count=len(events),
            output=lambda evidence: _output(evidence, read),
            source=lambda test: _text_of(test.source, read),
            mark=_MARKS,
            completion_mark=COMPLETION_MARK,
            status=lambda lap: status(told, lap),
            **more,
        )
    )


def _headline(told: History) -> str:
    if told.outcome is not None:
        return told.outcome.verdict or _ENDINGS[told.outcome.ending]
    return "Waits for a person" if told.waiting is not None else f"Running: {told.phase or 'starting'}"


def _set_of(weights: Mapping[str, float], measured: Evaluation | None) -> str:
    """Name the metrics that a quality score rests on, for the text beside it."""
    if measured is None or measured.score is None:
        return ""
    names = measured.quality.weighed(weights)
    return f" of {', '.join(names)}" if names else ""


def _opening(told: History) -> str:
    """Say why the work is verified, or why it is not and what it gained all the same."""
    outcome = told.outcome
    if outcome is None:
        return ""
    if outcome.ending in EXAMINED:
        return outcome.reason
    if outcome.ending in (Ending.MET, Ending.UNPROVABLE) or told.base is None:
        return outcome.reason
    best = next((each for each in told.rounds if each.number == outcome.best_iteration), None)
    return f"not verified because: {outcome.reason}; gained: {gains.in_words(told.base, best)}"


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
    }
    environment.globals["place"] = phrases.place
    environment.filters["shadow_line"] = shadow_line
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


def _output(evidence: Evidence, read: Read | None) -> str:
    """Return end of a raw output that says why a check is not green; empty where there is none to show."""
    if (
        read is None
        or evidence.output is None
        or evidence.state in (CheckState.PASS, CheckState.NOT_MEASURED)
    ):
        return ""
    try:
        text = read(evidence.output).decode("utf-8", errors="replace")
    except RecordedDataError as error:
        return f"({error.message})"
    return text if len(text) <= MOST_OUTPUT else f"…{text[-MOST_OUTPUT:]}"
