"""Describe what checks gave: all of one tree together, or the raw result of each."""

from __future__ import annotations

from collections.abc import Iterator

from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import SUITES, CheckResult, CheckState, Evidence
from setpoint.model.proof import Obligation
from setpoint.model.wording import shortened

_MOST_REASON = 200
_SHORT_REASON = 80


def checks_in_words(evaluation: Evaluation) -> list[str]:
    """Say how each check ended against the base; those that passed together, those of the tests not again.

    A check that broke is left out, because the line of the tree says so itself.
    """
    told = [each for each in evaluation.evidence if not (evaluation.test_counts and each.check in SUITES)]
    passed = [each.check for each in told if each.state is CheckState.PASS and not each.against_base]
    others = [part for each in told for part in _other(each, evaluation.stage)]
    if not told and not evaluation.test_counts:
        return ["nothing measured"]
    return [*([f"{', '.join(passed)} pass"] if passed else []), *others]


def _other(evidence: Evidence, stage: Stage) -> Iterator[str]:
    """Yield what is to be said of a check that is not among those that passed."""
    if evidence.state is CheckState.NOT_MEASURED:
        why = f" ({shortened(evidence.reason, _SHORT_REASON)})" if evidence.reason else ""
        yield f"{evidence.check} not measured{why}"
    elif evidence.state in (CheckState.PASS, CheckState.FAIL) and evidence.against_base:
        known = f"{evidence.known} known" if stage is Stage.BASE else evidence.against_base
        yield f"{evidence.check}: {known}"
    elif evidence.state in (CheckState.FAIL, CheckState.FLAKY):
        count = evidence.counts.get("new", evidence.counts.get("findings", 0))
        yield f"{evidence.check}: {count} new" if count else f"{evidence.check} {evidence.state}"


def measured_line(result: CheckResult | Obligation) -> str:
    """Return one line about the result of a check that is compared with nothing, or of a proof."""
    if isinstance(result, Obligation):
        return f"proof: {result.name} {str(result.state).replace('_', ' ')} ({result.seconds:.1f} s)"
    return _line(result.evidence, str(result.evidence.state))


def raw_line(result: CheckResult | Obligation) -> str:
    """Return one line about what a check gave, where nobody has yet said what of it is new."""
    if isinstance(result, Obligation):
        return measured_line(result)
    undecided = result.state is CheckState.FAIL and result.tests is None
    return _line(result.evidence, "ran, not yet compared with the base:" if undecided else str(result.state))


def _line(evidence: Evidence, state: str) -> str:
    counts = " ".join(f"{name}={count}" for name, count in evidence.counts.items())
    took = "cached" if evidence.cached else f"{evidence.duration_s:.1f} s"
    reason = shortened(evidence.reason, _MOST_REASON)
    return f"{evidence.check} {state} {counts} ({took}) {reason}".rstrip()
