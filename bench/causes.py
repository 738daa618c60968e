"""Measure which failing tests count as witnesses: honest ones, and not those that fail for another reason.

    python bench/causes.py [--only WORD] [--python PYTHON]

Each situation is a change with a test of its own, which passes on the result and fails without the code of
the change: for its lack, or because something else breaks there. Situations of a language share a project.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from cause_situations import SITUATIONS, STANDING, Situation
from trial_case import git, written

from setpoint.checks import ProjectEvaluator
from setpoint.checks.baseline import Measurements
from setpoint.checks.proof.witness import witness
from setpoint.checks.proof.witness.added_names import added_names
from setpoint.checks.proof.witness.right_cause import Lack
from setpoint.model.attempt import Role
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import TestReport
from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.pipeline import Phase, PhaseKind, Pipeline
from setpoint.model.run import RunOrder
from setpoint.model.stories.story import Story
from setpoint.ports import Measured
from setpoint.presets.check_settings import ChecksSettings
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.workspace import GitWorkspace

PIPELINE = Pipeline(
    name="bench",
    phases=(
        Phase(name="make", kind=PhaseKind.MAKE, role=Role.MAKER),
        Phase(name="test", kind=PhaseKind.MEASURE, stage=Stage.TEST),
    ),
)
_OFF = dict.fromkeys(("coverage", "mypy", "bandit", "ruff"), False)


def placed(situation: Situation, number: int, files: dict[str, str]) -> dict[str, str]:
    """Give a situation names of its own in a project that it shares with others."""
    if situation.language == ".py":
        renamed = {path.replace("test_new", f"test_s{number}"): text for path, text in files.items()}
        renamed = {path.replace("shop.py", f"shop{number}.py"): text for path, text in renamed.items()}
        return {path: re.sub(r"\bshop\b", f"shop{number}", text) for path, text in renamed.items()}
    if situation.language == ".rs":
        return files
    return {f"s{number}/{path}": text for path, text in files.items()}


async def outcomes(root: Path, files: dict[str, str], python: str) -> TestReport:
    """Run all tests of a tree, with what Setpoint remembers of a base."""
    root.mkdir()
    written(root, dict(files))
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "base")):
        git(root, *words)
    folders = ProjectFolders(root, root / ".setpoint", root.with_name(f"{root.name}.copies"))
    folders.state.mkdir()
    base = Commit(git(root, "rev-parse", "HEAD").strip())
    order = RunOrder(
        trace_id=TraceId("run-1"), root=str(root), base=base, pipeline=PIPELINE, branch="b",
        story=Story(id=StoryId("s"), title="Do it"), started_at=datetime.now(UTC),
    )  # fmt: skip
    asked = ChecksSettings.model_validate({"python": python, "reruns": 0, "timeout_s": 60, **_OFF})
    evaluator = ProjectEvaluator(Settings(checks=asked), Artifacts(folders.state / "artifacts"), folders)
    copy = await GitWorkspace(folders).open(order.trace_id, base)
    await evaluator.evaluate(order, Measured(copy, base, copy.base_tree, Stage.BASE))
    kept = next(folders.state.rglob(f"{order.trace_id}.base.json"))
    return Measurements.model_validate_json(kept.read_bytes()).tests or TestReport(outcomes={})


def groups(asked: Sequence[Situation]) -> Iterator[list[Situation]]:
    """Yield situations that can share a project: not those that end or hang the process of the tests."""
    for language in STANDING:
        own = [each for each in asked if each.language == language]
        alone = [each for each in own if language == ".rs" or re.search(r"_exit|sleep|os\.Exit", each.test)]
        if shared := [each for each in own if each not in alone]:
            yield shared
        yield from ([each] for each in alone)


async def judged(group: list[Situation], folder: Path, python: str) -> list[tuple[Situation, bool, str]]:
    """Run the tests of a group with and without the code, and judge why they fail without it."""
    language = group[0].language
    shared = dict(STANDING[language])
    old, new = dict(shared), dict(shared)
    own: list[tuple[dict[str, str], dict[str, str]]] = []
    for number, each in enumerate(group):
        before = placed(each, number, {k: v for k, v in each.before.items() if k not in shared})
        change = placed(each, number, each.change)
        tests = {path: text for path, text in change.items() if is_test_path(path)}
        old |= {**before, **tests}
        new |= {**before, **change}
        own.append((before, change))
    red, control = await outcomes(folder / "old", old, python), await outcomes(folder / "new", new, python)
    told = []
    for each, (before, change) in zip(group, own, strict=True):
        tests = {path: text for path, text in change.items() if is_test_path(path)}
        code = [{p: t.encode() for p, t in files.items() if p not in tests} for files in (before, change)]
        code[0] = {path: text for path, text in code[0].items() if path in code[1]}
        lack = Lack(added=added_names(*code), request=each.title, tests=tests)
        passed = witness.passed_in(control)
        names = [test for test in passed if _of(test, tests, group)]
        found, other = witness.added(names, red, passed, lack)
        told.append(
            (each, bool(found), "; ".join(map(str, found)) or other or f"no test: {control.failures}")
        )
    return told


def _of(test: str, tests: dict[str, str], group: list[Situation]) -> bool:
    """Whether a test is one of a situation's."""
    file = test.partition("::")[0]
    folder = next(iter(tests)).partition("/")[0]
    return (
        file in tests or (len(group) == 1 and file.startswith("example.com")) or file.endswith(f"/{folder}")
    )


async def table(only: str, python: str) -> int:
    """Measure the situations and print how each was judged; gives how many were judged wrongly."""
    asked = [each for each in SITUATIONS if only in each.name]
    wrong = {True: 0, False: 0}
    for group in groups(asked):
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            for situation, counts, why in await judged(group, Path(folder), python):
                as_wanted = counts is situation.honest
                wrong[situation.honest] += not as_wanted
                word = "counts" if counts else "does not count"
                print(f"{'ok   ' if as_wanted else 'WRONG'} {situation.name}: {word}: {why}", flush=True)
    honest = sum(each.honest for each in asked)
    print(f"\nhonest: {honest}, rejected: {wrong[True]}")
    print(f"another reason: {len(asked) - honest}, accepted: {wrong[False]}")
    return sum(wrong.values())


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="situations whose name contains this")
    parser.add_argument("--python", default=sys.executable)
    asked = parser.parse_args()
    asyncio.run(table(asked.only, asked.python))


if __name__ == "__main__":
    main()
