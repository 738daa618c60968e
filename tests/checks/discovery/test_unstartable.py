"""Whether what a command names is there, found out without a start."""

from __future__ import annotations

import os

import pytest

from checks.conftest import write
from setpoint.checks.discovery.unstartable import unstartable, unstartable_script

PATH = os.defpath


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("sh", "-c", "nosuch.sh"), ""),
        (("sh", "there.sh", "{prompt}"), ""),
        (("sh", "gone.sh"), "gone.sh does not exist; hint: correct the path"),
        (("./gone",), "./gone does not exist; hint: correct the path"),
        (("./there.sh",), "./there.sh may not be executed; hint: chmod +x ./there.sh"),
        (("nosuch-1",), "nosuch-1 is not on PATH; hint: install nosuch-1, or name it by its whole path"),
    ],
)
def test_a_command_is_looked_for_and_not_started(tmp_path, argv, said) -> None:
    write(tmp_path, {"there.sh": "exit 1\n"})

    assert unstartable(argv, PATH, tmp_path) == said


def test_the_programs_of_a_script_are_looked_for() -> None:
    assert unstartable_script("cd x && FOO=1 sh build.sh && ./made", PATH) == ""
    assert (
        unstartable_script("cd x && nosuch-1 -q", PATH) == "nosuch-1 is not on PATH; hint: install nosuch-1"
    )
    assert unstartable_script('"$TOOL" run', PATH) == "", "what a variable holds is not known"
