"""What goes into a mutation score and what comes out, as JSON files."""

from __future__ import annotations

from dataclasses import dataclass, field

KILLED, TIMEOUT, SURVIVED, UNCOVERED, UNTRIED = "killed", "timeout", "survived", "uncovered", "untried"


@dataclass(frozen=True)
class ScoreRequest:
    """An order to find out which mutants of some lines the tests notice."""

    tree: str
    """Root of the work tree; nothing in it is changed."""
    targets: dict[str, tuple[int, ...]]
    """Lines to be mutated, 1-based, by file from the tree's root; no lines for all of a file."""
    wall_s: float = 120.0
    """Seconds from start to end; mutants not tried by then are counted as such."""
    jobs: int = 1
    """Processes side by side."""
    most: int = 2000
    """How many mutants are tried at most, drawn at random."""
    pytest_args: tuple[str, ...] = ()
    """More words for pytest."""
    green_only: bool = False
    """End at once where a red test reaches the files, other than those in `known_red`."""
    known_red: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    """Tests that are asked about a mutant only where none of the others notices it, in this order."""
    each: tuple[str, ...] = ()
    """Tests that are all asked about every mutant, behind all others; only what they reach is mutated."""
    fresh: bool = False
    """Judge every mutant in a fresh process instead of in the warm one."""
    thorough: bool = False
    """Also change returned values in several ways, the types of errors, and the words of messages."""
    memory_bytes: int = 4 << 30
    """Address space that a child may use."""
    seed: int = 0
    """Draws the sample."""
    scratch: str = ""
    """Directory for temporary files; empty for one of the engine's own."""


@dataclass(frozen=True)
class Judged:
    """One mutant and what became of it."""

    file: str
    line: int
    operator: str
    """Name of the family of edits."""
    before: str
    """The changed lines as they stand."""
    after: str
    """The same lines in the mutant."""
    verdict: str
    """killed, timeout, survived, uncovered (no test reaches it) or untried (no time left)."""
    test: str = ""
    """The test that noticed it, or why it counts as noticed."""
    tests: int = 0
    """Tests that can notice it."""
    same_path: bool = False
    """It survived, and the tests took the same lines as before: look here first for equivalent mutants."""
    fresh: bool = False
    """Judged in a fresh process."""
    noticed: tuple[str, ...] = ()
    """Those of the tests that were all asked that noticed it."""


@dataclass
class ScoreResult:
    """How many mutants the tests noticed."""

    status: str = "not_possible"
    """measured or not_possible."""
    reason: str = ""
    """Why it was not possible, or what has to be known of the figures."""
    judged: list[Judged] = field(default_factory=list)
    made: int = 0
    """Mutants that were made, more than judged where a sample was drawn."""
    same: int = 0
    """Changes left out because they compile to the same program."""
    tests: int = 0
    """Tests that were collected."""
    traced: int = 0
    """Tests that were looked at in the time."""
    touching: int = 0
    """Steady green tests that reach the mutated files; these judge."""
    red: list[str] = field(default_factory=list)
    """Tests that do not pass on the original, left out."""
    reaching: list[str] = field(default_factory=list)
    """Those that `touching` counts."""
    unsteady: list[str] = field(default_factory=list)
    """Tests whose outcome changed when they ran again, or that fail without those before them: left out."""
    unreached: list[str] = field(default_factory=list)
    """Tests of `each` that reach no line in their own process; they may in another one."""
    jobs: int = 1
    """Processes that were used side by side."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall seconds by stage."""
    cpu_s: float = 0.0
    skipped_files: list[str] = field(default_factory=list)
    """Files that could not be mutated, with the reason."""
    pytest: str = ""
    """Version of pytest."""
