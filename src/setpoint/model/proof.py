"""What must be proved before work is verified, and what proves it."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, get_args

from pydantic import Field, field_validator, model_validator

from setpoint.model.ids import Artifact
from setpoint.model.mutation import MutantShare
from setpoint.model.value import Text, Value

CLEAN_ROOM = "clean room"
"""The run that looks whether a check changed a file of the tree."""
NOTHING_LOST = "nothing lost"
"""The run of the tests of the base, as they were, on the result."""
WITNESS = "witness"
"""The run that shows that something fails without the code of the change and passes with it."""
SABOTAGE = "sabotage"
"""The run that breaks each changed function and looks whether a test notices."""
CANARY = "canary"
"""The run of tests that must fail, beside those of the change."""
ELSEWHERE = "elsewhere"
"""The run that repeats the tests in another place, order and hash seed; where it is met, nothing is measured
once more."""
SAME_CALLS = "same calls"
"""The run that makes the calls of the tests again outside of any test."""
FILES = "files"
"""The obligation that nothing runs otherwise: documents, settings or a version alone are changed."""
RunName = Literal["clean room", "nothing lost", "witness", "sabotage", "canary", "elsewhere", "same calls"]
RUNS: tuple[RunName, ...] = get_args(RunName)
"""The seven runs of a verdict, in the order in which a report lists them."""

REVIEW = "review"
"""The obligation that a reviewer which the run names has judged the change; always required."""


MEASURED = "measured"
"""The obligation that anything at all was measured that can prove the work; always required."""


class WorkKind(StrEnum):
    """What kind of work a change is; it decides what must be proved."""

    BEHAVIOUR = "behaviour"
    """The program does something that it did not do."""
    REPAIR = "repair"
    """Something that was wrong is right."""
    REFACTOR = "refactor"
    """The code is another, and what it does is the same."""
    TESTS = "tests"
    """Tests alone change."""
    DOCS = "docs"
    """Nothing that runs changes."""
    CHORE = "chore"
    """Dependencies, configuration or CI change, and no code."""


class Trust(StrEnum):
    """Who stands behind a witness, the strongest first."""

    PERSON = "person"
    """An acceptance command of the story, or a test that was red before the work began."""
    SEALED = "sealed"
    """A test that a test designer wrote from the request alone, and that the maker never saw."""
    REVIEWED = "reviewed"
    """A test of the maker that a reviewer with a model of its own found to express the request."""
    ANY = "any"
    """A test of the maker."""

    @property
    def words(self) -> str:
        """Who stands behind the proof, as the end of a sentence."""
        return _BEHIND[self]


_BEHIND = {
    Trust.PERSON: "your command, or a test that failed before the work",
    Trust.SEALED: "tests that the maker never saw",
    Trust.REVIEWED: "the maker's tests, which a reviewer confirmed",
    Trust.ANY: "the maker's own tests alone",
}


class ObligationState(StrEnum):
    """How an obligation stands."""

    MET = "met"
    NOT_MET = "not_met"
    NOT_APPLICABLE = "not_applicable"


class Obligation(Value):
    """One thing that must be proved."""

    name: str
    """For example `witness` or `sabotage`; docs/how-to/evidence.md lists them."""
    state: ObligationState
    reason: Text = ""
    """What proves it, what is missing, or why it does not apply."""
    evidence: tuple[Text, ...] = ()
    """Tests, commands or functions that it rests on, at most 20."""
    count: int = 0
    """How many tests, functions or calls were tried."""
    cut: Text = ""
    """What the budget left untried, in words; that never changes how it stands."""
    seconds: float = 0.0
    """How long it took; 0 where it was known from an earlier proof of the same tree."""
    estimate_s: float | None = None
    """How long it was expected to take; none where nothing was known."""

    @property
    def told(self) -> str:
        """Return the reason, with what the budget cut and how long it took."""
        took = f"{self.seconds:.1f} s" if self.seconds >= _SHOWN_S else ""
        return "; ".join(each for each in (self.reason, self.cut, took) if each)


_SHOWN_S = 0.05
"""Seconds below which nobody wants to read them."""


class SealedTest(Value):
    """A file of tests that was written from the request alone and is kept from the maker."""

    path: Text
    """Where it stands in the tree when it is run."""
    source: Artifact
    """Its text, kept."""
    behaviour: Text
    """What it expects, in words; the maker is told this if it fails, and never the text."""
    reason: Text = ""
    """How it fails at the base."""


class SealedTrial(Value):
    """What became of the tests that a test designer wrote, measured at the base."""

    kept: tuple[SealedTest, ...] = ()
    """Those that fail there for the lack of the work."""
    dropped: tuple[Text, ...] = ()
    """Why the others prove nothing."""


class Vouched(Value):
    """What others than the maker contribute to the proof of a change."""

    sealed: tuple[SealedTest, ...] = ()
    """Tests that the maker never saw."""
    reviewed: tuple[Text, ...] = ()
    """Tests that a reviewer with a model of its own found to express the request, as it named them."""
    all_reviewed: bool = False
    """Whether such a reviewer found this of all tests that the change adds."""
    still_red: tuple[Text, ...] = ()
    """Tests that failed at the base and still did in an earlier round, of which the maker was told."""

    def expresses(self, test: str) -> bool:
        """Whether a reviewer found that a test expresses the request."""
        last = test.rpartition("::")[2].partition("[")[0]
        return self.all_reviewed or any(
            each in (test, last) or test.endswith(f"::{each}") for each in self.reviewed
        )


NOBODY = Vouched()
"""Nobody but the maker contributed."""


class Proof(Value):
    """What Setpoint measured to prove one tree."""

    work: WorkKind
    why: Text
    """Why the work counts as this kind."""
    obligations: tuple[Obligation, ...]
    required: bool = True
    """Whether the work is unproven while an obligation is not met; else that is only reported."""
    trust: Trust | None = None
    """Of the strongest witness; none without one."""
    vouched: Vouched = NOBODY
    """What others than the maker contributed to it."""
    mutants: MutantShare | None = None
    """What the tests make of small changes of the changed lines; none where that was not measured."""

    def met(self, name: str) -> bool:
        """Whether an obligation is met."""
        return any(each.name == name and each.state is ObligationState.MET for each in self.obligations)

    @property
    def rests_on(self) -> str:
        """What verified work rests on, in words that follow `IMPLEMENTATION_VERIFIED`."""
        if self.missing:
            return "without a whole proof"
        return f"on {self.trust.words}" if self.trust else f"as {self.work}"

    @property
    def missing(self) -> tuple[Obligation, ...]:
        """Obligations that are not met."""
        return tuple(each for each in self.obligations if each.state is ObligationState.NOT_MET)

    def requires(self, obligation: Obligation) -> bool:
        """Whether the work is unproven while this obligation is not met."""
        return self.required or obligation.name in (REVIEW, MEASURED)


class ProofTerms(Value):
    """What a run must prove before it ends as verified."""

    required: bool = True
    """Whether work without a proof ends as unproven; off: what is missing is only reported."""
    begin_unprovable: bool = False
    """Whether a run begins where nothing could prove its work; it ends as unproven at best."""
    witness: Trust = Trust.ANY
    """The least trust in a witness that counts."""
    seconds: float | None = Field(default=None, gt=0)
    """Seconds that sabotage, canary, elsewhere and the same calls may take together; none: as long as the
    project's own tests took, and at least 20.
    """
    without: tuple[RunName, ...] = ()
    """Runs that are switched off, by name: `sabotage`, `same calls` and so on; a report says so."""

    @model_validator(mode="before")
    @classmethod
    def _earlier_keys(cls, given: object) -> object:
        """Read settings and orders that still say how much of the last test run is repeated."""
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if name not in _EARLIER}

    @field_validator("without", mode="before")
    @classmethod
    def _of_runs(cls, without: object) -> object:
        if not isinstance(without, list | tuple):
            return without
        names = tuple(each.replace("_", " ") if isinstance(each, str) else each for each in without)
        if unknown := [str(each) for each in names if each not in RUNS]:
            raise ValueError(f"no run is called {', '.join(unknown)}; there are {', '.join(RUNS)}")
        return names


_EARLIER = ("arrangement", "arrangement_seconds")
