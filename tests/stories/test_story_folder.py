"""Stories in their folder: found by id or name, and changed without losing anything, by several at once."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from setpoint.errors import StoryError
from setpoint.stories.story_file import new_story, read_file
from setpoint.stories.story_folder import StoryFolder
from setpoint.stories.story_notes import CLOSING, OPENING, with_notes, without_notes
from setpoint.system.files.locks import locked_file

TEXT = "---\n# mine\nid: cart\ntitle:  'Mend the cart'   # short\nx-assignee: me\n---\n\nBody.\n"


def a_story_folder(tmp_path, text=TEXT, name="the-cart.md"):
    folder = tmp_path / "stories"
    folder.mkdir()
    (folder / name).write_bytes(text.encode())
    return StoryFolder(folder, tmp_path / "state"), folder / name


def test_a_story_is_found_by_its_id_and_by_its_file(tmp_path):
    stories, path = a_story_folder(tmp_path)
    (path.parent / ".hidden.md").write_text("no story")
    assert stories.paths() == (path,)
    assert (
        stories.find("cart")
        == stories.find("the-cart")
        == stories.find("the-cart.md")
        == stories.find(str(path))
        == path
    )
    assert stories.find("other") is None
    assert stories.find("../stories/the-cart.md") is None
    assert stories.find("a long wish " * 200) is None
    assert StoryFolder(tmp_path / "nowhere", tmp_path).paths() == ()
    assert stories.holds(path)
    assert not stories.holds(tmp_path / "else.md")


def test_all_but_the_key_stays_as_it_is(tmp_path):
    stories, path = a_story_folder(tmp_path)
    path.chmod(0o664)

    file = stories.change(path, {"status": "ready"})

    assert path.read_bytes().decode() == TEXT.replace("x-assignee: me\n", "x-assignee: me\nstatus: ready\n")
    assert path.stat().st_mode & 0o777 == 0o664
    assert str(file.record.status) == "ready"
    before = path.stat().st_mtime_ns
    stories.change(path, {"status": "ready"})
    assert path.stat().st_mtime_ns == before  # nothing to do, nothing written


def test_a_link_stays_a_link(tmp_path):
    stories, path = a_story_folder(tmp_path)
    link = path.parent / "link.md"
    link.symlink_to(path)
    stories.change(link, {"priority": 5})
    assert link.is_symlink()
    assert read_file(path).story.priority == 5


def test_a_change_that_makes_no_story_is_refused_and_nothing_is_written(tmp_path):
    stories, path = a_story_folder(tmp_path)
    with pytest.raises(StoryError, match="key 'priority'"):
        stories.change(path, {"priority": "high"})
    assert path.read_bytes().decode() == TEXT


def test_a_folder_that_cannot_be_written_says_so(tmp_path):
    stories, path = a_story_folder(tmp_path)
    path.unlink()
    with pytest.raises(StoryError, match="cannot be read as a story"):
        stories.change(path, {"priority": 1})


COUNTING = """
import sys
from pathlib import Path
from setpoint.system.files.locks import locked_file
from setpoint.stories.story_folder import StoryFolder
from setpoint.stories.story_file import new_story, read_file

path, key = Path(sys.argv[1]), sys.argv[2]
stories = StoryFolder(path.parent, path.parent.parent / "state")
for number in range(20):
    stories.change(path, {key: number}, flush=False)
"""


def test_processes_that_change_one_story_lose_nothing(tmp_path):
    _, path = a_story_folder(tmp_path)
    src = str(Path(sys.modules["setpoint"].__file__).parents[1])
    running = [
        subprocess.Popen([sys.executable, "-c", COUNTING, str(path), key], env={"PYTHONPATH": src})
        for key in ("x-one", "x-two", "x-three")
    ]
    assert [each.wait() for each in running] == [0, 0, 0]
    assert path.read_bytes().decode().count(": 19\n") == 3


NOTES = "## Research\n\nFound."


def test_notes_come_and_go_and_leave_the_wish_alone():
    body = "\nWanted.\n\n---\n\nMore.\n"
    noted = with_notes(body, NOTES, "\n")
    assert noted.startswith(body)
    assert without_notes(noted) == body
    again = with_notes(noted, "## Plan\n\nDo.", "\n")
    assert again.count(OPENING) == again.count(CLOSING) == 1
    assert "Found." not in again
    assert with_notes(again, "", "\n") == body
    assert with_notes("no end", NOTES, "\n").startswith("no end\n\n" + OPENING)


def test_words_below_the_notes_stay():
    noted = with_notes("Wanted.\n", NOTES, "\n") + "\nWritten later.\n"
    assert without_notes(with_notes(noted, "## Plan\n\nDo.", "\n")) == "Wanted.\n\nWritten later.\n"


def test_notes_take_the_line_ends_of_the_file(tmp_path):
    stories, path = a_story_folder(tmp_path, "---\r\ntitle: T\r\n---\r\n\r\nB.\r\n")
    file = stories.change(path, {"status": "ready"}, notes=NOTES)
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")
    assert file.story.body == "B."


def test_setpoints_own_keys_and_notes_do_not_change_what_is_asked_for(tmp_path):
    stories, path = a_story_folder(tmp_path)
    before = read_file(path).digest
    assert stories.change(path, {"status": "done", "plan_complete": True}, notes=NOTES).digest == before
    assert stories.change(path, {"priority": 7}).digest != before


def test_new_stories_are_written_one_after_the_other(tmp_path):
    stories = StoryFolder(tmp_path / "stories", tmp_path / "state")
    with ThreadPoolExecutor(1) as other:
        with locked_file(tmp_path / "state" / "locks" / "new-story.lock"):
            waits = other.submit(stories.new, "Fix it\n\nthe till")
            with pytest.raises(TimeoutError):
                waits.result(timeout=0.1)
            assert stories.paths() == ()
            new_story(stories.folder, "Fix it\n\nthe cart")
        _, path = waits.result()
    assert (path.name, len(stories.paths())) == ("fix-it-2.md", 2)
