"""Measure how soon the loop notices that it gets no nearer: rounds wasted after the last gain.

    python bench/goals.py [--runs 60] [--before COMMIT] [--only KIND] [--real]

Makers without a model improve, wander, oscillate, degrade or stall, by a seed. The loop is the real one, over
fakes of the library, and the tests of a small package really run on each state, inside this process; with
`--real` pytest and all checks of Setpoint judge real clones, which takes many times as long. With `--before`
the same makers run against the guards of an older commit too. A round gains where fewer tests fail than in
every state before it; every round behind the last gain is wasted. A maker that improves ends verified unless
a guard stops it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import Failure
from setpoint.model.exam import Least
from setpoint.model.ids import Commit, StoryId
from setpoint.model.proof import ProofTerms
from setpoint.model.run import RunOrder
from setpoint.model.stories.story import KnownRed, Story
from setpoint.ports import Measured, RunPorts
from setpoint.presets.check_settings import ChecksSettings, FailuresSettings
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.testing import (
    Act,
    FolderWorkspace,
    RunHarness,
    Scene,
    ScriptedAgent,
    ScriptedEvaluator,
    evaluation,
    failure,
)
from setpoint.workspace.work_copy import GitWorkspace

KINDS = ("improves", "wanders", "oscillates", "degrades", "stalls")
PARTS = ("area", "total", "label", "share", "order", "split")
"""Functions of the package; each has a test."""
ROUNDS = 10
"""Rounds that a maker can play; the loop allows fewer."""
OFF = dict.fromkeys(("coverage", "mypy", "bandit", "ruff"), False)
TESTS = "import pack\n\n" + "\n\n".join(
    f"def test_{part}():\n    assert pack.{part}(2) == {number + 5}" for number, part in enumerate(PARTS)
)

State = tuple[int, ...]
"""What each function is off by; 0 where it is right."""


def source(state: State, remark: str = "") -> str:
    """Return the package in a state."""
    parts = [
        f"def {part}(value):\n    return value + {number + 3 + off}\n"
        for number, (part, off) in enumerate(zip(PARTS, state, strict=True))
    ]
    return "\n\n".join([*parts, f"# {remark}\n" if remark else ""]).rstrip() + "\n"


@dataclass(frozen=True)
class Maker:
    """A maker without a model: the states that it leaves, round by round."""

    kind: str
    way: str
    base: State
    states: tuple[State, ...]
    remarks: tuple[str, ...]

    @property
    def acts(self) -> tuple[Act, ...]:
        """What it does in each round."""
        pairs = zip(self.states, self.remarks, strict=True)
        return tuple(Act(edits={"pack/__init__.py": source(state, remark)}) for state, remark in pairs)


def maker(kind: str, seed: int) -> Maker:
    """Return the maker of a kind for a seed."""
    chance = random.Random(f"{kind}-{seed}")
    wrong = chance.sample(range(len(PARTS)), 3 if kind != "improves" else 2 + seed % 2)
    base = tuple(chance.choice((1, 2, 3)) if place in wrong else 0 for place in range(len(PARTS)))
    way, states = _improving(chance, base, wrong, seed) if kind == "improves" else ("", [])
    if kind != "improves":
        gains = seed % 3
        for step in range(gains):
            base_now = states[-1] if states else base
            states.append(_with(base_now, wrong[step], 0))
        rest = _LOST[kind](chance, states[-1] if states else base, seed)
        way = f"{gains} gains, then {next(rest)}"
        states += [next(rest) for _ in range(ROUNDS - gains)]
    same = kind == "stalls" or (kind == "oscillates" and seed % 2 == 0)
    remarks = ["" if same else f"attempt {number}" for number in range(1, len(states) + 1)]
    return Maker(kind, way, base, tuple(states), tuple(remarks))


def _with(state: State, place: int, off: int) -> State:
    return (*state[:place], off, *state[place + 1 :])


def _other(chance: random.Random, state: State) -> State:
    """Return the state with other wrong values: as many tests fail, each in another way."""
    return tuple(chance.choice([each for each in range(1, 90) if each != off]) if off else 0 for off in state)


def _improving(
    chance: random.Random, base: State, wrong: Sequence[int], seed: int
) -> tuple[str, list[State]]:
    """Mend one function in every first, second or third round; other values are tried between."""
    pace = 1 + seed % 3
    pace = 2 if pace == 3 and len(wrong) == 3 else pace  # the loop ends after seven rounds by itself
    states, now = [], base
    for place in wrong:
        for _ in range(pace - 1):
            now = _other(chance, now)
            states.append(now)
        now = _with(now, place, 0)
        states.append(now)
    return f"one test every {pace} rounds", states


def _wandering(chance: random.Random, now: State, seed: int) -> Iterator[Any]:
    swaps = seed % 2 == 1
    yield "breaks one test and mends another" if swaps else "tries other values"
    while True:
        now = _other(chance, now)
        if swaps:
            right = chance.choice([place for place, off in enumerate(now) if not off])
            red = chance.choice([place for place, off in enumerate(now) if off])
            now = _with(_with(now, red, 0), right, 7)
        yield now


def _oscillating(chance: random.Random, now: State, seed: int) -> Iterator[Any]:
    yield "goes to and fro" + ("" if seed % 2 == 0 else " with other remarks")
    other = _other(chance, now)
    while True:
        yield other
        yield now


def _degrading(chance: random.Random, now: State, seed: int) -> Iterator[Any]:
    del seed
    yield "breaks one more test each round"
    while True:
        right = [place for place, off in enumerate(now) if not off]
        now = _with(now, chance.choice(right), 5) if right else _other(chance, now)
        yield now


def _stalling(chance: random.Random, now: State, seed: int) -> Iterator[Any]:
    del chance, seed
    yield "changes nothing"
    while True:
        yield now


_LOST = {"wanders": _wandering, "oscillates": _oscillating, "degrades": _degrading, "stalls": _stalling}


@dataclass(kw_only=True)
class Stage(RunHarness):
    """The real loop over fakes, with real work copies and checks."""

    root: Path
    head: str

    def order(self, **changes: Any) -> RunOrder:  # noqa: ANN401 - any field of a RunOrder
        """Return the order, about the repository."""
        return super().order(
            root=str(self.root), base=Commit(self.head), started_at=datetime.now(UTC), **changes
        )

    def ports(self) -> RunPorts:
        """Return the ports, with a real workspace."""
        return super().ports()._replace(workspace=self.clones)

    clones: Any = None
    """The workspace."""


def git(root: Path, *words: str) -> str:
    """Run git in a repository."""
    named = ("-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *named, *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def repository(root: Path, base: State) -> str:
    """Make the small package with its tests; return the base commit."""
    for path, text in {
        "pack/__init__.py": source(base),
        "tests/test_pack.py": TESTS + "\n",
        "conftest.py": "",
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    return git(root, "rev-parse", "HEAD")


class RunTests(ScriptedEvaluator):
    """Runs the tests of the package in this process, on the files of the commit that is asked about."""

    def __init__(self, workspace: FolderWorkspace) -> None:
        """Take the workspace that holds the commits."""
        super().__init__()
        self._files = workspace.files

    async def evaluate(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Return what fails; every test reaches the one file that changes, so each stage runs all of them."""
        red = failing(self._files(measured.commit)["pack/__init__.py"].decode())
        scene = Scene(failing=red, passed=len(PARTS) - len(red))
        return evaluation(measured.stage, measured.commit, measured.tree, scene, order.weights)


