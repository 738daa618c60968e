"""Find sources whose words are data: code reads their docstrings, comments or text when it runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from setpoint.checks.proof.kinds.sources.read_documents import programs_with, texts_in
from setpoint.checks.proof.kinds.sources.same_program import docstrings_of
from setpoint.model import syntax

_DOC = "__doc__"
_READERS = ("getdoc", "getcomments", "getsource", "getsourcelines", "cleandoc", _DOC)
"""What gives the words of a source in Python."""
_OWN_TEXT = re.compile(
    r"open\(\s*__file__|__file__\s*\)\s*\.(?:read|open)|read\w*\(\s*(?:__filename|import\.meta)"
)


async def read_sources(
    root: str, commit: str, before: Mapping[str, bytes], after: Mapping[str, bytes], paths: Iterable[str]
) -> dict[str, str]:
    """Return those of some sources, changed in words alone, that code reads, each with the file that does.

    Docstrings are read by code that asks for them in the same file, in one that it imports, or in one that
    speaks of it.
    """
    found: dict[str, str] = {}
    for path in paths:
        readers: dict[str, str] = {}
        if path.endswith(".py"):
            words = _READERS if docstrings_of(before[path]) != docstrings_of(after[path]) else _READERS[1:4]
            for word in words:
                readers |= await programs_with(root, commit, word)
        own = after[path].decode("utf-8", "replace")
        named = await programs_with(root, commit, path.rpartition("/")[2])
        speaks = [
            file for file, text in readers.items() if _reads_words(text) and _near(path, own, file, text)
        ]
        names = [file for file, text in named.items() if _names(file, text, path)]
        if reader := next(iter((*speaks, *names, *((path,) if _OWN_TEXT.search(own) else ()))), None):
            found[path] = reader
    return found


def _reads_words(text: str) -> bool:
    """Whether code of Python looks at docstrings or sources, and not only to copy them."""
    try:
        module = syntax.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    handed_on = {
        id(each)
        for node in ast.walk(module)
        if isinstance(node, ast.Assign) and all(map(_is_doc, node.targets))
        for each in ast.walk(node.value)
    }
    return any(
        _name(node) in _READERS or (isinstance(node, ast.Constant) and node.value == _DOC)
        for node in ast.walk(module)
        if id(node) not in handed_on
        and not (_is_doc(node) and isinstance(getattr(node, "ctx", None), ast.Store))
    )


def _is_doc(node: ast.AST) -> bool:
    return _name(node) == _DOC


def _name(node: ast.AST) -> str:
    return str(getattr(node, "id", getattr(node, "attr", "")))


def _near(path: str, own: str, file: str, text: str) -> bool:
    """Whether a file is the one that is read, is imported by it, or speaks of it."""
    imports = "\n".join(re.findall(r"^\s*(?:from|import)\s.*$", own, re.MULTILINE))
    return path == file or _has(imports, _module(file)) or _has(text, _module(path))


def _module(path: str) -> str:
    parts = path.removesuffix(".py").split("/")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]


def _has(text: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", text) is not None


def _names(file: str, text: str, path: str) -> bool:
    """Whether a text in another source is the name of a file."""
    name = path.rpartition("/")[2]
    return file != path and any(re.split(r"[/\\]", each)[-1] == name for each in texts_in(file, text))
