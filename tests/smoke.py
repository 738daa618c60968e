"""Install Setpoint as a user does, on each supported Python of this machine, and see that it works.

`make smoke` runs it. It builds the sdist, and the wheel from the sdist. On each Python it installs the wheel
without extras and the sdist with `[checks]`, each into an empty environment. There it runs `--version`,
`doctor` and `demo` with nothing but PATH and an empty home, and then the tests marked `smoke`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_MB = "128"
SUPPORTED = ("3.11", "3.12", "3.13")
TEST_TOOLS = ("hypothesis>=6.120", "pytest-asyncio>=0.25", "pytest-timeout>=2.3")
PROBE = "import sqlite3, ssl, sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2], sys.executable)"


def interpreter(version: str) -> Path | None:
    """Return a Python of this version that runs, from PATH or from pyenv; a shim may exist and not run.

    Pythons of pyenv lie beside the running one where that is one of them.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    beside = Path(sys.base_prefix).parent
    found = {python for folder in (pyenv, beside) for python in folder.glob(f"{version}.*/bin/python")}
    installed = sorted(found, key=patch, reverse=True)
    for candidate in [f"python{version}", *map(str, installed)]:
        try:
            tried = subprocess.run([candidate, "-c", PROBE], capture_output=True, text=True, check=False)
        except OSError:
            continue
        found, _, executable = tried.stdout.strip().partition(" ")
        if tried.returncode == 0 and found == version:
            return Path(executable)
    return None


def patch(python: Path) -> int:
    """Return the last number of a pyenv version, zero for a pre-release."""
    last = python.parents[1].name.rpartition(".")[2]
    return int(last) if last.isdecimal() else 0


def run(*argv: str | Path, cwd: Path, env: dict[str, str] | None = None, code: int = 0) -> str:
    """Return what a command prints; where it ends with another exit code, show it and stop."""
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode != code:
        print(done.stdout + done.stderr)
        print(f"exit code {done.returncode}, not {code}: {' '.join(map(str, argv))}")
        sys.exit(1)
    return done.stdout + done.stderr


def environment(python: Path, folder: Path, *wanted: str) -> Path:
    """Make an empty environment, install into it, and return its folder of programs."""
    run(python, "-m", "venv", folder, cwd=ROOT)
    run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", *wanted, cwd=folder)
    return folder / "bin"


def build(python: Path, work: Path) -> tuple[Path, Path]:
    """Build the sdist, and the wheel from it; return both."""
    programs = environment(python, work / "build", "build>=1.2")
    run(programs / "python", "-m", "build", "--outdir", work / "dist", ROOT, cwd=work)
    (sdist,), (wheel,) = (work / "dist").glob("*.tar.gz"), (work / "dist").glob("*.whl")
    return sdist, wheel


def bare(programs: Path, home: Path) -> dict[str, str]:
    """Return an environment of PATH and an empty home; PATH has the new programs, git and the system's."""
    home.mkdir()
    git = Path(shutil.which("git") or "git").parent
    return {"PATH": f"{programs}:{git}:/usr/bin:/bin", "HOME": str(home)}


def try_verbs(programs: Path, work: Path, *, checks: bool) -> None:
    """Run the first verbs a user runs; `demo` needs the tools of `[checks]`, and says so where they lack."""
    env, setpoint = bare(programs, work / "home"), programs / "setpoint"
    run(setpoint, "--version", cwd=work, env=env)
    if checks:
        run(setpoint, "demo", "sample", cwd=work, env=env)
    else:
        told = run(setpoint, "demo", "sample", cwd=work, env=env, code=2)
        assert "setpoint[checks]" in told, told
        run("git", "init", "-q", "sample", cwd=work, env=env)
        author = ("-c", "user.name=Smoke", "-c", "user.email=smoke@localhost")
        run("git", *author, "commit", "-q", "--allow-empty", "-m", "Empty", cwd=work / "sample", env=env)
    run(setpoint, "doctor", cwd=work / "sample", env=env)


def run_tests(programs: Path, work: Path) -> None:
    """Run the marked tests against the installed package."""
    run(programs / "python", "-m", "pip", "install", "--quiet", *TEST_TOOLS, cwd=work)
    marked = [
        path for path in (ROOT / "tests").rglob("test_*.py") if "pytest.mark.smoke" in path.read_text("utf-8")
    ]
    env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    run(
        programs / "python",
        "-m",
        "pytest",
        "-q",
        "-m",
        "smoke",
        "-p",
        "no:cacheprovider",
        *marked,
        cwd=ROOT,
        env=env,
    )


def smoke(python: Path, wheel: Path, sdist: Path, work: Path) -> None:
    """Try both files on one Python."""
    core, full = work / "core", work / "full"
    core.mkdir(parents=True)
    full.mkdir()
    programs = environment(python, core / "venv", str(wheel))
    try_verbs(programs, core, checks=False)
    print(
        run(sys.executable, ROOT / "bench" / "install.py", "--most-mb", MOST_MB, programs, cwd=ROOT), end=""
    )
    programs = environment(python, full / "venv", f"{sdist}[checks]")
    try_verbs(programs, full, checks=True)
    run_tests(programs, full)


def main() -> int:
    """Try each Python asked for; exit 2 where one is not on this machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", help=f"default: those of {', '.join(SUPPORTED)} found here")
    parser.add_argument("--but", default="", help="a version that is tested elsewhere")
    given = parser.parse_args()
    found = {version: interpreter(version) for version in given.versions or SUPPORTED if version != given.but}
    lacking = [version for version, python in found.items() if python is None]
    print(
        *(f"Python {version}: not on this machine" for version in lacking), sep="\n", end="\n" * bool(lacking)
    )
    pythons = {version: python for version, python in found.items() if python is not None}
    if not pythons and given.but:
        print("no other supported Python is on this machine: nothing to try")
        return 0
    if not pythons or (given.versions and lacking):
        print("hint: install it, or put pyenv's versions where PYENV_ROOT says")
        return 2
    with tempfile.TemporaryDirectory(prefix="setpoint-smoke-") as folder:
        work = Path(folder)
        sdist, wheel = build(next(iter(pythons.values())), work)
        for version, python in pythons.items():
            print(f"Python {version}: {python}", flush=True)
            smoke(python, wheel, sdist, work / version)
    print("wheel and sdist install and run on " + ", ".join(pythons))
    return 0


if __name__ == "__main__":
    sys.exit(main())
