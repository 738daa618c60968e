"""Makers are started before anything is measured, and get the variables that their configuration names."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from setpoint.app.runs.order import make_order, resolve_story
from setpoint.app.runs.ready_makers import pass_variables, require_makers, unpassed
from setpoint.errors import NoUsableAgent
from setpoint.wiring.project import open_project

SHUT = {"on": {"session/new": [{"fail": "auth"}]}}


@pytest.fixture
def ordered(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "repo"
    root.mkdir()

    def made(settings, **scripts):
        lines = [settings]
        for name, script in scripts.items():
            path = tmp_path / f"{name}.json"
            path.write_text(json.dumps(script))
            argv = [sys.executable, "-m", "setpoint.agents.scripted", str(path)]
            lines.append(f'[agent.{name}]\nprotocol = "acp"\ncommand = {json.dumps(argv)}')
        (root / "setpoint.toml").write_text("\n".join([*lines, ""]))
        git = ["git", "-c", "user.name=Test", "-c", "user.email=test@localhost", "-C", str(root)]
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "settings"]):
            subprocess.run([*git, *words], check=True)
        project = open_project(root)
        return project, make_order(project, resolve_story(project, "add auth"))

    return made


def test_a_named_maker_that_cannot_work_is_refused_in_its_own_words(ordered):
    project, order = ordered('[agents]\nmaker = "shut"\n', shut=SHUT)
    with pytest.raises(NoUsableAgent, match=r"^shut: Authentication required"):
        require_makers(project, order)


@pytest.mark.parametrize(
    "settings",
    [
        '[agents]\nmaker = "shut"\nnext_makers = ["good"]\n',
        '[agents]\ncandidates = ["shut", "good"]\n',
    ],
)
def test_a_maker_beside_others_is_noted(ordered, settings):
    project, order = ordered(settings, shut=SHUT, good={})
    (note,) = set(require_makers(project, order).notes) - set(order.notes)
    assert note.startswith("shut: Authentication required; hint: ")


def codex(home: Path) -> None:
    path = home / ".codex" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text('model_provider = "own"\n[model_providers.own]\nenv_key = "LOCAL_KEY"\n')


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ('[agents]\nmaker = "codex"\n', ["LOCAL_KEY"]),
        ('[agents]\nmaker = "codex"\n[agent.codex]\npass_environment = ["A"]\n', ["A", "LOCAL_KEY"]),
        ('agents.maker = "codex"\nagent.codex.model = "m"\n', None),
    ],
)  # fmt: skip
def test_a_variable_that_is_passed_once_is_kept_in_the_settings(
    ordered, settings, kept, monkeypatch, tmp_path
):
    project, order = ordered(settings)
    monkeypatch.setenv("LOCAL_KEY", "k")
    codex(tmp_path / "home")
    (wanted,) = unpassed(project, order)
    assert (wanted.agent, wanted.names) == ("codex", ("LOCAL_KEY",))
    before = tomllib.loads((project.root / "setpoint.toml").read_text())

    passing, told = pass_variables(project, wanted)

    assert unpassed(passing, order) == ()
    after = tomllib.loads((project.root / "setpoint.toml").read_text())
    if kept is None:
        assert (after, "for this run alone" in told) == (before, True)
    else:
        assert after["agent"]["codex"]["pass_environment"] == kept
        assert unpassed(open_project(project.root), order) == ()
