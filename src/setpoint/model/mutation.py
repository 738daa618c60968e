"""What tests notice: small changes of the code, and whether a test failed on each."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from setpoint.model.value import Text, Value


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    """A test failed on it."""
    TIMEOUT = "timeout"
    """A test took far longer than on the original."""
    SURVIVED = "survived"
    """Every test that reaches it passed."""
    UNCOVERED = "uncovered"
    """No test reaches it."""
    UNTRIED = "untried"
    """There was no time left; it counts neither way."""


class Mutant(Value):
    """One small change and what became of it."""

    file: Text
    line: int
    operator: str
    """The family of the change, for example `comparison`."""
    before: Text
    """The changed lines as they stand."""
    after: Text
    """The same lines in the mutant."""
    verdict: Fate
    test: Text = ""
    """The test that noticed it, or why it counts as noticed."""
    tests: int = 0
    """Tests that can notice it."""
    same_path: bool = False
    """It survived and the tests took the same lines as before: it may be equivalent to the original."""
    fresh: bool = False
    """Judged in a fresh process; the others in a warm one."""
    noticed: tuple[Text, ...] = ()
    """Where some tests were all asked: those of them that noticed it."""


class MutantShare(Value):
    """How many mutants of the changed lines the tests notice."""

    noticed: int
    tried: int
    survivors: tuple[Text, ...] = ()
    """Some that no test notices, each with its place and what the line then reads."""


class MutationReport(Value):
    """How many mutants the tests noticed."""

    mutants: tuple[Mutant, ...]
    reason: Text = ""
    """What has to be known of the figures."""
    made: int = 0
    """Mutants of the lines; more than were looked at where a sample was drawn."""
    same: int = 0
    """Changes left out because they compile to the same program."""
    tests: int = 0
    """Tests that were collected."""
    traced: int = 0
    """Tests that were looked at in the time."""
    touching: int = 0
    """Steady green tests that reach the mutated files; these judged."""
    red: tuple[Text, ...] = ()
    """Tests left out because they do not pass on the original."""
    unsteady: tuple[Text, ...] = ()
    """Tests left out because they came out otherwise when they ran again, or without those of other files."""
    reaching: tuple[Text, ...] = ()
    """The tests that judged."""
    unreached: tuple[Text, ...] = ()
    """Where some tests were all asked: those that reach no line in their own process."""
    jobs: int = 1
    """Processes that worked side by side."""
    seconds: dict[str, float] = {}
    """Wall seconds by stage."""
    skipped_files: tuple[Text, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Number of mutants by fate, survivors on the same path apart once more."""
        found = Counter(str(each.verdict) for each in self.mutants)
        counts = {"mutants": len(self.mutants), **{str(fate): found[fate] for fate in Fate}}
        return {**counts, "same_path": sum(each.same_path for each in self.mutants)}

    @property
    def survivors(self) -> list[Mutant]:
        """Those that no test noticed, by place; last those on which the tests took the same path."""
        alive = [each for each in self.mutants if each.verdict is Fate.SURVIVED]
        return sorted(alive, key=lambda each: (each.same_path, each.file, each.line))

    @property
    def score(self) -> float | None:
        """Share of mutants that were noticed, 0 to 1, of those tried or reached by no test; none for none."""
        counts = self.counts
        noticed = counts["killed"] + counts["timeout"]
        tried = noticed + counts["survived"] + counts["uncovered"]
        return noticed / tried if tried else None
