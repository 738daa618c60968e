"""An agent that tries to get out of its work copy, in runs as a user makes them."""

import json
import shlex
import shutil

import pytest

from acceptance.conftest import RIGHT
from sandboxes import usable
from setpoint.model.config.sandbox import Means

FIX = {"write": "calc.py", "text": RIGHT}
TRIES = [
    "echo x > $ROOT/.setpoint/events.db",
    'for each in $ROOT/.setpoint/*.db; do echo x > "$each"; done',
    "rm -rf $ROOT/.setpoint/snapshots/*.git $ROOT/.setpoint/artifacts $ROOT/tests",
    "echo 'def add(a, b): return 5' > $ROOT/calc.py",
    "ln -s $ROOT tree; echo x > tree/calc.py",
    "echo x > ~/.bashrc",
    "echo x > ../planted",
    "rm -r ../../../repositories/*.git",
    "echo x > ~/.cache/setpoint/planted",
]
"""`$ROOT` stands for the user's repository."""


SETPOINTS = {".git", ".setpoint"}
"""Where a run leaves its branch and its state."""


def tree(folder):
    found = sorted(path for path in folder.rglob("*") if path.is_file() and not SETPOINTS & {*path.parts})
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_what_an_agent_tries_outside_its_work_copy_fails_and_the_run_goes_on(repository, means, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / ".bashrc").write_text("kept")
    root = shlex.quote(str(repository.root))
    tries = [{"shell": each.replace("$ROOT", root)} for each in TRIES]
    repository.agent([*tries, {"shell": "rm -f tree"}, FIX])
    before = tree(repository.root)

    # Without a setting the copies lie in the home, in a folder whose other parts are open to agents.
    asked = {"HOME": str(home), "SETPOINT_CACHE_DIR": "", "SETPOINT_SANDBOX__AGENTS": means.value}
    code, outcome = repository.run("--agent", "actor", **asked)

    assert (code, outcome["ending"]) == (0, "verified"), outcome
    assert (tree(repository.root), (home / ".bashrc").read_text()) == (before, "kept")
    shown = repository.setpoint("show", "--json", **asked).stdout
    bodies = [event["body"] for event in json.loads(shown)]
    calls = [body["call"]["ok"] for body in bodies if body["kind"] == "tool.executed"]
    assert calls[: len(TRIES)] == [False] * len(TRIES)
    (made,) = [body for body in bodies if body["kind"] == "agent.finished"]
    assert made["snapshot"]["attempt"]["sandbox"] == means.value
    assert f"sandbox of actor: {means}" in repository.setpoint("show", **asked).stdout


def test_a_sandbox_that_is_asked_for_and_missing_ends_before_the_run(repository, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("git", "sh", "env"):
        (programs / name).symlink_to(shutil.which(name))
    repository.agent([FIX])

    asked = {"PATH": str(programs), "SETPOINT_SANDBOX__AGENTS": "bwrap"}
    done = repository.setpoint("run", "make the failing tests pass", "--agent", "actor", **asked)

    assert (done.returncode, "install the package bubblewrap" in done.stderr) == (2, True), done.stderr
    assert json.loads(repository.setpoint("status", "--json").stdout) == []
    doctor = repository.setpoint("doctor", "--json", **asked)
    (row,) = [row for row in json.loads(doctor.stdout)["rows"] if row["name"] == "sandbox"]
    assert (doctor.returncode, row["ok"], "bwrap is asked for" in row["detail"]) == (2, False, True)


def test_what_holds_agents_is_told(repository, means):
    repository.agent([FIX], settings='[agent.free]\ncommand = ["true"]\nsandbox = "none"')
    asked = {"SETPOINT_SANDBOX__AGENTS": means.value}

    rows = json.loads(repository.setpoint("agents", "--json", **asked).stdout)
    told = {row["name"]: row["sandbox"] for row in rows}
    assert (told["actor"], told["gemini"], told["free"], told["mechanic"]) == (means, means, "none", "")
    rows = json.loads(repository.setpoint("doctor", "--json", **asked).stdout)["rows"]
    (row,) = [row for row in rows if row["name"] == "sandbox"]
    assert (row["ok"], row["detail"].startswith(means)) == (True, True)


SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "canary-1",
    "GITHUB_TOKEN": "canary-2",
    "SOMETHING_OF_MINE": "canary-3",
    "NAMED_KEY": "handed-on",
}
LOOK = (
    "env; for each in /proc/[0-9]*; do tr '\\0' '\\n' < $each/environ; cat $each/cmdline; done; "
    "grep -rs 'c[a]nary-' ../../../.. $ROOT ~"
)


