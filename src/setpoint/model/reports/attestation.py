"""The evidence of a run as in-toto statements, which other tools can read (in-toto Attestation Framework v1).

A statement binds a predicate (what was found out) to subjects (the delivered commit and its tree). Names on
the wire are lowerCamelCase and unknown ones are passed over, as the framework's parsing rules ask.
"""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from setpoint.model.evidence import CheckState
from setpoint.model.finding import Category, Severity
from setpoint.model.flaky import Quarantined
from setpoint.model.proof import Proof
from setpoint.model.quality import Metric
from setpoint.model.stories.story import IntegrityMode, KnownRed
from setpoint.model.value import Instant, Text

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
TEST_RESULT_TYPE: Final = "https://in-toto.io/attestation/test-result/v0.1"
EVIDENCE_TYPE: Final = "urn:setpoint:predicate:evidence:v1"
"""Setpoint's own predicate: the whole evidence of a run (docs/how-to/evidence.md)."""
VERIFIER = "urn:setpoint:verifier"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
"""Media type of a statement inside an envelope."""


class Attested(BaseModel):
    """A frozen value of the wire format."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=to_camel,
        populate_by_name=True,
    )


class ResourceDescriptor(Attested):
    """Something that is named by what it holds, in the framework's own shape."""

    name: Text | None = None
    digest: dict[str, str] | None = None
    """For example `gitCommit`, `gitTree`, `gitBlob` or `sha256`, in lowercase hexadecimal digits."""
    content: str | None = None
    """Base64 of the content itself, where it is small."""
    media_type: str | None = None


class Subject(Attested):
    """What a statement is about; matched by digest alone."""

    name: Text | None = None
    digest: dict[str, str] = Field(min_length=1)


class TestResult(Attested):
    """The framework's predicate `test-result` v0.1: one run of the whole suite."""

    result: Literal["PASSED", "WARNED", "FAILED"]
    """WARNED: nothing counts against the tree, but a test was flaky or was red at the base already."""
    configuration: tuple[ResourceDescriptor, ...]
    """The command that ran, and the files of the tree that configure it."""
    passed_tests: tuple[Text, ...] = ()
    warned_tests: tuple[Text, ...] = ()
    """Flaky: failed, then passed alone on the same tree."""
    failed_tests: tuple[Text, ...] = ()
    """Red ones, those that were red at the base included."""


class AttestedStory(Attested):
    """What was wanted, as far as it decides what is measured."""

    id: str
    title: Text
    acceptance: tuple[Text, ...] = ()
    """Commands that had to exit with 0."""
    protected: tuple[Text, ...] = ()
    may_change: tuple[Text, ...] = ()
    """Paths that a person released, as globs."""
    integrity: IntegrityMode
    known_red: KnownRed


class AttestedCheck(Attested):
    """One check that Setpoint ran on the subject's tree."""

    id: str
    """Names the record in Setpoint's event log."""
    name: str
    state: CheckState
    argv: tuple[Text, ...] = ()
    """The command, word by word; none where nothing was run."""
    tool: Text = ""
    """The tool and its version, as it states it."""
    started_at: Instant
    duration_s: float
    exit_code: int | None = None
    counts: dict[str, int] = {}
    output: ResourceDescriptor | None = None
    """The raw output, by its sha256."""
    reason: Text = ""
    feeds: tuple[Metric, ...] = ()
    """Metrics of the quality vector that rest on it."""
    cached: bool = False
    """Taken from an earlier run on the same tree, tools and configuration."""
    held: str = ""
    """What kept the command from writing elsewhere: landlock, bwrap or none; empty where nothing was run."""


class AttestedGate(Attested):
    """One hard gate with the checks that it rests on."""

    name: str
    state: CheckState
    reason: Text = ""
    evidence: tuple[str, ...] = ()
    """Identifiers of checks; those of earlier stages are in the event log alone."""


class AttestedFinding(Attested):
    """One new finding that is open on the subject's tree."""

    fingerprint: str
    source: str
    rule: str = ""
    severity: Severity
    category: Category
    file: Text = ""
    line: int = 0
    message: Text
    symbol: Text = ""
    text: Text = ""
    """The line of code it points at, where known."""
    suppressed: Text = ""
    """Who dismissed it, until when, and why; empty: nobody, it counts."""


class Verifier(Attested):
    """Who measured."""

    id: str = VERIFIER
    version: dict[str, str] = {}


class EvidenceLedger(Attested):
    """Setpoint's predicate: every check, gate and open finding of the tree that a run ended with."""

    verifier: Verifier
    time_measured: Instant
    """When the last check on the tree ended."""
    run: str
    story: AttestedStory
    base: ResourceDescriptor
    """The commit that the work started from, by `gitCommit`."""
    result: Literal["PASSED", "FAILED"]
    """PASSED: every hard gate passed; `verdict` says who set the exam."""
    ending: str
    verdict: Text = ""
    """`IMPLEMENTATION_VERIFIED by …` or `SELF-TESTED: …`; empty where the work was not examined."""
    agents: dict[str, str] = {}
    """Who played which role; nothing rests on their word."""
    iterations: int
    stage: str
    """How much was measured: test or confirm."""
    settings: dict[str, object] = {}
    """Settings that decide what is measured and how: `checks`, `check` and `integrity`."""
    gates: tuple[AttestedGate, ...] = ()
    proof: Proof | None = None
    """What was proved, obligation by obligation, with what each rests on; none in older runs."""
    checks: tuple[AttestedCheck, ...]
    failures: tuple[Text, ...] = ()
    """Red tests that count."""
    known_red: tuple[Text, ...] = ()
    flaky: tuple[Text, ...] = ()
    quarantine: tuple[Quarantined, ...] = ()
    """Tests whose failures do not count for a while."""
    findings: tuple[AttestedFinding, ...] = ()
    """At most 200, worst first."""
    dismissed: tuple[AttestedFinding, ...] = ()
    """Objections of reviewers that people dismissed."""
    restored: tuple[Text, ...] = ()
    """Files that were restored to the base."""
    quality: dict[str, float | int | None] = {}
    """Each metric that was measured."""
    score: float | None = None


class TestStatement(Attested):
    """A statement of how the tests came out."""

    __test__ = False
    type: Literal["https://in-toto.io/Statement/v1"] = Field(default=STATEMENT_TYPE, alias="_type")
    subject: tuple[Subject, ...] = Field(min_length=1)
    predicate_type: Literal["https://in-toto.io/attestation/test-result/v0.1"] = TEST_RESULT_TYPE
    predicate: TestResult


class EvidenceStatement(Attested):
    """A statement of all the evidence of a run."""

    type: Literal["https://in-toto.io/Statement/v1"] = Field(default=STATEMENT_TYPE, alias="_type")
    subject: tuple[Subject, ...] = Field(min_length=1)
    predicate_type: Literal["urn:setpoint:predicate:evidence:v1"] = EVIDENCE_TYPE
    predicate: EvidenceLedger

    def digest(self, algorithm: str) -> str:
        """Return the subjects' digest of this kind, empty where there is none."""
        return next((each.digest[algorithm] for each in self.subject if algorithm in each.digest), "")


Statement = EvidenceStatement | TestStatement
