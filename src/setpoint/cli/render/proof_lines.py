"""Lines about what proves a change."""

from __future__ import annotations

from setpoint.cli.render.line import Line
from setpoint.model.events import ProofMeasured, TestsSealed
from setpoint.model.proof import NOTHING_LOST, WITNESS, Obligation, ObligationState, Proof
from setpoint.model.wording import shortened

_MOST_REASON = 120
_MOST_NAMED = 3


def of_proof(body: ProofMeasured | TestsSealed) -> Line:
    """Return what was proved, or which tests were written before the maker began."""
    return _proved(body.proof) if isinstance(body, ProofMeasured) else _sealed(body)


def _sealed(body: TestsSealed) -> Line:
    kept = f"{body.agent} wrote tests that the maker will not see: {len(body.kept)} fail at the base"
    dropped = f"; not used: {'; '.join(body.dropped)}" if body.dropped else ""
    return Line(f"{kept}{dropped}", "" if body.kept else "yellow")


def _proved(proof: Proof) -> Line:
    if proof.missing:
        return Line(f"not proved: {'; '.join(_short(each) for each in proof.missing)}", "yellow")
    met = [each for each in proof.obligations if each.state is ObligationState.MET]
    met.sort(key=lambda each: each.name != WITNESS)
    told = "".join(f": {_short(each)}" for each in met[:1])
    more = f"; also met: {', '.join(each.name for each in met[1:])}" if met[1:] else ""
    left = [name for each in met if each.name == NOTHING_LOST for name in each.evidence]
    against = f"; against the change: {', '.join(left[:_MOST_NAMED])}" if left else ""
    return Line(f"proved as {proof.work}{told}{more}{against}", "green")


def _short(obligation: Obligation) -> str:
    """Say why in few words; the report and `setpoint show` tell the rest."""
    return shortened(obligation.reason, _MOST_REASON)
