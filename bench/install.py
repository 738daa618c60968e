"""Measure an installation without extras: its size on disk, and the processor time that starting it takes.

`python bench/install.py` makes an empty environment and installs this repository into it. With the folder of
programs of an environment (`.../venv/bin`) it measures that one. `--most-mb` makes it fail above that size.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TIMES = 9
NOT_OURS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
"""What the beginnings of names say that `venv` itself puts into an empty environment."""


def size_mb(programs: Path) -> float:
    """Return the megabytes (2**20) that the packages take on disk, compiled modules included."""
    asked = [str(programs / "python"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    ours = [entry for entry in packages.iterdir() if not entry.name.startswith(NOT_OURS)]
    blocks = sum(path.lstat().st_blocks for entry in ours for path in [entry, *entry.rglob("*")])
    return blocks * 512 / 2**20


def processor_s(*argv: str | Path) -> float:
    """Return the median of user and system time of some starts, in seconds."""
    taken = []
    for _ in range(TIMES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return statistics.median(taken)


def measure(programs: Path, most_mb: float) -> int:
    """Print the figures; exit code 1 where the installation is larger than allowed."""
    mb = size_mb(programs)
    print(f"packages: {mb:.1f} MB")
    for name, argv in {
        "import": (programs / "python", "-c", "import setpoint.cli.app"),
        "--version": (programs / "setpoint", "--version"),
        "--help": (programs / "setpoint", "--help"),
    }.items():
        print(f"{name}: {processor_s(*argv):.2f} s of processor time")
    return int(mb > most_mb)


def main() -> int:
    """Measure an environment, or a new one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="?", type=Path, help="the folder of programs of an environment")
    parser.add_argument("--most-mb", type=float, default=float("inf"))
    given = parser.parse_args()
    if given.programs:
        return measure(given.programs, given.most_mb)
    with tempfile.TemporaryDirectory() as folder:
        programs = Path(folder) / "bin"
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", str(ROOT)], check=True)
        return measure(programs, given.most_mb)


if __name__ == "__main__":
    sys.exit(main())
