"""What an agent of the user is answered when it wants to end its turn."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.hooks.conftest import BAD, GOOD, TEST, settings
from checks.conftest import git
from setpoint.app.hooks.record import recorded
from setpoint.app.hooks.stop import answer_to_stop, note_prompt
from setpoint.cli.render.check_text import check_text
from setpoint.cli.render.event_lines import line
from setpoint.wiring.project import open_project

FAILING = "def test_old():\n    assert 1 == 2\n"


class Session:
    """An agent at work in a repository."""

    def __init__(self, root: Path, name: str = "s1", agent: str = "claude") -> None:
        self.root, self.name, self.agent = root, name, agent

    def prompt(self, text: str = "please") -> None:
        assert note_prompt(self.agent, self._message(prompt=text), self.root) == "{}"

    def stop(self) -> dict[str, str]:
        answer = answer_to_stop(
            self.agent,
            self._message(stop_hook_active=False),
            self.root,
            lambda seen: check_text(seen, fast=True),
        )
        return json.loads(answer)

    def edit(self, path: str, text: str) -> None:
        (self.root / path).write_text(text)

    def _message(self, **more: object) -> bytes:
        return json.dumps({"session_id": self.name, "cwd": str(self.root), **more}).encode()


def test_an_agent_is_sent_back_until_the_check_passes(repository) -> None:
    session = Session(repository())
    session.prompt()
    session.edit("calc.py", BAD)

    first = session.stop()
    session.edit("calc.py", GOOD + "\n\ndef double(a):\n    return add(a, a)\n")
    last = session.stop()

    assert first["decision"] == "block"
    assert "Setpoint check (1 of 3)" in first["reason"]
    assert "pytest       fail" in first["reason"]
    assert "test_calc.py::test_add: assertion: assert -1 == 3" in first["reason"]
    assert "verified" not in json.dumps([first, last]).lower()
    assert last == {"systemMessage": "Setpoint check: nothing is wrong that the base does not have"}
    assert session.stop() == {}
    project = open_project(session.root)
    bodies = [each.body for each in recorded(project, 9)]
    project.store.close()
    assert [(each.kind, each.state, each.blocked) for each in bodies] == [
        ("hook.turn_checked", "begun", False),
        ("hook.turn_checked", "failed", True),
        ("hook.turn_checked", "begun", False),
        ("hook.turn_checked", "passed", False),
    ]
    assert line(bodies[0]).text == "check of claude: begun"
    assert line(bodies[1]).text.startswith("check of claude: failed in ")
    assert line(bodies[1]).text.endswith("sent back (1)")


def test_the_counter_ends_what_would_never_end_and_a_prompt_begins_it_again(repository) -> None:
    session = Session(repository(max_blocks=2))
    session.prompt()
    session.edit("calc.py", BAD)

    answers = [session.stop() for _ in range(4)]

    assert [each.get("decision") for each in answers] == ["block", "block", None, None]
    assert "Nothing was changed since the last check" in answers[1]["reason"]
    assert "sent back 2 times (hooks.max_blocks): it may stop" in answers[2]["systemMessage"]
    assert "test_calc.py::test_add" in answers[2]["systemMessage"]
    session.prompt(answers[0]["reason"])  # Gemini reports the reason as a prompt
    assert "decision" not in session.stop()
    session.prompt("go on")
    session.edit("calc.py", BAD + "\n")
    assert session.stop()["decision"] == "block"


def test_after_a_question_nothing_is_measured_though_the_tree_is_wrong(repository) -> None:
    session = Session(repository())
    session.edit("calc.py", BAD)
    session.prompt("what does add do?")

    assert session.stop() == {}
    assert not (session.root / ".setpoint").exists()


def test_what_fails_at_the_base_does_not_count(repository) -> None:
    session = Session(repository({"test_old.py": FAILING}))
    session.prompt()
    session.edit("calc.py", GOOD + "\n\ndef double(a):\n    return add(a, a)\n")
    assert "decision" not in session.stop()

    session.edit("calc.py", BAD)
    answer = session.stop()
    assert answer["decision"] == "block"
    assert "known_red=1" in answer["reason"]
    assert "test_old.py::" not in answer["reason"]


def test_a_test_that_is_new_and_fails_counts(repository) -> None:
    session = Session(repository())
    session.prompt()
    session.edit("test_new.py", FAILING)

    assert "test_new.py::test_old" in session.stop()["reason"]


def test_work_that_the_agent_commits_is_compared_with_where_the_session_began(repository) -> None:
    session = Session(repository())
    session.prompt()
    session.edit("calc.py", BAD)
    git(session.root, "commit", "-qam", "done, I think")

    assert session.stop()["decision"] == "block"


def test_a_runner_that_breaks_at_the_base_too_holds_nobody(repository) -> None:
    broken = {"conftest.py": "import nothing_of_that_name\n"}
    session = Session(repository(broken))
    session.prompt()
    session.edit("calc.py", GOOD + "\n")
    assert "decision" not in session.stop()


def test_a_check_that_takes_too_long_counts_as_not_measured_and_is_not_tried_again(repository) -> None:
    slow = {"test_slow.py": "import time\n\n\ndef test_slow():\n    time.sleep(600)\n"}
    session = Session(repository(slow, limit_s=3))
    session.prompt()
    session.edit("calc.py", BAD)

    answers = [session.stop(), session.stop()]

    said = "Setpoint check: not measured: the check took longer than 3 s"
    assert answers == [{"systemMessage": said}] * 2


def test_faults_of_setpoint_let_the_agent_stop_and_are_reported(repository, tmp_path: Path) -> None:
    root = repository()
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()

    def said(agent: str, raw: bytes, here: Path = root) -> str:
        return answer_to_stop(agent, raw, here, lambda seen: check_text(seen, fast=True))

    assert (
        "not measured: Claude Code sent no JSON" in json.loads(said("claude", b"{nonsense"))["systemMessage"]
    )
    assert "not measured: Codex sent list" in json.loads(said("codex", b"[]"))["systemMessage"]
    assert "not a git repository" in json.loads(said("gemini", b"{}", nowhere))["systemMessage"]
    assert said("somebody", b"{}") == "{}"
    (root / "setpoint.toml").write_text(settings() + "wrong = 1\n")
    assert "'hooks.wrong'" in json.loads(said("claude", b"{}"))["systemMessage"]


def test_cursor_is_answered_in_its_own_format_and_an_interruption_is_respected(repository) -> None:
    root = repository()
    (root / "calc.py").write_text(BAD)

    def stopped(status: str) -> dict[str, str]:
        sent = {
            "conversation_id": "c1",
            "hook_event_name": "stop",
            "workspace_roots": [str(root)],
            "status": status,
            "loop_count": 0,
        }
        raw = json.dumps(sent).encode()
        return json.loads(answer_to_stop("cursor", raw, root.parent, lambda _: "the verdict"))

    assert stopped("aborted") == {}
    assert set(stopped("completed")) == {"followup_message"}


def test_an_agent_that_setpoint_drives_itself_is_not_checked_here(repository, tmp_path: Path) -> None:
    work = tmp_path / "project-1" / "trees" / "work" / "run-1" / "project"
    work.parent.mkdir(parents=True)
    (tmp_path / "project-1" / "repository.json").write_text("{}")
    repository().rename(work)
    session = Session(work)
    session.edit("calc.py", BAD)

    assert session.stop() == {}
    assert not (work / ".setpoint").exists()


@pytest.mark.parametrize("words", [("stop", "claude"), ("stop", "somebody", "--later", "more"), ("prompt",)])
def test_the_verb_ends_with_0_and_loads_nothing_that_measures(repository, words: tuple[str, ...]) -> None:
    root = repository()
    Session(root).prompt()
    program = (
        "import sys\nfrom setpoint.cli.start import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    print('ENDED', end.code)\n"
        "print('LOADED', *sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "hook", *words],
        cwd=root,
        input=json.dumps({"session_id": "s1", "cwd": str(root)}),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert lines[:2] == ["{}", "ENDED 0"], done.stderr
    loaded = set(lines[2].split())
    heavy = ("setpoint.checks", "setpoint.settings", "setpoint.wiring", "setpoint.model.value", "sqlalchemy")
    assert sorted(loaded.intersection(heavy)) == []
    assert (root / "test_calc.py").read_text() == TEST


def test_a_check_that_was_killed_or_took_too_long_is_told_at_the_next_prompt(repository) -> None:
    root = repository({"test_slow.py": "def test_slow():\n    __import__('time').sleep(60)\n"}, limit_s=40)
    session = Session(root)
    session.prompt()
    session.edit("calc.py", BAD)
    argv = [sys.executable, "-m", "setpoint", "hook", "stop", "claude"]
    message = json.dumps({"session_id": "s1", "cwd": str(root)})
    began = subprocess.Popen(argv, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    with began:
        began.stdin.write(message)
        began.stdin.close()
        while not (begun := [each.body.state for each in events(root)]):
            time.sleep(0.1)
        began.kill()

    told = json.loads(note_prompt("claude", message.encode(), root))["systemMessage"]
    assert begun == ["begun"]
    assert re.search(r"the last turn is not checked: its check began \d+ s ago and has not ended", told)
    assert told.endswith("; hint: setpoint check")
    assert note_prompt("claude", message.encode(), root) == "{}", "it is told once"

    (root / "setpoint.toml").write_text(settings(limit_s=0.5))
    assert "took longer than 0.5 s" in session.stop()["systemMessage"]
    told = json.loads(note_prompt("claude", message.encode(), root))["systemMessage"]
    assert "is not checked: the check took longer than 0.5 s; hint: setpoint check" in told
    session.prompt()


def events(root):
    """Return what was recorded; nothing while the state is made."""
    if not (root / ".setpoint" / "app.db").exists():
        return ()
    project = open_project(root)
    try:
        return recorded(project, 9)
    finally:
        project.store.close()
