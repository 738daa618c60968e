"""Seed one bug into the sources of real packages and let `setpoint run` mend it with the mechanic.

    python bench/real_packages.py [--keep FOLDER] [NAME ...]

The source archives come from the package index with pip and are unpacked outside the repository; each ships
its own tests. Reported per package: how the run ended and by which guard, iterations, seconds, whether the
patch gives back the original file, and whether the user's tree stayed byte for byte as it was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from environments import environment

WISH = "make the failing tests pass"


class Seed(NamedTuple):
    """One bug in one package."""

    package: str
    file: str
    right: str
    wrong: str


SEEDS = (
    Seed(
        "inflection==0.5.1",
        "inflection/__init__.py",
        "if number % 100 in (11, 12, 13):",
        "if number % 10 in (11, 12, 13):",
    ),
    Seed(
        "more-itertools==11.2.1", "more_itertools/more.py", "if pred(item) and buf:", "if pred(item) or buf:"
    ),
    Seed("boltons==26.2.0", "boltons/mathutils.py", "if upper < lower:", "if upper > lower:"),
    Seed(
        "toolz==1.2.0", "toolz/itertoolz.py", "if prev[end - 1] is no_pad or", "if prev[end + 1] is no_pad or"
    ),
    Seed("boltons==26.2.0", "boltons/listutils.py", "if rel_idx < len_list:", "if rel_idx <= len_list:"),
    Seed("toolz==1.2.0", "toolz/dicttoolz.py", "return rv", "return factory"),
)


def unpacked(seed: Seed, folder: Path) -> Path:
    """Fetch and unpack a source archive; gives the root of the sources."""
    archives = folder / "archives"
    wanted = seed.package.replace("==", "-").replace("-", "_").lower()
    found = [
        path for path in archives.glob("*.tar.gz") if path.name.replace("-", "_").lower().startswith(wanted)
    ]
    if not found:
        pip = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-binary",
            ":all:",
            "--no-deps",
            "-d",
            str(archives),
        ]
        subprocess.run([*pip, seed.package], check=True, stdout=sys.stderr)
        return unpacked(seed, folder)
    target = folder / f"{Path(seed.file).stem}-{hashlib.sha256(seed.wrong.encode()).hexdigest()[:6]}"
    with tarfile.open(found[0]) as archive:
        archive.extractall(target, filter="data")
    return next(target.iterdir())


def seeded(seed: Seed, root: Path) -> None:
    """Put the bug in and make a repository of it, with one commit and a dirty file beside."""
    path = root / seed.file
    text = path.read_text("utf-8")
    if seed.right not in text:
        raise SystemExit(f"{seed.package}: '{seed.right}' does not stand in {seed.file}")
    path.write_text(text.replace(seed.right, seed.wrong, 1), "utf-8")
    git = ["git", "-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A", "-f"], ["commit", "-q", "-m", "seeded"]):
        subprocess.run([*git, *words], cwd=root, check=True)
    (root / "my-notes.txt").write_text("not committed\n", "utf-8")


def fingerprint(root: Path) -> str:
    """Hash the user's tree, index, stash and HEAD, but not Setpoint's state folder and branch."""
    digest = hashlib.sha256()
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        inside = path.relative_to(root)
        if (
            inside.parts[0] == ".setpoint"
            or inside.parts[:2] == (".git", "objects")
            or "setpoint" in inside.parts
        ):
            continue
        digest.update(str(inside).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def interpreter(folder: Path) -> Path:
    """Make an environment with pytest and coverage alone: other plug-ins disturb some suites."""
    return environment(folder / "environment", "pytest", "coverage")


def driven(root: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Setpoint with the mechanic, in a process and an environment of its own."""
    words = [sys.executable, "-m", "setpoint", "run", WISH, "--agent", "mechanic", "--json"]
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "SETPOINT_CHECKS__PYTHON": str(interpreter(folder)),
        "SETPOINT_ESCALATION__ON_LIMIT": "error",
    }
    return subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True, check=False)


def run(seed: Seed, folder: Path) -> dict[str, object]:
    """Run Setpoint on one seeded package and say what came out."""
    root = unpacked(seed, folder)
    seeded(seed, root)
    before = fingerprint(root)
    began = time.monotonic()
    done = driven(root, folder)
    seconds = time.monotonic() - began
    told = {"package": seed.package, "file": seed.file, "seconds": round(seconds, 1), "root": str(root)}
    try:
        outcome = json.loads(done.stdout)
    except ValueError:
        return {**told, "ending": f"exit {done.returncode}", "error": done.stderr[-2000:]}
    mended = ""
    if outcome["branch"]:
        shown = ["git", "show", f"{outcome['branch']}:{seed.file}"]
        mended = subprocess.run(shown, cwd=root, capture_output=True, text=True, check=False).stdout
    original = (root / seed.file).read_text("utf-8").replace(seed.wrong, seed.right, 1)
    return {
        **told,
        "ending": outcome["ending"],
        "guard": (outcome["halt"] or {}).get("guard", ""),
        "iterations": outcome["iterations"],
        "as_original": mended == original,
        "tree_untouched": fingerprint(root) == before,
        "run": outcome["trace_id"],
    }


def main() -> None:
    """Run all seeds, or those whose package is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only packages whose name begins so")
    parser.add_argument("--keep", type=Path, help="folder to work in; a temporary one otherwise")
    wanted = parser.parse_args()
    seeds = [seed for seed in SEEDS if not wanted.names or seed.package.startswith(tuple(wanted.names))]
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as temporary:
        folder = wanted.keep or Path(temporary)
        for seed in seeds:
            print(json.dumps(run(seed, folder.resolve())), flush=True)


if __name__ == "__main__":
    main()
