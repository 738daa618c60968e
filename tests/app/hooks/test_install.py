"""Hooks are put into files of the user without loss, and taken out again without a trace."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.hooks.conftest import BAD, GOOD
from checks.conftest import git, write
from setpoint.agents.hooks.formats import formats
from setpoint.app.hooks.install import apply, installation, removal
from setpoint.cli.project.hook import app
from setpoint.errors import UsageError
from setpoint.wiring.project import open_project

AGENTS = tuple(formats())
SETPOINT = Path(sys.executable).with_name("setpoint")
OWN = {
    "version": 1,
    "permissions": {"allow": ["Bash(ls)"], "größe": 1.5},
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        "AfterAgent": [{"matcher": "*", "hooks": [{"type": "command", "command": "./mine"}]}],
        "stop": [{"command": "./mine"}],
        "PreToolUse": [],
    },
}


@pytest.fixture
def project(repository, monkeypatch: pytest.MonkeyPatch):
    root = repository()
    monkeypatch.chdir(root)
    opened = open_project(root)
    yield opened
    opened.store.close()


def install(project, name: str) -> None:
    changes = installation(project, name)
    assert all(each.diff for each in changes)
    apply(project.root, name, changes, install=True)


def remove(project, name: str) -> None:
    apply(project.root, name, removal(project.root, name), install=False)


@pytest.mark.parametrize("name", AGENTS)
def test_a_file_that_was_not_there_is_made_and_goes_again(project, name: str) -> None:
    before = git(project.root, "status", "--porcelain", "--untracked-files=all")
    install(project, name)

    form = formats()[name]
    written = json.loads((project.root / form.file).read_text())
    assert set(written["hooks"]) == {form.stop, form.prompt}
    assert f"hook stop {name} || true" in json.dumps(written)
    assert removal(project.root, name)
    assert installation(project, name) == ()

    remove(project, name)
    assert git(project.root, "status", "--porcelain", "--untracked-files=all") == before
    assert not (project.root / form.file).parent.exists()
    assert removal(project.root, name) == ()


@pytest.mark.parametrize("name", AGENTS)
def test_what_the_user_has_there_stays_and_a_removal_restores_each_byte(project, name: str) -> None:
    path = project.root / formats()[name].file
    path.parent.mkdir()
    own = json.dumps(OWN, indent=4, ensure_ascii=False).replace("1.5", "1.50") + "\n\n"
    path.write_text(own, "utf-8")
    path.chmod(0o600)
    install(project, name)

    written = json.loads(path.read_text("utf-8"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert written["permissions"] == OWN["permissions"]
    for event, entries in OWN["hooks"].items():
        assert written["hooks"][event][: len(entries)] == entries

    remove(project, name)
    assert path.read_text("utf-8") == own


@pytest.mark.parametrize("name", AGENTS)
def test_what_was_added_after_the_installation_survives_the_removal(project, name: str) -> None:
    install(project, name)
    path = project.root / formats()[name].file
    written = json.loads(path.read_text())
    event = formats()[name].stop
    written["hooks"][event].append({"command": "./later"})
    written["later"] = True
    path.write_text(json.dumps(written))
    remove(project, name)

    left = json.loads(path.read_text())
    assert left["later"] is True
    assert left["hooks"] == {event: [{"command": "./later"}]}


def test_a_second_installation_with_other_limits_replaces_the_first(project) -> None:
    install(project, "claude")
    longer = project.settings.hooks.model_copy(update={"limit_s": 300.0})
    changed = project._replace(settings=project.settings.model_copy(update={"hooks": longer}))
    install(changed, "claude")

    path = project.root / ".claude/settings.local.json"
    (group,) = json.loads(path.read_text())["hooks"]["Stop"]
    assert [each["timeout"] for each in group["hooks"]] == [330]
    remove(project, "claude")
    assert not path.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1, // no\n}', "not valid JSON: Expecting property name"),
        ("[]", "not a JSON object"),
        ('{"hooks": []}', "'hooks' is not an object"),
        ('{"hooks": {"Stop": {}}}', "'hooks.Stop' is not a list"),
        ('{"a": 1, "a": 2}', "the key 'a' appears twice"),
    ],
)
def test_a_file_that_is_not_understood_is_named_and_left_alone(project, text: str, said: str) -> None:
    path = project.root / ".claude/settings.local.json"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(UsageError) as raised:
        installation(project, "claude")

    assert said in raised.value.message
    assert str(path) in raised.value.message
    assert raised.value.hint
    assert path.read_text() == text


def test_the_verb_shows_the_lines_and_writes_nothing_without_agreement(project) -> None:
    shown = CliRunner().invoke(app, ["install", "claude"])
    assert '+            "command": ' in shown.output
    assert isinstance(shown.exception, UsageError)
    assert "--yes" in shown.exception.hint
    assert not (project.root / ".claude").exists()

    written = CliRunner().invoke(app, ["install", "claude", "--yes"])
    assert "undo: setpoint hook remove claude" in written.output
    assert CliRunner().invoke(app, ["remove", "claude", "-y"]).exit_code == 0
    assert not (project.root / ".claude").exists()


def test_an_unknown_agent_is_refused_with_the_names_that_are_known(project) -> None:
    with pytest.raises(UsageError, match="no hooks are known for 'emacs'") as raised:
        installation(project, "emacs")
    assert raised.value.hint == "one of claude, codex, gemini, cursor, git"


class TestGit:
    def test_a_commit_that_breaks_a_test_is_refused_and_a_good_one_is_made(self, project) -> None:
        root = project.root
        own = root / ".git/hooks/pre-commit"
        own.write_text("#!/bin/sh\necho mine >> called\n")
        own.chmod(0o755)
        install(project, "git")
        (root / ".gitignore").write_text("called\n")

        (root / "calc.py").write_text(BAD)
        refused = self._commit(root)
        (root / "calc.py").write_text(GOOD + "\n")
        made = self._commit(root)

        assert refused.returncode == 1
        assert "test_calc.py::test_add: assertion" in refused.stderr
        assert "hint: git commit --no-verify" in refused.stderr
        assert made.returncode == 0, made.stderr
        assert "Setpoint check: nothing is wrong" in made.stderr
        assert (root / "called").read_text() == "mine\nmine\n"
        text = own.read_text()
        remove(project, "git")
        assert text != own.read_text() == "#!/bin/sh\necho mine >> called\n"
        assert stat.S_IMODE(own.stat().st_mode) == 0o755
        assert not list(own.parent.glob("*before-setpoint"))
        assert not (own.parent / "pre-push").exists()

    def test_a_hook_of_the_user_that_refuses_is_obeyed_and_setpoint_not_started(self, project) -> None:
        own = project.root / ".git/hooks/pre-commit"
        own.write_text("#!/bin/sh\necho never >&2\nexit 7\n")
        own.chmod(0o755)
        install(project, "git")
        (project.root / "calc.py").write_text(GOOD + "\n")

        refused = self._commit(project.root)
        assert (refused.returncode, refused.stderr) == (1, "never\n")

    def test_a_push_that_breaks_a_test_is_refused_against_what_the_remote_has(self, project) -> None:
        root = project.root
        there = root.parent / "there.git"
        git(root, "init", "-q", "--bare", str(there))
        git(root, "push", "-q", str(there), "HEAD:refs/heads/main")
        install(project, "git")
        (root / "calc.py").write_text(BAD)
        git(root, "commit", "-qam", "bad", "--no-verify")

        refused = self._git(root, "push", str(there), "HEAD:refs/heads/main")
        deleted = self._git(root, "push", str(there), "HEAD~1:refs/heads/other")
        git(root, "commit", "-qam", "good", "--allow-empty", "--no-verify")
        (root / "calc.py").write_text(GOOD)
        git(root, "commit", "-qam", "good", "--no-verify")
        made = self._git(root, "push", str(there), "HEAD:refs/heads/main")

        assert refused.returncode == 1
        assert "test_calc.py::test_add: assertion" in refused.stderr
        assert "not measured: what is pushed is not what is checked out" in deleted.stderr
        assert (deleted.returncode, made.returncode) == (0, 0), made.stderr

    def test_a_push_is_not_refused_for_what_the_remote_has_already(self, project) -> None:
        root = project.root
        own = '[check.own]\ncommand = ["sh", "-c", "cat own.xml; exit 1"]\nformat = "junit"\n'
        failing = '<failure message="no">no</failure>'
        suite = f'<testsuite tests="1" failures="1"><testcase classname="a" name="b">{failing}</testcase>'
        text = (root / "setpoint.toml").read_text()
        write(root, {"setpoint.toml": text + own, "own.xml": f"{suite}</testsuite>"})
        write(root, {"test_old.py": "def test_old():\n    assert 1 == 2\n"})
        git(root, "add", "-A")
        git(root, "commit", "-qm", "old", "--no-verify")
        there = root.parent / "there.git"
        git(root, "init", "-q", "--bare", str(there))
        git(root, "push", "-q", str(there), "HEAD:refs/heads/main")
        install(project, "git")
        (root / "calc.py").write_text(GOOD + "\n")
        git(root, "commit", "-qam", "good", "--no-verify")

        made = self._git(root, "push", str(there), "HEAD:refs/heads/main")
        assert made.returncode == 0, made.stderr
        assert "nothing is wrong that the base does not have" in made.stderr
        whole = subprocess.run([SETPOINT, "check"], cwd=root, capture_output=True, text=True, check=False)
        assert "own" in whole.stdout
        assert whole.returncode == 1

    def test_a_fault_of_setpoint_does_not_stop_git(self, project) -> None:
        install(project, "git")
        (project.root / "setpoint.toml").write_text("wrong = 1\n")

        made = self._commit(project.root)
        assert made.returncode == 0
        assert "Setpoint check: not measured: " in made.stderr

    def test_the_program_may_be_gone(self, project) -> None:
        install(project, "git")
        hook = project.root / ".git/hooks/pre-commit"
        script = str(Path(sys.executable).with_name("setpoint"))
        hook.write_text(hook.read_text().replace(script, "/nowhere/setpoint"))
        (project.root / "calc.py").write_text(BAD)

        made = self._commit(project.root)
        assert made.returncode == 0
        assert "/nowhere/setpoint is gone" in made.stderr

    def _commit(self, root: Path) -> subprocess.CompletedProcess[str]:
        git(root, "add", "-A")
        return self._git(root, "commit", "-qm", "work")

    def _git(self, root: Path, *words: str) -> subprocess.CompletedProcess[str]:
        own = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost")
        return subprocess.run(
            [*own, *words], cwd=root, capture_output=True, text=True, check=False, env=dict(os.environ)
        )
