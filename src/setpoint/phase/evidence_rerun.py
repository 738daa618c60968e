"""Re-run the evidence of a finished run and explain every difference from the recorded result."""

from __future__ import annotations

from collections.abc import Iterable

from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import CheckState, Evidence
from setpoint.model.ids import Commit, Tree
from setpoint.model.proof import Obligation, ObligationState, Proof
from setpoint.model.run import RunOrder
from setpoint.model.value import Text, Value
from setpoint.ports import Evaluator, Measured, Workspace

COMPARED = ("passed", "failed", "error", "skipped", "xfailed", "xpassed", "deselected", "findings")
"""Counts that must be equal."""
_GREEN = (CheckState.PASS, CheckState.FLAKY)
_SUITES = ("pytest", "unittest")
_SHAKY = "mutation"
"""A mutation check tries as many mutants as its time permits, so only its verdict must be equal."""
_MOST_NAMED = 5
_MEANS = {
    ObligationState.MET: CheckState.PASS,
    ObligationState.NOT_MET: CheckState.FAIL,
    ObligationState.NOT_APPLICABLE: CheckState.NOT_MEASURED,
}


class Compared(Value):
    """One check: the recorded result and the new one."""

    check: str
    recorded: CheckState
    recorded_counts: dict[str, int]
    now: CheckState
    now_counts: dict[str, int]
    recorded_tool: Text = ""
    """Tool and version of the recorded result."""
    now_tool: Text = ""
    notes: tuple[Text, ...] = ()
    """Differences in command and findings; also listed if state and counts agree."""
    more: bool = False
    """Whether the record claims nothing of it, as it was not measured, and it holds now."""

    @property
    def agrees(self) -> bool:
        """Whether state and counts are equal; a flaky test that passes now does not contradict."""
        if self.more:
            return True
        if self.check == _SHAKY:
            return self.recorded is self.now
        both_green = self.recorded in _GREEN and self.now in _GREEN
        return (self.recorded is self.now or both_green) and all(
            _count(self.recorded_counts, name) == _count(self.now_counts, name) for name in COMPARED
        )


async def verify(
    order: RunOrder,
    recorded: Evaluation,
    workspace: Workspace,
    evaluator: Evaluator,
    proof: Proof | None = None,
) -> tuple[Compared, ...]:
    """Measure a recorded tree and its proof again, from its own commit and without a cache."""
    copy = await workspace.open(order.trace_id, order.base)
    await evaluator.prepare(order, copy)
    measured = Measured(copy, Commit(recorded.commit), Tree(recorded.tree), Stage.CONFIRM)
    compared = compare(recorded, await evaluator.evaluate(order, measured))
    if proof is None:
        return compared
    return (*compared, *compare_proofs(proof, await evaluator.prove(order, measured, proof.vouched)))


def compare_proofs(recorded: Proof, again: Proof) -> tuple[Compared, ...]:
    """Compare two proofs of one tree, obligation by obligation, those of one proof alone too."""
    before = {each.name: each for each in recorded.obligations}
    now = {each.name: each for each in again.obligations}
    return tuple(_obligation(before.get(name), now.get(name)) for name in {**before, **now})


def _obligation(recorded: Obligation | None, now: Obligation | None) -> Compared:
    """Compare one obligation; one that only one proof has was not measured in the other."""
    notes: tuple[str, ...] = ()
    if now is None:
        notes = ("in the recorded proof only",)
    elif recorded is None:
        notes = (f"in the new proof only: {now.reason}",)
    elif now.state != recorded.state:
        notes = (now.reason,)
    either = recorded or now
    return Compared(
        check=either.name if either else "",
        recorded=_MEANS[recorded.state] if recorded else CheckState.NOT_MEASURED,
        recorded_counts={},
        now=_MEANS[now.state] if now else CheckState.NOT_MEASURED,
        now_counts={},
        notes=notes,
        more=(recorded is not None and recorded.state is ObligationState.NOT_APPLICABLE)
        and (now is not None and now.state is ObligationState.MET),
    )


