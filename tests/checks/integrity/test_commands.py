"""Which files of the tree a command runs, read as a shell reads it."""

from __future__ import annotations

import pytest

from setpoint.checks.integrity.paths.commands import run_by


@pytest.mark.parametrize(
    ("command", "scripts"),
    [
        ("""node -e 'import("./src/shop.js").then(m => process.exit(m.total()))'""", []),
        ("sh scripts/check.sh; python tools/verify.py --all", ["scripts/check.sh", "tools/verify.py"]),
        ("cat <<END\nsh a.sh\nEND\nbash ci/test.sh", ["ci/test.sh"]),
        ("sh -c 'cd app && ./check.sh'", ["app/check.sh"]),
        ('test "$(sh scripts/count.sh)" = 3', ["scripts/count.sh"]),
        ("MODE=1 timeout 5 python checks/all.py > out.txt 2>&1", ["checks/all.py"]),
        ("""python -I -c "print(1); import shop" tests/shop.py""", []),
        ("bash -e ci/test.sh", ["ci/test.sh"]),
        ("python checks/all.py -c", ["checks/all.py"]),
        ("python -m pytest tests/test_shop.py", []),
        ("grep -q 'x; sh y.sh' notes.txt", []),
        ("./verify.sh > shown.sh", ["verify.sh"]),
    ],
)
def test_scripts_of_a_command_are_told_from_what_stands_in_quotes(command, scripts):
    assert sorted(run_by([command], {})) == scripts
