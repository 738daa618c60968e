"""Compare what Setpoint reads of 32 public repositories with what their own commands say.

    python bench/ecosystems.py FOLDER --prepare        # clone into FOLDER and install, where that is missing
    python bench/ecosystems.py FOLDER [--only NAME ...]   # own command beside `check`, on clean trees
    python bench/ecosystems.py FOLDER --seeded            # a bug, a wrong repair and a right one
    python bench/ecosystems.py --page > docs/how-to/languages-measured.md

`data/ecosystems.toml` lists the repositories and their commits. FOLDER holds a clone of each under its name;
nothing of them belongs to this repository. Results are added to `data/ecosystems_result.json`.

A row is *equal* where both count the same passed and failed tests. `check` is judged as a person calls it;
`--whole`, which counts old findings too, is reported beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DATA = Path(__file__).with_name("data")
LISTED, RESULT = DATA / "ecosystems.toml", DATA / "ecosystems_result.json"
LONGEST_S = 600
IGNORED = (".venv/", ".go/", "node_modules/", ".setpoint/", "target/", "Cargo.lock", ".nyc_output/", ".tap/")
"""Made by the installations and the tools; ignored in each clone, whatever its own rules say."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
Patterns = Mapping[str, str]
COUNTS: Mapping[str, Patterns] = {
    "pytest": {
        "passed": r"\b(\d+) passed(?=[^\n]* in [\d.]+s)",
        "failed": r"\b(\d+) (?:failed|errors?)(?=[^\n]* in [\d.]+s)",
        "skipped": r"\b(\d+) skipped(?=[^\n]* in [\d.]+s)",
    },
    "unittest": {
        "ran": r"^Ran (\d+) tests? in",
        "failed": r"\b(?:failures|errors|unexpected successes)=(\d+)",
        "skipped": r"\bskipped=(\d+)",
    },
    "vitest": {"passed": r"^\s*Tests .*?(\d+) passed", "failed": r"^\s*Tests .*?(\d+) failed"},
    "jest": {
        "passed": r"^Tests: .*?(\d+) passed",
        "failed": r"^Tests: .*?(\d+) failed",
        "skipped": r"^Tests: .*?(\d+) skipped",
    },
    "mocha": {
        "passed": r"^\s*(\d+) passing",
        "failed": r"^\s*(\d+) failing",
        "skipped": r"^\s*(\d+) pending",
    },
    "ava": {"passed": r"^\s*(\d+) tests? passed", "failed": r"^\s*(\d+) tests? failed"},
    "uvu": {
        "ran": r"^\s*Total:\s+(\d+)",
        "passed": r"^\s*Passed:\s+(\d+)",
        "skipped": r"^\s*Skipped:\s+(\d+)",
    },
    "tap": {
        "passed": r"^# (?:pass\s+|\{.*\bpass: )(\d+)",
        "failed": r"^# (?:fail\s+|\{.*\bfail: )(\d+)",
        "skipped": r"^# (?:skipped\s+|\{.*\bskip: )(\d+)",
    },
    "go": {"passed": r"^\s*--- (PASS): ", "failed": r"^\s*--- (FAIL): ", "skipped": r"^\s*--- (SKIP): "},
    "cargo": {
        "passed": r"^test result: .*?(\d+) passed",
        "failed": r"^test result: .*?(\d+) failed",
        "skipped": r"^test result: .*?(\d+) ignored",
    },
    "ant": {
        "ran": r"\[junit\] Tests run: (\d+)",
        "failed": r"\b(?:Failures|Errors): (\d+)(?=[^\n]*Time elapsed)",
        "skipped": r"\bSkipped: (\d+)(?=[^\n]*Time elapsed)",
    },
    "make": {"passed": r"^passed: (\d+)", "failed": r"^failed: (\d+)"},
}
"""What each runner prints: numbers are added up, words are counted."""


