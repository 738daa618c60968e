"""Read what a project says to coding agents, from a commit and never from files that somebody may change."""

from __future__ import annotations

import os
import posixpath
import re

from setpoint.model.ids import Commit
from setpoint.model.project_text import InstructionFile, ProjectText, Skill
from setpoint.system.git.git import contents, git

ROOT_FILES = (
    "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md", "QWEN.md", ".github/copilot-instructions.md",
    ".cursorrules", ".windsurfrules", ".clinerules", ".goosehints",
)  # fmt: skip
"""Files with instructions for the whole project, the most general first."""
_NESTED = frozenset({"AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md"})
_SKILL = re.compile(r"\.[\w-]+/skills?/[^/]+/SKILL\.md")
_FRONT = re.compile(r"\A---\s*\n(.*?)^---\s*$", re.MULTILINE | re.DOTALL)
_DESCRIPTION = re.compile(r"^description:[ \t]*(?:[>|][+-]?[ \t]*)?(.*\n(?:[ \t]+.*\n)*)", re.MULTILINE)
_LINK, _FILE = "120000", "100"
MOST_DESCRIPTION = 300
MOST_READ = 200_000
"""Bytes of a file that are looked at."""


async def project_text_at(repository: str, base: Commit) -> ProjectText:
    """Return the instructions that a commit holds; a repository without any gives an empty value."""
    listed = (await git(repository, "ls-tree", "-r", "-z", "--full-tree", base)).stdout
    modes: dict[str, str] = {}
    for entry in listed.split(b"\0"):
        facts, _, name = entry.partition(b"\t")
        if name:
            modes[os.fsdecode(name)] = facts.decode("ascii").split()[0]
    root = [path for path in ROOT_FILES if path in modes]
    skills = sorted(path for path in modes if _SKILL.fullmatch(path) and modes[path].startswith(_FILE))
    nested = sorted(path for path in modes if "/" in path and path.rpartition("/")[2] in _NESTED)
    found = await contents(repository, base, [*root, *skills])
    texts = {path: data[:MOST_READ].decode("utf-8", "replace") for path, data in found.items()}
    return ProjectText(
        files=tuple(_file(path, modes[path], texts.get(path, "")) for path in root),
        nested=tuple(path for path in nested if path not in root),
        skills=tuple(Skill(path=path, description=_described(texts.get(path, ""))) for path in skills),
    )


def _file(path: str, mode: str, text: str) -> InstructionFile:
    if mode != _LINK:
        return InstructionFile(path=path, text=text)
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), text.strip()))
    return InstructionFile(path=path, text="", target=target)


def _described(text: str) -> str:
    """Return the description in the front matter of a skill, in one line; empty if it has none."""
    front = _FRONT.match(text)
    found = _DESCRIPTION.search(front.group(1)) if front else None
    said = " ".join(found.group(1).split()).strip("\"'") if found else ""
    return said[:MOST_DESCRIPTION]
