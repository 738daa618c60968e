"""Tasks for `bench/memory.py` that the mechanic does: bugs that come back in a module that was rewritten.

The loop, the mechanic and the memory are the real ones; the evaluator runs pytest, and tests that the
mechanic does not see decide whether a repair is right.
"""

from __future__ import annotations

import asyncio
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from setpoint.model.config.limits import Limits
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Evaluation
from setpoint.model.evaluation import Stage as Measuring
from setpoint.model.events.learning import MemoryRecalled
from setpoint.model.events.run import AgentFinished, ToolExecuted
from setpoint.model.ids import TraceId
from setpoint.model.proof import NOBODY, HiddenTests, HiddenTrial, Proof, Vouched, WorkKind
from setpoint.model.run import RunOrder
from setpoint.phase import loop
from setpoint.ports import Measured, Memory, Toolbox, WorkCopy
from setpoint.system.files.artifacts import Artifacts
from setpoint.testing import RunHarness, Scene, evaluation, failure
from setpoint.wiring.toolkit import HostToolkit
from setpoint_mechanic.repair import MechanicAgent

ONCE = Limits(max_iterations=1, max_wall_s=300.0)
WORDS = re.findall(
    r"\w+",
    "order item rate page lot box line cart token shelf crate batch stock ticket parcel route",
)
_RED = re.compile(r"^(?:FAILED|ERROR) (\S+)(?: - (.*))?$", re.MULTILINE)
_TRIED = re.compile(r"tried (\d+)")


def padding(chance: random.Random, word: str) -> str:
    """Give code that the failing test runs through before the bug, so that there is much to suspect."""
    lines = [f"def {word}_weight(value):", "    total = value"]
    for step in range(chance.randint(10, 16)):
        a, b = chance.randint(2, 9), chance.randint(10, 90)
        lines += [
            chance.choice(
                (
                    f"    part_{step} = total * {a} + {b}",
                    f"    part_{step} = max(total, {b}) - {a}",
                    f"    part_{step} = [total, {a}, {b}][0]",
                    f"    part_{step} = total if total > {b} else {a}",
                )
            ),
            f"    total = total + part_{step} % {a}",
        ]
    return "\n".join([*lines, "    return total", "", "", ""])


def of_values(word: str, n: int, use: str) -> dict[str, tuple[str, str, str]]:
    """Give bugs in an expression: the module, the tests that the mechanic sees, and those that judge."""
    return {
        "index": (
            f"def last_{word}(values):\n{use}    return values[len(values)]\n",
            f"    assert m.last_{word}([1, 2, {n}]) == {n}\n",
            f"    assert m.last_{word}([{n}]) == {n}\n    assert m.last_{word}([4, 5]) == 5\n",
        ),
        "bound": (
            f"def {word}_fits(values):\n{use}    return values < {n}\n",
            f"    assert m.{word}_fits({n})\n",
            f"    assert not m.{word}_fits({n} + 0.5)\n    assert m.{word}_fits({n} - 1)\n",
        ),
        "swapped": (
            (
                f"def part_{word}(top, low):\n    return top / low\n\n\n"
                f"def {word}_share(values):\n{use}    return part_{word}(len(values), sum(values))\n"
            ),
            f"    assert m.{word}_share([{n}, {n}, {n}]) == {n}\n",
            f"    assert m.{word}_share([1, 3]) == 2\n    assert m.{word}_share([8]) == 8\n",
        ),
    }


def of_loops(word: str, n: int, use: str) -> dict[str, tuple[str, str, str]]:
    """Give bugs in a loop, as `of_values` does."""
    return {
        "missing": (
            (
                f"def {word}_counts(values):\n{use}    seen = {{}}\n    for each in values:\n"
                f"        seen[each] = seen[each] + 1\n    return seen\n"
            ),
            f"    assert m.{word}_counts(['a', 'a', 'b']) == {{'a': 2, 'b': 1}}\n",
            f"    assert m.{word}_counts(['c', 'a', 'c']) == {{'c': 2, 'a': 1}}\n",
        ),
        "dropped": (
            (
                f"def {word}_sum(values):\n{use}    total = 0\n"
                f"    for each in values:\n        total = each\n"
                f"    return total\n"
            ),
            f"    assert m.{word}_sum([{n}, 2, 1]) == {n + 3}\n",
            f"    assert m.{word}_sum([5, 5]) == 10\n    assert m.{word}_sum([]) == 0\n",
        ),
        "early": (
            (
                f"def {word}_all(values):\n{use}    found = []\n    for each in values:\n"
                f"        if each > {n}:\n"
                f"            found.append(each)\n            break\n    return found\n"
            ),
            f"    assert m.{word}_all([{n + 1}, 1, {n + 2}]) == [{n + 1}, {n + 2}]\n",
            f"    assert m.{word}_all([{n + 3}, {n + 4}, {n + 5}]) == [{n + 3}, {n + 4}, {n + 5}]\n",
        ),
    }


