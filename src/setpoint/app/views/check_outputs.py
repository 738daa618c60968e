"""The checks of a run as a grid by iteration, and the raw output of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from setpoint.errors import RecordedDataError, UsageError
from setpoint.history.iterations import Lap, laps
from setpoint.history.replay import history
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import CheckState, Evidence
from setpoint.model.ids import TraceId
from setpoint.model.proof import Obligation
from setpoint.model.value import Text, Value
from setpoint.model.verdict import HardGate
from setpoint.wiring.project import Project, find_run

_MARKS = {
    CheckState.PASS: ("✓", "good"),
    CheckState.FAIL: ("✗", "bad"),
    CheckState.FLAKY: ("~", "warn"),
    CheckState.ERROR: ("!", "bad"),
    CheckState.NOT_MEASURED: ("-", "soft"),
}


class Cell(NamedTuple):
    """How a gate or check ended in one iteration."""

    word: str
    """For example `pass`, `not measured` or `not reached`."""
    sign: str
    tone: str
    """The class of its colour; what was not reached is `soft`, never `bad`."""
    told: str
    """Why, in short."""


class GridRow(NamedTuple):
    """A gate or a check over all iterations."""

    name: str
    gate: bool
    cells: tuple[Cell | None, ...]
    """The base first; none where it was not judged."""


class CheckOutput(Value):
    """One command that a check ran, with all that it printed."""

    stage: Stage
    evidence: Evidence
    output: Text = ""
    """As it was kept, secrets left out."""
    file: str = ""
    """Where it is kept."""
    lacking: Text = ""
    """Why there is no output; empty where there is one."""


class CheckDetail(Value):
    """All that is known of a gate or check in one iteration."""

    trace_id: TraceId
    name: str
    iteration: int
    """0 for the base."""
    gate: HardGate | None = None
    obligation: Obligation | None = None
    """What had to be proved, where the gate is about that."""
    outputs: tuple[CheckOutput, ...] = ()
    """Those that name a failing test that counts, then the others; oldest first."""
    see: tuple[str, ...] = ()
    """Checks that it rests on."""


def check_detail(project: Project, which: str, name: str, iteration: int | None = None) -> CheckDetail:
    """Return the outputs of a check, or of the checks of a gate; of the newest iteration that has it.

    A suite that was run as it was at the base and as it is now has both outputs.

    Raises `UsageError` that lists the checks where the run has none of that name.
    """
    trace_id = find_run(project, which).trace_id
    columns = _columns(project, trace_id)
    numbers = [iteration] if iteration is not None else sorted(columns, reverse=True)
    found = (
        _detail(project, trace_id, name, number, columns[number]) for number in numbers if number in columns
    )
    for detail in found:
        if detail.gate or detail.outputs:
            return detail
    known = {row for _, evaluations in columns.values() for row in _checks(evaluations)}
    where = "" if iteration is None else f" in iteration {iteration}" if iteration else " at the base"
    raise UsageError(
        f"{trace_id} has no check '{name}'{where}; it has {', '.join(sorted(known)) or 'none yet'}",
        hint=f"`setpoint show {trace_id}` lists the checks by iteration",
    )


def grid(base: Evaluation | None, every: Sequence[Lap]) -> tuple[GridRow, ...]:
    """Return gates, then the other checks, over the base and all iterations."""
    sides = [((), (base,) if base else ()), *((lap.gates, lap.evaluations) for lap in every)]
    names = {gate.name: True for judged, _ in sides for gate in judged}
    names |= {name: name in names for _, evaluations in sides for name in _checks(evaluations)}
    return tuple(
        GridRow(name, gate, tuple(_of_gate(judged, name) or _of_check(made, name) for judged, made in sides))
        for name, gate in names.items()
    )


_Column = tuple[Lap | None, tuple[Evaluation, ...]]


def _columns(project: Project, trace_id: TraceId) -> dict[int, _Column]:
    events = project.log.replay(trace_id)
    base = history(events).base
    found: dict[int, _Column] = {0: (None, (base,) if base else ())}
    return found | {lap.number: (lap, lap.evaluations) for lap in laps(events)}


def _detail(project: Project, trace_id: TraceId, name: str, number: int, column: _Column) -> CheckDetail:
    lap, evaluations = column
    gate = next((each for each in (lap.gates if lap else ()) if each.name == name), None)
    owed = lap.proof.obligations if lap and lap.proof else ()
    ids, records = gate.evidence if gate else (), tuple(_evidence(evaluations))
    names = {name, *(each.check for _, each in records if each.id in ids)}
    parts = {each.check for _, each in records if _is_part(each.check) and _suite(each.check) in names}
    names = names - set(map(_suite, parts)) | parts
    outputs = [_output(project, stage, each) for stage, each in records if each.check in names]
    red = {each.test.rpartition("::")[2] for made in evaluations for each in made.failures}
    owes = next((each for each in owed if each.name == name), None)
    suites = evaluations[-1].suites if owes and evaluations else ()
    return CheckDetail(
        trace_id=trace_id,
        name=name,
        iteration=number,
        gate=gate,
        obligation=owes,
        see=tuple(dict.fromkeys(each.check for each in suites)),
        outputs=tuple(sorted(outputs, key=lambda each: not any(test in each.output for test in red))),
    )


def _output(project: Project, stage: Stage, evidence: Evidence) -> CheckOutput:
    if evidence.output is None:
        why = "no output was kept" if evidence.argv else "no command was run"
        return CheckOutput(stage=stage, evidence=evidence, lacking=why)
    try:
        text = project.artifacts.read(evidence.output).decode("utf-8", "replace")
        place = project.artifacts.kept_at(evidence.output)
    except RecordedDataError as error:
        return CheckOutput(stage=stage, evidence=evidence, lacking=error.message)
    lacking = "" if text else "the command printed nothing"
    return CheckOutput(stage=stage, evidence=evidence, output=text, file=place, lacking=lacking)


def _evidence(evaluations: Sequence[Evaluation]) -> Iterator[tuple[Stage, Evidence]]:
    """Yield each record once; what a later stage repeats from an earlier one has its id.

    A suite has the id of its run with the tests of the base.
    """
    found = {
        (each.id, each.check): (made.stage, each)
        for made in reversed(evaluations)
        for each in reversed(made.evidence)
    }
    yield from reversed(found.values())


def _checks(evaluations: Sequence[Evaluation]) -> list[str]:
    """Name the checks; the runs of a suite are in its name."""
    return [each.check for _, each in _evidence(evaluations) if not _is_part(each.check)]


def _suite(part: str) -> str:
    return part.rpartition("-")[0]


def _of_gate(judged: Sequence[HardGate], name: str) -> Cell | None:
    gate = next((each for each in judged if each.name == name), None)
    return _cell(gate.state, gate.reason) if gate else None


def _of_check(evaluations: Sequence[Evaluation], name: str) -> Cell | None:
    made = [each for _, each in _evidence(evaluations) if each.check == name]
    return _cell(made[-1].state, made[-1].reason) if made else None


def _cell(state: CheckState, reason: str) -> Cell:
    if reason.startswith("not reached"):
        return Cell("not reached", "·", "soft", reason)
    sign, tone = _MARKS[state]
    return Cell(str(state).replace("_", " "), sign, tone, reason)


def _is_part(check: str) -> bool:
    """Whether a check is a part of the run of a suite."""
    from setpoint.checks.old_tests.places import PARTS

    return check in PARTS
