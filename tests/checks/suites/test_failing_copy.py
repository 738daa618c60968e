"""The copy of a tree in which every file fails when it is loaded."""

import subprocess
import sys

import pytest

from setpoint.checks.suites.failing_copy import failing_copy

MAIN = "import sys\n\n\n{0}if __name__ == '__main__':\n    print(2)\n    sys.exit(0)\n"


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
