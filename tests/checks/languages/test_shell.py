"""Functions of shell that a change adds or changes, and how they are sabotaged."""

import subprocess

import pytest

from setpoint.checks.languages.shell.language import Shell

SHELL = Shell()
BASE = "# sums\nhalf() {\n    echo $(($1 / 2))\n}\n"
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
    code = SHELL.changed("lib.sh", None, WRITTEN.encode())
    assert [each.name for each in code.functions] == ["half", "third", "fourth"]
    assert not code.unread
    assert SHELL.changed("lib.sh", WRITTEN.encode(), WRITTEN.encode()).functions == ()


@pytest.mark.parametrize(
    ("before", "after", "unread"),
    [
        (BASE, f"# said\n\n{BASE}", ()),
        (BASE, f"PATH=/other\n{BASE}", ("lib.sh",)),
        (f"set -e\n{BASE}", BASE, ("lib.sh",)),
    ],
)
def test_what_is_outside_functions_is_named(before, after, unread):
    code = SHELL.changed("lib.sh", before.encode(), after.encode())
    assert (code.functions, code.unread) == ((), unread)


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_each_sabotage_is_understood_and_leaves_its_mark(tmp_path, shell):
    text = b"third() { echo 3; }\nthird\n"
    (function,) = SHELL.functions("lib.sh", text)
    said = []
    for number, sabotage in enumerate((*function.sabotages.values(), function.harmless)):
        mark = tmp_path / f"mark {number}"
        (tmp_path / "lib.sh").write_bytes(function.sabotaged(text, sabotage, mark))
        done = subprocess.run([shell, "lib.sh"], cwd=tmp_path, capture_output=True, text=True, check=False)
        said.append((done.returncode, done.stdout.strip(), done.stderr, mark.exists()))
    assert said == [(97, "", "", True), (0, "", "", True), (1, "7919", "", True), (0, "3", "", True)]
