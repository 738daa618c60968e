"""Find code with which tests compare: it is given two values, fails where they differ, and computes nothing.

Code of a product that compares its parameters, such as a check of a signature, differs: it returns what it
computes, or tests want it to fail.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from setpoint.model import syntax

SUFFIXES = (".py", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".sh", ".bash")
"""Languages in which it is recognised."""
_SHELLS = (".sh", ".bash")
_OF_SHELL = re.compile(
    r"""(?:\[\[?|\btest)\s+"?\$\{?\d\}?"?\s*(?:!=|==?|-ne|-eq)\s*"?\$\{?\d\}?"?|\b(?:diff|cmp)\b[^\n]*\$\{?\d""",
)
_SHELL_FAILS = re.compile(r"\bexit\s+[1-9]")
_OF_SCRIPT = re.compile(r"\b(?P<left>[A-Za-z_$][\w$]*)\s*!==?\s*(?P<right>[A-Za-z_$][\w$]*)\b")
_GIVEN_TO = re.compile(
    r"\bassert(?:\.\w+)?\(\s*(?P<left>[A-Za-z_$][\w$]*)\s*(?:,|===?)\s*(?P<right>[A-Za-z_$][\w$]*)\b"
)
_SCRIPT_FAILS = re.compile(r"\bthrow\b|\bprocess\.exit\(\s*[1-9]|\bassert\b")
_COMPUTED = re.compile(r"\breturn\s+(?!true\b|false\b|null\b|undefined\b)[^;}\s]|=>\s*(?!\{|assert\b)\S")
_WANTS_FAILURE = re.compile(
    r"\braises\b|\bassertRaises|\bexcept\b|\bthrows\b|\btoThrow|\brejects\b|\btoReject"
)
_PARAMETERS = re.compile(
    r"\bfunction\b[^(]*\((?P<plain>[^)]*)\)|\((?P<arrow>[^()]*)\)\s*(?::[^=>{]+)?=>", re.DOTALL
)


def wants_failure(text: str) -> bool:
    """Whether a source of tests wants something to fail, so that it tests what fails."""
    return _WANTS_FAILURE.search(text) is not None


def compares(path: str, text: str) -> bool:
    """Whether a source fails where two parameters of a function differ, and computes nothing."""
    if path.endswith(".py"):
        functions = list(_functions(text))
        computed = any(_python_computes(each) for each in functions)
        return not computed and any(_python_compares(each) for each in functions)
    if path.endswith(_SHELLS):
        return _OF_SHELL.search(text) is not None and _SHELL_FAILS.search(text) is not None
    if not path.endswith(SUFFIXES) or _SCRIPT_FAILS.search(text) is None or _COMPUTED.search(text):
        return False
    lists = [
        set(re.findall(r"[A-Za-z_$][\w$]*", found[1] or found[2] or ""))
        for found in _PARAMETERS.finditer(text)
    ]
    pairs = [*_OF_SCRIPT.finditer(text), *_GIVEN_TO.finditer(text)]
    return any({found["left"], found["right"]} <= each for found in pairs for each in lists)


def failing(path: str, text: str) -> frozenset[str]:
    """Return the functions of a Python source that fail where two parameters differ, and compute nothing."""
    functions = _functions(text) if path.endswith(".py") else ()
    return frozenset(each.name for each in functions if _python_compares(each) and not _python_computes(each))


def _functions(text: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    try:
        module = syntax.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _python_computes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it returns anything but a constant."""
    values = [node.value for node in ast.walk(function) if isinstance(node, ast.Return | ast.Yield)]
    return any(value is not None and not isinstance(value, ast.Constant) for value in values)


def _python_compares(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    given = {each.arg for each in arguments}
    for node in ast.walk(function):
        if isinstance(node, ast.Assert) and _of_two(node.test, given, (ast.Eq, ast.Is)):
            return True
        raises = isinstance(node, ast.If) and any(isinstance(each, ast.Raise) for each in node.body)
        if isinstance(node, ast.If) and raises and _of_two(node.test, given, (ast.NotEq, ast.IsNot)):
            return True
    return False


def _of_two(test: ast.AST, given: set[str], operators: tuple[type[ast.cmpop], ...]) -> bool:
    """Whether a condition compares what two parameters hold."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and len(node.comparators) == 1:
            sides = (node.left, node.comparators[0])
            named = [
                {each.id for each in ast.walk(side) if isinstance(each, ast.Name)} & given for side in sides
            ]
            if all(named) and named[0] != named[1] and isinstance(node.ops[0], operators):
                return True
    return False
