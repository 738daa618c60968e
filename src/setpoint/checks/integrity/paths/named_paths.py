"""Which files and folders a source names: as a path, or as a quoted text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from setpoint.model import syntax

_QUOTED = re.compile(r"""(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1""")
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENT = re.compile(r"(?<![:\"'`])//.*$", re.MULTILINE)
_EMBEDDED = re.compile(r"^//go:embed\s+(.+)$", re.MULTILINE)
_HASH_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$", re.MULTILINE)
_WORDS = re.compile(r"""[^\s"'`;|&()<>=,\[\]{}]+""")
_WITH_QUOTES = (
    ".js", ".jsx", ".cjs", ".mjs", ".ts", ".tsx", ".cts", ".mts", ".go", ".rs", ".java", ".kt", ".scala",
    ".groovy", ".c", ".h", ".cc", ".cpp", ".cs", ".swift", ".rb", ".php", ".lua", ".pl", ".ex", ".exs",
    ".r", ".vue", ".svelte",
)  # fmt: skip
"""Languages in which a path is a quoted text; elsewhere each word may be one."""


@dataclass(frozen=True, kw_only=True)
class Named:
    """One text of a source that may be a path."""

    text: str
    quoted: bool
    """Whether it is a whole quoted text; a word of a script is a path only where it looks like one."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Return what is between its slashes."""
        return tuple(part for part in re.split(r"[/\\]+", self.text.strip()) if part not in ("", ".", ".."))

    def folders(self) -> tuple[str, ...]:
        """Return the folders that it names."""
        return self.parts if self.quoted or re.search(r"[/\\]", self.text) else ()


def named_in(path: str, text: str) -> Iterator[Named]:
    """Yield the texts of a source that may be paths, without its comments and documentation."""
    if path.endswith((".py", ".pyi")):
        yield from _of_python(text)
    elif path.endswith(_WITH_QUOTES):
        for embedded in _EMBEDDED.findall(text):
            yield from (Named(text=word, quoted=True) for word in embedded.split())
        plain = _LINE_COMMENT.sub("", _BLOCK_COMMENT.sub("", text))
        yield from (Named(text=found[2], quoted=True) for found in _QUOTED.finditer(plain))
    else:
        for found in _WORDS.finditer(_HASH_COMMENT.sub("", text)):
            yield Named(text=found[0], quoted=False)


def _of_python(text: str) -> Iterator[Named]:
    try:
        module = syntax.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    documentation = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield Named(text=node.value, quoted=True)
