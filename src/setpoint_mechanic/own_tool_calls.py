"""What the agents without a model do, told as tool calls, and the environment that their engine runs in."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

from setpoint.model.attempt import Attempt, Breakage, Stop, ToolCall, Usage
from setpoint.ports import Observer
from setpoint.ports.toolkit import Toolkit


class OwnCalls:
    """Counts what an agent of Setpoint's own does in one attempt, and tells its observer."""

    def __init__(self, label: str, observer: Observer) -> None:
        """Number the calls behind `label`, which is the attempt's."""
        self.made = 0
        """Calls so far."""
        self.errors = 0
        """Those of them that failed."""
        self.log: list[str] = []
        """A line for each call, for the transcript; agents add lines of their own."""
        self.lines: list[str] = []
        """What is said in the end."""
        self._label, self._observer = label, observer
        self._open: dict[str, str] = {}
        self._began, self._started_at = time.monotonic(), datetime.now(UTC)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the attempt began."""
        return time.monotonic() - self._began

    def begin(self, name: str, kind: str, title: str) -> None:
        """Tell that a call begins; the next one of that name that is told is its end."""
        self._open[name] = f"{self._label}-{name}-{self.made + 1}"
        self._observer.began(ToolCall(id=self._open[name], name=name, kind=kind, title=title))

    def tell(self, name: str, kind: str, title: str, *, ok: bool, seconds: float, file: str = "") -> None:
        """Record one call; `seconds` is what it took, `file` what it changed, where it changed one."""
        self.made += 1
        self.errors += not ok
        call = ToolCall(
            id=self._open.pop(name, f"{self._label}-{self.made}"),
            name=name,
            kind=kind,
            title=title,
            ok=ok,
            duration_s=seconds,
            files=(file,) if file else (),
        )
        self.log.append(call.model_dump_json())
        self._observer.called(call)

    def attempt(self, agent: str, breakage: Breakage | None, toolkit: Toolkit) -> Attempt:
        """Sum the attempt of `agent` up; no model was asked, so nothing was spent."""
        text = "\n".join(self.lines).strip()
        usage = Usage(cost_usd=None, scope="none")
        self._observer.spent(usage)
        return Attempt(
            agent=agent,
            stop=Stop.BROKEN if breakage else Stop.END_TURN,
            breakage=breakage,
            text=text,
            usage=usage,
            tool_calls=self.made,
            tool_errors=self.errors,
            started_at=self._started_at,
            duration_s=self.elapsed_s,
            transcript=toolkit.keep("\n".join([*self.log, text])),
        )


def engine_environment(toolkit: Toolkit, python: str, scratch: Path) -> dict[str, str]:
    """Return the environment in which an interpreter runs the engine, with its own folder first.

    Temporary files go into `scratch`; hashes are the same in each run.
    """
    return toolkit.environment(
        {
            "PATH": f"{Path(python).parent}:{toolkit.environment().get('PATH', '')}",
            "TMPDIR": str(scratch),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
        }
    )