def test_secrets_of_the_environment_stay_with_the_user(repository, means, tmp_path):
    """Neither in the agent's own environment, nor in that of another process, nor in what Setpoint keeps."""
    home = tmp_path / "home"
    home.mkdir()
    found = tmp_path / "found"
    found.mkdir()
    settings = f'[sandbox]\nagents = "{means}"\nwrites = ["{found}"]\n'
    look = LOOK.replace("$ROOT", shlex.quote(str(repository.root)))
    repository.agent([{"shell": f"({look}) > {found}/all 2>/dev/null"}, FIX], settings=settings, name="spy")
    with (repository.root / "setpoint.toml").open("a") as file:
        file.write('pass_environment = ["NAMED_KEY"]\n')
    repository.commit("a key")

    code, outcome = repository.run("--agent", "spy", HOME=str(home), **SECRETS)

    assert (code, outcome["ending"]) == (0, "verified"), outcome
    seen = (found / "all").read_text(errors="replace")
    assert "NAMED_KEY=handed-on" in seen
    assert "canary-" not in seen
    kept = [path for path in (repository.root / ".setpoint").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if b"canary-" in path.read_bytes()]


ESCAPING = """
import os
from pathlib import Path

import pytest

ROOT = Path({root!r})
STATE = ROOT / ".setpoint"
HOME = Path({home!r})
PLACES = [ROOT / "calc.py", ROOT / "new", ROOT / ".git" / "config", STATE / "new"]
PLACES += [HOME / ".bashrc", HOME / "new"]
PLACES += [Path(pytest.__file__), Path(os.__file__).with_name("planted.py"), Path.cwd().parent / "planted"]


@pytest.mark.parametrize("place", [*PLACES, *STATE.glob("*.db"), *STATE.rglob("run-*.base.json")])
def test_no_way_out(place):
    with pytest.raises(OSError):
        place.open("a").write("x")


def test_work_goes_on(tmp_path):
    (tmp_path / "file").write_text("x")
    Path("left.txt").write_text("x")
    (Path.home() / ".bashrc").write_text("a home of its own")
"""


@pytest.mark.timeout(300)
def test_tests_that_the_maker_wrote_are_held_too(repository, means, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / ".bashrc").write_text("kept")
    text = ESCAPING.format(root=str(repository.root), home=str(home))
    repository.agent([{"write": "tests/test_escape.py", "text": text}, FIX])
    before = tree(repository.root)

    asked = {"HOME": str(home)}
    if means is Means.BWRAP:  # the other one is what is taken by default
        asked["SETPOINT_SANDBOX__CHECKS"] = means.value
    code, outcome = repository.run("--agent", "actor", timeout=240, **asked)

    assert (code, outcome["ending"]) == (0, "verified"), outcome
    assert (tree(repository.root), (home / ".bashrc").read_text()) == (before, "kept")
    assert f"sandbox of checks: {means}" in repository.setpoint("show").stdout
    report = repository.root / ".setpoint" / "runs" / outcome["trace_id"] / "report.md"
    assert f"- checks held by {means}" in report.read_text()
    assert repository.setpoint("verify", **asked).returncode == 0


def test_without_a_sandbox_work_is_verified_and_said_not_to_be_held(repository):
    repository.agent([FIX])
    loose = {"SETPOINT_SANDBOX__CHECKS": "none"}

    code, outcome = repository.run("--agent", "actor", **loose)

    assert (code, outcome["ending"]) == (0, "verified"), outcome
    report = repository.root / ".setpoint" / "runs" / outcome["trace_id"] / "report.md"
    assert "- checks not held" in report.read_text()
    assert "sandbox of checks: not held" in repository.setpoint("show", **loose).stdout
    assert "checks were not held" in repository.setpoint("check", **loose).stdout
    rows = json.loads(repository.setpoint("doctor", "--json", **loose).stdout)["rows"]
    (row,) = [row for row in rows if row["name"] == "sandbox of checks"]
    assert (row["ok"], row["detail"].startswith("not held, by setting")) == (False, True)


PLANTING = """
import importlib.util
import marshal
from pathlib import Path

import calc

SOURCE = "def add(a, b): return 0"


def test_planting():
    code = marshal.dumps(compile(SOURCE, "calc.py", "exec"))
    never_compared = (1).to_bytes(4, "little") + bytes(8)
    looked_at = Path(importlib.util.cache_from_source(calc.__file__))
    beside = Path(calc.__file__).parent / "__pycache__" / looked_at.name
    for place in (beside, looked_at):
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(importlib.util.MAGIC_NUMBER + never_compared + code)
        except OSError:
            pass
    assert beside.is_file()


def test_it_still_adds():
    assert calc.add(2, 3) == 5
"""


