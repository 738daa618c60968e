"""Environments with the packages that a bench needs; Setpoint is in none of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def environment(place: Path, *packages: str) -> Path:
    """Make an environment with some packages where there is none yet; gives its interpreter."""
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=True, stdout=sys.stderr)
    return python