def family(name: str, chance: random.Random, word: str) -> tuple[str, str, str]:
    """Give a broken module, the tests that the mechanic sees, and those that judge it."""
    n = chance.randint(3, 9)
    pad = padding(chance, word)
    use = f"    {word}_weight(len(values) if hasattr(values, '__len__') else 1)\n"
    code, seen, judge = {**of_values(word, n, use), **of_loops(word, n, use)}[name]
    head = f"from shop import {word} as m\n\n\ndef test_{word}_"
    return pad + code, f"{head}seen():\n{seen}", f"{head}judged():\n{judge}"


FAMILIES = ("index", "bound", "swapped", "missing", "dropped", "early")


class Suite:
    """Runs pytest on the work copy; the test stage adds the tests that judge."""

    def __init__(self, judge: str) -> None:
        self._judge = judge

    async def prepare(self, order: RunOrder, copy: WorkCopy) -> Toolbox:
        """Give what there is to measure with."""
        del order, copy
        return Toolbox({"pytest": "bench"}, sys.executable)

    async def protect(self, order: RunOrder, copy: WorkCopy) -> tuple[str, ...]:
        """Nothing is changed that would have to be put back."""
        del order, copy
        return ()

    async def evaluate(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Run the tests of the harness."""
        del order
        with tempfile.TemporaryDirectory() as place:
            root = Path(measured.copy.path)
            tests = [root / "tests"]
            if measured.stage in (Measuring.TEST, Measuring.CONFIRM):
                tests.append(Path(place) / "test_judge.py")
                tests[1].write_text(self._judge)
            argv = [sys.executable, "-B", "-m", "pytest", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider"]
            done = await asyncio.to_thread(
                subprocess.run,
                [*argv, "-c", str(root / "pytest.ini"), "--rootdir", str(root), *map(str, tests)],
                cwd=root,
                env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"},
                capture_output=True,
                text=True,
                check=False,
            )
        red = tuple(failure(test, message or "failed") for test, message in _RED.findall(done.stdout))
        return evaluation(measured.stage, measured.commit, measured.tree, Scene(failing=red))

    async def prove(self, order: RunOrder, measured: Measured, vouched: Vouched = NOBODY) -> Proof:
        """Demand no proof: the hidden tests judge."""
        del order, measured, vouched
        return Proof(work=WorkKind.REPAIR, why="bench", obligations=())

    async def try_hidden(self, order: RunOrder, copy: WorkCopy | Measured, tests: HiddenTests) -> HiddenTrial:
        """Use no hidden tests."""
        del order, copy, tests
        return HiddenTrial()


async def worked(
    folder: Path, task: tuple[str, str, str], word: str, memory: Memory, terms: MemoryTerms
) -> dict[str, Any]:
    """Do one task; gives whether it was right, candidates tried and seconds of search."""
    code, seen, judge = task
    files = {
        "shop/__init__.py": "",
        f"shop/{word}.py": code,
        f"tests/test_{word}.py": seen,
        "pytest.ini": "[pytest]\npythonpath = .\n",
    }
    toolkit = HostToolkit(Artifacts(folder / "artifacts"), folder / "scratch")
    harness = RunHarness(
        agent=MechanicAgent(toolkit, search_s=60.0, alternatives_s=0.0),
        evaluator=Suite(judge),
        folder=folder,
        files=files,
        limits=ONCE,
        memory=memory,
    )
    order = harness.order(
        trace_id=TraceId(f"run-{folder.parent.name}-{folder.name}"), memory=terms, root="/shop"
    )
    outcome = await loop.drive(order, harness.ports(), harness.durable)
    bodies = [event.body for event in harness.log.replay(order.trace_id)]
    calls = [body.call for body in bodies if isinstance(body, ToolExecuted)]
    tried = next((int(m.group(1)) for call in calls if (m := _TRIED.search(call.title))), 0)
    (made,) = [body for body in bodies if isinstance(body, AgentFinished)]
    attempt = made.snapshot.attempt
    return {
        "right": outcome.ending in (Ending.VERIFIED, Ending.SELF_TESTED),
        "shown": len(
            {item.learning for body in bodies if isinstance(body, MemoryRecalled) for item in body.shown}
        ),
        "tried": tried,
        "search_s": round(attempt.duration_s, 2) if attempt else None,
        "edit": next((call.title for call in calls if call.name == "apply_patch"), ""),
    }


def tasks(pairs: int) -> list[tuple[str, int, tuple[str, str, str], str]]:
    """Give family, number, files and word of all tasks, the families in turn; the first of each teaches.

    A family is one function whose bug comes back, with other code before it and other numbers in it.
    """
    chances = [random.Random(name) for name in FAMILIES]
    return [
        (name, number, family(name, chance, word), word)
        for number in range(pairs + 1)
        for word, name, chance in zip(WORDS, FAMILIES, chances, strict=False)
    ]
