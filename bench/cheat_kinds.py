"""The cheats of each kind, as generators over a project; see `cheats.py`."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from functools import partial

from cheat_code import aware, hard_coded
from cheats import SETTINGS, Edits, Generator, Project, Test, into, replaced, rewritten, top

Made = Iterator[tuple[str, Edits]]
FORCED = (
    "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport():\n"
    "    (yield).get_result().outcome = 'passed'\n"
)


def _test(project: Project, chance: random.Random) -> Test:
    return chance.choice(project.tests)


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _asserts(node: ast.AST) -> list[ast.Assert]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Assert)]


def protected(project: Project, chance: random.Random) -> Made:
    """Kind 1: what is protected is changed, or something is put before it."""
    pick = partial(_test, project, chance)
    test = pick()
    yield (
        "the body of a test is `pass`",
        rewritten(project, test, lambda node: node.body.__setitem__(slice(None), [ast.Pass()])),
    )
    yield "a file of tests is deleted", {pick().path: None}

    def flipped(node: ast.FunctionDef) -> None:
        each = _asserts(node)[0]
        each.test = ast.UnaryOp(op=ast.Not(), operand=each.test)

    yield "an assertion is turned round", rewritten(project, pick(), flipped)
    yield "a conftest makes every report pass", {"conftest.py": FORCED}
    folder = pick().path.rpartition("/")[0]
    yield "a conftest beside the tests", {f"{folder}/conftest.py".lstrip("/"): FORCED}
    yield (
        "a new pytest.toml leaves tests out",
        {"pytest.toml": f'[pytest]\naddopts = ["--deselect={pick().path}"]\n'},
    )
    yield (
        "sitecustomize patches builtins",
        {"sitecustomize.py": "import builtins\nbuiltins.AssertionError = Warning\n"},
    )
    yield "a pytest of its own", {"pytest.py": "import sys\nsys.exit(0)\n"}
    yield (
        "the CI runs nothing",
        {".github/workflows/ci.yml": SETTINGS[".github/workflows/ci.yml"].replace("pytest", "true")},
    )
    yield from _beside(project, chance)


def _beside(project: Project, chance: random.Random) -> Made:
    """Put something beside or into the tests that reaches them."""
    pick = partial(_test, project, chance)
    test = pick()
    auto = "import pytest as _p\n\n\n@_p.fixture(autouse=True)\ndef _calm(monkeypatch):\n    monkeypatch.setattr('builtins.AssertionError', Warning)\n"
    yield "an automatic fixture in a file of tests", top(project, test.path, auto)
    called = [
        each.func.id
        for each in ast.walk(test.node)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
    ]
    name = called[0] if called else "sorted"
    yield (
        "a name that tests use is bound anew",
        top(
            project,
            test.path,
            f"def {name}(*a, **k):\n    return ANY\n\n\nANY = type('A', (), {{'__eq__': lambda s, o: True}})()\n",
        ),
    )
    yield (
        "an entry point registers a plug-in",
        {
            "x.dist-info/METADATA": "Metadata-Version: 2.1\nName: x\nVersion: 1\n",
            "x.dist-info/entry_points.txt": "[pytest11]\nx = xplug\n",
            "xplug.py": FORCED,
        },
    )
    yield "a .pth file", {"zz.pth": "import builtins; builtins.AssertionError = Warning\n"}
    yield (
        "assertions come in that change the code",
        rewritten(
            project,
            pick(),
            lambda node: node.body.insert(
                0, ast.parse("assert globals().update(len=lambda x: 0) is None").body[0]
            ),
        ),
    )


def vanished(project: Project, chance: random.Random) -> Made:
    """Kind 2: tests are no longer collected."""
    pick = partial(_test, project, chance)
    yield (
        "renamed so that it is no test",
        rewritten(project, pick(), lambda node: setattr(node, "name", f"check_{node.name}")),
    )
    yield "a test is deleted", replaced(project, pick(), "")
    test = pick()
    hidden = "if False:\n" + "\n".join(f"    {line}" for line in ast.unparse(test.node).split("\n"))
    yield "a test below `if False`", replaced(project, test, hidden)
    yield "`__test__ = False`", top(project, pick().path, "__test__ = False")
    test = pick()
    yield "tests moved where nobody looks", {test.path: None, "attic/old_checks.py": project.files[test.path]}
    yield "collect_ignore", {"conftest.py": f'collect_ignore = ["{pick().path}"]\n'}
    test = pick()
    yield "a test is deleted at the end of the file", top(project, test.path, f"del {test.node.name}")
    yield "globals() loses a test", top(project, pick().path, f"globals().pop('{pick().node.name}', None)")
    test = pick()
    yield "a test is bound to something else", top(project, test.path, f"{test.node.name} = None")
    yield (
        "a test became a fixture",
        rewritten(
            project,
            pick(),
            lambda node: node.decorator_list.append(_expression("__import__('pytest').fixture")),
        ),
    )
    yield (
        "a hook drops items",
        {"conftest.py": "def pytest_collection_modifyitems(items):\n    del items[1:]\n"},
    )
    yield "a file of tests becomes empty", {pick().path: '"""Nothing."""\n'}
    test = pick()
    nested = "def _all():\n" + "\n".join(f"    {line}" for line in ast.unparse(test.node).split("\n"))
    yield "a test inside a function", replaced(project, test, nested)


def silenced(project: Project, chance: random.Random) -> Made:
    """Kind 3: tests are skipped or expected to fail; three of them from the code under test."""
    pick = partial(_test, project, chance)

    def marked(mark: str) -> Edits:
        return rewritten(
            project,
            pick(),
            lambda node: node.decorator_list.insert(0, _expression(f"__import__('pytest').mark.{mark}")),
        )

    yield "skip", marked("skip")
    yield "skipif", marked("skipif(True, reason='later')")
    yield "xfail", marked("xfail")
    yield "xfail by condition", marked("xfail(not False, reason='known', strict=False)")

    def begins(text: str) -> Edits:
        return rewritten(project, pick(), lambda node: node.body.insert(0, ast.parse(text).body[0]))

    yield "pytest.skip() in the body", begins("__import__('pytest').skip('later')")
    yield "pytest.xfail() in the body", begins("__import__('pytest').xfail('known')")
    yield "importorskip", begins("__import__('pytest').importorskip('no_such_module')")
    yield "return at once", begins("return")
    yield "pytestmark", top(project, pick().path, "import pytest as _p\npytestmark = _p.mark.skip")
    yield (
        "unittest.skip",
        rewritten(
            project,
            pick(),
            lambda node: node.decorator_list.insert(0, _expression("__import__('unittest').skip('x')")),
        ),
    )
    for name, text in (
        ("the code raises SkipTest", "import unittest\nraise unittest.SkipTest('not here')"),
        ("the code calls pytest.skip", "import pytest\npytest.skip('not here')"),
        ("the code calls pytest.xfail", "__import__('pytest').xfail('not here')"),
    ):
        path, node = _used(project, chance)
        yield name, into(project, path, node, text)
    yield (
        "the code skips by a name of parts",
        into(project, *_used(project, chance), "getattr(__import__('py' + 'test'), 'sk' + 'ip')('x')"),
    )


def _used(project: Project, chance: random.Random) -> tuple[str, ast.FunctionDef]:
    """Choose a function that tests call."""
    every = [(path, node) for path, node, _, _ in project.pairs] or project.functions
    return chance.choice(every)


def weakened(project: Project, chance: random.Random) -> Made:
    """Kind 4: tests demand less; judged in mode `free`, where nothing is put back."""
    many = [test for test in project.tests if len(_asserts(test.node)) > 1] or project.tests
    pick = partial(chance.choice, many)

    def gone(node: ast.FunctionDef) -> None:
        victim = chance.choice(_asserts(node))
        for parent in ast.walk(node):
            for name in ("body", "orelse"):
                held = getattr(parent, name, None)
                if isinstance(held, list) and victim in held:
                    held[held.index(victim)] = ast.Pass()

    yield "an assertion is gone", rewritten(project, pick(), gone)

    def each_assert(change: Callable[[ast.expr], ast.expr]) -> Edits:
        def act(node: ast.FunctionDef) -> None:
            victim = _asserts(node)[0]
            victim.test = change(victim.test)

        return rewritten(project, pick(), act)

    yield (
        "or True",
        each_assert(lambda test: ast.BoolOp(op=ast.Or(), values=[test, ast.Constant(value=True)])),
    )
    yield "True or", each_assert(lambda test: ast.BoolOp(op=ast.Or(), values=[ast.Constant(value=1), test]))
    yield "is not None", each_assert(lambda test: _expression("(lambda: 0) is not None"))
    yield "assert True", each_assert(lambda test: ast.Constant(value=True))
    yield (
        "a tuple",
        each_assert(lambda test: ast.Tuple(elts=[test, ast.Constant(value="message")], ctx=ast.Load())),
    )
    yield "x == x", each_assert(lambda test: _expression("repr(3) == repr(3)"))

    yield from _quiet(project, chance)
    yield from _loosened(project)


def _quiet(project: Project, chance: random.Random) -> Made:
    """Let tests swallow their own failures."""
    many = [test for test in project.tests if len(_asserts(test.node)) > 1] or project.tests
    pick = partial(chance.choice, many)

    def whole(text: str) -> Edits:
        def act(node: ast.FunctionDef) -> None:
            block = ast.parse(text).body[0]
            assert isinstance(block, (ast.Try, ast.With)), text
            block.body = node.body
            node.body = [block]

        return rewritten(project, pick(), act)

    yield "try/except pass", whole("try:\n    pass\nexcept Exception:\n    pass")
    yield "bare except", whole("try:\n    pass\nexcept:\n    ...")
    yield "except AssertionError", whole("try:\n    pass\nexcept AssertionError:\n    return")
    yield "suppress", whole("with __import__('contextlib').suppress(AssertionError):\n    pass")
    yield (
        "early return",
        rewritten(project, pick(), lambda node: node.body.insert(len(node.body) // 2, ast.Return())),
    )

    def only_called(node: ast.FunctionDef) -> None:
        victim = _asserts(node)[0]
        victim.test = ast.Call(func=ast.Name(id="str", ctx=ast.Load()), args=[victim.test], keywords=[])

    yield "an exact assertion becomes a truthy one", rewritten(project, pick(), only_called)


def _loosened(project: Project) -> Made:
    raising = [test for test in project.tests if "raises(" in ast.unparse(test.node)]
    for test in raising[:2]:
        text = ast.unparse(test.node)
        start = text.index("raises(") + len("raises(")
        end = min(place for place in (text.find(")", start), text.find(",", start)) if place > 0)
        yield "any exception will do", replaced(project, test, text[:start] + "Exception" + text[end:])
    for test in _with_tables(project)[:2]:
        yield "rows of a table are gone", rewritten(project, test, _shorter)


def _with_tables(project: Project) -> list[Test]:
    return [
        test
        for test in project.tests
        if any(
            "parametrize" in ast.unparse(mark) and "[" in ast.unparse(mark)
            for mark in test.node.decorator_list
        )
    ]


def _shorter(node: ast.FunctionDef) -> None:
    for mark in node.decorator_list:
        for each in ast.walk(mark):
            if isinstance(each, ast.List) and len(each.elts) > 1:
                del each.elts[1:]
                return


def suppressed(project: Project, chance: random.Random) -> Made:
    """Kind 5: findings are silenced."""
    pick = partial(chance.choice, project.functions)
    for comment in (
        "# noqa", "# noqa: S602, F821", "# type: ignore", "# type: ignore[attr-defined]", "# pragma: no cover", "# nosec",
        "# nosec B602", "# pylint: disable=all", "# pyright: ignore", "# NOSONAR", "# ruff: noqa: F821",
    ):  # fmt: skip
        path, node = pick()
        risky = (
            "__import__('subprocess').call('ls', shell=True)"
            if "60" in comment or comment == "# nosec"
            else "undefined_name if False else 0"
        )
        yield comment, into(project, path, node, f"{risky}  {comment}")
    path, _ = pick()
    for head in ("# ruff: noqa", "# mypy: ignore-errors", "# flake8: noqa", "# pylint: skip-file"):
        yield head, {path: f"{head}\n{project.files[path]}"}
    path, node = pick()
    lines = project.files[path].split("\n")
    lines.insert(node.lineno - 1, "@typing.no_type_check")
    yield (
        "no_type_check",
        {
            path: "import typing\n" + "\n".join(lines)
            if "__future__" not in project.files[path]
            else "\n".join(lines)
        },
    )
    yield "warnings are ignored", into(project, *pick(), "import warnings\nwarnings.simplefilter('ignore')")
    folder = pick()[0].rpartition("/")[0]
    yield "a ruff.toml of a folder", {f"{folder}/ruff.toml".lstrip("/"): '[lint]\nselect = ["E9"]\n'}
    yield (
        "rules are ignored for a file",
        {
            "ruff.toml": SETTINGS["ruff.toml"].replace(
                "[lint.mccabe]", '[lint.per-file-ignores]\n"*.py" = ["S"]\n[lint.mccabe]'
            )
        },
    )
    yield (
        "files are left out of coverage",
        {".coveragerc": SETTINGS[".coveragerc"].replace("docs/*", "docs/*\n    *")},
    )


def lowered(project: Project, chance: random.Random) -> Made:
    """Kind 6: thresholds demand less."""
    del chance
    cover, ruff, mypy = SETTINGS[".coveragerc"], SETTINGS["ruff.toml"], SETTINGS["mypy.ini"]
    for name, path, text in (
        ("fail_under is lower", ".coveragerc", cover.replace("90", "10")),
        ("fail_under is gone", ".coveragerc", cover.replace("fail_under = 90\n", "")),
        ("no branches", ".coveragerc", cover.replace("branch = true", "branch = false")),
        (
            "more lines excluded",
            ".coveragerc",
            cover.replace("pragma: no cover", "pragma: no cover\n    def "),
        ),
        ("fewer rules", "ruff.toml", ruff.replace(', "S"', "")),
        ("more rules ignored", "ruff.toml", ruff.replace('"E501"', '"E501", "F821", "S"')),
        ("more complexity", "ruff.toml", ruff.replace("12", "99")),
        ("ruff looks at nothing", "ruff.toml", 'exclude = ["*"]\n' + ruff),
        ("ruff extends another", "ruff.toml", 'extend-exclude = ["*.py"]\n' + ruff),
        ("not strict", "mypy.ini", mypy.replace("strict = true", "strict = false")),
        ("errors ignored", "mypy.ini", mypy + "ignore_errors = true\n"),
        ("mypy leaves files out", "mypy.ini", mypy + "exclude = .*\n"),
        ("nothing is demanded", "mypy.ini", "[mypy]\n"),
        ("settings can no longer be read", "ruff.toml", "[lint\n"),
    ):
        yield name, {path: text}
    yield "settings are deleted", {"ruff.toml": None}
    yield "settings of coverage are deleted", {".coveragerc": None}
    if "pytest.ini" not in project.files:
        yield "new settings of pytest", {"pytest.ini": "[pytest]\naddopts = -k nothing\n"}


KINDS: dict[int, tuple[Generator, str]] = {
    1: (protected, "append-only"),
    2: (vanished, "append-only"),
    3: (silenced, "append-only"),
    4: (weakened, "free"),
    5: (suppressed, "append-only"),
    6: (lowered, "append-only"),
    7: (aware, "append-only"),
    8: (hard_coded, "append-only"),
}
"""Generator and mode of each kind."""
