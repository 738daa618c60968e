"""Rule 7: code that knows it is under test, or that reaches for the test runner; differences only."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from setpoint.checks.integrity.constant_folding import folded
from setpoint.model import syntax

_RUNNER = re.compile(
    r"PYTEST|\b_?pytest\b|pytest|\bunittest\b|\bnose2?\b|conftest|setpoint_report|SETPOINT_|(^|[/\\])test_\w+\.py"
    r"|\btestmon\b"
)
_MODULES = ("pytest", "_pytest", "unittest", "nose", "nose2", "pluggy", "setpoint_report", "doctest")
_MARKERS = re.compile(
    r"^(CI|TESTING|TEST|TESTS|UNDER_TEST|IS_TEST|TEST_MODE|RUNNING_TESTS|GITHUB_ACTIONS|GITLAB_CI|TRAVIS|TOX_\w+"
    r"|NOX_\w+|COVERAGE_\w+|HYPOTHESIS_\w+|PYTEST\w*|SETPOINT_\w+)$"
)
_STACK = frozenset(
    {
        "inspect.stack", "inspect.currentframe", "inspect.getouterframes", "inspect.trace", "sys._getframe",
        "sys._current_frames", "traceback.extract_stack", "traceback.walk_stack", "traceback.format_stack",
        "traceback.print_stack", "gc.get_objects", "gc.get_referrers", "sys.gettrace", "sys.getprofile",
        "sys._getframemodulename",
    }
)  # fmt: skip
_ENDS = frozenset({"sys.exit", "os._exit", "os.abort", "exit", "quit", "_exit", "atexit.register", "os.kill"})
_EXITS = frozenset({"sys.exit", "exit", "quit"})
SUCCEEDS = "ends the process with success, whatever the work does"
"""The one sign that blocks: what runs the code would take it for done."""
_ALWAYS_ENDS = frozenset({"os._exit", "_exit", "os.abort"})
_IS_REPLACED = re.compile(r"(?:os\.)?exec[lv]p?e?")
_HOOKED = frozenset(
    {
        "sys.settrace", "sys.setprofile", "threading.settrace", "sys.addaudithook", "sys.monitoring",
        "threading.settrace_all_threads", "faulthandler.register", "signal.signal", "signal.setitimer",
    }
)  # fmt: skip
_REPLACED = re.compile(
    r"^(sys\.(modules|meta_path|path_hooks|path_importer_cache|excepthook|unraisablehook|exitfunc|stdout|stderr)"
    r"|builtins\.\w+|__builtins__.*|(unittest|pytest|_pytest|pluggy)\b.*|\w+\.__code__|\w+\.__eq__|AssertionError"
    r"|importlib\.\w+|os\._exit|os\.environ)$"
)
_RUNS_TEXT = frozenset({"exec", "eval", "compile", "marshal.loads", "types.CodeType", "types.FunctionType"})
_COMPARISONS = (
    "__eq__",
    "__ne__",
    "__bool__",
    "__lt__",
    "__gt__",
    "__le__",
    "__ge__",
    "__contains__",
    "__len__",
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_LONGEST_NAME = 200
_AT_IMPORT = "ends or hooks the process when it is imported"


@dataclass(frozen=True, kw_only=True)
class Awareness:
    """One place where code asks about the tests or changes how they run."""

    path: str
    line: int
    what: str
    """In words."""
    text: str
    """The code."""


def aware(path: str, source: str) -> tuple[Awareness, ...]:
    """Find what in a file asks whether it is under test, or reaches for the runner."""
    try:
        module = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found: dict[tuple[int, str], Awareness] = {}
    for node, what in _found(module):
        line = getattr(node, "lineno", 1)
        text = " ".join(ast.unparse(node).split())[:160]
        if what == _AT_IMPORT and path.endswith("__main__.py") and text.startswith("sys.exit("):
            continue  # a program, which nobody imports; ends with success are found apart
        found.setdefault((line, what), Awareness(path=path, line=line, what=what, text=text))
    return tuple(found.values())


def newly_aware(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Awareness, ...]:
    """Return what the work brought in; code that moved from one file to another is none of it.

    Both maps are source text by path.
    """
    stood = Counter((each.what, each.text) for path, text in before.items() for each in aware(path, text))
    new = []
    for path in sorted(after):
        for each in aware(path, after[path]):
            if stood[each.what, each.text]:
                stood[each.what, each.text] -= 1
            else:
                new.append(each)
    return tuple(new)


def _found(module: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    documentation = set(_documentation(module))
    imported = dict(_aliases(module))
    for node in ast.walk(module):
        if id(node) not in documentation:
            for look in _LOOKS:
                if what := look(node, imported):
                    yield node, what
    for node in _at_import(module.body):
        yield node, _AT_IMPORT
    for node in _successful_ends(module, imported):
        yield node, SUCCEEDS


def _asks_runner(node: ast.AST, imported: Mapping[str, str]) -> str:
    del imported
    if not isinstance(node, ast.Constant | ast.BinOp | ast.Call | ast.JoinedStr | ast.Subscript):
        return ""
    text = folded(node)
    if text is None or len(text) > _LONGEST_NAME or "\n" in text.strip():
        return ""
    return "names the test runner" if _RUNNER.search(text) else ""


def _asks_environment(node: ast.AST, imported: Mapping[str, str]) -> str:
    asked: ast.AST | None = None
    if isinstance(node, ast.Subscript) and _dotted(node.value, imported).endswith("environ"):
        asked = node.slice
    elif isinstance(node, ast.Call) and node.args:
        name = _dotted(node.func, imported)
        asked = node.args[0] if name.endswith(("environ.get", "getenv", "environ.pop")) else None
    elif isinstance(node, ast.Compare) and _dotted(node.comparators[0], imported).endswith("environ"):
        asked = node.left
    text = folded(asked) if asked is not None else None
    return "asks a variable that tests or CI set" if text and _MARKERS.match(text) else ""


def _asks_modules(node: ast.AST, imported: Mapping[str, str]) -> str:
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        return "imports the test runner" if any(name.split(".")[0] in _MODULES for name in names) else ""
    if (iterated := getattr(node, "iter", None)) is not None and _modules(iterated, imported):
        return "asks which modules are loaded"
    if isinstance(node, ast.Compare):
        return _compares(node, imported)
    if isinstance(node, ast.Attribute | ast.Name) and _dotted(node, imported) in _STACK:
        return "looks at the call stack, or for a tracer"
    if isinstance(node, ast.Call) and _dotted(node.func, imported) in ("getattr", "vars") and node.args:
        hidden = folded(node.args[1]) if len(node.args) > 1 else None
        whole = f"{_dotted(node.args[0], imported)}.{hidden}"
        return "looks at the call stack, or for a tracer" if whole in {*_STACK, "sys.modules"} else ""
    return ""


def _compares(node: ast.Compare, imported: Mapping[str, str]) -> str:
    sides = (node.left, *node.comparators)
    if any(_modules(each, imported) for each in sides):
        return "asks which modules are loaded"
    started = any("sys.argv" in _dotted(each, imported) or "sys.argv" in ast.unparse(each) for each in sides)
    asks = any("test" in (folded(each) or "").lower() for each in sides)
    return "asks how the process was started" if started and asks else ""


def _modules(node: ast.expr, imported: Mapping[str, str]) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    if (
        isinstance(node, ast.Call)
        and _name(node.func) in ("list", "set", "sorted", "tuple", "dict")
        and node.args
    ):
        called = node.args[0]
    return _dotted(called, imported).removesuffix("()").startswith("sys.modules")


def _replaces(node: ast.AST, imported: Mapping[str, str]) -> str:
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    elif isinstance(node, ast.Call):
        name = _dotted(node.func, imported)
        if name in _HOOKED or name.startswith(("sys.meta_path.", "sys.path_hooks.", "sys.modules.update")):
            return "hooks itself into the interpreter"
        if name in ("setattr", "delattr") and node.args:
            owner = _dotted(node.args[0], imported).split(".")[0]
            return "replaces parts of the runner or of Python" if owner in ("builtins", *_MODULES) else ""
    for target in targets:
        held = target.value if isinstance(target, ast.Subscript) else target
        name = _dotted(held, imported)
        if _REPLACED.match(name) and not (name == "os.environ" and isinstance(target, ast.Subscript)):
            return "replaces parts of the runner or of Python"
    return ""


def _always(node: ast.AST, imported: Mapping[str, str]) -> str:
    del imported
    if isinstance(node, ast.ClassDef) and any(_name(each) == "AssertionError" for each in node.bases):
        return "is an assertion error of its own"
    if isinstance(node, _Function) and node.name.startswith("pytest_"):
        return "is a hook of pytest"
    lambdas: list[tuple[ast.expr | None, ast.expr]] = []
    if isinstance(node, ast.Dict):
        lambdas = list(zip(node.keys, node.values, strict=True))
    elif isinstance(node, ast.Assign):
        lambdas = [(ast.Constant(value=_name(target)), node.value) for target in node.targets]
    same = any(_equal_to_all(key, value) for key, value in lambdas)
    return "compares as equal to anything" if same or _constantly(node) else ""


def _constantly(node: ast.AST) -> bool:
    """Whether a comparison gives the same whatever it compares with."""
    if not isinstance(node, _Function) or node.name not in ("__eq__", "__ne__"):
        return False
    body = [each for each in node.body if not _is_text(each)]
    only = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    return isinstance(only, ast.Constant) and only.value is (node.name == "__eq__")


def _equal_to_all(key: ast.expr | None, value: ast.expr) -> bool:
    """Whether a table of attributes holds a comparison that is always true."""
    compares = key is not None and folded(key) in _COMPARISONS
    return compares and isinstance(value, ast.Lambda) and isinstance(value.body, ast.Constant)


def _runs_text(node: ast.AST, imported: Mapping[str, str]) -> str:
    if isinstance(node, ast.Call) and _dotted(node.func, imported) in _RUNS_TEXT:
        return "runs code that is made at run time"
    return ""


def _ends_hard(node: ast.AST, imported: Mapping[str, str]) -> str:
    called = _dotted(node.func, imported) if isinstance(node, ast.Call) else ""
    if called in _ALWAYS_ENDS:
        return "ends the process at once, past every report"
    return "puts another program in the place of the process" if _IS_REPLACED.fullmatch(called) else ""


def _successful_ends(module: ast.Module, imported: Mapping[str, str]) -> Iterator[ast.AST]:
    """Yield what ends the process with success at once; children of a fork have to end so."""
    for node in _at_import(module.body):
        if _ends_with_success(node, imported):
            yield node
    for function in (each for each in ast.walk(module) if isinstance(each, _Function)):
        calls = [each for each in ast.walk(function) if isinstance(each, ast.Call)]
        if not any(_name(each.func) in ("fork", "forkpty") for each in calls):
            ends = (each for each in calls if _dotted(each.func, imported) in ("os._exit", "_exit"))
            yield from (each for each in ends if each.args and _is_zero(each.args[0]))


def _is_zero(node: ast.expr | None) -> bool:
    named = node is not None and ast.unparse(node).endswith("EX_OK")
    return named or (isinstance(node, ast.Constant) and node.value in (0, None, False))


_Look = Callable[[ast.AST, Mapping[str, str]], str]
_LOOKS: tuple[_Look, ...] = (
    _asks_runner, _asks_environment, _asks_modules, _replaces, _always, _runs_text, _ends_hard,
)  # fmt: skip


def _at_import(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the calls that end the process, of the statements that run when the module is imported."""
    for node in body:
        if isinstance(node, _Function) or _is_main(node):
            continue
        if isinstance(node, ast.ClassDef | ast.If | ast.Try | ast.With | ast.For | ast.While):
            for field in ("body", "orelse", "finalbody"):
                yield from _at_import(getattr(node, field, []))
            for handler in getattr(node, "handlers", []):
                yield from _at_import(handler.body)
        else:
            yield from (
                each
                for each in ast.walk(node)
                if isinstance(each, ast.Call) and ast.unparse(each.func) in _ENDS
            )
            if isinstance(node, ast.Raise) and "SystemExit" in ast.unparse(node):
                yield node


