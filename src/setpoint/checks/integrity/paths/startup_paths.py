"""Files that are loaded unasked by their name alone: before the tests, or in place of what they import."""

from __future__ import annotations

import configparser
import sys
import unicodedata
from collections.abc import Collection

from setpoint.model.changes.test_paths import is_test_path

_UNASKED = frozenset({"sitecustomize", "usercustomize"})
_OF_RUNNER = frozenset(
    {
        "pytest", "_pytest", "pluggy", "coverage", "unittest", "setpoint_reach", "setpoint_report",
        "setpoint_tracers", "iniconfig", "xdist", "execnet", "pytest_cov", "exceptiongroup", "tomli",
    }
)  # fmt: skip
"""Modules of the test runner; a new one of that name would be imported in its place."""
_STANDARD = sys.stdlib_module_names - {"test", "this", "antigravity"}
_MODULES = (".py", ".pyc", ".pyo", ".so", ".pyd", ".dll")
_BINARY = (".pyc", ".pyo", ".so", ".pyd")
"""What Python loads before a source of that name, or without one."""
_ROOTS = ("", "src", "lib")
"""Folders from which a project's own modules are imported."""
_ONLY_PROGRAMS = frozenset({"console_scripts", "gui_scripts"})
_AGENT_FILES = frozenset(
    {
        "agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "qwen.md",
        ".cursorrules", ".windsurfrules", ".clinerules", ".goosehints", ".aider.conf.yml",
        ".mcp.json", ".roorules", "opencode.json", "copilot-instructions.md",
    }
)  # fmt: skip
_AGENT_FOLDERS = frozenset(
    {
        ".claude", ".cursor", ".gemini", ".codex", ".qwen", ".opencode", ".windsurf", ".clinerules", ".roo",
        ".continue", ".agents", ".vibe", ".amazonq", ".junie",
    }
)  # fmt: skip


def folded(path: str) -> str:
    """Return a path as a file system that ignores case and composition compares it."""
    return unicodedata.normalize("NFKC", path).casefold()


def injects(path: str) -> bool:
    """Whether a new file of that name is imported unasked, or in the place of the test runner."""
    *folders, name = folded(path).split("/")
    if name.endswith(".pth") or "node_modules" in folders:
        return True
    stem = name.partition(".")[0]
    if not _UNASKED.isdisjoint(folders) or (stem in _UNASKED and name.endswith(_MODULES)):
        return True
    top = folders[1:] if folders[:1] == ["src"] else folders
    return top[0] in _OF_RUNNER if top else stem in _OF_RUNNER and name.endswith(_MODULES)


def preempts(path: str) -> bool:
    """Whether a file of the tree is taken in place of a source, or registers a plug-in, unasked.

    Ignored files of these kinds are what an install and a run of the tests leave; they are never measured.
    """
    *folders, name = folded(path).split("/")
    registers = name == "entry_points.txt" and "".join(folders[-1:]).endswith(
        (".dist-info", ".egg-info", "egg-info")
    )
    return registers or name.endswith(_BINARY)


def only_programs(path: str, content: str) -> bool:
    """Whether a list of entry points names programs alone, as an install leaves it beside the sources."""
    if not folded(path).endswith("entry_points.txt"):
        return False
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(content)
    except configparser.Error:
        return False
    return _ONLY_PROGRAMS.issuperset(parser.sections())


def shadows_standard(path: str, base_files: Collection[str]) -> bool:
    """Whether a new module lies where tests import from, and is named like one of Python's own."""
    folder, _, name = folded(path).rpartition("/")
    if name.startswith("__init__.") and name.endswith(_MODULES):
        folder, _, name = folder.rpartition("/")
    elif not name.endswith(_MODULES):
        return False
    module = name.partition(".")[0]
    if module not in _STANDARD:
        return False
    inside = f"{folder}/" if folder else ""
    beside = [each for each in base_files if each.endswith(".py") and folded(each).startswith(inside)]
    if any(folded(each).startswith((f"{inside}{module}.", f"{inside}{module}/")) for each in beside):
        return False  # the project has had a module of that name
    here = [each for each in beside if folded(each).rpartition("/")[0] == folder]
    imported = folder in ("", "src") or any(is_test_path(each) for each in here)
    return imported and bool(beside) and not any(each.endswith("/__init__.py") for each in here)


def shadows_source(path: str, kept: Collection[str]) -> bool:
    """Whether a new module or package is imported in place of one that is in another folder.

    Args:
        path: The new file.
        kept: Paths of the base that are still there.

    """
    *folders, name = folded(path).split("/")
    known = {folded(each) for each in kept}
    package = folders[-1:] if name == "__init__.py" else [name.removesuffix(".py")]
    root = "/".join(folders[:-1] if name == "__init__.py" else folders)
    if not package or not name.endswith(".py") or root not in _ROOTS or _has_module(known, root, package[0]):
        return False
    return any(_has_module(known, other, package[0]) for other in _ROOTS if other != root)


def _has_module(files: Collection[str], root: str, module: str) -> bool:
    inside = f"{root}/" if root else ""
    return f"{inside}{module}/__init__.py" in files or f"{inside}{module}.py" in files


def steers_agents(path: str) -> bool:
    """Whether coding agents read a file as instructions or settings, also one that only has to review."""
    *folders, name = folded(path).split("/")
    in_github = folders[:2] in (
        [".github", "instructions"],
        [".github", "prompts"],
        [".github", "agents"],
        [".github", "chatmodes"],
    )
    return name in _AGENT_FILES or not _AGENT_FOLDERS.isdisjoint(folders) or in_github
