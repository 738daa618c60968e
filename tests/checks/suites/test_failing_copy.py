"""The copy of a tree in which every file fails when it is loaded."""

import subprocess
import sys

import pytest

from setpoint.checks.suites.failing_copy import failing_copy

MAIN = "import sys\n\n\n{0}if __name__ == '__main__':\n    print(2)\n    sys.exit(0)\n"


def test_a_program_in_shell_fails_before_it_has_done_its_work(tmp_path):
    (tmp_path / "tree/bin").mkdir(parents=True)
    (tmp_path / "tree/bin/half").write_text('#!/bin/sh\necho "$1"\n', "utf-8")
    (tmp_path / "tree/lib.sh").write_text("half() {\n  echo 4\n}\n", "utf-8")

    assert failing_copy(tmp_path / "tree", tmp_path / "copy", "")

    done = subprocess.run(
        ["sh", "bin/half", "8"], cwd=tmp_path / "copy", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (97, "")
    assert (tmp_path / "copy/lib.sh").read_text("utf-8").endswith("exit 97\n")


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (MAIN.format(""), False),
        (MAIN.format("") + "\n# the end\n", False),
        (MAIN.format("sys.exit(0)\n"), True),
    ],
    ids=["a program", "a comment after it", "it ends well when it is loaded"],
)
def test_a_program_fails_before_its_main_part_ends_it(tmp_path, text, passes):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/half.py").write_text(text, "utf-8")

    assert failing_copy(tmp_path / "tree", tmp_path / "copy", "")

    done = subprocess.run(
        [sys.executable, "half.py"], cwd=tmp_path / "copy", capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) is passes
    assert done.stdout == ""