def _ends_with_success(node: ast.AST, imported: Mapping[str, str]) -> bool:
    """Whether a statement or call ends the process with exit code 0, however the work is."""
    call = node.exc if isinstance(node, ast.Raise) else node
    if not isinstance(call, ast.Call):
        return isinstance(node, ast.Raise)  # `raise SystemExit` alone is success as well
    ends = _dotted(call.func, imported) in (*_EXITS, "SystemExit", "os._exit")
    return ends and (not call.args or _is_zero(call.args[0]))


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def _documentation(module: ast.Module) -> Iterator[int]:
    """Name the nodes that are documentation, annotations or messages, which nothing is decided by."""
    for node in ast.walk(module):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield id(node.value)
        if isinstance(node, ast.Raise):
            yield from (id(each) for each in ast.walk(node))
        for field in ("annotation", "returns"):
            if (held := getattr(node, field, None)) is not None:
                yield from (id(each) for each in ast.walk(held))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
            ("warn", "print", "echo", "add_argument")
        ):
            yield from (id(each) for each in node.args if isinstance(each, ast.Constant | ast.JoinedStr))


def _aliases(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield what each imported name stands for."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (
                (each.asname or each.name.split(".")[0], each.name) for each in node.names if each.asname
            )
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((each.asname or each.name, f"{node.module}.{each.name}") for each in node.names)


