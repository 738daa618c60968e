"""The evidence of a run for others: attested, and made again from the record or from a statement."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from setpoint.checks.cache.eviction import forget
from setpoint.checks.discovery.layout import configuration
from setpoint.checks.judge import FullReport
from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.checks.tools.acceptance import PREFIX
from setpoint.checks.trees.checkout import remove
from setpoint.errors import RecordedDataError, UsageError
from setpoint.history.attestation.files import read_evidence, written
from setpoint.history.attestation.statements import (
    evidence_statement,
    final_evidence,
    recorded_of,
    subjects,
    suite_statement,
    suppressions_of,
)
from setpoint.history.replay import History, history
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Evaluation
from setpoint.model.events.run import RunStarted
from setpoint.model.evidence import TestReport
from setpoint.model.facts.releases import released
from setpoint.model.ids import Commit, StoryId, TraceId, Tree, sortable
from setpoint.model.reports.attestation import EvidenceStatement, ResourceDescriptor, Statement
from setpoint.model.run import RunOrder
from setpoint.model.stories.story import Story
from setpoint.phase import evidence_rerun
from setpoint.pipelines import load_pipeline
from setpoint.settings import Settings
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import ask, commit_of, tree_of
from setpoint.wiring.ordered_settings import ordered_settings, stated_settings
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import held_checks
from setpoint.workspace.snapshot_store import repository_of_run
from setpoint.workspace.work_copy import GitWorkspace

_MOST_COMMITS = 1000
_CONFIGURING = frozenset(("setpoint.toml", "conftest.py", "tests/conftest.py"))
"""Files that decide how tests run, beside those that configure tools."""
_SUITES = ("pytest", "unittest")
_LEFT = "left out: commands of a statement are run with --trust-commands alone"


class Verification(NamedTuple):
    """What came of making evidence again."""

    compared: tuple[evidence_rerun.Compared, ...]
    notes: tuple[str, ...] = ()
    """How the measuring differed from that which was recorded."""

    @property
    def agrees(self) -> bool:
        """Whether everything came out once more."""
        return all(each.agrees for each in self.compared)


def statement_lines(project: Project, trace_id: TraceId, predicate: str) -> str:
    """Write the statements of a finished run: `evidence` or `test-result`, or `all`, one a line."""
    if predicate == "all":
        return "\n".join(
            written(attest(project, trace_id, each), indent=None) for each in ("evidence", "test-result")
        )
    return written(attest(project, trace_id, predicate))


def attest(project: Project, trace_id: TraceId, predicate: str) -> Statement:
    """State what was measured of the tree that a finished run ended with: `evidence` or `test-result`."""
    events = project.log.replay(trace_id)
    recorded = final_evidence(events, trace_id)
    past = history(events)
    branch = past.outcome.branch if past.outcome else ""
    delivered = asyncio.run(_holding(project.root, recorded.tree, branch)) if branch else None
    about = subjects(recorded, branch, delivered)
    if predicate == "evidence":
        return evidence_statement(past, recorded, about)
    configuration = asyncio.run(_configuration(project, past, recorded))
    return suite_statement(recorded, _tests(project, recorded), configuration, about)


def verify_run(project: Project, trace_id: TraceId) -> Verification:
    """Run the evidence of a finished run again and compare."""
    events = project.log.replay(trace_id)
    recorded = final_evidence(events, trace_id)
    first = events[0].body
    if not isinstance(first, RunStarted):
        raise UsageError(f"{trace_id}: nothing is recorded of how it began", hint="begin a new run")
    return Verification(
        asyncio.run(_verified(project, released(first.order, events), recorded, history(events)))
    )


async def _verified(
    project: Project, order: RunOrder, recorded: Evaluation, past: History
) -> tuple[evidence_rerun.Compared, ...]:
    settings = ordered_settings(order)
    workspace = GitWorkspace(project.folders)
    evaluator = ProjectEvaluator(settings, project.artifacts, project.folders)
    branch = past.outcome.branch if past.outcome else ""
    recorded = await _reachable(project, order.trace_id, recorded, branch)
    proofs = [each.proof for each in past.rounds if each.snapshot.tree == recorded.tree]
    async with held_checks(project, settings):
        compared = await evidence_rerun.verify(order, recorded, workspace, evaluator, *proofs[-1:])
    if not branch:
        return compared
    commit = await commit_of(project.root, branch)
    # After accepted work comes a commit by Setpoint: the list of known issues.
    accepted = past.outcome is not None and past.outcome.ending is Ending.ACCEPTED
    now = await tree_of(project.root, f"{commit}~1" if accepted else commit) if commit else None
    return (evidence_rerun.branch_compared(recorded.tree, now), *compared)


async def _reachable(project: Project, trace: TraceId, recorded: Evaluation, branch: str) -> Evaluation:
    """Where the run's work copy was cleared away, take the delivered commit, which holds the same tree."""
    repository = repository_of_run(project.state, trace)
    if repository.is_dir() and await commit_of(repository, recorded.commit) is not None:
        return recorded
    delivered = await _holding(project.root, recorded.tree, branch) if branch else None
    if delivered is None:
        raise UsageError(
            f"the tree {recorded.tree} is gone: the run's work copy was removed, and no branch holds it",
            hint="fetch the delivered branch, or restore the state directory",
        )
    return recorded.model_copy(update={"commit": delivered})


