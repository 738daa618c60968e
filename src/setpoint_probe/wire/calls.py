"""What goes into answering recorded calls and what comes out, as JSON files."""

from __future__ import annotations

from dataclasses import dataclass, field

SPECIAL = ("__len__", "__bool__", "__str__", "__repr__", "__iter__")
"""Methods by which a reader sees an object."""
NEXT_CALL = "what the next call gives"
"""How a shared collection is told that two calls give; the engine for JavaScript says the same."""
VALUE, RAISES, TIME, REFUSED, UNFIT = "value", "raises", "time", "refused", "unfit"


@dataclass(frozen=True)
class CallsRequest:
    """An order to answer calls with the code of one tree."""

    tree: str
    calls: str
    """File of the calls; written before they are answered where `recorded` names a folder."""
    functions: dict[str, tuple[str, str]]
    """By name in the recording: the module (empty: the recorded one), and the qualified name in this tree."""
    recorded: str = ""
    """Folder of what was recorded; the calls are chosen from it and varied."""
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The functions as they are written on both sides, whose constants are tried too."""
    first: tuple[str, ...] = ()
    """Tests whose calls are chosen first."""
    only: tuple[int, ...] = ()
    """Numbers of the calls that are answered; none for all."""
    loose: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Classes whose objects hold other attributes than at the base, with what was public there."""
    lost: tuple[str, ...] = ()
    """Functions that are values of another kind on the result, recorded at the base."""
    guarded: tuple[str, ...] = ()
    """Functions of files from which the change takes something that raises; they are given nothing, too."""
    wall_s: float = 8.0
    memory_bytes: int = 3 << 30
    scratch: str = ""


@dataclass(frozen=True)
class Call:
    """One call."""

    number: int
    name: str
    """The function, as it was recorded."""
    shown: str
    """As a reader sees it: `round_up(2.5)`."""
    of: int = -1
    """The recorded call that it varies; -1 for a recorded one."""
    outer: bool = True
    """Whether a test made it, and no other recorded function."""
    boundary: bool = False
    """Whether all arguments have a kind of their own, such as nothing, zero or an empty list."""
    leaves: tuple[str, ...] = ()
    """Numbers and texts in the arguments."""
    test: str = ""
    """The test that made a recorded call, where that is known."""
    odd: bool = False
    """Whether it passes nothing (`None`) where tests pass something."""


@dataclass(frozen=True)
class Answer:
    """What came of one call."""

    number: int
    kind: str
    """value, raises, time, refused or unfit (it cannot be called so here)."""
    told: str = ""
    """A hash of the value, of what was printed, and of changed arguments; the type of an exception."""
    shown: str = ""
    equals_everything: bool = False
    vague: str = ""
    """What of the answer was compared by its kind alone, in words."""
    state: dict[str, str] = field(default_factory=dict)
    """Hashes of what is public of an object afterwards; what the base does not have is not compared."""
    changes: tuple[str, ...] = ()
    """Arguments that are other values after the call: their names, or their places from 0."""
    shares: tuple[str, ...] = ()
    """What a collection that it gives is, beside the caller's, in words: `an argument`."""
    place: str = ""
    """Where an exception was raised: the deepest `path:line` of the tree."""
    deliberate: bool = False
    """Whether a statement raised it, and no operation that failed."""
    said: str = ""
    """What an exception says."""


@dataclass
class CallsResult:
    """What came of the calls."""

    reason: str = ""
    """Why there are none; empty where there are."""
    calls: list[Call] = field(default_factory=list)
    """Those that were chosen and varied here."""
    answers: list[Answer] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)
    """Names outside the project that the modules or the calls changed."""
    left: dict[str, str] = field(default_factory=dict)
    """Functions of which no recorded call can be made again, and why."""
