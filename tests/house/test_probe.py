"""What runs inside the project's interpreter uses public parts of Python, pytest and coverage alone.

That is the probe, and the engine of the mechanic that stands on it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
FILES = [
    path
    for room in ("setpoint_probe", "setpoint_mechanic/engine")
    for path in sorted((SRC / room).rglob("*.py"))
]
WHERE_THERE = {"hypothesis.py": {"hypothesis"}}
"""What is imported only where the project's own interpreter has it."""
DOCUMENTED = {
    "_current_frames": "documented in `sys`",
    "_exit": "documented in `os`",
    "_fields": "documented of named tuples",
    "_getframe": "documented in `sys`",
    "_replace": "documented of named tuples",
}
WHOLE = ("coverage", "pluggy", "pytest")
"""Of these only the package itself is imported: their modules are not documented."""
SETTABLE = {
    "sys": "its documented settings: streams, path, bytecode",
    "tempfile": "`tempdir` is documented to be set",
}
ASKING = {"delattr", "getattr", "hasattr", "setattr"}
LOADING = {"__import__", "find_spec", "import_module"}


def wrong_imports(node: ast.AST) -> Iterator[str]:
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module or ""]
    elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        names = [str(node.args[0].value)] if called in LOADING else []
    for name in names:
        first, _, rest = name.partition(".")
        private = first.startswith("_") and not first.startswith("__")
        if private or first == "setpoint" or (first in WHOLE and rest):
            yield f"imports {name}"


def wrong_names(node: ast.AST) -> Iterator[str]:
    name = ""
    if isinstance(node, ast.Attribute) and not (
        isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
    ):
        name = node.attr
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKING:
        asked = node.args[1] if len(node.args) > 1 else None
        name = str(asked.value) if isinstance(asked, ast.Constant) else ""
    if name.startswith("_") and not name.startswith("__") and name not in DOCUMENTED:
        yield f"uses {name}"


def wrong_patches(node: ast.AST, modules: set[str]) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(node, (ast.Assign, ast.Delete)):
        targets = node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        targets = [node.target]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKING:
        targets = node.args[:1] if node.func.id in ("setattr", "delattr") else []
        targets = [ast.Attribute(value=target, attr="...") for target in targets]
    for target in targets:
        for each in target.elts if isinstance(target, ast.Tuple) else [target]:
            if isinstance(each, ast.Attribute):
                owner = ast.unparse(each.value).partition(".")[0]
                if owner in modules and owner not in SETTABLE:
                    yield f"changes {ast.unparse(each)}"


def wrong_in(text: str) -> list[str]:
    tree = ast.parse(text)
    modules = {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not getattr(node, "level", 0)
        for alias in node.names
    }
    found = []
    for node in ast.walk(tree):
        wrong = (*wrong_imports(node), *wrong_names(node), *wrong_patches(node, modules))
        found += [f"{getattr(node, 'lineno', 0)}: {each}" for each in wrong]
    return found


def test_the_probe_is_found() -> None:
    assert len(FILES) > 50


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(SRC).as_posix())
def test_only_public_parts_are_used_and_nothing_is_patched(file: Path) -> None:
    assert wrong_in(file.read_text("utf-8")) == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(SRC).as_posix())
def test_it_is_written_for_older_pythons_and_imports_nothing_of_ours(file: Path) -> None:
    nodes = list(ast.walk(ast.parse(file.read_text("utf-8"), feature_version=(3, 9))))
    named = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    named += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    foreign = {name.split(".")[0] for name in named} - set(sys.stdlib_module_names)
    assert foreign - {"pytest", "setpoint_probe"} == WHERE_THERE.get(file.name, set())


@pytest.mark.parametrize(
    "text",
    [
        "import _pytest",
        "from _pytest.runner import runtestprotocol",
        "from pytest._code import x",
        "import coverage.collector",
        "import setpoint.model",
        "importlib.import_module('_pytest.assertion.rewrite')",
        "item._request",
        "getattr(item, '_fixtureinfo', None)",
        "setattr(rewriting, '_rewrite_test', ours)",
        "import importlib.machinery\nimportlib.machinery.SourceFileLoader.get_code = ours",
        "import pytest\npytest.skip = ours",
        "from pytest import Item\nsetattr(Item, 'runtest', ours)",
    ],
)
def test_what_is_private_is_noticed(text: str) -> None:
    assert wrong_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "import pytest",
        "from . import bare",
        "self._own",
        "os._exit(0)",
        "import sys\nsys.stdout = held",
        "a.__dict__",
    ],
)
def test_what_is_public_is_left_alone(text: str) -> None:
    assert wrong_in(text) == []
