"""Let scripted makers mend seeded bugs, and write down what each run teaches, for judges to read.

    python bench/lessons.py [--runs 60] > learnings.jsonl

One line of JSON for each learning, and one for each run that teaches nothing: the facts of the run (the
story, what is true of it, what each round wrote, how it ended) beside the learning. Tests and ruff run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lessons_cases import Case, cases

from setpoint.model.attempt import Attempt, Brief, ToolCall
from setpoint.model.config.limits import Limits
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import Cause, Failure, Frame
from setpoint.model.finding import Category, Finding, Fix, Severity
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.run import RunOrder
from setpoint.model.stories.story import KnownRed, Story
from setpoint.phase import loop
from setpoint.ports import Measured, Observer
from setpoint.testing import Act, ListMemory, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator, evaluation

PLUGIN = """
import json, os
found = []
def pytest_exception_interact(node, call, report):
    frames = [(str(each.path), each.lineno + 1, each.name) for each in call.excinfo.traceback]
    kind = call.excinfo.type
    error = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    found.append((node.nodeid, error, str(call.excinfo.value).splitlines()[:1], frames))
def pytest_sessionfinish():
    open(os.environ["FOUND"], "w").write(json.dumps(found))
"""
CATEGORY = {"S": Category.SECURITY, "B": Category.CORRECTNESS}


class Checks(ScriptedEvaluator):
    """Runs pytest and ruff on the files as they are, once for each tree; all else is scripted to be well."""

    seen: dict[str, Scene] = {}

    async def evaluate(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Measure the work copy."""
        del order
        root = Path(measured.copy.path)
        if measured.tree not in self.seen:
            red, found = await asyncio.to_thread(lambda: (_red(root), _refused(root)))
            self.seen = {**self.seen, measured.tree: Scene(failing=red, findings=found)}
        return evaluation(measured.stage, measured.commit, measured.tree, self.seen[measured.tree])

    async def without(
        self, order: RunOrder, measured: Measured, changes: Sequence[str], tests: tuple[str, ...]
    ) -> tuple[frozenset[str] | None, ...]:
        """Run the tests on the tree, each time without one of its changes."""
        del order
        return tuple(
            [await asyncio.to_thread(_without, measured.copy.path, change, tests) for change in changes]
        )


def _without(root: str, change: str, tests: tuple[str, ...]) -> frozenset[str] | None:
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["cp", "-r", f"{root}/.", place], check=True)
        words = ["patch", "-R", "-p1", "-s"]
        done = subprocess.run(words, input=change, text=True, cwd=place, capture_output=True, check=False)
        red = {each.test for each in _red(Path(place))} if done.returncode == 0 else set()
        return frozenset(red & set(tests)) if done.returncode == 0 else None


def _red(root: Path) -> tuple[Failure, ...]:
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "teller.py").write_text(PLUGIN)
        report = Path(place) / "found.json"
        subprocess.run(
            [sys.executable, "-B", "-m", "pytest", "-q", "-p", "teller", "-p", "no:cacheprovider", "tests"],
            cwd=root, env={"PYTHONPATH": place, "PATH": "/usr/bin:/bin", "FOUND": str(report)},
            capture_output=True, check=False,
        )  # fmt: skip
        found = json.loads(report.read_text()) if report.exists() else []  # it could not even begin
    return tuple(_failure(root, *each) for each in found)


def _failure(
    root: Path, test: str, error: str, message: list[str], frames: list[tuple[str, int, str]]
) -> Failure:
    inside = [
        Frame(file=Path(path).relative_to(root).as_posix(), line=line, function=name)
        for path, line, name in frames if Path(path).is_relative_to(root)
    ]  # fmt: skip
    deep = next((each for each in reversed(inside) if not each.file.startswith("tests/")), None)
    cause = Cause.ASSERTION if error == "AssertionError" else Cause.RUNTIME
    told = f"{error}: {''.join(message)}"
    place = deep or Frame(file=test.partition("::")[0], line=1)
    return Failure(
        test=test,
        cause=cause,
        message=told,
        error=error,
        file=place.file,
        line=place.line,
        frames=tuple(inside),
    )


def _refused(root: Path) -> tuple[Finding, ...]:
    words = ["check", "--isolated", "--select", "S602,F,B", "--output-format", "json", "shop"]
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *words], cwd=root, capture_output=True, text=True, check=False
    )
    return tuple(
        Finding(source="ruff", rule=each["code"], severity=Severity.ERROR, message=each["message"],
                category=CATEGORY.get(each["code"][0], Category.STYLE), line=each["location"]["row"],
                file=Path(each["filename"]).relative_to(root).as_posix(),
                fix=Fix(description="", edits=(), safe=(each["fix"] or {}).get("applicability") == "safe"))
        for each in json.loads(done.stdout or "[]")
    )  # fmt: skip


class Reviewer(ScriptedAgent):
    """Objects where a file does not hold what a case asks for."""

    def __init__(self, case: Case) -> None:
        super().__init__(name="critic")
        self._case = case

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Review."""
        found = [
            {"severity": "error", "category": "correctness", "message": message, "file": path, "line": 1}
            for needle, path, message in self._case.objections
            if needle not in (Path(brief.workdir) / path).read_text()
        ]
        said = {"decision": "request_changes" if found else "approve", "findings": found}
        self.acts = (*self.acts, Act(text=json.dumps(said)))
        return await super().attempt(brief, observer)


async def told(number: int, case: Case, folder: Path) -> list[dict[str, object]]:
    """Do one run in a memory of its own; give its lines."""
    memory = ListMemory()
    calls = tuple(
        ToolCall(id=f"c{place}", name="bash", kind="execute", title=text, ok=ok, result_hash=str(place))
        for place, (text, ok) in enumerate(case.calls)
    )
    acts = [Act(edits=each, calls=() if place else calls) for place, each in enumerate(case.rounds)]
    harness = RunHarness(
        agent=ScriptedAgent(*acts), evaluator=Checks(), reviewer=Reviewer(case), folder=folder,
        files=case.files,
        limits=Limits(max_iterations=len(acts)), memory=memory,
        story=Story(id=StoryId("task"), title=case.title, known_red=KnownRed.FIX),
    )  # fmt: skip
    order = harness.order(trace_id=TraceId(f"run-{number}"))
    outcome = await loop.drive(order, harness.ports(), harness.durable)
    facts: dict[str, object] = {
        "story": case.title,
        "case": case.name,
        "truth": case.truth,
        "ending": str(outcome.ending),
    }
    facts |= {"base": case.files, "rounds": case.rounds, "calls": case.calls}
    learnings = [each.learning for each in memory.standings()]
    return [
        {
            "run": number,
            "facts": facts,
            "learning": {"kind": str(each.kind), "title": each.title, "body": each.body} if each else None,
        }
        for each in learnings or (None,)
    ]


def main() -> None:
    """Write all lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        for number, case in enumerate(cases(given.runs)):
            for line in asyncio.run(told(number, case, Path(place) / str(number))):
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
