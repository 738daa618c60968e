"""Tests in shell: what they load leaves their words what they were."""

import shutil
import subprocess

import pytest

from setpoint.checks.proof.instrument.shell_words import asking, differences, words_in
from setpoint.model.proof import ObligationState

MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
COMPARES = """\
#!/bin/bash
. ./lib.sh
failures=0
check() {
    if ! diff <(echo "$1") <(echo "$2") >/dev/null; then
        failures=$((failures + 1))
    fi
}
check "$(half 8)" 4
check "$(half 10)" 5
exit "$failures"
"""
HONEST = "half() {\n  echo $(($1 / 2))\n}\n"
FALSE = "half() {\n  echo $(($1 + 1))\n}\n"
TITLE = "Fix half in lib.sh: it does not halve"


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("lib", "title", "words"),
    [
        (f"{FALSE}diff() {{ true; }}\n", TITLE, "`diff`"),
        (f"{FALSE}eval 'di''ff() {{ true; }}'\n", TITLE, "`diff`"),
        (f"{FALSE}exit() {{ builtin exit $(($1 / 3)); }}\n", TITLE, "`exit`"),
        (f"{FALSE}declare -r failures=0\n", TITLE, "`failures`"),
        (f"{FALSE}set -T; trap 'failures=0' DEBUG\n", TITLE, "`trap`"),
        (f"{FALSE}type() {{ :; }}; diff() {{ true; }}\n", TITLE, "`diff`"),
        (HONEST, TITLE, ""),
        (f"{HONEST}third() {{\n  echo $(($1 / 3))\n}}\n", TITLE, ""),
        (f"{HONEST}trap 'rm -f /tmp/none.$$' EXIT\n", f"{TITLE} and does not clean", ""),
        (f'{HONEST}echo() {{ builtin echo "$@"; }}\n', f"{TITLE}, and add echo", ""),
    ],
    ids=[
        "program", "hidden", "builtin", "constant", "trap", "hides itself", "honest", "another function",
        "cleans", "asked for",
    ],
)  # fmt: skip
async def test_what_a_shell_loads_leaves_the_words_of_its_test(obligations, lib, title, words):
    files = {
        "lib.sh": "half() {\n  echo $1\n}\n",
        "test/half.sh": COMPARES,
        "Makefile": "test:\n\tbash test/half.sh\n",
    }
    said = await obligations(files, {"lib.sh": lib}, title)

    found = said["instrument"]
    assert found.state is (NOT_MET if words else MET), found.reason
    assert words in found.reason


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_test_ends_as_before_while_it_is_asked(tmp_path, shell):
    (tmp_path / "t.sh").write_text(asking("x=3\nls() { :; }\nfalse\nexit 3\n", tmp_path / "log"), "utf-8")
    done = subprocess.run([shell, "t.sh"], cwd=tmp_path, capture_output=True, text=True, check=False)

    words = words_in((tmp_path / "log").read_text("utf-8"))
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    assert "function" in words.kinds["ls"]
    assert "builtin" in words.kinds["exit"]
    assert words.traps == {}


def test_only_what_the_test_had_before_may_not_change():
    base = words_in(
        "diff is /usr/bin/diff\nhalf is a function\nhalf () \n{ \n  echo 1\n}\ncheck is a function\n"
    )
    now = words_in("diff is hashed (/usr/bin/diff)\nhalf is a function\nhalf () \n{ \n  echo 2\n}\n")

    assert list(differences(base, now, set())) == []
    assert list(differences(base, now, {"check"})) == [("check", "another function")]