@dataclass(frozen=True, kw_only=True)
class Repository:
    """A public repository, and how its own people install and test it."""

    name: str
    repo: str
    """Owner and name."""
    commit: str
    language: str
    layout: str
    runner: str
    test: str
    """The command that its people use, in a shell."""
    count: str
    """Which of `COUNTS` reads what the command prints."""
    path: tuple[str, ...] = ()
    """Folders that an activated environment puts in front of PATH."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables of its shell, such as settings of Setpoint."""
    install: tuple[str, ...] = ()
    differs: str = ""
    """Why the counts differ, where they do."""
    bug: Mapping[str, str] | None = None
    """A file, its `right` text, the `wrong` one that is seeded, and the `attempt` that repairs nothing."""

    def environment(self, root: Path) -> dict[str, str]:
        """Return the variables of a shell in which the repository's environment is active."""
        folders = [str(root / folder) for folder in self.path]
        return {**os.environ, **self.variables, "PATH": os.pathsep.join([*folders, os.environ["PATH"]])}


def repositories(listed: Path = LISTED) -> tuple[Repository, ...]:
    """Read the list."""
    rows: list[dict[str, Any]] = tomllib.loads(listed.read_text("utf-8"))["repository"]
    lists = ("path", "install")
    return tuple(Repository(**{**row, **{key: tuple(row.get(key, ())) for key in lists}}) for row in rows)


def counted(kind: str, printed: str) -> dict[str, int]:
    """Read passed, failed and skipped tests from what a runner printed; without any, it is empty."""
    text = _COLOUR.sub("", printed)
    found: dict[str, int] = {}
    for key, pattern in COUNTS[kind].items():
        hits = re.findall(pattern, text, re.MULTILINE)
        if hits:
            found[key] = sum(int(hit) if hit.isdigit() else 1 for hit in hits)
    ran = found.pop("ran", None)
    if ran is not None and "passed" not in found:
        found["passed"] = ran - found.get("failed", 0) - found.get("skipped", 0)
    elif ran is not None:
        found["failed"] = ran - found["passed"] - found.get("skipped", 0)
    return {key: number for key, number in found.items() if number or key == "passed"}


