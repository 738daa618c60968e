"""The board of a repository: files and runs together, and what a person may change."""

import asyncio
import subprocess
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from model.examples import EXAMPLES, OUTCOME
from setpoint.app.runs import worker_pool
from setpoint.app.runs.board import (
    add_story,
    earlier_runs,
    find_card,
    list_cards,
    set_keys,
    story_folder,
    story_path,
)
from setpoint.app.runs.worker_pool import StoryOutcome, WorkerPool, work_through
from setpoint.errors import ExitCode, StoryError, UsageError
from setpoint.model.config.limits import BoardLimits
from setpoint.model.ending import Ending
from setpoint.model.events.run import GateOpened, PhaseBounce, RunFinished
from setpoint.model.gate import Choice
from setpoint.model.stories.board import ActionKind
from setpoint.model.stories.story import Status
from setpoint.stories.story_file import read_file
from setpoint.system.files.locks import RunLocks
from setpoint.wiring.project import open_project


@pytest.fixture
def project(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    made = open_project(tmp_path)
    yield made
    made.store.close()


def write(project, name, text):
    path = story_folder(project).folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_a_new_story_is_ready_and_the_same_again_is_the_same(project):
    story, path = add_story(project, "Mend the cart\n\nIt creaks.", priority=7, acceptance=["make check"])
    assert add_story(project, "Mend the cart\n\nIt creaks.") == (story, path)
    assert (story.priority, story.acceptance, story.body) == (7, ("make check",), "It creaks.")
    found = find_card(project, "mend-the-cart")
    assert (found.status, found.action.kind) == (Status.READY, ActionKind.START)
    assert add_story(project, "Later", status="backlog")[1] == story_path(project, "later")
    assert [(each.id, each.action.kind) for each in list_cards(project)] == [
        ("mend-the-cart", ActionKind.START),
        ("later", ActionKind.REST),
    ]


def test_a_story_without_words_is_refused(project):
    with pytest.raises(UsageError, match="needs a title"):
        add_story(project, "  \n ")


def test_a_run_whose_record_is_damaged_does_not_hide_the_other_stories(project):
    """A number without end was written as null once, and cannot be read again."""
    ended, damaged = RunFinished(outcome=OUTCOME), PhaseBounce.model_construct()
    for name, bodies in (("sound", [ended]), ("broken", [damaged, ended]), ("asked", [damaged])):
        story, _ = add_story(project, name)
        order = EXAMPLES["run.started"].order
        run = order.model_copy(update={"trace_id": f"run-{name}", "story": story})
        project.log.append(
            run.trace_id, "all", [EXAMPLES["run.started"].model_copy(update={"order": run}), *bodies]
        )
    found = {each.id: each for each in list_cards(project)}
    assert set(found) == {"sound", "broken", "asked"}
    assert found["sound"].status == Status.DONE
    for name in ("broken", "asked"):
        one = found[name]
        assert (one.status, one.action.kind, one.title) == (Status.BLOCKED, ActionKind.LOOK, name)
        assert f"event 2 of run-{name}" in one.fault
        assert find_card(project, name) == one


def test_a_file_that_is_no_story_does_not_hide_the_others(project):
    write(project, "good.md", "---\ntitle: Good\n---\n")
    write(project, "bad.md", "---\ntitle: [\n---\n")
    write(project, "worse.md", "---\ntitle: T\nrefinement_count: many\n---\n")
    found = {each.id: each for each in list_cards(project)}
    assert found["good"].action.automatic
    assert "bad.md:3: not valid YAML: " in found["bad"].fault
    assert "; hint: correct the line" in found["bad"].fault
    assert "refinement_count" in found["worse"].fault
    assert {found[name].action.kind for name in ("bad", "worse")} == {ActionKind.LOOK}


def test_two_files_with_one_id_are_both_blocked(project):
    write(project, "one.md", "---\nid: same\ntitle: One\n---\n")
    write(project, "two.md", "---\nid: same\ntitle: Two\n---\n")
    assert [(each.status, each.action.automatic) for each in list_cards(project)] == [
        (Status.BLOCKED, False)
    ] * 2
    assert "same" in list_cards(project)[0].fault


def test_keys_are_set_and_the_rest_stays(project):
    path = write(project, "cart.md", "---\ntitle: Cart # short\nx-mine: 1\n---\nBody\n")
    set_keys(project, "cart", ("priority=5", "acceptance=[make check, make test]", "status=backlog"))
    assert path.read_text("utf-8") == (
        "---\ntitle: Cart # short\nx-mine: 1\npriority: 5\nacceptance:\n  - make check\n  - make test\n"
        "status: backlog\n---\nBody\n"
    )
    set_keys(project, "cart", ("acceptance=", "status="))
    assert path.read_text("utf-8") == "---\ntitle: Cart # short\nx-mine: 1\npriority: 5\n---\nBody\n"


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        ((), "nothing to set"),
        (("priority",), "sets nothing"),
        (("last_run=run-1",), "not a settable key"),
        (("id=other",), "not a settable key"),
        (("acceptance=[",), "not valid YAML"),
    ],
)
def test_wrong_assignments_say_what_can_be_set(project, assignments, message):
    write(project, "cart.md", "---\ntitle: Cart\n---\n")
    with pytest.raises(UsageError, match=message) as refused:
        set_keys(project, "cart", assignments)
    assert refused.value.hint


