"""Tests in another language than the code: where they cannot load it, they prove no work on it.

The tests run once more in a copy in which all code outside of tests fails when it is loaded. Only a project
whose test files and code have no language in common pays for it. Nothing runs a file that the title of a
request names in a language of which the project holds no file.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.baseline import Measurements
from setpoint.checks.flaky.flaky import FlakyRule
from setpoint.checks.plan import Plan
from setpoint.checks.suites.failing_copy import failing_copy, is_setting
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.checks.target import Target
from setpoint.checks.trees.checkout import place_beside
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_program, kind_of_request
from setpoint.model.evidence import NO_SUITE, SUITES, CheckState, Fault
from setpoint.model.proof import WorkKind
from setpoint.model.stories.story import Story
from setpoint.ports import Measured

_BY_READING = (WorkKind.DOCS, WorkKind.CHORE, WorkKind.TESTS)
LIMIT_S = 120.0
"""Seconds that one runner has for it; tests that take longer are believed."""
_LANGUAGES = {
    "Python": ("py", "pyi", "pyx", "ipynb"),
    "JavaScript or TypeScript": ("js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte"),
    "C or C++": ("c", "h", "cc", "cpp"),
    "Java, Kotlin or Scala": ("java", "kt", "scala"),
    "Elixir": ("ex", "exs"),
    "shell": ("sh", "bash"),
}
_SABOTAGED = ("py", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "go", "rs")
"""Languages in which changed code is made to fail, so that tests from outside of it can prove it."""
_PATH = re.compile(r"(?<![\w/.:@-])(?:\./)?(?:[\w-]+/)*[\w-]+(?:\.[\w-]+)*\.\w{1,6}(?![\w/(:-])")
_LANGUAGE_OF = {ending: name for name, endings in _LANGUAGES.items() for ending in endings}


async def with_unreached(
    plan: Plan, target: Target, place: Measured, made: Measurements, story: Story
) -> Measurements:
    """Add the check `suite`, not measured, where nothing runs the code that the work is about."""
    if reason := unrun(story, target.files):
        return _without_suite(made, reason)
    suites = [each for each in made.results if each.evidence.check in SUITES]
    tests = tuple(made.tests.outcomes) if made.tests is not None else ()
    if not tests or any(each.state is not CheckState.PASS for each in suites):
        return made
    checks = [each for each in plan.selection(target, tests) if isinstance(each, PackageSuite)]
    if {each.name for each in checks} != {each.evidence.check for each in suites}:
        return made  # a runner of Python, which loads the project's packages itself
    calls = [call.before for each in checks for own in each.calls.values() for call in own]
    code, of_tests = _divided(target.files, " ".join(calls))
    if not code or not {*map(_language, code)}.isdisjoint(map(_language, of_tests)):
        return made
    if not await _pass_without(code, checks, place):
        return made
    languages = " and ".join(sorted({*map(_language, code)}))
    names = ", ".join(each.name for each in checks)
    reason = (
        f"the tests ({names}) pass where every file in {languages} fails when it is loaded, "
        f"for example {code[0]}: they do not reach the code"
    )
    return _without_suite(made, reason)


def unrun(story: Story, files: Collection[str]) -> str:
    """Say which file a request names in a language that nothing here runs; empty where it names none.

    Of such a language the project holds no file, so that no test can reach it yet, and Setpoint cannot let
    code in it fail to see whether new tests do.
    """
    if story.acceptance or kind_of_request(story)[0] in _BY_READING:
        return ""
    there = {_language(each) for each in files}
    for path in _PATH.findall(story.title):  # a body may name other projects, and stacks
        ending = path.rpartition(".")[2].lower()
        if is_program(path) and ending not in _SABOTAGED and _language(path) not in there:
            return f"the request names {path}, and nothing in the project runs code in such files (.{ending})"
    return ""


def _without_suite(made: Measurements, reason: str) -> Measurements:
    lack = results.unmeasured(NO_SUITE, made.tree, reason, fault=Fault.UNRELATED)
    return made.model_copy(update={"results": (*made.results, lack)})


def _divided(files: Iterable[str], commands: str) -> tuple[list[str], list[str]]:
    """Return the files with code, and those with tests, by their place or since a command names them."""
    programs = [each for each in sorted(files) if is_program(each) and not is_setting(each)]
    of_tests = [each for each in programs if is_test_path(each) or each in commands]
    return [each for each in programs if each not in of_tests], of_tests


def _language(file: str) -> str:
    ending = file.rpartition(".")[2].lower()
    return _LANGUAGE_OF.get(ending, ending)


async def _pass_without(code: list[str], checks: list[PackageSuite], place: Measured) -> bool:
    """Whether all tests pass in a copy in which these files fail; false where no copy can be made."""
    copy = place_beside(Path(place.copy.path), "failing")
    try:
        if not await asyncio.to_thread(failing_copy, Path(place.copy.path), copy, "", frozenset(code)):
            return False
        there = place._replace(copy=place.copy._replace(path=str(copy)))
        for each in checks:
            limit_s = min(each.asked.timeout_s or each.timeout_s, LIMIT_S)
            asked = each.asked.model_copy(update={"timeout_s": limit_s})
            whole = replace(each, only=None, footing=None, flaky=FlakyRule(reruns=0), asked=asked)
            if (await whole.run(there)).state is not CheckState.PASS:
                return False
        return True
    finally:
        await asyncio.to_thread(shutil.rmtree, copy, ignore_errors=True)
