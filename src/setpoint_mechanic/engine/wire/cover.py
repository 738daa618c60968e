"""What goes into a search for tests or a judgement of tests, and what comes out, as JSON files."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class CoverRequest:
    """An order to write tests for what the present ones do not reach in one file."""

    tree: str
    file: str
    """The file to be tested, from the tree's root."""
    module: str
    """What it is imported as."""
    target: str
    """The file of tests to be written, from the tree's root."""
    missed_lines: tuple[int, ...]
    missed_branches: tuple[tuple[int, bool], ...]
    tests: tuple[str, ...] = ()
    """Files of tests from which values are taken."""
    style: str = "pytest"
    """pytest or unittest."""
    kill: bool = True
    """Also look for tests that notice mutants of the file."""
    wall_s: float = 60.0
    """Seconds from start to end."""
    repeats: int = 5
    """How often each test must pass, in fresh processes."""
    most: int = 150
    """Tests at most."""
    memory_bytes: int = 3 << 30
    seed: int = 0
    pytest_args: tuple[str, ...] = ()
    scratch: str = ""


@dataclass(frozen=True)
class Written:
    """A test that was written and kept."""

    name: str
    target: str
    """The function or method it calls."""
    why: str
    """What it is there for."""
    lines: tuple[int, ...]
    branches: tuple[tuple[int, bool], ...]
    specified: str = ""
    """By what the code's author specified it; empty: it pins what the code does."""
    kills: int = 0
    """Mutants that it alone was seen to notice first."""


@dataclass
class CoverResult:
    """What a search for tests gave."""

    status: str = "not_possible"
    """written, nothing or not_possible."""
    reason: str = ""
    text: str = ""
    """The file of tests; empty where no test was kept."""
    tests: list[Written] = field(default_factory=list)
    contradicted: list[str] = field(default_factory=list)
    """Examples of the documentation that give something else than they say."""
    dropped: dict[str, str] = field(default_factory=dict)
    """Tests that were written and not kept, with the reason."""
    calls: int = 0
    """Calls that were tried."""
    refused: int = 0
    """Calls left out because they wrote files, began processes or reached for the network."""
    targets: int = 0
    """Functions, methods and classes that were called."""
    mutants: int = 0
    killed: int = 0
    orders: int = 0
    """Orders in which all tests were run together, to the end."""
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class JudgeRequest:
    """An order to judge tests that somebody wrote: each alone, again and again, and all in random orders."""

    tree: str
    tests: tuple[str, ...]
    """Files of tests, from the tree's root."""
    missed: tuple[tuple[str, tuple[int, ...], tuple[tuple[int, bool], ...]], ...]
    """What the other tests do not reach: file, lines and branches."""
    repeats: int = 5
    """How often each test must pass, in fresh processes."""
    wall_s: float = 120.0
    memory_bytes: int = 3 << 30
    pytest_args: tuple[str, ...] = ()
    scratch: str = ""


@dataclass
class JudgedTest:
    """What came of one test."""

    id: str
    """As pytest names it."""
    why_not: str = ""
    """Why it is no good; empty for a test that passes again and again."""
    output: str = ""
    """What it said when it failed."""
    gained: dict[str, list[int]] = field(default_factory=dict)
    """Lines that neither the other tests nor those before it reach, by file."""
    taken: dict[str, list[tuple[int, bool]]] = field(default_factory=dict)
    """Branches that neither the other tests nor those before it take, by file."""
    skipped: bool = False

    @property
    def gains(self) -> bool:
        """Whether it passes and reaches something new."""
        return not self.why_not and bool(self.gained or self.taken)


@dataclass
class JudgeResult:
    """What came of tests that somebody wrote."""

    status: str = "not_possible"
    """judged or not_possible."""
    reason: str = ""
    """Why it was not possible, or which files cannot be collected."""
    tests: list[JudgedTest] = field(default_factory=list)
