"""Writing where an agent may have put links: no link is followed, whatever lies there."""

from __future__ import annotations

from pathlib import Path

import pytest

from setpoint.system.files.agent_folder import show_files


@pytest.mark.parametrize("planted", [".setpoint", ".setpoint/evidence", ".setpoint/evidence/a.txt"])
@pytest.mark.parametrize("kind", ["link", "file", "folder"])
def test_files_for_the_agent_never_leave_its_work_copy(tmp_path: Path, planted: str, kind: str) -> None:
    copy, other = tmp_path / "copy", tmp_path / "home"
    (other / "evidence").mkdir(parents=True)
    (other / "a.txt").write_text("the user's own")
    place = copy / planted
    place.parent.mkdir(parents=True)
    if kind == "link":
        place.symlink_to(other / "a.txt" if planted.endswith(".txt") else other)
    elif kind == "file":
        place.write_text("planted")
    else:
        (place / "inner").mkdir(parents=True)

    show_files(copy, "evidence", {"a.txt": "shown"}, only=True)

    assert (copy / ".setpoint/evidence/a.txt").read_text() == "shown"
    assert sorted(each.name for each in other.rglob("*")) == ["a.txt", "evidence"]
    assert (other / "a.txt").read_text() == "the user's own"
    assert [each.name for each in (copy / ".setpoint/evidence").iterdir()] == ["a.txt"]


def test_what_was_shown_before_goes_where_only_this_is_to_be_there(tmp_path: Path) -> None:
    show_files(tmp_path, "evidence", {"old.txt": "old"}, only=True)
    show_files(tmp_path, "evidence", {"more.txt": "more"}, only=False)
    assert len(list((tmp_path / ".setpoint/evidence").iterdir())) == 2
    show_files(tmp_path, "evidence", {"new.txt": "new"}, only=True)
    assert [each.name for each in (tmp_path / ".setpoint/evidence").iterdir()] == ["new.txt"]
