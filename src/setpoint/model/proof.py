"""What must be proved before work is verified, and what proves it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal, get_args

from pydantic import Field, field_validator, model_validator

from setpoint.model.config.earlier import EarlierKeys
from setpoint.model.exam import Beside, Exam, Examiner, Least, by_maker, by_whom, level
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

HIDDEN = "hidden tests"
"""The obligation that the tests pass which the maker could not read."""
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


class HiddenTest(Value):
    """A file of tests that was written from the request alone and is kept from the maker."""

    path: Text
    """Where it stands in the tree when it is run; a command itself, where it is one."""
    source: Artifact = Artifact("")
    """Its text, kept; empty for a command."""
    command: Text = ""
    """A shell command that must end with 0, in place of a file."""
    behaviour: Text
    """What it expects, in words; the maker is told this if it fails, and never the text."""
    author: Text = ""
    """The agent that wrote it; empty for a person."""
    reason: Text = ""
    """How it fails at the base; empty where it passes there."""


class Reproduced(Value):
    """What came of the reproduction of an objection, run on the base and on the result."""

    test: HiddenTest
    binds: bool = False
    """Whether it fails on the result, and for the change."""
    passes: bool = False
    """Whether it passes on the result, or cannot be run there, so that it shows nothing."""
    told: Text = ""
    """What it printed, or why it does not bind."""


HiddenTests = tuple[HiddenTest, ...]


class AnsweredTest(Value):
    """What the author of a hidden test says of it after it failed twice."""

    path: Text
    withdrawn: bool
    """It asks for more than the request, and counts no longer; otherwise a person decides."""
    reason: Text = ""


class HiddenTrial(Value):
    """What became of the tests that a test designer wrote, measured at the base."""

    kept: tuple[HiddenTest, ...] = ()
    """Those that fail there for the lack of the work."""
    dropped: tuple[Text, ...] = ()
    """Why the others prove nothing."""
    reproduced: tuple[Reproduced, ...] = ()
    """What came of each test that shows an objection."""


class Vouched(Value):
    """What others than the maker contribute to the proof of a change."""

    hidden: tuple[HiddenTest, ...] = ()
    """Tests that the maker never saw."""
    reviewed: tuple[Text, ...] = ()
    """Tests that a reviewer with a model of its own found to express the request, as it named them."""
    all_reviewed: bool = False
    """Whether such a reviewer found this of all tests that the change adds."""
    by: Text = ""
    """That reviewer; several with a comma between them."""
    reviewers: tuple[Text, ...] = ()
    """Agents with a model of their own that approved the change."""
    readable: Text = ""
    """Why the maker could read the hidden tests; empty where it could not."""
    lacking: tuple[Text, ...] = ()
    """What was to be had of others and is not, with the reason: hidden tests, for example."""
    still_red: tuple[Text, ...] = ()
    """Tests that failed at the base and still did in an earlier round, of which the maker was told."""

    @model_validator(mode="before")
    @classmethod
    def _earlier_name(cls, given: object) -> object:
        """Read what earlier versions called sealed tests."""
        if isinstance(given, dict) and "sealed" in given:
            return {"hidden" if name == "sealed" else name: value for name, value in given.items()}
        return given

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
    exams: tuple[Exam, ...] = ()
    """The exams that it passed, by whom they were set."""
    contradicts: tuple[Text, ...] = ()
    """Tests of the base that the change contradicts, which nobody but the maker wants."""
    not_run: tuple[Text, ...] = ()
    """Runs that its kind of work asks for, and that could not be made here."""
    vouched: Vouched = NOBODY
    """What others than the maker contributed to it."""
    mutants: MutantShare | None = None
    """What the tests make of small changes of the changed lines; none where that was not measured."""

    @model_validator(mode="before")
    @classmethod
    def _earlier_keys(cls, given: object) -> object:
        """Read proofs of earlier versions, which hold one word for who stands behind them."""
        if not isinstance(given, dict) or not {"trust", "required"} & given.keys():
            return given
        kept = {name: value for name, value in given.items() if name not in ("trust", "required")}
        return {"exams": exams_of_trust(given.get("trust")), **kept}

    def met(self, name: str) -> bool:
        """Whether an obligation is met."""
        return any(each.name == name and each.state is ObligationState.MET for each in self.obligations)

    @property
    def level(self) -> Least:
        """Whose exam it passed, at best; an old test that it contradicts leaves the maker alone."""
        return Least.SELF if self.contradicts else level(self.exams)

    @property
    def by(self) -> str:
        """Who vouches for the work, in the words that follow the mark."""
        beside = Beside(self.vouched.reviewers, self.vouched.lacking, self.not_run)
        if self.level is Least.SELF:
            return by_maker(self.contradicts, beside)
        return by_whom(self.exams, beside)

    @property
    def red_hidden(self) -> tuple[str, ...]:
        """Files of hidden tests that fail."""
        return tuple(path for each in self.missing if each.name == HIDDEN for path in each.evidence)

    @property
    def missing(self) -> tuple[Obligation, ...]:
        """Obligations that are not met."""
        return tuple(each for each in self.obligations if each.state is ObligationState.NOT_MET)


def exams_of_trust(trust: object) -> tuple[Exam, ...]:
    """Return the exam that a word for trust of an earlier version stands for."""
    examiner = _EARLIER_TRUST.get(str(trust))
    return (Exam(examiner=examiner, author=_SOMEBODY.get(examiner, "")),) if examiner else ()


_EARLIER_TRUST = {
    "person": Examiner.FAILING_TESTS,
    "sealed": Examiner.HIDDEN_TESTS,
    "reviewed": Examiner.REVIEWER,
    "any": Examiner.MAKER,
}
_SOMEBODY = {Examiner.HIDDEN_TESTS: "a test designer", Examiner.REVIEWER: "with a model"}
"""Who it was, where earlier versions did not record a name."""


class ProofTerms(EarlierKeys):
    """What a run must prove, and whose exam is enough."""

    least: Least = Least.OTHERS
    """Whose exam is enough to end with 0, to be ready, to let dependants begin and to land."""
    begin_unprovable: bool = False
    """Whether a run begins where nothing could prove its work; it ends as unproven at best."""
    seconds: float | None = Field(default=None, gt=0)
    """Seconds that sabotage, canary, elsewhere and the same calls may take together; none: as long as the
    project's own tests took, and at least 20.
    """
    without: tuple[RunName, ...] = ()
    """Runs that are switched off, by name: `sabotage`, `same calls` and so on; a report says so."""

    @classmethod
    def today(cls, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Read the keys of earlier versions."""
        kept, notices = {name: value for name, value in given.items() if name not in _EARLIER}, []
        if (witness := given.get("witness")) is not None:
            kept.setdefault("least", "self" if witness == "any" else "others")
            notices.append(f"proof.witness = '{witness}' is read as proof.least = '{kept['least']}'")
        if given.get("required") is False:
            notices.append("proof.required = false is ignored: what a run refuses is unproven")
        return kept, [f"{each}; hint: write proof.least" for each in notices]

    @field_validator("without", mode="before")
    @classmethod
    def _of_runs(cls, without: object) -> object:
        if not isinstance(without, list | tuple):
            return without
        names = tuple(each.replace("_", " ") if isinstance(each, str) else each for each in without)
        if unknown := [str(each) for each in names if each not in RUNS]:
            raise ValueError(f"no run is called {', '.join(unknown)}; there are {', '.join(RUNS)}")
        return names


_EARLIER = ("arrangement", "arrangement_seconds", "witness", "required")
