"""Type the shell blocks of a page as a user does, in a project of their own.

A comment before a block says what is special about it:

- `<!-- not run: REASON -->`: nobody can type it here, as it needs the network, a login or a service;
- `<!-- output -->`: it shows what something prints, and is not typed;
- `<!-- first: COMMANDS -->`: these are typed before it; a variable that they set in capitals (`ID=...`)
  stands for the word in the block, and RUN for the newest run;
- `<!-- exits N -->`: its last command ends with this exit code;
- `<!-- one of -->`: each of its lines is typed in a copy of the project, as one excludes the others;
- `<!-- types A, B -->`: it is typed at a terminal, and these are the answers to its questions in turn;
- `<!-- until TEXT -->`: it goes on until Ctrl-C, which comes once this is printed.

`first` may say `plays claude login`: the agent that the page names is then `played/login.sh`.

The blocks of a page are typed one after the other in one project: the shop of `setpoint demo` with its two
bugs. Where the page begins with `<!-- project: verified -->`, a run has mended them on a branch.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from docs.terminal import at_a_terminal
from house.source import ROOT, SAMPLE
from plain_pytest import PLAIN

if TYPE_CHECKING:
    from collections.abc import Sequence

DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", DOCS / "index.md", DOCS / "tutorial.md", *sorted((DOCS / "how-to").glob("*.md")))
SHELL = ("sh", "bash", "console")
_BLOCK = re.compile(
    r"(?P<marks>(?:^[ \t]*<!--(?:(?!-->).)*-->\n)*)^(?P<indent> *)```(?P<language>\w+)\n(?P<text>.*?)^ *```$",
    re.DOTALL | re.MULTILINE,
)
_MARK = re.compile(r"<!-- (not run|output|first|exits|one of|types|until)(?::? (.*?))? -->", re.DOTALL)
QUICK = {
    "SETPOINT_CHECKS__PYTEST_ARGS": json.dumps(PLAIN),
    "SETPOINT_CHECKS__BANDIT": "false",
    "SETPOINT_CHECKS__MYPY": "false",
    "SETPOINT_CHECKS__RERUNS": "0",
    "SETPOINT_PROOF__WITHOUT": json.dumps(["same calls"]),
}
"""What a user's environment does not have and what is not shown here is left out, as it takes time."""
_FIELD = "import json, sys; print(json.load(sys.stdin)[0]['trace_id'])"
_PLAYS = f"""PLAYED={ROOT}/tests/docs/played
plays() {{
    export SETPOINT_AGENT__${{1^^}}__COMMAND="[\\"sh\\", \\"$PLAYED/$2.sh\\"]"
    export SETPOINT_AGENT__${{1^^}}__PROTOCOL=command
}}"""
_NEWEST = f'RUN=$(setpoint status --json | python -c "{_FIELD}")'
GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@localhost", "-c", "commit.gpgsign=false")


class Block(NamedTuple):
    """A fenced block of a page."""

    where: str
    """The page and the line."""
    language: str
    text: str
    marks: dict[str, str]

    @property
    def is_typed(self) -> bool:
        """Whether it is typed."""
        return self.language in SHELL and not {"not run", "output"} & set(self.marks)

    @property
    def typed(self) -> str:
        """The commands, without prompts and without what they print."""
        if self.language != "console":
            return self.text
        lines, goes_on = [], False
        for line in self.text.splitlines():
            if line.startswith("$ ") or goes_on:
                lines.append(line.removeprefix("$ "))
                goes_on = line.endswith("\\")
        return "\n".join(lines) + "\n"


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    text, found = page.read_text("utf-8"), []
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("language")) + 1
        lines = (each.removeprefix(match["indent"]) for each in match["text"].splitlines(keepends=True))
        marks = dict(_MARK.findall(match["marks"]))
        where = f"{page.relative_to(ROOT).as_posix()}:{line}"
        found.append(Block(where, match["language"], "".join(lines), marks))
    return found


def is_about_a_verified_run(page: Path) -> bool:
    """Whether the page begins where the demo ends."""
    return "<!-- project: verified -->" in page.read_text("utf-8")


class Shop:
    """A project of a user, with a home and a shell of its own."""

    def __init__(self, place: Path, like: Path | None = None) -> None:
        """Make the sample project, or copy one that was made before."""
        self.place, self.root = place, place / "your-project"
        if like is not None:
            shutil.copytree(like, place, symlinks=True)
            with (
                contextlib.closing(sqlite3.connect(self.root / ".setpoint" / "app.db")) as database,
                database,
            ):
                database.execute("UPDATE run SET root = ?", (str(self.root),))
            return
        (place / "bin").mkdir(parents=True)
        program = place / "bin" / "setpoint"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m setpoint "$@"\n', "utf-8")
        program.chmod(0o755)
        (place / "home").mkdir()
        (place / "home" / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@localhost\n", "utf-8")
        shutil.copytree(SAMPLE, self.root, ignore=shutil.ignore_patterns("__pycache__"))
        for words in (
            ("init", "-q", "-b", "main"),
            ("add", "-A"),
            ("commit", "-qm", "A project with two bugs"),
        ):
            subprocess.run([*GIT, *words], cwd=self.root, check=True)

    def type(
        self, script: str, folder: Path | None = None, answers: Sequence[str] = (), until: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Type commands until one fails; with answers or an end to wait for: at a terminal."""
        environment = {
            "HOME": str(self.place / "home"),
            "PATH": f"{self.place / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "CDPATH": f".:{self.place}",
            "LANG": "C.UTF-8",
            **QUICK,
        }
        argv = ["bash", "-ec", script]
        if answers or until:
            return at_a_terminal(argv, folder or self.root, environment, answers, until)
        return subprocess.run(
            argv,
            cwd=folder or self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def read(self, page: Path) -> list[str]:
        """Type the blocks of a page in turn; return what did not end as the page says."""
        wrong, folder = [], self.root
        for block in (each for each in blocks(page) if each.is_typed):
            first, typed = block.marks.get("first", ""), block.typed
            if re.search(r"\bRUN\b", typed):
                first += f"\n{_NEWEST}"
            for name in re.findall(r"\b([A-Z]+)=\$?[(\w]", first):
                typed = re.sub(rf"(?<![\w$-]){name}(?![\w-])", f'"${name}"', typed)
            kept = self.place / "shell"
            script = f"trap 'code=$?; pwd > {kept}; exit $code' EXIT\n{_PLAYS}\n{first}\n{typed}\n"
            answers = [each for each in block.marks.get("types", "").split(", ") if each]
            if "one of" in block.marks:
                wrong += self._each(block, first, folder)
                continue
            done = self.type(script, folder, answers, block.marks.get("until", ""))
            if done.returncode != int(block.marks.get("exits", "0")):
                wrong.append(f"{block.where}: exit code {done.returncode}\n{typed}{done.stdout}{done.stderr}")
            folder = Path(kept.read_text("utf-8").strip())
        return wrong

    def _each(self, block: Block, first: str, folder: Path) -> list[str]:
        """Type each line of a block in a copy of the project; return what did not end as the page says."""
        wrong, began = [], self.type(f"{_PLAYS}\n{first}", folder)
        if began.returncode:
            return [f"{block.where}: before it: {began.stdout}{began.stderr}"]
        for number, line in enumerate(block.typed.splitlines()):
            copy = Shop(self.place.with_name(f"{self.place.name}-{number}"), self.place)
            done = copy.type(line, copy.place / folder.relative_to(self.place))
            if done.returncode:
                wrong.append(
                    f"{block.where}: exit code {done.returncode}\n{line}\n{done.stdout}{done.stderr}"
                )
        return wrong
