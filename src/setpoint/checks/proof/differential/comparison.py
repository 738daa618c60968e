"""What came of the same calls at the base and on the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from setpoint.checks.proof.differential.functions import Comparable
from setpoint_probe.wire.calls import RAISES, VALUE, Answer, Call


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What came of the same calls on both sides."""

    functions: Comparable
    calls: Mapping[int, Call] = field(default_factory=dict)
    now: Mapping[int, Answer] = field(default_factory=dict)
    """Steady answers of the result."""
    before: Mapping[int, Answer] = field(default_factory=dict)
    """Steady answers of the base."""
    why: str = ""
    """Why there are none."""
    altered: tuple[str, ...] = ()
    """Names outside the project that the code of the result changes, and that of the base does not."""
    left: Mapping[str, str] = field(default_factory=dict)
    """Why no recorded call of a function can be made again, by its name."""

    def both(self, number: int) -> tuple[Answer, Answer] | None:
        """Return the answers of base and result to a call; none where one of them gave none."""
        before, now = self.before.get(number), self.now.get(number)
        return (before, now) if before is not None and now is not None else None

    def answered(self, number: int) -> bool:
        """Whether both sides answer, and not only with exceptions."""
        both = self.both(number)
        return both is not None and VALUE in (both[0].kind, both[1].kind)

    def differs(self, number: int) -> bool:
        """Whether both sides answer, and otherwise; one exception is like another."""
        both = self.both(number)
        if both is None or (both[0].kind, both[1].kind) == (RAISES, RAISES):
            return False
        (then, now) = both
        seen = all(now.state.get(name) == held for name, held in then.state.items())
        return (then.kind, then.told) != (now.kind, now.told) or not seen

    def silenced(self, number: int) -> bool:
        """Whether the base raises and the result gives a value."""
        both = self.both(number)
        return both is not None and (both[0].kind, both[1].kind) == (RAISES, VALUE)

    @property
    def equal_to_all(self) -> tuple[str, ...]:
        """Calls whose value says that it equals things that differ."""
        return tuple(self.calls[each.number].shown for each in self.now.values() if each.equals_everything)

    def near(self, number: int) -> list[int]:
        """Return the calls that vary a recorded one."""
        return [each.number for each in self.calls.values() if each.of == number]

    def shown(self, number: int) -> str:
        """Tell one call and both of its answers."""
        both = self.both(number)
        if both is None:
            return self.calls[number].shown
        return f"{self.calls[number].shown}: {both[0].shown} at the base, {both[1].shown} now"


def judged(found: Compared) -> Iterator[Call]:
    """Yield the calls that a user of the code could make: of public functions, or made by a test itself."""
    for call in found.calls.values():
        if call.outer or not any(_is_private(call.name, part) for part in _parts_of(call.name)):
            yield call


def _parts_of(name: str) -> list[str]:
    """Return the parts of a function's name without its file."""
    return name.rpartition("::")[2].split(".")


def _is_private(name: str, part: str) -> bool:
    if name.partition("::")[0].endswith(".go"):
        return not part[:1].isupper()
    return part.startswith("_") and not part.endswith("__")
