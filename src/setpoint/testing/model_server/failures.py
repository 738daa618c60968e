"""What an agent meets where its model fails: an error of the provider, for each dialect to put into words."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from setpoint.testing.model_server.scenario import Fault

NAMES = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
    503: "overloaded_error",
    529: "overloaded_error",
}
"""Names of errors by status, as most providers write them."""
_OF_ONE_CONVERSATION = ("overflow", "cut")


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """An answer that is an error."""

    status: int
    overflow: bool = False
    """Whether the conversation is too long."""
    retry_after_s: int | None = None
    resets_in_s: int | None = None

    @property
    def name(self) -> str:
        """Return the name of the error, as most providers write it."""
        return NAMES.get(self.status, "api_error")


@dataclass(frozen=True, kw_only=True)
class Refused:
    """An error in the form of one provider."""

    body: dict[str, object]
    headers: dict[str, str] = field(default_factory=dict)


def refusal(fault: Fault) -> Refusal:
    """Return the error of a fault of the kinds `status` and `overflow`."""
    if fault.kind == "overflow":
        return Refusal(status=400, overflow=True)
    return Refusal(status=fault.status, retry_after_s=fault.retry_after_s, resets_in_s=fault.resets_in_s)


class FaultCounter:
    """Tells which fault a request meets, and counts."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        """Begin with none met."""
        self._faults = tuple(faults)
        self._met = [0] * len(self._faults)
        self._first_s: list[float | None] = [None] * len(self._faults)
        self._lock = threading.Lock()

    def meet(self, step: int, *, aside: bool = False) -> Fault | None:
        """Return the fault that a request for this step meets, and count it.

        Requests on the side, such as for a title, meet only what a provider as a whole suffers from.
        """
        now = time.monotonic()
        with self._lock:
            for place, fault in enumerate(self._faults):
                due = step == fault.step or (fault.and_later and step > fault.step)
                if aside and (fault.times is not None or fault.kind in _OF_ONE_CONVERSATION):
                    continue
                if due and not self._over(place, fault, now):
                    self._met[place] += 1
                    self._first_s[place] = self._first_s[place] or now
                    return fault
        return None

    def _over(self, place: int, fault: Fault, now: float) -> bool:
        first = self._first_s[place]
        used_up = fault.times is not None and self._met[place] >= fault.times
        return used_up or (fault.lasts_s is not None and first is not None and now - first >= fault.lasts_s)