def test_a_wrong_value_leaves_the_file_alone(project):
    path = write(project, "cart.md", "---\ntitle: Cart\n---\n")
    with pytest.raises(StoryError, match="status"):
        set_keys(project, "cart", ("status=flying",))
    assert path.read_text("utf-8") == "---\ntitle: Cart\n---\n"


def test_an_unknown_story_is_named(project):
    with pytest.raises(UsageError, match="no story is called 'nothing'"):
        find_card(project, "nothing")


def worked(code, cost="0"):
    return StoryOutcome(
        story="s", did="start", exit_code=code, status="done", reason="it broke", cost_usd=cost
    )


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ([worked(3), worked(0), worked(3)], ""),
        ([worked(0), worked(3), worked(3)], "the agent broke in 2 stories running: it broke"),
        ([worked(0), worked(11)], ""),
    ],
)
def test_an_agent_that_breaks_twice_running_is_not_tried_on_the_others(project, before, expected):
    pool = WorkerPool(project, BoardLimits(), (), lambda story, line: None, worked=before)
    assert pool._so_far(()).broken == expected


@pytest.mark.parametrize(
    ("codes", "expected"),
    [((), 0), ((0, 0), 0), ((0, 12), 12), ((10, 12), 10), ((10, 11), 11), ((11, 3), 3), ((4, 2), 4)],
)
def test_the_exit_code_is_that_of_the_worst(codes, expected):
    from setpoint.app.runs.worker_pool import BoardOutcome

    assert BoardOutcome(worked=tuple(worked(code) for code in codes)).exit_code is ExitCode(expected)


def a_run(project, name="run-1", *, digest="", finished=None):
    """Record a run of the story `cart`, unfinished unless an ending is given."""
    started = EXAMPLES["run.started"]
    order = started.order.model_copy(
        update={
            "trace_id": name,
            "story": started.order.story.model_copy(update={"id": "cart"}),
            "story_digest": digest,
        }
    )
    project.log.append(name, "run", (started.model_copy(update={"order": order}),))
    if finished is not None:
        outcome = OUTCOME.model_copy(update={"trace_id": name, "ending": finished})
        project.log.append(name, "finish", (RunFinished(outcome=outcome),))


