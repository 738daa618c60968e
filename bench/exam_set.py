"""The frozen set of `exam.py`: requests, right and wrong patches, and how their trees are laid out.

A right patch is a commit of a public history; a wrong one is that commit with a few lines replaced, and with
tests of its own in place of those of the commit. `data/exam/<language>.toml` holds the set.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trial_case import git

DATA = Path(__file__).with_name("data") / "exam"
LANGUAGES = ("python", "typescript", "go")
RIGHT = "right"


@dataclass(frozen=True, kw_only=True)
class Patch:
    """One patch for a request."""

    name: str
    """`right`, or the name of a wrong one."""
    why: str = ""
    """What is wrong with it."""
    edits: tuple[dict[str, Any], ...] = ()
    tests: tuple[dict[str, str], ...] = ()

    @property
    def right(self) -> bool:
        """Whether it does what the request asks for."""
        return self.name == RIGHT


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request with its patches."""

    name: str
    language: str
    repository: str
    base: str
    commit: str
    kind: str
    text: str
    packages: str
    prepare: str
    test: str
    oracle: tuple[str, ...]
    check: str
    patches: tuple[Patch, ...]


def requests(only: str = "") -> Iterator[Request]:
    """Yield the requests of the set, in its order; `only` names some of them by a part of their name."""
    for language in LANGUAGES:
        file = DATA / f"{language}.toml"
        for row in tomllib.loads(file.read_text("utf-8"))["case"] if file.exists() else ():
            wrong = tuple(
                Patch(
                    name=each["name"], why=each["why"], edits=tuple(each.get("edit", ())),
                    tests=tuple(each.get("tests", ())),
                )
                for each in row.get("wrong", ())
            )  # fmt: skip
            if only in row["name"]:
                yield Request(
                    name=row["name"], language=language, repository=row["repository"], base=row["base"],
                    commit=row["commit"], kind=row["kind"], text=row["request"].strip(),
                    packages=row.get("packages", ""), prepare=row.get("prepare", ""), test=row["test"],
                    oracle=tuple(row["oracle"]), check=row["check"], patches=(Patch(name=RIGHT), *wrong),
                )  # fmt: skip


def history(histories: Path, request: Request) -> Path:
    """Return the history of a request's repository, which lies as `OWNER+NAME/repo` or `OWNER+NAME`."""
    place = histories / request.repository.replace("/", "+")
    found = [each for each in (place / "repo", place) if (each / "HEAD").exists() or (each / ".git").exists()]
    return (
        found[0]
        if found
        else next(path.parent for path in place.rglob("HEAD") if (path.parent / "objects").is_dir())
    )


def laid(histories: Path, request: Request, root: Path, settings: str = "") -> None:
    """Clone a base with a branch for each patch on top of it; settings are part of the base."""
    shutil.rmtree(root, ignore_errors=True)
    root.parent.mkdir(parents=True, exist_ok=True)
    git(root.parent, "clone", "-q", "--shared", "--no-checkout", str(history(histories, request)), str(root))
    git(root, "checkout", "-q", "-B", "main", request.base)
    git(root, "remote", "remove", "origin")
    if settings:
        (root / "setpoint.toml").write_text(settings, "utf-8")
        git(root, "add", "-f", "setpoint.toml")
        git(root, "commit", "-qm", "Settings")
    for patch in request.patches:
        git(root, "checkout", "-q", "-B", patch.name, "main")
        git(root, "checkout", "-q", request.commit, "--", ".")
        for path in git(root, "diff", "--name-only", "--diff-filter=D", request.base, request.commit).split():
            git(root, "rm", "-q", "--cached", "--ignore-unmatch", path)
            (root / path).unlink(missing_ok=True)
        if not patch.right:
            worsened(root, request, patch)
        git(root, "add", "-A")
        git(root, "commit", "-qm", "The work", "--allow-empty")
    git(root, "checkout", "-q", "-f", "main")


def worsened(root: Path, request: Request, patch: Patch) -> None:
    """Make a right tree a wrong one: its tests are those of the base, and some lines are other ones."""
    for path in request.oracle:
        known = git(root, "ls-tree", "--name-only", request.base, "--", path).strip()
        if known:
            git(root, "checkout", "-q", request.base, "--", path)
        else:
            git(root, "rm", "-q", "-f", "--ignore-unmatch", path)
    for edit in sorted(patch.edits, key=lambda each: -each["first"]):
        file = root / edit["file"]
        lines = file.read_text("utf-8").split("\n")
        text = edit["text"].removesuffix("\n")
        lines[edit["first"] - 1 : edit["last"]] = text.split("\n") if text else []
        file.write_text("\n".join(lines), "utf-8")
    for test in patch.tests:
        file = root / test["file"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(test["text"], "utf-8")


def environment(work: Path, request: Request, root: Path) -> dict[str, str]:
    """Set a tree up as its project asks for; gives the variables with which its commands run."""
    variables = dict(os.environ)
    if request.language == "python":
        place = (
            work
            / "environments"
            / request.repository.replace("/", "+")
            / (request.packages.replace(" ", "_") or "plain")
        )
        python = place / "bin" / "python"
        if not (place / "ready").exists():
            subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
            subprocess.run(
                [str(python), "-m", "pip", "install", "-q", "pytest", *request.packages.split()], check=True
            )
            (place / "ready").touch()
        variables |= {"VIRTUAL_ENV": str(place), "PATH": f"{place / 'bin'}:{variables['PATH']}"}
    if request.prepare:
        kept = work / "modules" / f"{request.repository.replace('/', '+')}-{request.base[:10]}"
        if request.language == "typescript" and (kept / "node_modules").is_dir():
            if not (root / "node_modules").exists():
                shutil.copytree(kept / "node_modules", root / "node_modules", symlinks=True)
        else:
            subprocess.run(
                ["bash", "-c", request.prepare], cwd=root, env=variables, check=True, capture_output=True
            )
            if (root / "node_modules").is_dir():
                shutil.copytree(
                    root / "node_modules", kept / "node_modules", symlinks=True, dirs_exist_ok=True
                )
    return variables