def failing(text: str) -> tuple[Failure, ...]:
    """Run every test on the source of the package; return those that fail, as pytest would name them."""
    made: dict[str, Any] = {}
    exec(compile(text, "pack/__init__.py", "exec"), made)
    return tuple(
        failure(f"tests/test_pack.py::test_{part}", f"assert {value} == {number + 5}")
        for number, part in enumerate(PARTS)
        if (value := made[part](2)) != number + 5
    )


class NoForge:
    """Delivers nowhere: what is measured here is when a run ends."""

    async def deliver(self, *_: object, **__: object) -> str:
        """Return the name of no branch."""
        return "bench"


def harness(plan: Maker, folder: Path, real: str) -> RunHarness:
    """Return the run of a maker; `real` is the interpreter of the checks, empty for tests in this process."""
    named: dict[str, Any] = {
        "agent": ScriptedAgent(*plan.acts),
        "folder": folder / "fakes",
        "story": Story(id=StoryId("pack"), title="Make the tests pass", known_red=KnownRed.FIX),
        "proof": ProofTerms(least=Least.SELF, seconds=1, without=("elsewhere",)),
        "limits": Limits(max_cost_usd=Decimal(0), max_wall_s=100_000),
    }
    if not real:
        stage = RunHarness(
            evaluator=ScriptedEvaluator(), files={"pack/__init__.py": source(plan.base)}, **named
        )
        stage.evaluator = RunTests(stage.workspace)
        return stage
    root = folder / "work"
    root.mkdir()
    head = repository(root, plan.base)
    folders = ProjectFolders(root, root / ".setpoint", folder / "copies")
    folders.state.mkdir()
    settings = Settings(
        checks=ChecksSettings.model_validate({"python": real, "reruns": 0, **OFF}),
        failures=FailuresSettings(localise_s=0),
    )
    evaluator = ProjectEvaluator(settings, Artifacts(folders.state / "artifacts"), folders)
    return Stage(evaluator=evaluator, root=root, head=head, clones=GitWorkspace(folders), **named)