def verify_statement(project: Project, file: Path, *, trust: bool) -> Verification:
    """Make the evidence of a statement again in this clone, from the commit or tree that it names.

    Commands that only the statement names are run where they are trusted, and left out otherwise.
    """
    try:
        statement = read_evidence(file.read_bytes(), str(file))
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", hint="name the file of a statement") from None
    return asyncio.run(_made_again(project, statement, trust=trust))


async def _made_again(project: Project, statement: EvidenceStatement, *, trust: bool) -> Verification:
    commit, tree = await _subject(project.root, statement)
    settings, notes = _settings(project.settings, statement, trust=trust)
    order = await _order(project, statement, settings, trust=trust)
    recorded = recorded_of(statement, commit, tree)
    workspace = GitWorkspace(project.folders)
    evaluator = ProjectEvaluator(settings, project.artifacts, project.folders)
    try:
        async with held_checks(project, settings):
            compared = await evidence_rerun.verify(order, recorded, workspace, evaluator)
    finally:
        await asyncio.to_thread(forget_order, project.folders, order.trace_id)
    if not trust:
        compared = tuple(
            each.model_copy(update={"notes": (_LEFT,)}) if _left_out(each, statement, settings) else each
            for each in compared
        )
    return Verification(compared, notes)


def _left_out(compared: evidence_rerun.Compared, statement: EvidenceStatement, settings: Settings) -> bool:
    """Whether a check is a command that the statement alone names."""
    named = statement.predicate.settings.get("check")
    foreign = set(named) - set(settings.check) if isinstance(named, dict) else set()
    return compared.check.startswith(PREFIX) or compared.check in foreign


async def _subject(root: Path, statement: EvidenceStatement) -> tuple[Commit, Tree]:
    """Find what a statement is about in this repository: the commit it names, or any with its tree."""
    named, tree = statement.digest("gitCommit"), Tree(statement.digest("gitTree"))
    commit = await commit_of(root, named) if named else None
    if commit is None and tree:
        commit = await _holding(root, tree, "--all")
    if commit is None:
        raise UsageError(
            f"{root}: holds neither the commit {named or '(none)'} nor the tree {tree or '(none)'}",
            hint="fetch the delivered branch: git fetch origin",
        )
    held = await tree_of(root, commit)
    if tree and held != tree:
        raise UsageError(
            f"the statement contradicts itself: commit {commit} holds the tree {held}, not {tree}",
            hint="create the statement again; the file was changed",
        )
    return commit, held


async def _holding(root: Path, tree: str, where: str) -> Commit | None:
    """Find the newest commit with a tree, on a branch or on all of them."""
    words = ("log", f"--max-count={_MOST_COMMITS}", "--format=%H %T", where, "--")
    answer = await ask(root, *words)
    found = (line.split() for line in answer.text.splitlines()) if answer.ok else iter(())
    return next((Commit(commit) for commit, held in found if held == tree), None)


