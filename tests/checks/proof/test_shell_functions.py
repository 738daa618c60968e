"""Functions in shell are sabotaged as those of other languages are."""

import subprocess

import pytest

from setpoint.checks.proof.sensitivity.shell_functions import changed_in_shell
from setpoint.model.proof import ObligationState

MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
BASE = "# sums\nhalf() {\n    echo $(($1 / 2))\n}\n"
THIRD = BASE + "third() {\n    echo $(($1 / 3))\n}\n"
HIDDEN = THIRD + "fourth() {\n    echo 5\n}\n"
TEST = '. ./lib.sh\nif [ "$(third 9)" != 3 ]; then\n    echo "third of 9"\n    exit 1\nfi\necho ok\n'
FILES = {"lib.sh": BASE, "test/third.sh": TEST, "Makefile": "test:\n\tsh test/third.sh\n"}
WORDS = "Add third to lib.sh: it prints the third of a number"


@pytest.mark.parametrize(
    ("lib", "state", "words"),
    [(THIRD, MET, "1 of 1 changed functions"), (HIDDEN, NOT_MET, "lib.sh::fourth")],
    ids=["noticed", "not entered"],
)
async def test_a_command_has_to_notice_changed_functions(obligations, lib, state, words):
    said = await obligations(FILES, {"lib.sh": lib}, WORDS)

    assert said["sensitivity"].state is state, said["sensitivity"].reason
    assert words in said["sensitivity"].reason
    assert "sensitivity of other languages" not in said


WRITTEN = """\
half() { echo 1; }
function third {
    if true; then
        { echo 2; }
    fi
}
fourth ()
{
    fifth() {
        echo 5
    }
    fifth
}
"""


def test_functions_are_found_as_shells_read_them():
    found, outside = changed_in_shell("lib.sh", None, WRITTEN.encode())
    assert [each.name for each in found] == ["half", "third", "fourth"]
    assert not outside
    assert changed_in_shell("lib.sh", WRITTEN.encode(), WRITTEN.encode()) == ((), False)


@pytest.mark.parametrize(("more", "outside"), [("# said\n\n", False), ("PATH=/other\n", True)])
def test_what_is_outside_functions_is_named(more, outside):
    assert changed_in_shell("lib.sh", BASE.encode(), (more + BASE).encode()) == ((), outside)


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_each_sabotage_is_understood_and_leaves_its_mark(tmp_path, shell):
    text = "third() { echo 3; }\nthird\n"
    (function,), _ = changed_in_shell("lib.sh", None, text.encode())
    said = []
    for number, sabotage in enumerate(function.sabotages.values()):
        mark = tmp_path / f"mark {number}"
        (tmp_path / "lib.sh").write_bytes(function.sabotaged(text.encode(), sabotage, mark))
        done = subprocess.run([shell, "lib.sh"], cwd=tmp_path, capture_output=True, text=True, check=False)
        said.append((done.returncode, done.stdout.strip(), done.stderr, mark.exists()))
    assert said == [(97, "", "", True), (0, "", "", True), (1, "7919", "", True)]
