"""Whether a means of confinement works on this machine: found out by a process that tries to break out."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from setpoint.model.config.sandbox import Means
from setpoint.system.processes import landlock
from setpoint.system.processes.command import Command
from setpoint.system.processes.confinement import Confinement, missing_bwrap, missing_landlock
from setpoint.system.processes.run import run

TRIAL_S = 10.0
_INSIDE, _OUTSIDE = 3, 4
_SCRIPT = f"touch in/file || exit {_INSIDE}; if touch out/file; then exit {_OUTSIDE}; fi"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What came of trying a means of confinement."""

    means: Means
    why_not: str = ""
    """Why it is of no use here; empty where it works."""
    words: str = ""
    """What it is called, with its version where that matters."""

    @property
    def works(self) -> bool:
        """Whether it works here."""
        return not self.why_not


async def trial(means: Means) -> Trial:
    """Confine a small process and see whether it can write where it should, and only there."""
    if means is Means.LANDLOCK:
        why_not = missing_landlock()
        words = "landlock" if why_not else f"landlock (version {landlock.version()})"
    else:
        why_not, words = missing_bwrap(), "bwrap"
    return Trial(means=means, why_not=why_not or await _tried(means), words=words)


async def _tried(means: Means) -> str:
    with tempfile.TemporaryDirectory(prefix="setpoint-trial-") as name:
        folder = Path(name).resolve()
        for each in ("in", "out"):
            (folder / each).mkdir()
        done = await run(
            Command(
                argv=("sh", "-c", _SCRIPT),
                cwd=folder,
                timeout_s=TRIAL_S,
                confinement=Confinement(means=means, writable=(str(folder / "in"),)),
            )
        )
        escaped = (folder / "out" / "file").exists()
    if done.ok and not escaped:
        return ""
    if escaped or done.exit_code == _OUTSIDE:
        return "it did not keep a process from writing elsewhere"
    said = done.errors.strip().splitlines()
    return said[-1][:300] if said else done.ending
