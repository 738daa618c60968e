"""Faults of a forge, which a test orders: refusals, cut connections, slow answers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(kw_only=True)
class ForgeFault:
    """What the next requests meet instead of their answer."""

    status: int
    """HTTP status; 0 cuts the connection."""
    left: int
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    """Delay; with it the right answer comes after all where `status` is 200."""
    path: str = ""
    """Requests whose path holds this; empty for all."""
    after: bool = False
    """Whether the request takes effect before its answer is lost."""

    @property
    def message(self) -> str:
        """Return the message of GitHub for the status."""
        if self.status in (403, 429):
            limited = (
                "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
            )
            primary = self.headers.get("X-RateLimit-Remaining") == "0"
            return "API rate limit exceeded." if primary else limited
        return "Server Error"


class FaultList:
    """The faults that are due, the oldest first."""

    def __init__(self) -> None:
        """Begin without a fault."""
        self._faults: list[ForgeFault] = []

    def add(self, fault: ForgeFault) -> None:
        """Queue a fault."""
        self._faults.append(fault)

    def meet(self, path: str) -> ForgeFault | None:
        """Return the fault that a request meets, and count it."""
        for fault in self._faults:
            if fault.left > 0 and fault.path in path:
                fault.left -= 1
                return fault
        return None
