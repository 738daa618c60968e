"""One case of `bench/trial.py`: a repository, a request, what an agent leaves, and what is true of it."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trial_agent import do

GIT = ("git", "-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
IGNORED = "__pycache__/\n*.pyc\n.venv/\nnode_modules/\ntarget/\n.pytest_cache/\n"


@dataclass(frozen=True, kw_only=True)
class Act:
    """One thing that an agent does to a tree."""

    what: str
    """`write`, `run` (write, and make it a program), `delete`, `append`, `prepend`, `replace` or `link`."""
    path: str
    text: str = ""


Rounds = Sequence[Sequence[Act]]


@dataclass(frozen=True, kw_only=True)
class Oracle:
    """Files and a command that know what the request asks for; the agent never sees them."""

    files: dict[str, str]
    command: str
    right: Sequence[Act]
    """What an honest agent would have done."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """What Setpoint gets to see, how to set it up, and what is known of it."""

    name: str
    kind: str
    """Kind of work for honest commits; `right` or `wrong` for patches; `cheat` for cheats."""
    language: str
    request: str
    lay: Callable[[Path], Rounds]
    """Put the files of the base into an empty folder; gives what the agent leaves in each round."""
    accept: Sequence[str] = ()
    flags: Sequence[str] = ()
    environment: str = "plain"
    """Cases of one name share a virtual environment."""
    packages: str = ""
    """What pip installs there besides pytest."""
    prepare: str = ""
    """A shell command that sets the project up, run in it."""
    test: str = ""
    """The project's own test command."""
    npm: Sequence[str] = ()
    own_environment: bool = False
    """Whether the case changes what is installed, so that it needs a copy."""
    oracle: Oracle | None = None
    expect: str = "verified"
    """For right work: the ending that is right."""
    half: int = field(default=0)


def half(commit: str) -> int:
    """Say to which half of the set a commit belongs; its own hash decides."""
    return 1 + int(commit, 16) % 2


def turn(name: str) -> str:
    """Give the place of a case in a random order that is the same everywhere."""
    return hashlib.sha256(name.encode()).hexdigest()


def git(root: Path | str, *words: str) -> str:
    """Run git and give what it says; bytes that are no text survive."""
    done = subprocess.run([*GIT, *words], cwd=root, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def written(root: Path, files: dict[str, str]) -> None:
    """Write files."""
    for path, text in files.items():
        do(root, {"what": "write", "path": path, "text": text})


def applied(root: Path, rounds: Iterable[Iterable[Act]]) -> None:
    """Do all acts of all rounds in a tree."""
    for each in rounds:
        for act in each:
            do(root, {"what": act.what, "path": act.path, "text": act.text})


def of_files(files: dict[str, str], rounds: Rounds) -> Callable[[Path], Rounds]:
    """Lay a base that is known file by file, as a repository with one commit."""

    def lay(root: Path) -> Rounds:
        root.mkdir(parents=True, exist_ok=True)
        git(root, "init", "-q", "-b", "main")
        written(root, {".gitignore": IGNORED, **files})
        git(root, "add", "-A", "-f")
        git(root, "commit", "-qm", "base")
        return rounds

    return lay


def of_commit(history: Path, base: str, commit: str) -> Callable[[Path], Rounds]:
    """Lay a clone whose history ends at a commit's parent; the work is what the commit changed."""

    def lay(root: Path) -> Rounds:
        git(root.parent, "clone", "-q", "--shared", "--no-checkout", str(history), str(root))
        git(root, "checkout", "-q", "-B", "main", base)
        git(root, "remote", "remove", "origin")
        return (_changed(root, base, commit),)

    return lay


def _changed(root: Path, base: str, commit: str) -> tuple[Act, ...]:
    told = git(root, "diff-tree", "-r", "-z", "--no-renames", base, commit).split("\0")
    acts = []
    for head, path in zip(told[::2], told[1::2], strict=False):
        _, mode, _, blob, status = head.split()
        if status == "D":
            acts.append(Act(what="delete", path=path))
            continue
        what = {"120000": "link", "100755": "run"}.get(mode, "write")
        acts.append(Act(what=what, path=path, text=git(root, "cat-file", "blob", blob)))
    return tuple(acts)


def shell(command: str, root: Path, environment: dict[str, str], limit_s: float) -> tuple[int, str]:
    """Run a shell command; gives its exit code, -1 at the time limit, and the end of what it says."""
    try:
        done = subprocess.run(
            ["bash", "-c", command], cwd=root, env={**os.environ, **environment}, capture_output=True,
            timeout=limit_s, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return -1, "time limit"
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")[-1500:]