def compare(recorded: Evaluation, again: Evaluation) -> tuple[Compared, ...]:
    """Compare two evaluations of one tree check by check, and explain each difference."""
    compared = [_compared(each, again.evidence_of(each.check)) for each in recorded.evidence]
    told = dict.fromkeys(_SUITES, _tests(recorded, again))
    for source in {finding.source for finding in (*recorded.findings, *again.findings)}:
        told[source] = (*told.get(source, ()), *_findings(recorded, again, source))
    known = {each.check for each in compared}
    compared += [_compared(None, each) for each in again.evidence if each.check not in known]
    return tuple(
        each.model_copy(update={"notes": (*each.notes, *told.get(each.check, ()))}) for each in compared
    )


def branch_compared(recorded: Tree, now: Tree | None) -> Compared:
    """Compare the delivered branch with the judged tree; a branch with later commits differs."""
    state = CheckState.PASS if now == recorded else CheckState.FAIL
    note = "the branch is gone" if now is None else f"the branch holds the tree {now}, judged was {recorded}"
    return Compared(
        check="branch",
        recorded=CheckState.PASS,
        recorded_counts={},
        now=state,
        now_counts={},
        notes=() if now == recorded else (note,),
    )


def _compared(recorded: Evidence | None, now: Evidence | None) -> Compared:
    name = recorded.check if recorded else now.check if now else ""
    return Compared(
        check=name,
        recorded=recorded.state if recorded else CheckState.NOT_MEASURED,
        recorded_counts=recorded.counts if recorded else {},
        now=now.state if now else CheckState.NOT_MEASURED,
        now_counts=now.counts if now else {},
        recorded_tool=recorded.tool if recorded else "",
        now_tool=now.tool if now else "",
        notes=tuple(_circumstances(recorded, now)),
    )


def _circumstances(recorded: Evidence | None, now: Evidence | None) -> Iterable[str]:
    """Describe how the two measurements differ in command and tool."""
    if now is None:
        yield "not run now: the settings do not ask for it, or its tool is not installed"
        return
    if recorded is None:
        yield "run now only: it was not recorded"
        return
    if recorded.tree != now.tree:
        yield f"another tree was measured: {now.tree}, recorded {recorded.tree}"
    if recorded.tool != now.tool:
        yield f"another tool: {now.tool or 'none'}, recorded {recorded.tool or 'none'}"
    if (was := _plain(recorded.argv)) != (words := _plain(now.argv)):
        yield f"another command: {' '.join(words) or 'none'}, recorded {' '.join(was) or 'none'}"
    if now.reason and now.reason != recorded.reason:
        yield now.reason


def _tests(recorded: Evaluation, again: Evaluation) -> tuple[str, ...]:
    """Name the tests that count against the tree on one side only."""
    before = {failure.test: failure.message for failure in recorded.failures}
    after = {failure.test: failure.message for failure in again.failures}
    new = [f"{test} ({message})" for test, message in after.items() if test not in before]
    gone = [test for test in before if test not in after]
    shaken = [test for test in again.flaky if test not in recorded.flaky]
    return (
        *_named("fails now only", new),
        *_named("failed in the recorded run only", gone),
        *_named("flaky now", shaken),
    )


def _findings(recorded: Evaluation, again: Evaluation, source: str) -> tuple[str, ...]:
    before = {each.fingerprint: each for each in recorded.findings if each.source == source}
    after = {each.fingerprint: each for each in again.findings if each.source == source}
    new = [f"{each.message} ({each.file}:{each.line})" for key, each in after.items() if key not in before]
    gone = [f"{each.message} ({each.file}:{each.line})" for key, each in before.items() if key not in after]
    held = [f"{each.message}, {each.suppressed}" for each in before.values() if each.suppressed]
    return (
        *_named("found now only", new),
        *_named("found in the recorded run only", gone),
        *_named("does not count", held),
    )


def _named(what: str, things: list[str]) -> tuple[str, ...]:
    if not things:
        return ()
    more = f" and {len(things) - _MOST_NAMED} more" if len(things) > _MOST_NAMED else ""
    return (f"{what}: {'; '.join(things[:_MOST_NAMED])}{more}",)


def _count(counts: dict[str, int], name: str) -> int:
    return counts.get(name, 0) + (counts.get("flaky", 0) if name == "passed" else 0)


def _plain(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Remove paths from a command: they differ between machines."""
    return tuple(_without_places(word) for word in argv)


def _without_places(word: str) -> str:
    option, sign, value = word.rpartition("=")  # the last part identifies a path on every machine
    return f"{option}{sign}{value.rpartition('/')[2]}" if value.startswith("/") else word
