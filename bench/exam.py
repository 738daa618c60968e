"""Who tells right patches from wrong ones: hidden tests, a review, both, or neither.

    python bench/exam.py run --histories H --work W [--only NAME]   # measures, and keeps what it measured
    python bench/exam.py table                                      # recomputes the table from what is kept

Kept under `data/exam`: the set (`exam_set.py`), what models that saw neither the patch nor the tests of the
fix wrote as hidden tests from request and base (`hidden/`), what other models answered as reviewers of each
patch (`review/`), what the authors of red tests said of them (`withdrawn.json`), and what Setpoint measured
of each patch (`outcomes.jsonl`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from exam_set import DATA, Patch, Request, environment, laid, requests
from exam_table import by_language, rows, table
from trial_case import git

from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.model.evaluation import Stage
from setpoint.model.exam import Least
from setpoint.model.ids import Commit, StoryId, TraceId, sortable
from setpoint.model.proof import (
    HIDDEN,
    NOTHING_LOST,
    HiddenTest,
    HiddenTrial,
    ObligationState,
    Proof,
    ProofTerms,
    RunName,
    Vouched,
)
from setpoint.model.run import RunOrder
from setpoint.model.stories.story import KnownRed, Story
from setpoint.pipelines import load_pipeline
from setpoint.ports import Measured, WorkCopy
from setpoint.settings import SETTINGS_VERSION
from setpoint.wiring.project import Project, open_project
from setpoint.wiring.sandboxed_checks import held_checks
from setpoint.workspace.work_copy import GitWorkspace

OUTCOMES = DATA / "outcomes.jsonl"
CHEAP: tuple[RunName, ...] = ("nothing lost", "sabotage", "canary", "elsewhere", "same calls")
"""Runs that say nothing of hidden tests."""
Row = dict[str, Any]


class Bench(NamedTuple):
    """One project at its base, and what measures trees of it."""

    project: Project
    evaluator: ProjectEvaluator
    order: RunOrder
    copy: WorkCopy
    workspace: GitWorkspace


async def measured(request: Request, histories: Path, work: Path) -> list[Row]:
    """Measure all patches of a request: without anybody's exam, and by its hidden tests."""
    root = work / "trees" / request.name
    laid(histories, request, root, "[memory]\nrecall = false\nreflect = false\n")
    variables = environment(work, request, root)
    project = open_project(root, {"checks": checks_of(request, variables)})
    bench = await opened(project, request)
    async with held_checks(project, project.settings):
        await bench.evaluator.prepare(bench.order, bench.copy)
        at_base = Measured(bench.copy, bench.order.base, bench.copy.base_tree, Stage.BASE)
        await bench.evaluator.evaluate(bench.order, at_base)
        trial = await bench.evaluator.try_hidden(bench.order, bench.copy, written(project, request))
        return [await judged(bench, request, patch, trial, variables) for patch in request.patches]


def checks_of(request: Request, variables: Mapping[str, str]) -> dict[str, object]:
    """Return the settings with which a project is measured."""
    python = (
        {"python": str(Path(variables["VIRTUAL_ENV"]) / "bin" / "python")}
        if request.language == "python"
        else {}
    )
    return {**python, "bandit": False, "coverage": False}


async def opened(project: Project, request: Request) -> Bench:
    """Open a project as a run of the request does."""
    base, now = Commit(git(project.root, "rev-parse", "main").strip()), datetime.now(UTC)
    title, _, body = request.text.partition("\n")
    story = Story(id=StoryId("exam"), title=title, body=body, known_red=KnownRed.TOLERATE)
    order = RunOrder(
        trace_id=TraceId(sortable("exam", now)), root=str(project.root), base=base, story=story,
        pipeline=load_pipeline("change", project.root), weights=project.settings.weights,
        settings=project.settings.model_dump_json(exclude={"agent"}), settings_version=SETTINGS_VERSION,
        branch="", started_at=now,
    )  # fmt: skip
    workspace = GitWorkspace(project.folders)
    evaluator = ProjectEvaluator(project.settings, project.artifacts, project.folders, lambda *_: None)
    return Bench(project, evaluator, order, await workspace.open(order.trace_id, base), workspace)


def written(project: Project, request: Request) -> tuple[HiddenTest, ...]:
    """Return the hidden tests that were written for a request."""
    file = DATA / "hidden" / f"{request.name}.json"
    return tuple(
        HiddenTest(
            path=each["path"], source=project.artifacts.hide(each["text"]), behaviour=each["behaviour"],
            author="model",
        )
        for each in json.loads(file.read_text("utf-8"))["tests"]
    )  # fmt: skip


