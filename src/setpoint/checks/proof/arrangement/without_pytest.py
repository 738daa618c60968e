"""Call plain test functions in a process in which there is no pytest.

Code that recognises pytest behaves alike wherever pytest runs it. A test function without parameters, in a
file that does not name pytest and has no conftest around it, is an ordinary function: it must pass when it is
called. Tests of the base show first whether that holds in the project at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path, PurePosixPath

from setpoint.checks.proof.arrangement.neutral_place import NeutralPlace
from setpoint.checks.suites.pytest import Runner
from setpoint.checks.suites.pytest_packages import inside, parts_of
from setpoint.model.ids import Commit

_MOST = 20
_PLAIN = re.compile(r"^[^:\[]+\.py::\w+$")
_FIXTURES = re.compile(rb"\bpytest|^def (?:setup|teardown)_", re.MULTILINE)
_PROGRAM = """\
import importlib, inspect, json, os, sys

report, root, *names = sys.argv[1:]
sys.argv[1:] = []
sys.path[0] = root
said = {}
for name in names:
    file, _, function = name.partition("::")
    folder, module = os.path.split(file[:-3])
    while folder and os.path.exists(os.path.join(root, folder, "__init__.py")):
        folder, inner = os.path.split(folder)
        module = inner + "." + module
    sys.path.insert(0, os.path.join(root, folder))
    try:
        test = getattr(importlib.import_module(module), function)
        if inspect.iscoroutinefunction(test) or inspect.isgeneratorfunction(test):
            continue
        if not inspect.isfunction(test) or inspect.signature(test).parameters or vars(test):
            continue
        test()
        said[name] = ""
    except BaseException as error:
        said[name] = "{}: {}".format(type(error).__name__, error)[:200]
if "pytest" not in sys.modules:
    with open(report, "w") as file:
        json.dump(said, file)
"""


async def refused_without_pytest(
    runner: Runner, place: NeutralPlace, passed: Collection[str], own: Collection[str]
) -> dict[str, str]:
    """Return tests of the change that pass with pytest alone, with what they raise without it.

    Args:
        runner: How pytest is started.
        place: Where the trees are checked out.
        passed: Tests that passed on the base and on the result.
        own: Tests of the change that passed.

    """
    subject = place.subject
    tree = await place.hold(subject.place.commit)
    asked = [test for test in sorted(own) if _plain(tree, test)][:_MOST]
    if not asked:
        return {}
    said = await _called(runner, place, subject.place.commit, asked)
    refused = {test: why for test, why in said.items() if why}
    if not refused:
        return {}
    await place.hold(subject.base.commit)
    known = [test for test in sorted({*passed} - refused.keys()) if _plain(place.tree, test)][:_MOST]
    at_base = await _called(runner, place, subject.base.commit, known) if known else {}
    return refused if at_base and not any(at_base.values()) else {}


def _plain(tree: Path, test: str) -> bool:
    """Whether a test looks like an ordinary function, which nothing prepares."""
    if _PLAIN.match(test) is None:
        return False
    file = PurePosixPath(test.partition("::")[0])
    try:
        text = (tree / file).read_bytes()
    except OSError:
        return False
    around = any((tree / folder / "conftest.py").exists() for folder in file.parents)
    return not around and _FIXTURES.search(text) is None


async def _called(runner: Runner, place: NeutralPlace, commit: Commit, tests: list[str]) -> dict[str, str]:
    """Call some tests on a commit; an empty answer where the process does not come to its end."""
    await place.hold(commit)
    said: dict[str, str] = {}
    for root, share in parts_of(runner.roots, place.tree, tests):
        # What pytest's own settings put on the path for one package is one of the others.
        others = tuple(folder for each in runner.roots for folder in each.imports)
        there = replace(place, root=replace(root, imports=(*root.imports, *others)))
        within = f"{root.folder}/" if root.folder else ""
        answer = await _called_in(runner, there, inside(share or (), root))
        said |= {f"{within}{test}": why for test, why in answer.items()}
    return said


async def _called_in(runner: Runner, place: NeutralPlace, tests: tuple[str, ...]) -> dict[str, str]:
    """Call tests of one package, as they are named in it."""
    scratch, at = place.scratch(), place.tree / (place.root.folder if place.root else "")
    program, report = scratch / "call.py", scratch / "said.json"
    program.write_text(_PROGRAM, encoding="utf-8")
    argv = (runner.interpreter.path, str(program), str(report), str(at), *tests)
    await place.call(argv, place.variables(), timeout_s=runner.timeout_s, memory_bytes=runner.memory_bytes)
    try:
        said = json.loads(report.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(test): str(why) for test, why in said.items()} if isinstance(said, dict) else {}
