"""What reviewers decide, and the hard gates that a tree must pass."""

from __future__ import annotations

from enum import StrEnum

from setpoint.model.evidence import CheckState
from setpoint.model.finding import Finding
from setpoint.model.ids import EvidenceId
from setpoint.model.proof import HiddenTest
from setpoint.model.value import Text, Value


class Judgement(StrEnum):
    """A reviewer's decision; `FAILED` means that the reviewer broke and never counts as an iteration."""

    APPROVE = "approve"
    REQUEST_CHANGES = "request_changes"
    REQUIRE_HUMAN = "require_human"
    FAILED = "failed"


class Settled(Value):
    """A reviewer's last word on an objection that the maker declined."""

    fingerprint: str
    withdrawn: bool
    """The reviewer takes the objection back; otherwise it stands."""
    reason: Text = ""


class ReviewerVersion(Value):
    """What made a review: this agent in this version, with this model and this prompt."""

    agent: Text = ""
    """Its name; empty in reviews of older versions of Setpoint, and where nobody answered."""
    version: Text = ""
    """Of the agent, as it tells it."""
    model: Text = ""
    """As the agent or the proxy tells it, else as it is set; empty where it is not known."""
    prompt: str = ""
    """Digest of the template with its rubric, and of the shape of the answer."""


class Verdict(Value):
    """A review's decision with its findings and the evidence it rests on."""

    reviewer: str
    """Kind and agent, for example `code:rules`; several with a comma between them."""
    judgement: Judgement
    findings: tuple[Finding, ...] = ()
    evidence: tuple[EvidenceId, ...] = ()
    feedback: str = ""
    settled: tuple[Settled, ...] = ()
    """What it says of objections that the maker declined."""
    expressing: tuple[Text, ...] = ()
    """Tests of the change that a reviewer with a model of its own found to express the request."""
    all_express: bool = False
    """Whether it found this of all of them."""
    approved_by: tuple[Text, ...] = ()
    """Agents with a model of their own that approved."""
    expressed_by: tuple[Text, ...] = ()
    """Those of them that found this of any test."""
    reproductions: dict[str, HiddenTest] = {}
    """What shows a finding, by its fingerprint; of a whole review those that fail on the change."""
    standing: tuple[str, ...] = ()
    """Objections that nothing reproduces and that were reported before: a person decides on them."""
    advice: Text = ""
    """Who requested changes that do not block, and the rule that says so; empty if all bind."""
    missing: Text = ""
    """Why no reviewer that the run names has judged the change; empty if each has. The rest is by rule."""

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """Findings that must be mended before delivery."""
        return tuple(finding for finding in self.findings if finding.blocking)

    @property
    def for_a_person(self) -> tuple[str, ...]:
        """Name the objections on which a person decides: all of a reviewer that asks for a person."""
        if self.judgement is not Judgement.REQUIRE_HUMAN:
            return self.standing
        return tuple(each.fingerprint for each in self.blocking or self.findings)


class HardGate(Value):
    """One condition without which nothing is verified."""

    name: str
    """change, build, integrity, security, types, review, checks, baseline, tests, acceptance, proof (that
    anything was measured), hidden, witness or sabotage.
    """
    state: CheckState
    reason: str = ""
    evidence: tuple[EvidenceId, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether it holds; a gate that was not measured because nothing was to be measured holds too."""
        return self.state in (CheckState.PASS, CheckState.NOT_MEASURED)