async def judged(
    bench: Bench, request: Request, patch: Patch, trial: HiddenTrial, variables: Mapping[str, str]
) -> Row:
    """Measure one patch."""
    root = bench.project.root
    commit = Commit(git(root, "rev-parse", patch.name).strip())
    await bench.workspace.restore(bench.copy, bench.order.base, shows=commit)
    tree = Measured(bench.copy, *await bench.workspace.preview(bench.copy), Stage.TEST)
    row: Row = {
        "request": request.name, "language": request.language, "patch": patch.name, "right": patch.right,
        "dropped": list(trial.dropped), "kept": [each.path for each in trial.kept],
    }  # fmt: skip
    now = await bench.evaluator.evaluate(bench.order, tree)
    row["against"] = [each.test for each in now.failures[:5]] + [
        each.message[:120] for each in now.blocking[:5]
    ]
    if not row["against"]:
        alone = await bench.evaluator.prove(bench.order, tree)
        # Tests that failed before are sent back once; no maker is here who could answer for them.
        left = tuple(test for each in alone.missing if each.name == NOTHING_LOST for test in each.evidence)
        if left:
            alone = await bench.evaluator.prove(bench.order, tree, Vouched(still_red=left))
        row |= {"neither": not alone.missing, "missing": told(alone), "word": str(alone.level)}
    if not now.failures:
        cheap = bench.order.model_copy(update={"proof": ProofTerms(without=CHEAP)})
        proof = await bench.evaluator.prove(cheap, tree, Vouched(hidden=trial.kept))
        row |= of_hidden(proof)
    row["oracle"] = passes(root, request, variables, commit)
    row["reproduced"] = reproduced(root, request, patch, variables)
    return row


def told(proof: Proof) -> list[str]:
    """Say what is not proved."""
    return [f"{each.name}: {each.reason[:200]}" for each in proof.missing]


def of_hidden(proof: Proof) -> Row:
    """Say what hidden tests make of a patch."""
    found = {each.name: each for each in proof.obligations}
    obligation = found.get(HIDDEN)
    if obligation is None:
        return {"hidden": "none", "red": [], "examined": proof.level is Least.HIDDEN}
    red = obligation.state is ObligationState.NOT_MET
    return {
        "hidden": str(obligation.state), "red": list(obligation.evidence) if red else [],
        "said": obligation.reason[:400], "examined": proof.level is Least.HIDDEN,
    }  # fmt: skip


def passes(root: Path, request: Request, variables: Mapping[str, str], commit: str) -> bool:
    """Whether the tests of the fix pass with a patch."""
    with tempfile.TemporaryDirectory(prefix="exam-") as place:
        tree = exported(root, commit, Path(place))
        for path in request.oracle:
            shown = subprocess.run(
                ["git", "show", f"{request.commit}:{path}"], cwd=root, capture_output=True, check=False
            )
            if shown.returncode == 0:
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                (tree / path).write_bytes(shown.stdout)
        return ran(request.test, tree, variables)


def reproduced(root: Path, request: Request, patch: Patch, variables: Mapping[str, str]) -> list[bool]:
    """Run each reproduction of a review on the patch; true where it fails there and a right one passes it."""
    found = []
    for each in review_of(request.name, patch.name)["findings"]:
        script = each.get("reproduction") or ""
        if each["severity"] in {"error", "critical"} and script:
            with tempfile.TemporaryDirectory(prefix="exam-") as place:
                tree = exported(root, patch.name, Path(place))
                found.append(not ran(script, tree, variables))
    return found


def exported(root: Path, commit: str, place: Path) -> Path:
    """Write a commit into a folder."""
    tree = place / "tree"
    git(root, "worktree", "add", "-q", "--detach", "--force", str(tree), commit)
    for made in git(root, "ls-files", "-o", "-i", "--exclude-standard", "*.py").splitlines():
        if "node_modules" not in made:  # written by the build, such as the version
            shutil.copy(root / made, tree / made)
    if (root / "node_modules").is_dir():
        (tree / "node_modules").symlink_to(root / "node_modules")
    return tree


def ran(command: str, tree: Path, variables: Mapping[str, str]) -> bool:
    """Whether a shell command exits with 0."""
    try:
        words = ["bash", "-c", command]
        environ = {**variables, "PYTHONPATH": f"{tree / 'src'}:{tree}"}
        done = subprocess.run(words, cwd=tree, env=environ, capture_output=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def review_of(request: str, patch: str) -> Row:
    """Return what a reviewer answered about a patch."""
    return dict(json.loads((DATA / "review" / f"{request}.{patch}.json").read_text("utf-8")))


def answered(request: Request) -> bool:
    """Whether models have answered everything about a request."""
    reviews = (DATA / "review" / f"{request.name}.{patch.name}.json" for patch in request.patches)
    return (DATA / "hidden" / f"{request.name}.json").exists() and all(each.exists() for each in reviews)


def main() -> int:
    """Measure the set, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("--histories", type=Path, default=Path("histories"), help="where clones are")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "setpoint-exam")
    parser.add_argument("--only", default="", help="a part of the name of requests")
    given = parser.parse_args()
    if given.what == "table":
        found = rows()
        print(table(found), by_language(found), sep="\n\n")
        return 0
    done = {row["request"] for row in rows()} if OUTCOMES.exists() else set()
    for request in requests(given.only):
        if request.name in done or not answered(request):
            continue
        made = asyncio.run(measured(request, given.histories.resolve(), given.work.resolve()))
        with OUTCOMES.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in made)
        for row in made:
            seen = (row.get("neither"), row.get("hidden"), row["oracle"], row["reproduced"])
            print(request.name, row["patch"], *seen, flush=True)
        shutil.rmtree(given.work / "trees" / request.name, ignore_errors=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
