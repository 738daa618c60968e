"""What goes into a trial of fixes and what comes out, as JSON files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from setpoint_probe.wire.exchange import read_order


@dataclass(frozen=True)
class Fix:
    """One change of one file, to be kept or not as a whole."""

    file: str
    """Path from the tree's root."""
    edits: tuple[tuple[int, int, str], ...]
    """First character, the one behind the last, and the new text; places of the file as it is."""


@dataclass(frozen=True)
class FixRequest:
    """An order to try fixes one after the other; fixes of one file may not overlap."""

    tree: str
    fixes: tuple[Fix, ...]
    pytest_args: tuple[str, ...] = ()
    wall_s: float = 120.0
    """Seconds from start to end."""
    memory_bytes: int = 4 << 30
    scratch: str = ""
    """Directory for temporary files; empty for one of the engine's own."""

    @classmethod
    def read(cls, path: str) -> FixRequest:
        """Read a request; raises `ValueError`, `TypeError` or `KeyError` where it is none."""
        order = read_order(cls, path)
        fixes: Any = order.fixes
        return replace(order, fixes=tuple(Fix(each["file"], each["edits"]) for each in fixes))


@dataclass
class Fate:
    """What became of one fix."""

    kept: bool = False
    broke: str = ""
    """A test that passes without the fix and not with it; empty where none was seen."""
    tried: bool = False
    """The tests ran with it; not so where the time was up."""


@dataclass
class FixResult:
    """What the trial gave."""

    status: str = "not_possible"
    """judged or not_possible."""
    reason: str = ""
    """Why no fix could be judged, or no further one."""
    tests: int = 0
    """Tests that passed before, every time, and judged."""
    runs: int = 0
    """Times that the tests ran."""
    fates: list[Fate] = field(default_factory=list)
    """One for each fix, in order."""


def spliced(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """Apply edits by places of characters; raises `ValueError` where two overlap."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(edits):
        if start < at:
            raise ValueError("two edits overlap")
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])