async def played(plan: Maker, folder: Path, real: str) -> dict[str, Any]:
    """Run a maker to the end of its run; return what was spent and wasted."""
    stage = harness(plan, folder, real)
    stage.forge = NoForge()  # type: ignore[assignment]
    outcome = await stage.drive()
    used = len(stage.agent.briefs)  # type: ignore[attr-defined]
    reds = [sum(map(bool, state)) for state in (plan.base, *plan.states[:used])]
    gains = [place for place in range(1, len(reds)) if reds[place] < min(reds[:place])]
    return {
        "kind": plan.kind,
        "way": plan.way,
        "rounds": used,
        "red": reds,
        "wasted": used - max(gains, default=0),
        "ending": str(outcome.ending),
        "guard": outcome.halt.guard if outcome.halt else "",
        "stopped": plan.kind == "improves" and outcome.ending is not Ending.VERIFIED,
    }


def one(asked: tuple[str, int], real: str) -> dict[str, Any]:
    """Play the maker of a kind and seed in a folder of its own."""
    kind, seed = asked
    with tempfile.TemporaryDirectory(prefix="bench-goals-") as folder:
        return {"seed": seed, **asyncio.run(played(maker(kind, seed), Path(folder), real))}


def every(runs: int, only: str, real: str) -> list[dict[str, Any]]:
    """Play all makers."""
    asked = [(kind, seed) for kind in KINDS if only in kind for seed in range(runs // len(KINDS))]
    return [one(each, real) for each in asked]


def at_commit(commit: str, words: Sequence[str]) -> list[dict[str, Any]]:
    """Play the same makers against the code of another commit."""
    here = Path(__file__).resolve()
    with tempfile.TemporaryDirectory(prefix="bench-goals-") as folder:
        tree = Path(folder) / "tree"
        git(here.parent.parent, "worktree", "add", "-q", "--detach", str(tree), commit)
        try:
            done = subprocess.run(
                [sys.executable, str(here), "--json", *words],
                env={**os.environ, "PYTHONPATH": str(tree / "src")},
                check=True,
                capture_output=True,
                text=True,
            )
        finally:
            git(here.parent.parent, "worktree", "remove", "--force", str(tree))
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def table(name: str, told: Sequence[dict[str, Any]]) -> None:
    """Print rounds and waste by kind."""
    print(f"\n{name}\n{'kind':<12}{'runs':>5}{'rounds':>8}{'wasted: median':>16}{'most':>6}  guards")
    lost = [each for each in told if each["kind"] != "improves"]
    kinds = {kind: [each for each in told if each["kind"] == kind] for kind in KINDS}
    for kind, own in {**kinds, "lost": lost, "all": told}.items():
        if not own:
            continue
        wasted = [each["wasted"] for each in own]
        guards = sorted({each["guard"] or each["ending"] for each in own}) if kind in KINDS else []
        rounds = sum(each["rounds"] for each in own)
        median, named = statistics.median(wasted), ", ".join(guards)
        print(f"{kind:<12}{len(own):>5}{rounds:>8}{median:>16g}{max(wasted):>6}  {named}")
    print(f"improving runs stopped: {sum(each['stopped'] for each in told)}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60, help="runs of all kinds together")
    parser.add_argument("--before", default="", help="a commit whose guards are measured too")
    parser.add_argument("--only", default="", help="kinds that contain this word")
    parser.add_argument("--real", action="store_true", help="judge real clones by all checks of Setpoint")
    parser.add_argument("--json", action="store_true", help="print each run")
    asked = parser.parse_args()
    words = ["--runs", str(asked.runs), "--only", asked.only, *(["--real"] if asked.real else [])]
    if asked.before:
        table(f"before ({asked.before})", at_commit(asked.before, words))
    told = every(asked.runs, asked.only, sys.executable if asked.real else "")
    if asked.json:
        print(json.dumps(told))
        return
    table("now", told)
    for each in told:
        end = each["guard"] or each["ending"]
        print(f"  {each['kind']} {each['seed']}: {each['way']}; failing {each['red']}; {end}")


if __name__ == "__main__":
    main()
