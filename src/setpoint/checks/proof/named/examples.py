"""Read examples of input and output from a request, and find the tests that hold them.

Only what is written as code counts: `round_up(2.5) == 3`, `round_up(2.5)` gives 3, or the lines of a doctest.
Each argument and the result have to be literals.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from setpoint.model import syntax

_NAME = r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*"
_ARGS = r"""\(((?:"[^"\n]*"|'[^'\n]*'|[^()"'`\n]|\([^()\n]*\))+)\)"""
_GIVES = (
    r"(?:={2,3}|→|=>|->"
    r"|,?\s*(?:(?:should|must|will|has to|shall)\s+)?"
    r"(?:gives?|returns?|yields?|equals?|is|be|evaluates? to|answers?))"
)
_VALUE = (
    r"""(`[^`\n]+`|"[^"\n]*"|'[^'\n]*'|\[[^\]\n]*\]|\{[^}\n]*\}|\([^()\n]*\)"""
    r"|-?\d[\d_]*(?:\.\d+)?(?![\w%.]*\w)|True|False|None|true|false|null)"
)
_ENDS = r"(?=\s*(?:[.,;:)\n]|$|(?:and|or|while|for|because|as)\b))"
_SAID = re.compile(rf"`?\b({_NAME}){_ARGS}`?\s*({_GIVES})\s*{_VALUE}{_ENDS}")
_DOCTEST = re.compile(rf"^\s*>>> ({_NAME}){_ARGS}[ \t]*\n\s*([^\s>].*)$", re.MULTILINE)
_TOKEN = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|(?<![\w.])(-?\d[\d_]*(?:\.\d+)?)""")
_ONLY_NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?")
_OTHERWISE = re.compile(
    r"\b(instead of|rather than|currently|today|at the moment|right now|wrong\w*|incorrect\w*|bugs?|actual\w*"
    r"|but|not|fail\w*|crash\w*|broken|used to|before|no longer|old)\b",
    re.IGNORECASE,
)
"""How a sentence speaks of what a program does now, and should not do."""
_ASKS = re.compile(r"\b(should|must|will|has to|shall)\b")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n{2,}")
_WORDS = {"true": "True", "false": "False", "null": "None", "nil": "None", "undefined": "None"}
_WORD_OR_TEXT = re.compile(
    r"""\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|(?<!\w)(?:true|false|null|nil|undefined)(?!\w)"""
)


class Example(NamedTuple):
    """One example of a request."""

    text: str
    """As the request writes it."""
    name: str
    """The last part of what is called."""
    atoms: frozenset[str]
    """Each text and number of its arguments and its result."""


def examples(request: str, *, repairs: bool = False) -> tuple[Example, ...]:
    """Return the examples that a request gives of what is right.

    A request that `repairs` something also tells what is wrong, so that it has to say what should be.
    """
    found: list[Example] = []
    for sentence in _SENTENCE.split(request):
        if not _OTHERWISE.search(sentence):
            found += _in(sentence, repairs=repairs)
    return tuple(dict.fromkeys(each for each in found if each.atoms))


def _in(sentence: str, *, repairs: bool) -> Iterator[Example]:
    said = [(each[0], *each.groups()) for each in _SAID.finditer(sentence)]
    typed = [(each[0], each[1], each[2], "should be", each[3]) for each in _DOCTEST.finditer(sentence)]
    for whole, name, given, gives, value in (*said, *typed):
        if repairs and not _ASKS.search(gives):
            continue
        atoms = [_literal(f"({given},)"), _literal(value.strip("`"))]
        if None not in atoms:
            own = frozenset().union(*(each or frozenset() for each in atoms))
            yield Example(" ".join(whole.split()), re.split(r"\.|::", name)[-1], own)


def holds(path: str, text: str, example: Example) -> bool:
    """Whether a file of tests holds an example: all of its values in one function, or in one statement.

    For other languages than Python the whole file counts.
    """
    if path.endswith(".py"):
        return any(example.atoms <= block for block in _blocks(text))
    found = {_text(each[0][1:-1]) if each[0] else _number(each[1]) for each in _TOKEN.findall(text)}
    return example.atoms <= found or all(
        atom in found or atom.partition(":")[2] in text for atom in example.atoms
    )


def _literal(text: str) -> frozenset[str] | None:
    """Return texts and numbers of a literal; none where it is none."""
    text = _WORD_OR_TEXT.sub(lambda found: _WORDS.get(found[0], found[0]), text)
    try:
        return frozenset(_atoms(syntax.literal(text)))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def _atoms(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from (*_atoms(key), *_atoms(each))
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _atoms(each)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield _number(str(value))
    elif isinstance(value, bytes):
        yield _text(value.decode("latin-1"))
    else:
        yield _text(str(value))


def _number(text: str) -> str:
    value = float(text.replace("_", ""))
    return f"number:{value:g}" if abs(value) < 1e6 else f"number:{value!r}"  # noqa: PLR2004 - what :g keeps


def _text(text: str) -> str:
    return _number(text) if _ONLY_NUMBER.fullmatch(text) else f"text:{text}"


def _blocks(source: str) -> Iterator[frozenset[str]]:
    """Yield the values of each function of a file of tests, with those outside functions."""
    try:
        tree = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    units = list(_units(tree.body))
    functions = [node for node in units if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    others = frozenset(atom for node in units if node not in functions for atom in _written(node))
    yield others
    for node in functions:
        yield others | frozenset(_written(node))


def _units(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _units(node.body)
        else:
            yield node


def _written(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant):
            yield from _atoms(each.value)
        elif isinstance(each, ast.UnaryOp) and isinstance(each.operand, ast.Constant):
            value = each.operand.value
            if isinstance(each.op, ast.USub) and isinstance(value, int | float):
                yield from _atoms(-value)


def missing_in(found: Iterable[Example], tests: Iterable[tuple[str, str]]) -> list[Example]:
    """Return the examples that no file of tests holds."""
    files = list(tests)
    return [each for each in found if not any(holds(path, text, each) for path, text in files)]
