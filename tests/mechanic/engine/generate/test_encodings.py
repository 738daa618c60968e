from probe.reach.test_reach import project


def test_tests_are_written_for_a_file_with_a_mark_and_for_one_in_latin_1(tmp_path, cover):
    root = project(tmp_path / "project")

    assert cover(root, "marked.py", "marked", wall_s=4.0).status == "written"
    assert cover(root, "western.py", "western", wall_s=4.0).status == "written"
