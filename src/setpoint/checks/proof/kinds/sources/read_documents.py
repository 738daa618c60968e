"""Find documents that are data: code of the project reads them when it runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable

from setpoint.model import syntax
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_document, is_program
from setpoint.system.git.git import ask, contents

_BUILDS = re.compile(
    r"(^|/)(setup|conf|conftest|noxfile|tasks|build|gulpfile|Gruntfile)\.\w+$|(^|/)docs?/|\.config\.\w+$"
)
"""Programs that read documents to publish them."""
_LINE_COMMENT = re.compile(r"//.*$", re.MULTILINE)
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DOCUMENTED = re.compile(r"#!?\[\s*(?:cfg_attr\([^]]*?)?doc\s*=\s*include_str!\([^)]*\)\s*\)?\s*\]")
"""A document that becomes the documentation of a crate."""
_TEXT = re.compile(r"""(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1""")
_MOST_FILES = 200


async def read_documents(root: str, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """Return those of some documents that code reads, each with the file that does.

    A document is read by its name, or with others of its kind in the folder of the code: by a pattern such as
    `*.md`. What only programs read that build or publish the project stays a document, and so does what tests
    alone read, for they judge it.
    """
    found: dict[str, str] = {}
    for path in paths:
        if not is_document(path):
            continue
        name = path.rpartition("/")[2]
        suffix = f".{name.rpartition('.')[2]}" if "." in name else name
        for file, text in (await programs_with(root, commit, suffix)).items():
            if _reads(file, text, path, suffix):
                found[path] = file
                break
    return found


async def programs_with(root: str, commit: str, text: str) -> dict[str, str]:
    """Return sources of the project that hold a text; no tests, and none that build or publish."""
    files = await _files_with(root, commit, text)
    held = await contents(root, commit, [each for each in files if _may_read(each)][:_MOST_FILES])
    return {file: content.decode("utf-8", "replace") for file, content in held.items()}


def _may_read(path: str) -> bool:
    return is_program(path) and not is_test_path(path) and _BUILDS.search(path) is None


def _reads(file: str, text: str, document: str, suffix: str) -> bool:
    folder, _, name = document.rpartition("/")
    beside = f"{folder}/".startswith(f"{file.rpartition('/')[0]}/".lstrip("/")) if folder else "/" not in file
    for each in texts_in(file, text):
        last = re.split(r"[/\\]", each)[-1]
        if last == name:
            return True
        if folder and beside and re.fullmatch(rf"\*?\*?{re.escape(suffix)}", last) is not None:
            return True
    return False


def texts_in(file: str, text: str) -> Collection[str]:
    """Return the texts in a source, without its comments and documentation."""
    if not file.endswith(".py"):
        plain = _LINE_COMMENT.sub("", _BLOCK_COMMENT.sub("", _DOCUMENTED.sub("", text)))
        embedded = re.findall(r"^//go:embed\s+(.+)$", text, re.MULTILINE)
        return [found[2] for found in _TEXT.finditer(plain)] + [
            name for each in embedded for name in each.split()
        ]
    try:
        module = syntax.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    nodes = [
        node for node in ast.walk(module) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return [str(node.value) for node in nodes if "\n" not in str(node.value)]


async def _files_with(root: str, commit: str, text: str) -> tuple[str, ...]:
    found = await ask(root, "grep", "-l", "-z", "-I", "-F", "-e", text, commit)
    names = found.stdout.decode("utf-8", "surrogateescape").split("\0")
    return tuple(name.removeprefix(f"{commit}:") for name in names if name)
