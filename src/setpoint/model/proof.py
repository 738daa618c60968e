"""What must be proved before work is verified, and what proves it."""

from __future__ import annotations

from enum import StrEnum

from setpoint.model.value import Text, Value

INSTRUMENT = "instrument"
"""The obligation that tests which must fail are reported as failing, and that checks change no file."""
SECOND_ARRANGEMENT = "arrangement"
"""The obligation that repeats the last test run; where it is met, nothing is measured once more."""


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
    REVIEWED = "reviewed"
    """A test of the maker in a change that a reviewer with a model of its own approved."""
    ANY = "any"
    """A test of the maker."""


class Arrangement(StrEnum):
    """How much of the last test run is repeated in a second arrangement."""

    FULL = "full"
    """All tests, and the acceptance commands."""
    IMPACTED = "impacted"
    """The witnesses and the tests that the change can reach, and the acceptance commands."""
    OFF = "off"
    """Nothing."""


class ObligationState(StrEnum):
    """How an obligation stands."""

    MET = "met"
    NOT_MET = "not_met"
    NOT_APPLICABLE = "not_applicable"


class Obligation(Value):
    """One thing that must be proved."""

    name: str
    """For example `witness` or `sensitivity`; docs/how-to/evidence.md lists them."""
    state: ObligationState
    reason: Text = ""
    """What proves it, what is missing, or why it does not apply."""
    evidence: tuple[Text, ...] = ()
    """Tests, commands or functions that it rests on, at most 20."""


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

    def met(self, name: str) -> bool:
        """Whether an obligation is met."""
        return any(each.name == name and each.state is ObligationState.MET for each in self.obligations)

    @property
    def missing(self) -> tuple[Obligation, ...]:
        """Obligations that are not met."""
        return tuple(each for each in self.obligations if each.state is ObligationState.NOT_MET)


class ProofTerms(Value):
    """What a run must prove before it ends as verified."""

    required: bool = True
    """Whether work without a proof ends as unproven; off: what is missing is only reported."""
    witness: Trust = Trust.ANY
    """The least trust in a witness that counts."""
    seconds: float = 120.0
    """Most seconds for sabotaging the changed functions of one change."""
    arrangement: Arrangement = Arrangement.FULL
    """How much of the last test run is repeated in a second arrangement."""
    arrangement_seconds: float = 600.0
    """If the tests ran longer than this, `full` repeats no more than `impacted`."""
