"""Judge whether commands by which the project judges itself, green at the base, are green on the result."""

from __future__ import annotations

from dataclasses import replace

from setpoint.checks.proof.kinds.gate_commands import READ, GateCommand, gate_commands
from setpoint.checks.proof.subject import Subject
from setpoint.checks.run import Group, run_group
from setpoint.checks.tools.acceptance import Acceptance
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.proof import Obligation, ObligationState, WorkKind
from setpoint.ports import Measured
from setpoint.system.git.git import contents

OWN_GATE = "own gate"
_TAIL = 300


async def own_gate(subject: Subject) -> tuple[Obligation, ...]:
    """Run each command on the base, once for each base, and where it is green there on the result."""
    if subject.work is WorkKind.DOCS:
        return ()
    held = await contents(subject.place.copy.path, subject.base.commit, READ)
    texts = {path: content.decode("utf-8", "replace") for path, content in held.items()}
    interpreter, settings = subject.task.project.interpreter, subject.measuring.settings.checks
    commands = list(gate_commands(texts, interpreter.path, settings.pytest_args))
    if not commands:
        return ()
    limit = subject.terms.arrangement_seconds
    if (took := sum(each.evidence.duration_s for each in subject.base.results)) > limit:
        reason = f"the checks of the base took {took:.0f} s, and proof.arrangement_seconds is {limit:.0f}"
        return (Obligation(name=OWN_GATE, state=ObligationState.NOT_APPLICABLE, reason=reason),)
    green = dict[str, str]()
    wrong, other = list[str](), list[str]()
    base = await subject.base_checked_out()
    stood = [(each, await _run(subject, each, base)) for each in commands]
    there = await subject.checked_out()
    for each, before in stood:
        if before.state is not CheckState.PASS:
            other.append(f"`{each.shown}` is not green at the base ({before.evidence.reason[:_TAIL]})")
        elif (now := await _twice(subject, each, there)).state is CheckState.PASS:
            green[each.shown] = f" ({each.demands})" if each.demands else ""
        else:
            wrong.append(f"`{each.shown}` is green at the base and not on the result: {_said(now)}")
    if wrong:
        reason = "; ".join([*wrong, *other])
        return (Obligation(name=OWN_GATE, state=ObligationState.NOT_MET, reason=reason),)
    notes = [f"`{shown}` is green at the base and on the result{demands}" for shown, demands in green.items()]
    state = ObligationState.MET if green else ObligationState.NOT_APPLICABLE
    return (
        Obligation(name=OWN_GATE, state=state, reason="; ".join([*notes, *other]), evidence=tuple(green)),
    )


async def _twice(subject: Subject, command: GateCommand, there: Measured) -> CheckResult:
    """Run a command on the result, and once more where it is not green: it may be flaky."""
    first = await _run(subject, command, there)
    if first.state is CheckState.PASS:
        return first
    return await _check(subject, command).run(there)


async def _run(subject: Subject, command: GateCommand, there: Measured) -> CheckResult:
    """Run a command in a tree, or take what it gave there before."""
    fingerprint = subject.task.project.interpreter.fingerprint
    group = Group(checks=(_check(subject, command),), identity=(OWN_GATE, command.command, fingerprint))
    bench = subject.measuring.bench(subject.task, subject.place.stage)
    (result,) = await run_group(group, there, replace(bench, told=lambda _: None))
    return result


def _check(subject: Subject, command: GateCommand) -> Acceptance:
    project, settings = subject.task.project, subject.measuring.settings.checks
    return Acceptance(
        number=0,
        command=command.command,
        interpreter=project.interpreter,
        layout=project.layout,
        artifacts=subject.measuring.artifacts,
        timeout_s=settings.timeout_s,
    )


def _said(result: CheckResult) -> str:
    """Return the end of what a command printed."""
    printed = result.findings[0].detail if result.findings else ""
    return " ".join(f"{result.evidence.reason}: {printed[-_TAIL:]}".split())
