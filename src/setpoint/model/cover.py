"""What tests reach, and how much of it is wanted (R1)."""

from __future__ import annotations

from pydantic import Field

from setpoint.model.value import Text, Value


class CoverWeights(Value):
    """What the quality of tests is made of; what was not measured is left out."""

    coverage: float = Field(default=0.5, ge=0)
    """Of the share of lines and branches."""
    success: float = Field(default=0.3, ge=0)
    """Of the share of tests that pass."""
    complete: float = Field(default=0.2, ge=0)
    """Of the mean of function and method coverage."""
    mutation: float = Field(default=0.0, ge=0)
    """Of the share of mutants that tests notice."""


class CoverGoals(Value):
    """Which files are to be covered by tests, and how well; `setpoint cover` sets `paths`."""

    paths: tuple[str, ...] = ()
    """Python files and folders, from the root of the repository; none: nothing is asked."""
    coverage: float = Field(default=0.80, ge=0, le=1)
    """Share of their lines and branches that tests have to reach."""
    success: float = Field(default=0.95, ge=0, le=1)
    """Share of the tests that have to pass."""
    quality: float = Field(default=0.90, ge=0, le=1)
    """The weighted quality: 0.5 coverage + 0.3 success + 0.2 mean of function and method coverage."""
    weights: CoverWeights = CoverWeights()
    """What the quality is made of."""
    mutation: float | None = Field(default=None, ge=0, le=1)
    """Share of the mutants of these files that tests have to notice; none: it is measured, not asked."""
    adaptive: bool = False
    """Ask more coverage of simple code and less of complicated code, ten points at most."""
    budget_s: float = Field(default=90.0, gt=0)
    """Seconds that the built-in generator may search in one iteration."""
    mutation_s: float = Field(default=60.0, ge=0)
    """Seconds for the mutation score; 0: it is not measured."""
    strategies: tuple[str, ...] = ()
    """Who writes tests beside the maker, at the same time: `generator`, `pynguin`, or any agent by name."""
    segments: int = Field(default=8, ge=1)
    """Pieces of uncovered code that an agent is asked about in one iteration; three times each at most."""
    pynguin: str = ""
    """An interpreter that holds Pynguin, for the strategy of that name; empty for none."""
    only_tests: bool = False
    """Work that changes these files themselves is sent back; `setpoint cover` sets it."""


class CoveredFunction(Value):
    """How much of one function the tests reach."""

    name: Text
    """Qualified within its file."""
    owner: Text = ""
    """The class it is a method of; empty for a function."""
    first: int
    last: int
    complexity: int
    """Ways through it (McCabe)."""
    lines: int
    missed_lines: tuple[int, ...] = ()
    branches: int = 0
    missed_branches: tuple[tuple[int, bool], ...] = ()
    """Line, and whether the way not taken is the one into the block behind it."""

    @property
    def reached(self) -> bool:
        """Whether any statement of its body ran."""
        return len(self.missed_lines) < self.lines


class CoveredFile(Value):
    """How much of one file the tests reach."""

    file: Text
    lines: int
    missed_lines: tuple[int, ...] = ()
    branches: int = 0
    missed_branches: tuple[tuple[int, bool], ...] = ()
    functions: tuple[CoveredFunction, ...] = ()

    @property
    def coverage(self) -> float:
        """Share of lines and branches that are reached; 1 for a file without any."""
        whole = self.lines + self.branches
        missed = len(self.missed_lines) + len(self.missed_branches)
        return (whole - missed) / whole if whole else 1.0


class CoverReport(Value):
    """What tests reach of the files that are to be covered."""

    files: tuple[CoveredFile, ...]
    skipped: tuple[Text, ...] = ()
    """Files that could not be measured, each with the reason."""
    tests: dict[str, int] = {}
    """Tests by outcome; all tests of the project that ran."""
    touching: int = 0
    """Tests that reach the files."""
    failing: tuple[Text, ...] = ()
    mutation: float | None = None
    """Share of the mutants that tests notice; none where it was not measured."""
    unscored: Text = ""
    """Why the mutation score is missing where one was to be measured."""
    mutants: dict[str, int] = {}
    """Mutants by fate."""
    asked: CoverGoals
    """What was asked, adapted where that is wanted; without the mutation goal where no score is due."""

    @property
    def coverage(self) -> float | None:
        """Share of lines and branches of all files that are reached; none where there are none."""
        whole = sum(each.lines + each.branches for each in self.files)
        missed = sum(len(each.missed_lines) + len(each.missed_branches) for each in self.files)
        return (whole - missed) / whole if whole else None

    @property
    def functions(self) -> float | None:
        """Share of functions of which anything is reached; none where there are none."""
        return _share([each.reached for file in self.files for each in file.functions if not each.owner])

    @property
    def methods(self) -> float | None:
        """Share of methods of which anything is reached; none where there are none."""
        return _share([each.reached for file in self.files for each in file.functions if each.owner])

    @property
    def success(self) -> float | None:
        """Share of tests that pass, of those that neither are skipped nor expected to fail."""
        good = self.tests.get("passed", 0)
        bad = self.tests.get("failed", 0) + self.tests.get("error", 0)
        return good / (good + bad) if good + bad else None

    @property
    def complexity(self) -> float:
        """Mean complexity of the functions."""
        each = [function.complexity for file in self.files for function in file.functions]
        return sum(each) / len(each) if each else 1.0


def _share(reached: list[bool]) -> float | None:
    return sum(reached) / len(reached) if reached else None