def test_compiled_code_that_a_test_left_in_the_tree_is_not_run(repository, means):
    (repository.root / "calc.py").write_text(RIGHT)
    (repository.root / "tests" / "test_calc.py").write_text(PLANTING)
    suite = '<testsuite><testcase classname="again" name="it_adds"/></testsuite>'
    script = f"import calc; assert calc.add(2, 3) == 5; print('{suite}')"
    settings = f"[check.again]\ncommand = {json.dumps(['{python}', '-c', script])}\nformat = 'junit'\n"
    repository.write("setpoint.toml", settings)

    done = repository.setpoint("check", "--json", SETPOINT_SANDBOX__CHECKS=means.value)

    states = {each["check"]: each["state"] for each in json.loads(done.stdout)["evidence"]}
    assert (states["pytest"], states["again"]) == ("pass", "pass"), done.stdout


REACHING = """
from pathlib import Path

from calc import add


def test_reaching():
    try:
        Path({place!r}).write_text("x")
    except OSError:
        pass
    assert add(2, 3) == 5
"""


def test_mutants_are_held_as_checks_are(repository, means):
    place = repository.root / "reached"
    (repository.root / "calc.py").write_text(RIGHT)
    (repository.root / "tests" / "test_reach.py").write_text(REACHING.format(place=str(place)))

    done = repository.setpoint("lab", "mutate", "calc.py", "--json", SETPOINT_SANDBOX__CHECKS=means.value)
    held = place.exists()
    repository.setpoint("lab", "mutate", "calc.py", "--json", SETPOINT_SANDBOX__CHECKS="none")

    assert (done.returncode, json.loads(done.stdout)["counts"]["killed"] > 0) == (0, True), done.stderr
    assert (held, place.exists()) == (False, True)


READ = (
    "git -C $ROOT log", "ls $ROOT/.git/objects/??", "ls $ROOT/.setpoint/snapshots/*.git",
    "git --git-dir=$(echo ../../../repositories/*.git) log", "ls ../../../measured/*",
    "cat $ROOT/.setpoint/app.db", "ls ../.. | grep -v $(basename $(dirname $PWD))",
    "ls $STORED/../../*/setpoint-ready",
)  # fmt: skip
"""`$ROOT` stands for the repository of the user, `$STORED` for the objects that the copy borrows."""


def test_bubblewrap_hides_repositories_and_other_copies(repository):
    root, means = shlex.quote(str(repository.root)), usable(Means.BWRAP)
    stored = "$(head -1 .git/objects/info/alternates)"
    tries = [each.replace("$ROOT", root).replace("$STORED", stored) for each in READ]
    can = ["git log --format=%s | grep bug", "git status", f"git fsck && ls {stored}/pack", "git diff HEAD"]
    steps = [{"shell": each} for each in (*tries, *can)]
    repository.agent([*steps, FIX])

    code, outcome = repository.run("--agent", "actor", SETPOINT_SANDBOX__AGENTS=means.value)

    assert (code, outcome["ending"]) == (0, "verified"), outcome
    bodies = [event["body"] for event in json.loads(repository.setpoint("show", "--json").stdout)]
    calls = [body["call"]["ok"] for body in bodies if body["kind"] == "tool.executed"]
    assert calls[: len(steps)] == [*[False] * len(tries), *[True] * len(can)]


READ_FILES = (
    "git -C $ROOT log", "cat $ROOT/.git/HEAD", "git --git-dir=$(echo ../../../repositories/*.git) log",
    "cat ../../../measured/*/*/calc.py", "cat $ROOT/.setpoint/app.db",
    "cat $ROOT/.setpoint/runs/*/scratchpad.md",
)  # fmt: skip


def test_landlock_lets_no_repository_and_no_other_copy_be_read(repository):
    root, means = shlex.quote(str(repository.root)), usable(Means.LANDLOCK)
    tries = [each.replace("$ROOT", root) for each in READ_FILES]
    can = ["git log --format=%s | grep bug", "git status", "git fsck", "git diff HEAD", f"cat {root}/calc.py"]
    can += [
        "ls /",
        "python3 -c 1",
        "echo x > $TMPDIR/y; cat $TMPDIR/y",
        "cat /proc/self/status /dev/null",
    ]
    steps = [{"shell": each} for each in (*tries, *can)]
    repository.agent([*steps, FIX])

    code, outcome = repository.run("--agent", "actor", SETPOINT_SANDBOX__AGENTS=means.value)

    assert (code, outcome["ending"]) == (0, "verified"), outcome
    bodies = [event["body"] for event in json.loads(repository.setpoint("show", "--json").stdout)]
    calls = [body["call"]["ok"] for body in bodies if body["kind"] == "tool.executed"]
    assert calls[: len(steps)] == [*[False] * len(tries), *[True] * len(can)]
