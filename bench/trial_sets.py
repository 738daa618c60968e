"""The four sets of `trial.py`, as cases: honest commits, patches, cheats, and small packages."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from attack_cases import cases
from trial_case import Case, half, of_commit
from trial_packages import functions
from trial_verifiers import verifiers

DATA = Path(__file__).with_name("data") / "trial"
PROGRAMS = {"python": "git", "javascript": "node", "go": "go", "rust": "cargo"}


def honest(histories: Path) -> Iterator[Case]:
    """Yield the honest commits of public histories, which lie as `OWNER+NAME/repo` or `OWNER+NAME`."""
    known = tomllib.loads((DATA / "honest.toml").read_text("utf-8"))
    for repository in known["repository"]:
        slug = repository["name"].replace("/", "+")
        history = histories / slug / "repo"
        history = history if history.exists() else histories / slug
        for case in repository["case"]:
            yield Case(
                name=f"{repository['name']}@{case['commit'][:10]}", kind=case["kind"],
                language=repository["language"], request=case["request"],
                lay=of_commit(history, case["base"], case["commit"]),
                environment=slug if repository["language"] == "python" else "plain",
                packages=repository.get("packages", ""), prepare=repository.get("prepare", ""),
                test=repository["test"], half=half(case["commit"]),
            )  # fmt: skip


def patches(archives: Path) -> Iterator[Case]:
    """Yield right and wrong patches: of functions, of small projects, and behind broken commands."""
    yield from functions(archives, {"right", "wrong"})
    yield from (case for case in cases(1) if case.kind == "right")
    yield from verifiers()


def packages(archives: Path) -> Iterator[Case]:
    """Yield seeded bugs and features of source packages."""
    yield from functions(archives, {"bug", "feature"})


def cheats(_: Path) -> Iterator[Case]:
    """Yield the cheats of `attacks/*.txt`."""
    yield from (case for case in cases(1) if case.kind == "cheat")


SETS: dict[str, Callable[[Path], Iterator[Case]]] = {
    "honest": honest, "patches": patches, "cheats": cheats, "packages": packages,
}  # fmt: skip


def able(case: Case) -> bool:
    """Whether the programs of a case's language are installed."""
    return shutil.which(PROGRAMS[case.language]) is not None
