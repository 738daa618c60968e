from __future__ import annotations

import json
from pathlib import Path

import pytest

from setpoint.agents.launch import Launch
from setpoint.agents.own_programs import PARTIAL, OwnPrograms, located
from setpoint.agents.probing import Lack, probe
from setpoint.agents.registry import shipped
from setpoint.agents.setup import Step, install, plan_setup
from setpoint.errors import NoUsableAgent

NODE = "node-test@22.1.0"
AGENT = Launch(
    name="own",
    title="Own",
    argv=("own-acp", "--acp"),
    version_argv=("own-acp", "--version"),
    npm="@own/acp@1.0.0",
    behind="own",
    min_node=22,
)
NPM = """
case "$*" in *global*) exit 9;; esac
mkdir -p node_modules/.bin
cat package.json > node_modules/asked.json
printf '#!/usr/bin/env node\\n' > node_modules/.bin/own-acp
printf 'echo v22.1.0' > node_modules/.bin/node
chmod +x node_modules/.bin/*
echo "$SECRET" > node_modules/secret
"""


def _program(folder: Path, name: str, body: str, mode: int = 0o755) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(mode)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a PATH with an npm, a Node.js that is too old, and the agent without its adapter."""
    folder = tmp_path / "bin"
    _program(folder, "npm", NPM)
    _program(folder, "node", "echo v18.3.0")
    _program(folder, "own", "true")
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("SECRET", "token")
    return folder


@pytest.fixture
def own(tmp_path: Path) -> OwnPrograms:
    return OwnPrograms(tmp_path / "data")


async def test_an_adapter_and_a_node_that_are_missing_are_installed_and_found(machine: Path, own) -> None:
    found = await probe(AGENT)
    assert found.lack is Lack.ADAPTER
    assert "its adapter own-acp is not; install it: setpoint agents setup own" in found.why_not
    plan = await plan_setup(AGENT, NODE, own)
    assert [step.package for step in plan.steps] == [NODE, AGENT.npm]
    assert "18.3.0" in plan.steps[0].why
    for step in plan.steps:
        await install(step, own)
    place = own.place(AGENT.npm)
    manifest = json.loads((place / "node_modules" / "asked.json").read_text())
    assert manifest["dependencies"] == {"@own/acp": "1.0.0"}
    assert (place / "node_modules" / "secret").read_text().strip() == ""
    launch = located(AGENT, NODE, own)
    interpreter = str(own.node(NODE))
    assert launch.argv == (interpreter, str(place / "node_modules/.bin/own-acp"), "--acp")
    assert launch.version_argv[:2] == launch.argv[:2]
    assert (await plan_setup(AGENT, NODE, own)).steps == ()
    assert machine.is_dir()


async def test_a_broken_installation_leaves_nothing_that_could_be_used(machine: Path, own) -> None:
    _program(machine, "npm", "mkdir -p node_modules/.bin; echo 'E404 no such package' >&2; exit 1")
    with pytest.raises(NoUsableAgent, match="E404 no such package"):
        await install(Step(package=AGENT.npm, why=""), own)
    assert not own.has(AGENT.npm)
    assert not list(own.folder.glob(f"*{PARTIAL}*"))
    assert located(AGENT, NODE, own) == AGENT


async def test_the_users_own_adapter_is_left_alone_and_gets_the_newer_node(machine: Path, own) -> None:
    script = machine / "own-acp"
    script.write_text("#!/usr/bin/env node\n")
    script.chmod(0o755)
    plan = await plan_setup(AGENT, NODE, own)
    assert [step.package for step in plan.steps] == [NODE]
    await install(plan.steps[0], own)
    assert located(AGENT, NODE, own).argv == (str(own.node(NODE)), str(script), "--acp")


async def test_another_version_serves_until_setup_installs_the_pinned_one(machine: Path, own) -> None:
    await install(Step(package="@own/acp@0.9.0", why=""), own)
    assert "own-acp" in located(AGENT, NODE, own).argv[0]
    assert AGENT.npm in [step.package for step in (await plan_setup(AGENT, NODE, own)).steps]
    assert machine.is_dir()


async def test_without_npm_setup_says_so(own, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    plan = await plan_setup(AGENT, NODE, own)
    assert "npm" in plan.blocked
    assert "npm" in plan.hint


async def test_a_file_that_may_not_be_executed_is_named(machine: Path) -> None:
    refused = _program(machine, "own-acp", "true", mode=0o644)
    found = await probe(AGENT)
    assert (found.lack, found.why_not) == (
        Lack.EXECUTABLE,
        f"{refused} may not be executed; allow it: chmod +x {refused}",
    )


def test_the_pinned_versions_are_those_that_the_tests_drive() -> None:
    folder = Path(__file__).parents[1] / "real_agents"
    driven = {}
    for path in (folder / "package.json", folder / "more" / "package.json"):
        driven |= json.loads(path.read_text())["dependencies"]
    for launch in shipped().values():
        if launch.npm:
            name, _, version = launch.npm.rpartition("@")
            assert driven[name] == version, launch.name
