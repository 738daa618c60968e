"""Decide whether anything that is chosen could prove the work: known before an agent is paid."""

from __future__ import annotations

from setpoint.model.attempt import RULES, Role
from setpoint.model.changes.work_kind import kind_of_request
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import NO_SUITE, OWN_TESTS, CheckState
from setpoint.model.proof import (
    FILES,
    MEASURED,
    NOTHING_LOST,
    WITNESS,
    Obligation,
    ObligationState,
    Proof,
    WorkKind,
)
from setpoint.model.run import RunOrder
from setpoint.model.verdict import HardGate

NO_TESTS = "the project has no tests that Setpoint can run"
_BY_READING = frozenset({WorkKind.DOCS, WorkKind.CHORE})
"""Kinds of work that can be proved where no test runs."""
_READ = frozenset({FILES, NOTHING_LOST})
"""Obligations that prove such work without a test of Setpoint's own runners."""
OF_BEHAVIOUR = frozenset({WorkKind.BEHAVIOUR, WorkKind.REPAIR})
"""Kinds of work for which hidden tests are written."""


def unprovable(base: Evaluation, order: RunOrder) -> str:
    """Say why nothing here could prove the work, and what to do; empty where something can.

    A suite counts that found no test yet, because the work may add one.
    """
    kind, why = kind_of_request(order.story)
    if kind in _BY_READING or _suites(base) or order.story.acceptance or _hidden(base, order):
        return ""
    known = base.evidence_of(NO_SUITE)
    empty = base.evidence_of(OWN_TESTS)
    lack = known.reason if known is not None else empty.reason if empty is not None else NO_TESTS
    kinds = "; --kind docs or chore, where no code changes" if order.story.kind is None else ""
    hint = (
        f"name a command that fails now and passes when the work is done (--accept 'COMMAND'){kinds}; tests "
        "for a runner that Setpoint reads; or proof.begin_unprovable = true, which ends as unproven at best"
    )
    return f"nothing here could prove the work: {lack}; it is taken for {kind} ({why}); hint: {hint}"


def _suites(base: Evaluation) -> bool:
    """Whether a suite can prove anything.

    An own command that cannot fail, or does not start, cannot, and no test can that reaches no code.
    """
    idle = (CheckState.NOT_MEASURED, OWN_TESTS)
    return base.evidence_of(NO_SUITE) is None and any(
        (each.state, each.check) != idle for each in base.suites
    )


def hidden_tests_wanted(order: RunOrder, designer: str) -> bool:
    """Whether the agent so named writes hidden tests: behaviour changes, and no phase asks it for more."""
    engaged = any(phase.role is Role.TEST_DESIGNER for phase in order.pipeline.phases)
    return designer not in ("", RULES) and not engaged and kind_of_request(order.story)[0] in OF_BEHAVIOUR


def _hidden(base: Evaluation, order: RunOrder) -> bool:
    """Whether a test designer writes tests in a language that is run without a suite: Python."""
    parse = base.evidence_of("parse")
    python = parse is not None and parse.counts.get("files", 0) > 0
    return python and hidden_tests_wanted(order, order.agents.get(Role.TEST_DESIGNER, ""))


def with_measured(proof: Proof, gates: tuple[HardGate, ...]) -> Proof:
    """Add the obligation that anything was measured, where neither a test nor a command was."""
    gate = next((each for each in gates if each.name == "proof"), None)
    if gate is None or gate.state is not CheckState.NOT_MEASURED or proof.met(WITNESS):
        return proof
    if proof.work in _BY_READING and any(map(proof.met, _READ)):
        return proof
    owed = Obligation(name=MEASURED, state=ObligationState.NOT_MET, reason=gate.reason)
    return proof.model_copy(update={"obligations": (*proof.obligations, owed)})
