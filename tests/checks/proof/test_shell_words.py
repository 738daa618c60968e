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
BASE = "half() {\n  echo $1\n}\n"
HALF = "half() {\n  echo $(($1 / 2))\n}\n"
OWN = {"check"}
CHANGED = {
    "program": ("diff() { true; }", "diff"),
    "hidden": ("eval 'di''ff() { true; }'", "diff"),
    "builtin": ("exit() { builtin exit 0; }", "exit"),
    "constant": ("declare -r failures=0", "failures"),
    "trap": ("set -T; trap 'failures=0' DEBUG", "trap"),
    "hides itself": ("type() { :; }; diff() { true; }", "diff"),
    "option": ("shopt -s nocasematch", "nocasematch"),
    "exported": ("export PYTHONOPTIMIZE=1", "PYTHONOPTIMIZE"),
    "another program": ("PATH=$PWD/tools:$PATH", "diff"),
    "the trap at the end": ("trap 'exit 0' EXIT; diff() { true; }", "diff"),
}
SAME = {
    "plain": "",
    "another function": "third() { echo 3; }",
    "stricter": "set -u; export LC_ALL=C",
    "cleans": "trap 'rm -f ./none' EXIT",
    "a variable": "most=3",
}


def _asked(folder, lib):
    """Run the test with the question in it, beside a library."""
    (folder / "tools").mkdir(parents=True)
    (folder / "lib.sh").write_text(lib, "utf-8")
    (folder / "tools/diff").write_text("#!/bin/sh\nexit 0\n", "utf-8")
    (folder / "tools/diff").chmod(0o755)
    (folder / "test.sh").write_text(asking(COMPARES, folder / "log"), "utf-8")
    subprocess.run(["bash", "test.sh"], cwd=folder, capture_output=True, check=False)
    return words_in(*((folder / each).read_text("utf-8") for each in ("log", "log.state")))


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(("added", "word"), CHANGED.values(), ids=CHANGED)
def test_what_a_library_makes_of_the_words_of_a_test_is_seen(tmp_path, added, word):
    base, now = _asked(tmp_path / "base", BASE), _asked(tmp_path / "now", f"{BASE}{added}\n")
    assert word in {each for each, _ in differences(base, now, OWN)}


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("added", SAME.values(), ids=SAME)
def test_what_a_library_may_do_is_left_alone(tmp_path, added):
    base, now = _asked(tmp_path / "base", BASE), _asked(tmp_path / "now", f"{HALF}{added}\n")
    assert list(differences(base, now, OWN)) == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("lib", "proved"),
    [('half() {\n  echo $(($1 + 1))\n}\ndiff() {\n  [ "$(cat "$1")" -lt 20 ]\n}\n', False), (HALF, True)],
    ids=["takes the place", "honest"],
)
async def test_what_a_shell_loads_leaves_the_words_of_its_test(obligations, lib, proved):
    files = {"lib.sh": BASE, "test/half.sh": COMPARES, "Makefile": "test:\n\tbash test/half.sh\n"}
    said = await obligations(files, {"lib.sh": lib}, "Fix half in lib.sh: it does not halve")

    states = {said["sensitivity"].state, said["instrument"].state}
    assert (states == {MET}) is proved, {name: each.reason for name, each in said.items()}
    assert (NOT_MET in states) is not proved


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_test_ends_as_before_while_it_is_asked(tmp_path, shell):
    (tmp_path / "t.sh").write_text(asking("x=3\nls() { :; }\nfalse\nexit 3\n", tmp_path / "log"), "utf-8")
    done = subprocess.run([shell, "t.sh"], cwd=tmp_path, capture_output=True, text=True, check=False)

    words = words_in(*((tmp_path / each).read_text("utf-8") for each in ("log", "log.state")))
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    assert "function" in words.kinds["ls"]
    assert "builtin" in words.kinds["exit"]
    assert "EXIT" not in words.traps
    assert words.options["nounset"] == "off"


def test_only_what_the_test_had_before_may_not_change():
    base = words_in(
        "diff is /usr/bin/diff\nhalf is a function\nhalf () \n{ \n  echo 1\n}\ncheck is a function\n"
    )
    now = words_in("diff is hashed (/usr/bin/diff)\nhalf is a function\nhalf () \n{ \n  echo 2\n}\n")

    assert list(differences(base, now, set())) == []
    assert list(differences(base, now, {"check"})) == [("check", "another function")]