def own(repository: Repository, root: Path) -> dict[str, Any]:
    """Run the repository's own command and read its count."""
    began = time.perf_counter()
    done = subprocess.run(
        ["bash", "-c", repository.test],
        cwd=root,
        env=repository.environment(root),
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    seconds = round(time.perf_counter() - began, 1)
    counts = counted(repository.count, f"{done.stdout}\n{done.stderr}")
    return {"exit": done.returncode, "seconds": seconds, **counts}


def checked(repository: Repository, root: Path, *flags: str) -> tuple[int, float, dict[str, Any]]:
    """Call `setpoint check` as a user does; gives the exit code, the seconds and the evaluation."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "setpoint", "check", "--json", *flags],
        cwd=root,
        env=repository.environment(root),
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    seconds = round(time.perf_counter() - began, 1)
    try:
        return done.returncode, seconds, json.loads(done.stdout)
    except ValueError:
        return done.returncode, seconds, {"evidence": [], "error": done.stderr.strip()[-600:]}


def read(repository: Repository, root: Path) -> dict[str, Any]:
    """Return what `setpoint check` reads of a clean tree."""
    code, seconds, evaluation = checked(repository, root, "--fresh")
    evidence = evaluation["evidence"]
    suites = [each for each in evidence if {"passed", "failed"} & each["counts"].keys()]
    counts = _summed(suites)
    whole, _, everything = checked(repository, root, "--whole")
    return {
        "exit": code,
        "seconds": seconds,
        **counts,
        "suites": [each["check"] for each in suites],
        "checks": {each["check"]: each["state"] for each in evidence},
        "feeds": sorted({feed for each in evidence if each["state"] in _RAN for feed in each["feeds"]}),
        "not_measured": {
            each["check"]: each["reason"][:200] for each in evidence if each["state"] not in _RAN
        },
        "whole_exit": whole,
        "whole_fails": [each["check"] for each in everything["evidence"] if each["state"] == "fail"],
        **({"error": evaluation["error"]} if "error" in evaluation else {}),
    }


_RAN = ("pass", "fail")


def _summed(suites: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Add up what the suites count; where a command only prints its count, that is taken."""
    found: dict[str, int] = {}
    for each in suites:
        counts = dict(each["counts"])
        if printed := counts.get("printed", 0):
            counts["passed"] = found["printed"] = printed - counts.get("failed", 0)
        for key in ("passed", "failed", "skipped"):
            found[key] = found.get(key, 0) + counts.get(key, 0)
    return {key: number for key, number in found.items() if number or key == "passed"}


def compared(repository: Repository, root: Path) -> dict[str, Any]:
    """Run the own command and `setpoint check`, and compare."""
    theirs = own(repository, root)
    ours = read(repository, root)
    equal = all(theirs.get(key, 0) == ours.get(key, 0) for key in ("passed", "failed"))
    equal = equal and "passed" in theirs and "passed" in ours
    clean = not ours["exit"] or bool(theirs["exit"])
    return {"own": theirs, "read": ours, "equal": equal, "clean": clean}


def said(repository: Repository, row: Mapping[str, Any]) -> str:
    """Return the line of one comparison."""
    theirs, ours = (_number(row[side]) for side in ("own", "read"))
    times = f"{row['own']['seconds']:.1f} s, check {row['read']['seconds']:.1f} s"
    red = "" if row["clean"] else f"; RED: {row['read'].get('error', '') or row['read']['checks']}"
    why = "" if row["equal"] else f": {_reason(repository, row)}"
    mark = "equal" if row["equal"] else "DIFFERS"
    return f"{repository.name:16} {mark:8} own {theirs}, read {ours}{why} ({times}){red}"


def _number(counts: Mapping[str, Any]) -> str:
    if "passed" not in counts:
        return "nothing"
    failed = f" and {counts['failed']} failed" if counts.get("failed") else ""
    return f"{counts['passed']}{failed}"


def _reason(repository: Repository, row: Mapping[str, Any]) -> str:
    if repository.differs:
        return repository.differs
    lost = [f"{name}: {reason}" for name, reason in row["read"]["not_measured"].items()]
    return "; ".join(lost) if "passed" not in row["read"] and lost else "not explained"


def prepared(repository: Repository, root: Path) -> None:
    """Clone and install a repository that is missing in the folder."""
    if not root.exists():
        url = f"https://github.com/{repository.repo}.git"
        subprocess.run(["git", "clone", "-q", url, str(root)], check=True)
        subprocess.run(["git", "checkout", "-q", repository.commit], cwd=root, check=True)
    exclude = root / ".git" / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text("".join(f"{each}\n" for each in IGNORED), "utf-8")
    mark = root / ".git" / "installed"
    if not mark.exists():
        for command in repository.install:
            subprocess.run(["bash", "-c", command], cwd=root, check=True, stdout=sys.stderr)
        mark.touch()


def kept(part: str, rows: Mapping[str, Any]) -> None:
    """Add rows to the file of results; a later row replaces an earlier one of the same name."""
    result = json.loads(RESULT.read_text("utf-8")) if RESULT.exists() else {}
    result[part] = dict(sorted({**result.get(part, {}), **rows}.items()))
    RESULT.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", "utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Compare, seed or write the page; exit 1 where something differs without a reason or is red."""
    from ecosystems_page import page  # noqa: PLC0415 - it reads the list from here
    from ecosystems_seeded import shown, worked  # noqa: PLC0415 - it runs repositories from here

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="folder with a clone of each repository")
    parser.add_argument("--only", nargs="*", help="names of repositories; all of them if not given")
    parser.add_argument("--prepare", action="store_true", help="clone and install what is missing")
    parser.add_argument("--seeded", action="store_true", help="seed the bugs and run the loop over them")
    parser.add_argument("--page", action="store_true", help="print the page of the documentation")
    given = parser.parse_args(argv)
    if given.page:
        print(page(repositories(), json.loads(RESULT.read_text("utf-8"))), end="")
        return 0
    if given.folder is None:
        parser.error("name the folder of the clones, or give --page")
    bad = 0
    for each in repositories():
        root = given.folder.resolve() / each.name
        if given.only and each.name not in given.only:
            continue
        if given.prepare:
            prepared(each, root)
        elif given.seeded:
            if each.bug:
                row = worked(each, root)
                kept("seeded", {each.name: row})
                print(shown(each, row), flush=True)
                bad += not row["good"]
        else:
            row = compared(each, root)
            kept("compared", {each.name: row})
            print(said(each, row), flush=True)
            bad += not (row["clean"] and (row["equal"] or each.differs))
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
