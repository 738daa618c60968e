"""A run keeps its story's file up to date, and goes on where that cannot be done."""

import yaml

from setpoint.model.ids import TraceId
from setpoint.stories.front_matter import taken_apart
from setpoint.stories.story_file import read_file
from setpoint.stories.story_folder import StoryFolder
from setpoint.stories.story_writer import ObservedLog, StoryWriter, story_notices
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator


async def driven(tmp_path, text="---\ntitle: Make it work # mine\n---\n\nPlease.\n", between=None):
    """Drive a run that is sent back once; gives the states of its file and the order."""
    folder = tmp_path / "stories"
    folder.mkdir()
    path = folder / "work.md"
    path.write_text(text, "utf-8")
    stories = StoryFolder(folder, tmp_path / "state")
    acts = [Act(edits={"src/work.py": f"value = {number}\n"}) for number in (1, 2)]
    scenes = ScriptedEvaluator(Scene(failing=("t::a",)), Scene(), base=Scene(failing=("t::a", "t::b")))
    harness = RunHarness(agent=ScriptedAgent(*acts), evaluator=scenes, folder=tmp_path / "work")
    order = harness.order(story_file=str(path), story_digest=read_file(path).digest)
    writer, states = StoryWriter(stories, order, ()), []

    def after(event):
        if between is not None:
            between(event, path)
        writer.take(event)
        if path.exists():
            states.append(taken_apart(path.read_text("utf-8")).front)

    harness.log = ObservedLog(harness.log, lambda body: None, after, 0)
    await harness.drive()
    return path, order, states


async def test_the_file_tells_how_the_run_stands(tmp_path):
    path, order, states = await driven(tmp_path)

    told = [yaml.safe_load(state) for state in dict.fromkeys(states)]

    assert [each.get("status") for each in told] == [
        "in_progress", "in_progress", "in_progress", "in_review", "rework", "in_review", "in_review", "done",
    ]  # fmt: skip
    rework = next(each for each in told if each["status"] == "rework")
    assert (rework["plan_complete"], rework["implement_complete"]) == (True, False)
    assert (rework["refinement_count"], rework["refinement_iterations"][0]["result"]) == (1, "in_progress")
    assert told[-1]["refinement_iterations"][0]["result"] == "passed"
    assert "last_error" not in told[-1]
    assert all(state.startswith("title: Make it work # mine\n") for state in states)
    text = path.read_text("utf-8")
    assert "\nPlease.\n" in text
    assert "## Plan" in text
    assert read_file(path).story.body == "Please."
    assert story_notices(order) == ()


async def test_a_run_goes_on_without_its_file(tmp_path):
    path, order, _ = await driven(tmp_path, between=lambda event, path: path.unlink(missing_ok=True))
    assert not path.exists()
    assert "is gone" in story_notices(order)[0]


async def test_a_file_that_cannot_be_read_for_a_while_is_written_later(tmp_path):
    good = "---\ntitle: Make it work # mine\n---\n\nPlease.\n"

    def between(event, path):
        if event.seq == 2:
            path.write_text("---\ntitle: [\n---\n", "utf-8")
        if event.body.kind == "run.finished":
            path.write_text(good, "utf-8")

    path, order, _ = await driven(tmp_path, good, between)
    assert str(read_file(path).record.status) == "done"
    assert story_notices(order) == ()


async def test_an_edit_is_noticed_and_kept(tmp_path):
    def between(event, path):
        if event.seq == 4:
            path.write_text(path.read_text("utf-8") + "\nMore.\n", "utf-8")

    path, order, _ = await driven(tmp_path, between=between)
    assert "edited while the run worked" in story_notices(order)[0]
    assert "\nMore.\n" in path.read_text("utf-8")


async def test_a_story_from_elsewhere_is_left_alone(tmp_path):
    order = RunHarness(agent=ScriptedAgent(), evaluator=ScriptedEvaluator(Scene()), folder=tmp_path).order()
    assert order.trace_id == TraceId("run-1")
    assert story_notices(order) == ()
