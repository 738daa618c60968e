"""`setpoint admin plugins` as it is typed."""

import json

import pytest
from typer.testing import CliRunner

from checks.conftest import git, write
from setpoint.app.project.plugins import plugin_rows
from setpoint.cli.app import commands
from setpoint.plugins import Group, Plugin
from setpoint.wiring.project import open_project


@pytest.fixture
def root(tmp_path, monkeypatch):
    place = tmp_path / "project"
    write(place, {"setpoint.toml": 'plugins = ["gone"]\n'})
    git(place, "init", "-q")
    monkeypatch.chdir(place)
    return place


def listed(*words):
    done = CliRunner().invoke(commands(), ["admin", "plugins", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_those_of_setpoint_and_a_name_that_nothing_has(root):
    rows = {(row["name"], row["state"]): row for row in json.loads(listed("--json"))}
    mechanic = rows["mechanic", "built-in"]
    assert (mechanic["adds"], mechanic["package"], bool(mechanic["version"])) == ("agents", "setpoint", True)
    assert rows["gone", "failed"]["reason"] == "no package of Setpoint's environment brings it"
    text = listed()
    assert "generator" in text
    assert "gone: no package of Setpoint's environment brings it; hint: install its package" in text


def test_each_state_of_those_of_other_packages(root):
    (root / "setpoint.toml").write_text('plugins = ["good", "bad", "sarif"]\n')
    project = open_project(root)

    def plugin(name, target, package="aviary", group=Group.GUARDS):
        return Plugin(group=group, name=name, distribution=package, version="1.2", target=target)

    found = [
        plugin("good", "math:sqrt"),
        plugin("bad", "math:nothing"),
        plugin("idle", "math:nothing"),
        plugin("good", "math:sin", "other"),
        plugin("sarif", "math:sin", group=Group.FORMATS),
    ]
    rows = plugin_rows(project, found)
    project.store.close()
    assert [(row.name, row.package, row.adds, row.version, row.state) for row in rows] == [
        ("good", "aviary", "guards", "1.2", "enabled"),
        ("bad", "aviary", "guards", "1.2", "failed"),
        ("idle", "aviary", "guards", "1.2", "not enabled"),
        ("good", "other", "guards", "1.2", "failed"),
        ("sarif", "aviary", "formats", "1.2", "failed"),
    ]
    assert "AttributeError" in rows[1].reason
    assert "under a name that is taken" in rows[3].reason
    assert rows[4].reason == "no format of a plug-in can be called 'sarif'"
