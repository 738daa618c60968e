"""What the agents without a model do, told as tool calls, and the environment that their engine runs in."""

from __future__ import annotations

from pathlib import Path

from setpoint.domain.attempt import ToolCall
from setpoint.ports import Observer
from setpoint.processes import clean_environment


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
        self._label, self._observer = label, observer

    def tell(self, name: str, kind: str, title: str, *, ok: bool, seconds: float, file: str = "") -> None:
        """Record one call; `seconds` is what it took, `file` what it changed, where it changed one."""
        self.made += 1
        self.errors += not ok
        call = ToolCall(
            id=f"{self._label}-{self.made}",
            name=name,
            kind=kind,
            title=title,
            ok=ok,
            duration_s=seconds,
            files=(file,) if file else (),
        )
        self.log.append(call.model_dump_json())
        self._observer.called(call)


def engine_environment(python: str, scratch: Path) -> dict[str, str]:
    """Give the environment in which an interpreter runs the engine, with its own folder first.

    Temporary files go into `scratch`; hashes are the same in each run.
    """
    return clean_environment(
        {
            "PATH": f"{Path(python).parent}:{clean_environment().get('PATH', '')}",
            "TMPDIR": str(scratch),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
        }
    )
