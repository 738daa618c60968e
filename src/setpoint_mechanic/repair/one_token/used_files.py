"""The files that a failing test uses, and the names that it mentions."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from setpoint_mechanic.repair.one_token.grammars import (
    NAMES,
    functions_in,
    inside,
    parser_of,
    suffix_of,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_IMPORTED = re.compile(r"""(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']([^"']+)["']""")
_GO_IMPORTED = re.compile(r"""^\s*(?:import\s+)?(?:[\w.]+\s+)?"([^"]+)"\s*$""", re.MULTILINE)
_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx")
_MOST_FILES = 40
_GO_FUNCTIONS = ("function_declaration", "method_declaration")


class Used(NamedTuple):
    """What a failing test uses."""

    files: tuple[str, ...] = ()
    """Files of the tree, nearest first."""
    names: frozenset[str] = frozenset()
    """What the test mentions."""


def module_folder(tree: Path, package: str) -> tuple[str, str] | None:
    """Return the folder of the module of a Go package, and that of the package; none where it is not here."""
    for path in sorted(tree.glob("**/go.mod"), key=lambda each: len(each.parts)):
        if {"node_modules", "vendor"} & set(path.parts):
            continue
        found = _MODULE.search(path.read_text("utf-8", "replace"))
        if found and f"{package}/".startswith(f"{found[1]}/"):
            module = path.parent.relative_to(tree).as_posix().removeprefix(".")
            inner = package.removeprefix(found[1]).strip("/")
            return module, "/".join(filter(None, (module, inner)))
    return None


def go_files(tree: Path, package: str, test: str) -> Used:
    """Return the files of the package of a Go test, and of those packages of its module that it imports."""
    at = module_folder(tree, package)
    if at is None:
        return Used()
    folder = tree / at[1]
    own = sorted(folder.glob("*.go")) if folder.is_dir() else []
    name = test.partition("/")[0]
    functions: dict[str, set[str]] = {}
    for path in (each for each in own if each.name.endswith("_test.go")):
        for function, names in _go_names(path).items():
            functions.setdefault(function, set()).update(names)
    imported = [each for path in own for each in _GO_IMPORTED.findall(path.read_text("utf-8", "replace"))]
    others = (module_folder(tree, each) for each in dict.fromkeys(imported) if "." in each.partition("/")[0])
    folders = [folder, *(tree / each[1] for each in others if each is not None)]
    files = [path for each in dict.fromkeys(folders) for path in sorted(each.glob("*.go"))]
    return Used(
        tuple(path.relative_to(tree).as_posix() for path in files)[:_MOST_FILES], _with_own([name], functions)
    )


def _go_names(path: Path) -> dict[str, set[str]]:
    """Return what each function of a file of Go names."""
    parser = parser_of(".go")
    if parser is None:
        return {}
    root = parser.parse(path.read_bytes()).root_node
    found: dict[str, set[str]] = {}
    for node in root.named_children:
        name = node.child_by_field_name("name") if node.type in _GO_FUNCTIONS else None
        if name is not None:
            found.setdefault(text_of(name), set()).update(_names(node))
    return found


def _with_own(names: Iterable[str], functions: Mapping[str, set[str]]) -> frozenset[str]:
    """Return names, with all that the functions of test files among them name."""
    waiting, met = list(names), set[str]()
    while waiting:
        each = waiting.pop()
        if each not in met:
            met.add(each)
            waiting += functions.get(each, ())
    return frozenset(met)


def script_files(tree: Path, file: str, test: str) -> Used:
    """Return the files of the tree that a script with tests loads, directly and through others."""
    found = dict[str, None]()
    waiting, met = [file], {file}
    while waiting and len(found) < _MOST_FILES:
        at = waiting.pop(0)
        for each in _imports(tree, at):
            if each not in met:
                met.add(each)
                found[each] = None
                waiting.append(each)
    return Used(tuple(found), frozenset(_test_names(tree / file, test)))


def _test_names(path: Path, test: str) -> Iterator[str]:
    """Yield the names in the call that makes a test; in the whole file where it is not found."""
    suffix = suffix_of(path.name)
    parser = parser_of(suffix) if suffix and path.is_file() else None
    if parser is None:
        return
    root, title = parser.parse(path.read_bytes()).root_node, test.rpartition(" > ")[2]
    calls = [node for node in inside(root) if node.type == "call_expression" and _titled(node, title)]
    names = {name for node in calls or [root] for name in _names(node)}
    own = {name: set(_names(node)) for name, node in functions_in(root)} if calls else {}
    yield from _with_own(names, own)


def _titled(call: Node, title: str) -> bool:
    given = call.child_by_field_name("arguments")
    first = given.named_children[0] if given is not None and given.named_children else None
    return first is not None and bool(title) and text_of(first)[1:-1] == title


def _names(node: Node) -> Iterator[str]:
    yield from (text_of(each) for each in inside(node) if each.type in NAMES)


def _imports(tree: Path, file: str) -> Iterator[str]:
    try:
        text = (tree / file).read_text("utf-8", "replace")
    except OSError:
        return
    for asked in _IMPORTED.findall(text):
        if (found := _resolved(tree, file, asked)) is not None:
            yield found


def _resolved(tree: Path, file: str, asked: str) -> str | None:
    """Find the file of the tree that an import names; none for packages of others."""
    if asked.startswith("."):
        return _script(tree, os.path.normpath(f"{Path(file).parent.as_posix()}/{asked}"))
    for folder in Path(file).parents:  # an alias, or the package's own name
        package = _package(tree / folder)
        at = folder.as_posix()
        if asked[:2] in ("@/", "~/"):
            found = _script(tree, os.path.normpath(f"{at}/src/{asked[2:]}"))
        elif package and asked == package.get("name"):
            found = _script(tree, os.path.normpath(at)) or _script(tree, os.path.normpath(f"{at}/src"))
        else:
            continue
        if found is not None:
            return found
    return None


def _script(tree: Path, path: str) -> str | None:
    """Find the script behind a path as imports name it: without its ending, or a folder."""
    if path.startswith(".."):
        return None
    plain = re.sub(r"\.[cm]?jsx?$", "", path)
    main = _package(tree / path).get("main")
    entry = [os.path.normpath(f"{path}/{main}")] if isinstance(main, str) else []
    ways = (path, *(f"{plain}{end}" for end in _ENDINGS), *entry, *(f"{each}.js" for each in entry))
    ways = (*ways, *(os.path.normpath(f"{path}/index{end}") for end in _ENDINGS))
    return next((each for each in ways if suffix_of(each) and (tree / each).is_file()), None)


def _package(folder: Path) -> dict[str, object]:
    try:
        said = json.loads((folder / "package.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}
