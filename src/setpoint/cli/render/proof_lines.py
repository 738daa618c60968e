"""Lines about what proves a change, and the verdict."""

from __future__ import annotations

from setpoint.cli.render.line import Line
from setpoint.model.ending import EXAMINED, Ending
from setpoint.model.events import HiddenTestsAnswered, HiddenTestsWritten, ProductShown, ProofMeasured
from setpoint.model.facts.spending import UNKNOWN, amount
from setpoint.model.proof import NOTHING_LOST, WITNESS, Obligation, ObligationState, Proof
from setpoint.model.run import RunOutcome
from setpoint.model.wording import counted, shortened

_MOST_REASON = 120
_MOST_NAMED = 3


def of_proof(body: ProofMeasured | HiddenTestsWritten | HiddenTestsAnswered | ProductShown) -> Line:
    """Return what was proved or shown, which hidden tests were written, or what their author says of them."""
    if isinstance(body, ProductShown):
        views = (body.before, body.after)
        ended = [each.reason or ("a picture" if each.picture else f"exit {each.exit_code}") for each in views]
        return Line(f"shown, not proof: {body.what}: {', then '.join(ended)}", "dim")
    if isinstance(body, HiddenTestsAnswered):
        told = [
            f"{'withdraws' if each.withdrawn else 'keeps'} {each.path}: {each.reason}" for each in body.tests
        ]
        return Line(f"{body.agent} {'; '.join(told)}", "yellow")
    return _proved(body.proof) if isinstance(body, ProofMeasured) else _hidden(body)


def _hidden(body: HiddenTestsWritten) -> Line:
    files = counted(len(body.kept), "file")
    whose = f"hidden tests of {body.agent}" if body.agent else "your hidden tests"
    fails = "fails at the base, as it should" if len(body.kept) == 1 else "fail at the base, as they should"
    kept = f"{whose}: {files} {fails}" if body.kept else f"{whose}: none"
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


NOT_VERIFIED = "not verified, best so far"
DELIVERED: dict[Ending | None, str] = {
    Ending.SELF_TESTED: "self-tested",
    Ending.ACCEPTED: "accepted by a person",
}


_SENT_BACK = {0: "never sent back", 1: "sent back once"}


def outcome_line(outcome: RunOutcome) -> Line:
    """Return the line for the outcome of a run."""
    if outcome.ending in EXAMINED:
        back = _SENT_BACK.get(outcome.bounces, f"sent back {outcome.bounces} times")
        took = f"{counted(outcome.iterations, 'iteration')}, {back}, {money(outcome)}"
        return Line(
            f"{outcome.verdict} \N{MIDDLE DOT} {took}", "bold green" if outcome.enough else "bold yellow"
        )
    left = "".join(f"\n  edits: {each.shown}" for each in outcome.unjudged)
    style = "bold" if outcome.ending is Ending.MET else "bold red"
    return Line(f"{outcome.line}{left}", style)


def money(outcome: RunOutcome) -> str:
    """Return the cost of a run with its origin."""
    # Earlier versions recorded a cost that nobody told as `unknown`.
    return outcome.cost_shown.replace(UNKNOWN, "") or amount(outcome.cost_usd, known=outcome.cost_known)
