"""What goes into the engine and what comes out, as JSON files; the engine's only contract with its caller."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Request:
    """An order to repair failing tests."""

    tree: str
    """Root of the work tree; nothing outside it is changed."""
    failing: tuple[str, ...]
    """Node ids of the failing tests, or files that fail to be collected."""
    cpu_s: float = 60.0
    """CPU seconds for the whole search."""
    wall_s: float = 120.0
    """Seconds from start to end."""
    extra_s: float = 3.0
    """CPU seconds to go on after the first full repair, to offer alternatives."""
    sources: tuple[str, ...] = ()
    """Files that may be changed, relative to the tree; empty for all that are no tests."""
    pytest_args: tuple[str, ...] = ()
    """More words for pytest: paths of the suite, options."""
    max_patches: int = 5
    """How many patches to give back."""
    memory_bytes: int = 4 << 30
    """Address space that a child may use."""
    seed: int = 0
    """Orders candidates of equal score."""
    avoid: tuple[str, ...] = ()
    """Digests of patches not to be offered again."""
    prefer: tuple[str, ...] = ()
    """Families of edits that did it before for failures like these: tried earlier."""
    doubt: tuple[str, ...] = ()
    """Families of edits that were sent back before for failures like these: tried later."""
    known: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    """Changes that mended such failures before, tried first: lines taken out, lines put in."""
    scratch: str = ""
    """Directory for temporary files; empty for one of the engine's own."""


@dataclass(frozen=True)
class Patch:
    """A change that cleared failing tests and broke none of the checked ones."""

    file: str
    """Path from the tree's root, with `/`."""
    line: int
    """First line it changes."""
    template: str
    diff: str
    """The change as a unified diff."""
    text: str
    """The file's whole new text."""
    size: int
    """How big an edit the template makes, 1 for one token."""
    score: float
    """Prior of the template by suspiciousness of the line."""
    cleared: tuple[str, ...]
    """Failing tests that pass with it."""
    remaining: tuple[str, ...]
    """Failing tests that fail still."""
    checked: int
    """Tests that ran with it and kept their outcome."""
    digest: str
    """Recognises the same change in another tree: file, lines taken out and lines put in."""
    confirmed: bool = False
    """It was seen to work in a fresh process too."""
    alike: int = 0
    """Other repairs that were found and gave the same on every input that was tried."""
    inputs: int = 0
    """Inputs that were tried, from the tests and near them; 0 where it was not compared."""
    unlike: str = ""
    """For an alternative: an input on which the best patch gives something else, with both results."""


@dataclass(frozen=True)
class Suspect:
    """A line that failing tests reach and passing tests rather not."""

    file: str
    line: int
    score: float
    """0 to 1; Ochiai, raised for lines in the traceback."""
    text: str


@dataclass
class Result:
    """What the search gave."""

    status: str = "not_possible"
    """repaired, partial, exhausted, budget or not_possible."""
    reason: str = ""
    """Why it ended so, in one sentence."""
    mode: str = "hot_swap"
    """hot_swap or fresh_process."""
    mode_reason: str = ""
    patches: list[Patch] = field(default_factory=list)
    suspects: list[Suspect] = field(default_factory=list)
    tests: int = 0
    """Tests that were collected."""
    failing: list[str] = field(default_factory=list)
    """Requested tests that were seen to fail here."""
    not_failing: list[str] = field(default_factory=list)
    """Requested tests that passed or were skipped here, or were not found."""
    candidates: int = 0
    tried: int = 0
    timeouts: int = 0
    discarded: int = 0
    """Candidates that do not compile or cannot be judged."""
    families: dict[str, int] = field(default_factory=dict)
    """Tried candidates by family of edits."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall seconds by stage."""
    cpu_s: float = 0.0
    skipped_files: list[str] = field(default_factory=list)
    """Files that could not be edited, with the reason."""


def digest(name: str, diff: str) -> str:
    """Recognise a change wherever its lines have moved to: hash of the file's name and changed lines."""
    lines = (line for line in diff.splitlines() if line.startswith(("+", "-")))
    changed = [line for line in lines if not line.startswith(("+++ ", "--- "))]
    return hashlib.sha256("\n".join([name, *changed]).encode()).hexdigest()[:16]
