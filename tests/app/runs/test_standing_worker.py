"""A worker that stays: its record over a restart, the files of stories, the forge beside it, its report."""

import asyncio
import subprocess
from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace

import pytest

from setpoint.app.forge import flow
from setpoint.app.runs import shift_record, standing_worker, worker_pool
from setpoint.app.runs.shift_record import ShiftRecord
from setpoint.app.runs.standing_worker import StandingWorker, only_worker
from setpoint.app.runs.story_paths import story_files
from setpoint.app.views.night import report_since, shift_report
from setpoint.errors import UsageError
from setpoint.model.config.limits import BoardLimits
from setpoint.system.files.locks import RunLocks
from setpoint.testing import ManualClock
from setpoint.wiring.project import open_project

GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@localhost")


@pytest.fixture
def project(tmp_path):
    subprocess.run([*GIT, "init", "-q", "-b", "main", str(tmp_path)], check=True)
    for name in ("app/cart.py", "app/till.py", "docs/cart.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n", "utf-8")
    subprocess.run([*GIT, "add", "-A"], cwd=tmp_path, check=True)
    subprocess.run([*GIT, "commit", "-qm", "base"], cwd=tmp_path, check=True)
    made = open_project(tmp_path)
    yield made
    made.store.close()


def story(project, name, keys="", body=""):
    path = project.state / "stories" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"---\ntitle: {name}\n{keys}---\n{body}\n", "utf-8")


class HourlyClock(ManualClock):
    """Time that passes by the hour: a day is over after a few looks."""

    async def sleep(self, _seconds):
        await super().sleep(3600)


def worker(project, clock=None, **limits):
    heard = []
    made = StandingWorker(
        project,
        BoardLimits(**limits),
        (),
        lambda name, text: heard.append(f"{name}{text}"),
        clock or HourlyClock(),
    )
    return made, heard


def ends_after(monkeypatch, made, most):
    """Let runs end at once, and the worker after so many of them."""
    begun = []

    async def run(command, on_line):
        begun.append(command.argv[-1].rpartition("/")[2])
        if len(begun) == most:
            made.stop()
        return SimpleNamespace(exit_code=0, ok=True, ending="")

    monkeypatch.setattr(worker_pool, "run", run)
    return begun


@pytest.mark.parametrize(
    ("keys", "body", "files"),
    [
        ("", "Correct app/cart.py, and not docs/none.md.", {"app/cart.py"}),
        ('acceptance: ["python ./app/till.py --all"]\n', "", {"app/till.py"}),
        ('may_change: ["app"]\n', "", {"app/cart.py", "app/till.py"}),
        ('may_change: ["*.md"]\n', "", {"docs/cart.md"}),
        ("base: nowhere\n", "app/cart.py", set()),
        ("", "All of it.", set()),
    ],
)
def test_a_story_is_about_the_files_that_it_names(project, keys, body, files):
    story(project, "cart", keys, body)
    assert story_files(project, "cart") == files
    assert story_files(project, "gone") == frozenset()


def test_a_story_is_also_about_what_its_last_branch_changes(project):
    for words in (
        ("checkout", "-qb", "setpoint/cart"),
        ("rm", "-q", "docs/cart.md"),
        ("commit", "-qm", "less"),
    ):
        subprocess.run([*GIT, *words], cwd=project.root, check=True)
    subprocess.run([*GIT, "checkout", "-q", "main"], cwd=project.root, check=True)
    story(project, "cart", "branch: setpoint/cart\n")
    assert story_files(project, "cart") == {"docs/cart.md"}


def test_what_a_killed_worker_spent_counts_for_the_next_one(project, monkeypatch):
    spent = {"cart": Decimal(1)}
    monkeypatch.setattr(shift_record, "spent_on", lambda _, name: spent[name])
    first = ShiftRecord(project, ManualClock())
    first.count("2026-01-01", "cart", taken=True)
    spent["cart"] = Decimal(3)
    second = ShiftRecord(project, ManualClock()).read()
    assert second.cost(second.of("2026-01-01")) == 2
    second.count("2026-01-02", "cart", taken=True)
    spent["cart"] = Decimal("3.5")
    second.count("2026-01-02", "cart", taken=False)
    spent["cart"] = Decimal(100)  # by a person, by day
    third = ShiftRecord(project, ManualClock()).read()
    assert [third.cost(third.of(f"2026-01-0{day}")) for day in (1, 2)] == [2, Decimal("0.5")]


def test_a_standing_worker_begins_within_the_hours_alone(project, monkeypatch):
    story(project, "cart")
    clock = HourlyClock(datetime(2026, 1, 1, 12).astimezone(UTC))
    made, heard = worker(project, clock, hours="22:00-07:00")
    begun = ends_after(monkeypatch, made, 1)
    asyncio.run(made.work())
    assert begun == ["cart.md"]
    assert heard[0] == "outside of the hours 22:00-07:00 (board.hours)"
    (taking,) = made.record.takings
    assert (taking.shift, f"{taking.at.astimezone():%H:%M}") == ("2026-01-01", "22:00")


def test_a_story_that_changes_nothing_is_tried_again_in_the_next_shift_alone(project, monkeypatch):
    story(project, "cart")
    made, heard = worker(project)
    begun = ends_after(monkeypatch, made, 2)
    asyncio.run(made.work())
    assert begun == ["cart.md", "cart.md"]
    assert len({each.shift for each in made.record.takings}) == 2
    assert "nothing is ready: 1 story waits for the next shift" in heard
    assert any(each.endswith("hint: setpoint work report") for each in heard)


def test_the_forge_is_brought_in_step_after_a_run_unless_another_process_does_so(project, monkeypatch):
    story(project, "cart")
    settings = project.settings.model_copy(
        update={"forge": project.settings.forge.model_copy(update={"kind": "github", "poll_s": 1e9})}
    )
    made, heard = worker(project._replace(settings=settings))
    synced = []

    async def syncs(_project, _say, _own):
        synced.append(len(made.record.takings))

    monkeypatch.setattr(standing_worker, "sync_if_free", syncs)
    ends_after(monkeypatch, made, 2)
    asyncio.run(made.work())
    assert synced == [0, 1]
    with RunLocks(project.state).held("forge"):
        asyncio.run(flow.sync_if_free(project, lambda *said: heard.append(said)))
    asyncio.run(flow.sync_if_free(project, lambda *said: heard.append(said)))
    assert "forge" in heard[-1][1]


def test_one_worker_works_in_a_repository(project):
    with only_worker(project), pytest.raises(UsageError, match=r"process \d+ works through the board"):
        only_worker(project).__enter__()


def test_a_report_needs_a_worker_and_a_time(project):
    assert shift_report(project) is None
    with pytest.raises(UsageError, match="no worker has worked"):
        report_since(project, "")
    ShiftRecord(project, ManualClock()).note("2026-01-01", ("cart",))
    with pytest.raises(UsageError, match="'yesterday' is not a time"):
        report_since(project, "yesterday")
    assert report_since(project, "2025-12-01").came == ("cart",)
    assert report_since(project, "2026-01-03").came == ()
    report = report_since(project, "")
    assert (report.shift, report.headline) == (
        "2026-01-01",
        "0 stories worked on, 0 with a branch, 0 wait for you, $0.00 in this shift",
    )