def _dotted(node: ast.AST, imported: Mapping[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, imported)}.{node.attr}"
    if isinstance(node, ast.Call) and _name(node.func) == "__import__" and node.args:
        return folded(node.args[0]) or ""
    if isinstance(node, ast.Call) and _dotted(node.func, imported) == "importlib.import_module" and node.args:
        return folded(node.args[0]) or ""
    return imported.get(node.id, node.id) if isinstance(node, ast.Name) else ""


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


_IN_TESTS = frozenset(
    {
        "hooks itself into the interpreter", "replaces parts of the runner or of Python",
        "is a hook of pytest", "compares as equal to anything", "is an assertion error of its own",
        _AT_IMPORT, "ends the process at once, past every report",
    }
)  # fmt: skip
"""What tests must not do either; everything else is allowed."""


def support(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Awareness, ...]:
    """Return what files of tests newly do to the runner, or to the code under test while they are loaded."""
    found = [each for each in newly_aware(before, after) if each.what in _IN_TESTS]
    for path, text in after.items():
        stood = {each.text for each in _bent(path, before.get(path, ""))}
        found += [each for each in _bent(path, text) if each.text not in stood]
    return tuple(found)


def _bent(path: str, source: str) -> Iterator[Awareness]:
    """Find assignments into imported modules that are made when a file of tests is loaded."""
    try:
        module = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    names = {
        alias.asname or alias.name.split(".")[0]
        for node in ast.walk(module)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        bends = any(isinstance(each, ast.Attribute) and _root(each) in names for each in targets)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            bends = ast.unparse(node.value.func) == "setattr" and _root(node.value.args[0]) in names
        if bends:
            text = " ".join(ast.unparse(node).split())[:160]
            what = "bends the code under test when it is loaded"
            yield Awareness(path=path, line=node.lineno, what=what, text=text)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