def test_a_new_run_is_told_of_the_one_before(project):
    path = write(project, "cart.md", "---\ntitle: Cart\n---\n")
    assert earlier_runs(project, read_file(path)) == ()
    a_run(project)
    assert "run-1 of this story is not finished" in earlier_runs(project, read_file(path))[0]
    with RunLocks(project.state).held("run-1"):
        assert "under way: run-1" in earlier_runs(project, read_file(path))[0]
        assert find_card(project, "cart").action.kind is ActionKind.WAIT
        with pytest.raises(UsageError, match="works on it"):
            set_keys(project, "cart", ("status=done",))
    a_run(project, "run-2", digest=read_file(path).digest, finished=Ending.VERIFIED)
    assert earlier_runs(project, read_file(path)) == ()
    set_keys(project, "cart", ("title=Cart and till",))
    assert earlier_runs(project, read_file(path)) == ("the story was edited since run-2",)
    assert find_card(project, "cart").edited


def test_a_persons_word_after_a_run_counts_and_is_about_that_run(project):
    path = write(project, "cart.md", "---\ntitle: Cart\nstatus: ready\nlast_run: run-0\n---\n")
    a_run(project, finished=Ending.STOPPED)
    assert find_card(project, "cart").status is Status.BLOCKED  # the file is older than the run
    with pytest.raises(UsageError, match="its run run-1 says whether it is in_review"):
        set_keys(project, "cart", ("status=in_review",))
    set_keys(project, "cart", ("status=ready",))
    assert read_file(path).record.last_run == "run-1"
    assert find_card(project, "cart").action.kind is ActionKind.START
    set_keys(project, "cart", ("status=done",))
    assert find_card(project, "cart").action.kind is ActionKind.REST


@pytest.mark.parametrize(("hours", "kind"), [(1, ActionKind.ANSWER), (-1, ActionKind.THINK)])
def test_a_question_whose_time_is_up_needs_nobody(project, hours, kind):
    write(project, "cart.md", "---\ntitle: Cart\n---\n")
    a_run(project)
    deadline = datetime.now(UTC) + timedelta(hours=hours)
    gate = EXAMPLES["gate.requested"].gate.model_copy(update={"deadline": deadline, "default": Choice.CANCEL})
    project.log.append("run-1", "gate", (GateOpened(gate=gate),))
    assert find_card(project, "cart").action.kind is kind


def test_two_who_work_off_the_board_do_not_take_the_same_story(project):
    write(project, "cart.md", "---\ntitle: Cart\n---\n")
    with RunLocks(project.state).held("story-cart"):
        outcome = work_through(project, BoardLimits(), (), lambda story, line: None)
    assert (outcome.worked, [each.id for each in outcome.left]) == ((), ["cart"])


@pytest.mark.parametrize("recorded", [True, False])
def test_a_story_whose_file_goes_away_ends_no_other(project, monkeypatch, recorded):
    gone, _ = (write(project, f"{name}.md", f"---\ntitle: {name}\n---\n") for name in ("cart", "till"))
    ended = []

    async def works(command, on_line):
        if any("cart" in word for word in command.argv):
            if recorded:
                a_run(project, finished=Ending.VERIFIED)
            gone.unlink()
        else:
            for _ in range(20):  # still at work when the other one is told
                await asyncio.sleep(0)
            ended.append("till")
        return SimpleNamespace(exit_code=0, ok=True, ending="")

    monkeypatch.setattr(worker_pool, "run", works)
    outcome = work_through(project, BoardLimits(jobs=2), (), lambda story, line: None)

    assert ended == ["till"]
    told = {each.story: each for each in outcome.worked}
    assert set(told) == {"cart", "till"}
    assert (told["cart"].run, told["cart"].status) == (("run-1", "done") if recorded else (None, "ready"))
    assert ("no story is called" in told["cart"].reason) is not recorded


def test_a_story_whose_file_is_gone_is_not_taken_up(project, monkeypatch):
    path = write(project, "cart.md", "---\ntitle: Cart\n---\n")
    known = list_cards(project)
    path.unlink()
    monkeypatch.setattr(worker_pool, "list_cards", lambda _: known)
    assert work_through(project, BoardLimits(), (), lambda story, line: None).worked == ()