async def _order(
    project: Project, statement: EvidenceStatement, settings: Settings, *, trust: bool
) -> RunOrder:
    ledger = statement.predicate
    base = (ledger.base.digest or {}).get("gitCommit", "")
    if not base or await commit_of(project.root, base) is None:
        raise UsageError(
            f"{project.root}: does not hold the commit {base or '(none named)'} that the work started from",
            hint="fetch it, for example with: git fetch --unshallow",
        )
    now = datetime.now(UTC)
    story = Story(
        id=StoryId(ledger.story.id),
        title=ledger.story.title,
        acceptance=ledger.story.acceptance if trust else (),
        protected=ledger.story.protected,
        may_change=ledger.story.may_change,
        integrity=ledger.story.integrity,
        known_red=ledger.story.known_red,
    )
    return RunOrder(
        trace_id=TraceId(sortable("verify", now)),
        root=str(project.root),
        base=Commit(base),
        story=story,
        pipeline=load_pipeline("change", project.root),
        weights=settings.weights,
        settings=settings.model_dump_json(exclude={"agent", "database"}),
        quarantine=ledger.quarantine,
        suppressed=suppressions_of(statement),
        branch=f"{settings.branch_prefix}{story.id}",
        started_at=now,
    )


def _settings(
    own: Settings, statement: EvidenceStatement, *, trust: bool
) -> tuple[Settings, tuple[str, ...]]:
    """Return the settings to measure with; those of a statement name programs, so they have to be trusted."""
    told = {name: value for name, value in statement.predicate.settings.items() if isinstance(value, dict)}
    ours = json.loads(own.model_dump_json())
    told["checks"] = {**told.get("checks", {}), "python": own.checks.python}
    differing = [
        f"{table}.{key}"
        for table, values in told.items()
        for key in sorted({*values, *ours.get(table, {})})
        if values.get(key) != ours.get(table, {}).get(key)
    ]
    if not differing:
        return own, ()
    if not trust:
        return own, (f"measured with this clone's settings, which differ in {', '.join(differing)}",)
    return stated_settings(own, told), ()


def forget_order(folders: ProjectFolders, trace: TraceId) -> None:
    """Take the places away in which a statement was verified."""
    remove(folders, trace)
    for folder in (folders.copies / "work", folders.state / "snapshots"):
        for place in folder.glob(f"{trace}*"):
            shutil.rmtree(place, ignore_errors=True)
    for record in (folders.state / "seen").glob(f"{trace}.*"):
        record.unlink(missing_ok=True)
    forget(folders.state, trace)


def _tests(project: Project, recorded: Evaluation) -> TestReport | None:
    if recorded.report is None:
        return None
    try:
        full = FullReport.model_validate_json(project.artifacts.read(recorded.report))
    except ValidationError as error:
        raise RecordedDataError(f"the full report {recorded.report} cannot be read: {error}") from None
    return next((each.tests for each in full.results if each.evidence.check in _SUITES), None)


async def _configuration(
    project: Project, past: History, recorded: Evaluation
) -> tuple[ResourceDescriptor, ...]:
    """Name the command of the tests and the files of the tree that configure it."""
    evidence = recorded.evidence_of("pytest") or recorded.evidence_of("unittest")
    command = json.dumps(list(evidence.argv) if evidence else []).encode()
    parts = [
        ResourceDescriptor(
            name="command", content=base64.b64encode(command).decode(), media_type="application/json"
        )
    ]
    repositories: Sequence[Path] = (project.root, repository_of_run(project.state, past.trace_id))
    for repository in repositories:
        answer = await ask(repository, "ls-tree", "-r", "-z", "--full-tree", recorded.tree)
        if answer.ok:
            listed = [line.partition("\t") for line in answer.text.split("\0") if line]
            blobs = {path: entry.split()[2] for entry, _, path in listed}
            named = {*configuration(tuple(blobs)), *(_CONFIGURING & blobs.keys())}
            parts += [
                ResourceDescriptor(name=path, digest={"gitBlob": blobs[path]}) for path in sorted(named)
            ]
            break
    return tuple(parts)
