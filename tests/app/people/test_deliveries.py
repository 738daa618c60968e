"""What git shows of delivered work: taken as it was, changed by people first, or taken back."""

import asyncio
from datetime import UTC, datetime

import pytest

from model.examples import ORDER, OUTCOME
from setpoint.app.people.deliveries import observe_deliveries
from setpoint.model.ending import Ending
from setpoint.model.events.people import DeliveryFate
from setpoint.model.events.run import RunFinished, RunStarted
from setpoint.model.ids import TraceId
from setpoint.ports import Appendix, WorkCopy
from setpoint.wiring.project import open_project
from setpoint.workspace.delivery import GitBranchForge
from setpoint.workspace.work_copy import GitWorkspace
from workspace.repository import commit_all, git, repository

RUN = TraceId("run-0delivered")
BRANCH = "setpoint/x"
NOTED = f"Known issues of: X\n\nSetpoint-Run: {RUN}\n"


@pytest.fixture
def project(tmp_path):
    opened = open_project(repository(tmp_path / "project"))
    yield opened
    opened.store.close()


async def delivered(project, *, accepted=False, message=f"X\n\nSetpoint-Run: {RUN}\n"):
    """Record a finished run and deliver its work as a run does."""
    root = project.root
    base = git(root, "rev-parse", "HEAD")
    order = ORDER.model_copy(
        update={"trace_id": RUN, "root": str(root), "base": base, "started_at": datetime.now(UTC)}
    )
    ending = Ending.ACCEPTED if accepted else Ending.VERIFIED
    outcome = OUTCOME.model_copy(update={"trace_id": RUN, "ending": ending, "branch": BRANCH})
    bodies = [RunStarted(order=order, workdir=str(root)), RunFinished(outcome=outcome)]
    project.log.append(RUN, "all", bodies)
    workspace = GitWorkspace(project.folders)
    copy: WorkCopy = await workspace.open(RUN, base)
    git(root, "checkout", "-q", "-b", "made")
    (root / "calc.py").write_text("a = 2\n")
    commit = commit_all(root, "made")
    git(root, "checkout", "-q", "main")
    git(copy.path, "fetch", "-q", str(root), commit)
    debts = Appendix("TECH_DEBT.md", "# Debts\n", "- one\n", message=NOTED) if accepted else None
    name = await GitBranchForge(root).deliver(copy, commit, BRANCH, message=message, appendix=debts)
    assert name == BRANCH


def deliver(project, **how):
    asyncio.run(delivered(project, **how))


def fates(project):
    return {each.body.fate: each.body for each in observe_deliveries(project)}


def on_main(root, name="other.py"):
    (root / name).write_text("o = 1\n")
    return commit_all(root, "on main")


def on_branch(root, name="calc.py", text="a = 3\n"):
    git(root, "checkout", "-q", BRANCH)
    (root / name).write_text(text)
    commit_all(root, "by hand")
    git(root, "checkout", "-q", "main")


@pytest.mark.parametrize("forward", [True, False])
def test_accepted_work_with_its_debts_is_merged_as_it_was(project, forward):
    deliver(project, accepted=True)
    git(project.root, "merge", "-q", *([] if forward else ["--no-ff"]), "-m", "merged", BRANCH)
    assert list(fates(project)) == [DeliveryFate.MERGED]


def test_a_branch_brought_up_to_date_from_main_was_changed_by_nobody(project):
    deliver(project)
    root = project.root
    on_main(root)
    git(root, "checkout", "-q", BRANCH)
    git(root, "merge", "-q", "--no-edit", "main")
    git(root, "checkout", "-q", "main")
    on_main(root, "more.py")
    git(root, "merge", "-q", "--no-ff", "-m", "merged", BRANCH)
    on_main(root, "later.py")
    assert list(fates(project)) == [DeliveryFate.MERGED]


@pytest.mark.parametrize("forward", [True, False])
def test_what_people_changed_on_the_branch_is_told_without_what_came_from_main(project, forward):
    deliver(project)
    root = project.root
    on_main(root)
    on_branch(root)
    git(root, "checkout", "-q", BRANCH)
    git(root, "merge", "-q", "--no-edit", "main")
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", *([] if forward else ["--no-ff"]), "-m", "merged", BRANCH)
    git(root, "branch", "-q", "-D", *([] if forward else [BRANCH]), "made")
    found = fates(project)
    assert list(found) == [DeliveryFate.EDITED]
    assert found[DeliveryFate.EDITED].files == ("calc.py",)
    assert "+a = 3" in found[DeliveryFate.EDITED].diff


def test_what_is_done_on_main_after_the_merge_is_no_change_of_the_delivery(project):
    deliver(project)
    root = project.root
    git(root, "merge", "-q", "--no-ff", "-m", "merged", BRANCH)
    on_main(root)
    git(root, "branch", "-q", "-f", BRANCH, "main")
    assert list(fates(project)) == [DeliveryFate.MERGED]


def test_a_squash_that_quotes_the_work_further_in_is_seen_and_its_revert_too(project):
    deliver(project)
    root = project.root
    git(root, "merge", "-q", "--squash", BRANCH)
    git(root, "commit", "-q", "--no-edit")
    assert f"\n    Setpoint-Run: {RUN}" in git(root, "log", "-1", "--format=%B")
    assert list(fates(project)) == [DeliveryFate.MERGED]
    git(root, "revert", "--no-edit", "HEAD")
    assert list(fates(project)) == [DeliveryFate.REVERTED]


def test_the_revert_of_the_merge_that_brought_the_work_takes_it_back(project):
    deliver(project, accepted=True)
    root = project.root
    on_main(root)
    git(root, "merge", "-q", "--no-ff", "-m", "merged", BRANCH)
    on_main(root, "later.py")
    assert list(fates(project)) == [DeliveryFate.MERGED]
    git(root, "revert", "--no-edit", "-m", "1", "HEAD~1")
    assert list(fates(project)) == [DeliveryFate.REVERTED]


def test_the_revert_of_another_merge_or_of_the_noted_debts_takes_nothing_back(project):
    deliver(project, accepted=True)
    root = project.root
    git(root, "merge", "-q", "--no-ff", "-m", "merged", BRANCH)
    git(root, "checkout", "-q", "-b", "other")
    on_main(root)
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", "--no-ff", "-m", "another", "other")
    git(root, "revert", "--no-edit", "-m", "1", "HEAD")
    git(root, "revert", "--no-edit", BRANCH)
    assert list(fates(project)) == [DeliveryFate.MERGED]
