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
_ACCESS = (re.compile(r"[\w$)\]]\[\s*$"), re.compile(r"\s*\]"))
_ENTRY = (re.compile(r"[{,]\s*$"), re.compile(r"\s*:(?!:)"))
"""What is before and after a key, in an access to a mapping and in a mapping that is written out."""
_NEAR = 80
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
    key: bool = False
    """Whether it is the key of a mapping or of an access to one, and so not a path itself."""

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
        for found in _QUOTED.finditer(plain):
            yield Named(text=found[2], quoted=True, key=_is_key(plain, found.start(), found.end()))
    else:
        for found in _WORDS.finditer(_HASH_COMMENT.sub("", text)):
            yield Named(text=found[0], quoted=False)


def _is_key(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    return any(
        opens.search(before) is not None and closes.match(after) is not None
        for opens, closes in (_ACCESS, _ENTRY)
    )


def _of_python(text: str) -> Iterator[Named]:
    try:
        module = syntax.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    said = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    keys = {id(each) for node in ast.walk(module) for each in _keys(node)}
    for node in ast.walk(module):
        if isinstance(node, ast.JoinedStr):
            pieces = [each.value if isinstance(each, ast.Constant) else "{}" for each in node.values]
            said |= {id(each) for each in node.values if _is_ending(each)}
            yield Named(text="".join(map(str, pieces)), quoted=True)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield Named(text=node.value, quoted=True, key=id(node) in keys)


def _keys(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Dict):
        yield from (each for each in node.keys if each is not None)
    elif isinstance(node, ast.Subscript):
        yield node.slice


def _is_ending(node: ast.expr) -> bool:
    """Whether a piece of a formatted text is an ending, which says something only with what is before it."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(".")
