"""From what was measured of a change to the report of the job, within its limits."""

from __future__ import annotations

from collections.abc import Iterator

from setpoint.app.ci.change import Change, Skipped
from setpoint.app.ci.measure import ChangeMeasured
from setpoint.model.ci_report import (
    MOST_NAME,
    MOST_PROBLEMS,
    MOST_ROWS,
    MOST_TEXT,
    CheckRow,
    CiReport,
    CiState,
    Level,
    MetricRow,
    NoteRow,
    ObligationRow,
    Problem,
)
from setpoint.model.evidence import SUITES, CheckState, Evidence, Failure
from setpoint.model.finding import Finding, Note, Severity
from setpoint.model.value import writable
from setpoint.version import __version__

_LEVELS = {
    Severity.CRITICAL: Level.ERROR,
    Severity.ERROR: Level.ERROR,
    Severity.WARNING: Level.WARNING,
    Severity.INFO: Level.NOTICE,
}
_ORDER = (Level.ERROR, Level.WARNING, Level.NOTICE)


def skipped_report(what: Skipped, measured: str = "") -> CiReport:
    """Report that an event asks for no check."""
    return CiReport(
        setpoint=__version__,
        event=_cut(what.event, MOST_NAME),
        head=what.head,
        measured=measured or what.head,
        state=CiState.SKIPPED,
        reason=_cut(what.reason, MOST_TEXT),
    )


def report_of(
    change: Change, found: ChangeMeasured, base: str, commit: str, settings_changed: tuple[str, ...]
) -> CiReport:
    """Report what was measured of a change."""
    problems = sorted(
        (*_measured(found), *_of_settings(settings_changed)),
        key=lambda each: (not each.blocking, _ORDER.index(each.level)),
    )
    unknown = [each.check for each in found.now.broken if each.check in SUITES and _broke_before(each, found)]
    state, reason = CiState.PASSED, ""
    if any(each.blocking for each in problems):
        state = CiState.FAILED
    elif unknown:
        state = CiState.NOT_MEASURED
        reason = f"{', '.join(unknown)} gave no answer, neither at the base nor in the change"
    elif not found.now.test_counts:
        reason = "no test ran"
    proof = found.proof
    return CiReport(
        setpoint=__version__,
        event=_cut(change.event, MOST_NAME),
        head=change.head,
        measured=commit,
        base=base,
        state=state,
        reason=_cut(reason, MOST_TEXT),
        problems=tuple(problems[:MOST_PROBLEMS]),
        left_out=max(0, len(problems) - MOST_PROBLEMS),
        metrics=tuple(_metrics(found))[:MOST_ROWS],
        checks=tuple(_check(each) for each in found.now.evidence)[:MOST_ROWS],
        known_red=_names(found.now.known_red),
        restored=_names(found.restored),
        contradicted=_names(found.now.contradicted),
        notes=tuple(map(_note, found.now.notes))[:MOST_ROWS],
        settings_changed=_names(settings_changed),
        released=change.released,
        kind=proof.work if proof else "",
        obligations=tuple(
            ObligationRow(
                name=_cut(each.name, MOST_NAME), state=each.state, reason=_cut(each.reason, MOST_TEXT)
            )
            for each in (proof.obligations if proof else ())
        )[:MOST_ROWS],
        held=_cut(found.now.held_by, MOST_NAME),
    )


def _measured(found: ChangeMeasured) -> Iterator[Problem]:
    yield from map(_failure, found.now.failures)
    yield from map(_finding, found.now.findings)
    for each in found.now.broken:
        before = _broke_before(each, found)
        yield Problem(
            level=Level.WARNING if before else Level.ERROR,
            blocking=not before,
            kind="check",
            title=_cut(f"{each.check} broke", MOST_NAME),
            message=_cut(f"{'at the base, too: ' if before else ''}{each.reason}", MOST_TEXT),
        )


def _broke_before(evidence: Evidence, found: ChangeMeasured) -> bool:
    before = found.base.evidence_of(evidence.check)
    return before is not None and before.state is CheckState.ERROR


def _failure(each: Failure) -> Problem:
    return Problem(
        level=Level.ERROR,
        blocking=True,
        kind="test",
        title=_cut(f"{each.test} fails", MOST_NAME),
        message=_cut(each.message, MOST_TEXT),
        file=_file(each.file or each.test.partition("::")[0]),
        line=max(each.line, 0),
        rule=str(each.cause),
    )


def _finding(each: Finding) -> Problem:
    rule = f"{each.source} {each.rule}".rstrip()
    return Problem(
        level=_LEVELS[each.severity],
        blocking=each.blocking,
        kind="integrity" if each.source == "integrity" else "finding",
        title=_cut(rule, MOST_NAME),
        message=_cut(f"{each.message}: {each.detail}" if each.detail else each.message, MOST_TEXT),
        file=_file(each.file),
        line=max(each.line, 0),
        rule=_cut(each.rule or each.source, MOST_NAME),
        fingerprint=each.fingerprint,
    )


def _note(each: Note) -> NoteRow:
    return NoteRow(
        rule=_cut(each.rule, MOST_NAME),
        message=_cut(each.message, MOST_TEXT),
        file=_file(each.file),
        line=max(each.line, 0),
    )


def _of_settings(changed: tuple[str, ...]) -> Iterator[Problem]:
    for path in changed:
        yield Problem(
            level=Level.WARNING,
            blocking=False,
            kind="settings",
            title="settings of Setpoint changed",
            message="the change was judged with the settings of its base",
            file=_file(path),
        )


def _metrics(found: ChangeMeasured) -> Iterator[MetricRow]:
    before, after = found.base.quality.measured, found.now.quality.measured
    counts = (found.base.test_counts, found.now.test_counts)
    for outcome in ("passed", "failed", "error", "skipped"):
        if any(outcome in each for each in counts):
            was, now = (float(each.get(outcome, 0)) if each else None for each in counts)
            yield MetricRow(name=f"tests: {outcome}", before=was, after=now)
    for name in {**before, **after}:
        yield MetricRow(name=name, before=before.get(name), after=after.get(name))


def _check(each: Evidence) -> CheckRow:
    reason = each.reason or each.against_base
    return CheckRow(name=_cut(each.check, MOST_NAME), state=str(each.state), reason=_cut(reason, MOST_TEXT))


def _names(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_cut(path, MOST_NAME) for path in paths[:MOST_ROWS])


def _file(path: str) -> str:
    """Return a path as it is; empty if it is too long, because a part of it names another file."""
    written = writable(path)
    return written if len(written) <= MOST_NAME else ""


def _cut(text: str, most: int) -> str:
    written = writable(text)
    return written if len(written) <= most else f"{written[: most - 2]} …"
