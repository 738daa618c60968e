from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from setpoint.agents.acp.agent import AcpAgent
from setpoint.agents.command.agent import CommandAgent
from setpoint.agents.launch import Launch, NamesVariables
from setpoint.agents.probing import probe
from setpoint.agents.selection import Agents
from setpoint.errors import NoUsableAgent
from setpoint.system.files.artifacts import Artifacts


def _program(folder: Path, name: str, body: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def _acp(tmp_path: Path, name: str, **script: object) -> Launch:
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps({"counter": f"{name}.count", **script}))
    argv = (sys.executable, "-m", "setpoint.agents.scripted", str(path))
    return Launch(name=name, argv=argv, version_argv=("echo", "v1.2.3"), login=f"log in to {name}")


@pytest.fixture
def agents(tmp_path: Path, artifacts: Artifacts):
    def make(*launches: Launch) -> Agents:
        return Agents({one.name: one for one in launches}, artifacts=artifacts, scratch=tmp_path / "scratch")

    return make


def test_a_built_in_agent_that_the_installation_does_not_name_asks_for_a_new_one(agents) -> None:
    with pytest.raises(NoUsableAgent, match="no agent 'mechanic'") as caught:
        agents().make("mechanic")
    assert "pip install --force-reinstall" in caught.value.hint


async def test_a_missing_program_is_probed_as_such_with_its_mend() -> None:
    found = await probe(Launch(name="ghost", argv=("no-such-agent",), install="npm install -g ghost"))
    assert (found.installed, found.version) == (False, "")
    assert found.why_not == "no-such-agent is not on PATH; install it: npm install -g ghost"


async def test_a_program_that_the_agent_needs_besides_is_looked_for() -> None:
    found = await probe(Launch(name="half", argv=("sh",), executables=("no-such-sandbox",)))
    assert not found.installed
    assert "no-such-sandbox" in found.why_not


async def test_the_version_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _program(tmp_path / "bin", "own-agent", 'echo "own agent 4.5.6-beta (build 1)"')
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    found = await probe(Launch(name="own", argv=("own-agent",)))
    assert (found.installed, found.version, found.path) == (True, "4.5.6-beta", str(program))


async def test_the_version_of_an_npm_package_is_read_without_a_start(tmp_path: Path, monkeypatch) -> None:
    package = tmp_path / "node_modules" / "own"
    program = _program(package / "dist", "cli.js", "exit 1")
    (package / "package.json").write_text('{"name": "own", "version": "7.8.9"}')
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "own-agent").symlink_to(program)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert (await probe(Launch(name="own", argv=("own-agent",)))).version == "7.8.9"


async def test_a_node_that_is_too_old_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path, "node", "echo v18.3.0")
    _program(tmp_path, "own-agent", "true")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = await probe(Launch(name="own", argv=("own-agent",), min_node=22))
    assert (found.installed, found.why_not) == (False, "needs Node.js 22 or newer; found 18.3.0")


async def test_auto_takes_the_first_that_opens_a_session(agents, tmp_path: Path) -> None:
    ghost = Launch(name="ghost", argv=("no-such-agent",))
    shut = _acp(tmp_path, "shut", on={"session/new": [{"fail": "auth"}]})
    broken = _acp(tmp_path, "broken", on={"initialize": [{"die": 4}]})
    good, late = _acp(tmp_path, "good"), _acp(tmp_path, "late")
    choice = await agents(ghost, shut, broken, good, late).choose(("ghost", "shut", "broken", "good", "late"))
    assert choice.name == "good"
    reasons = {one.name: one.reason for one in choice.passed_over}
    assert list(reasons) == ["ghost", "shut", "broken"]
    assert "not on PATH" in reasons["ghost"]
    assert "log in to shut" in reasons["shut"]
    assert "exit code 4" in reasons["broken"]


async def test_an_agent_is_tried_once(agents, tmp_path: Path) -> None:
    made = agents(
        _acp(tmp_path, "good", on={"session/new": [{"append": str(tmp_path / "opened"), "text": "x"}]})
    )
    await made.choose(("good",))
    await made.choose(("good",))
    assert (tmp_path / "opened").read_text() == "x"


async def test_built_in_agents_and_commands_need_no_trial(agents) -> None:
    assert (await agents().choose(("mechanic",))).name == "mechanic"
    shell = Launch(name="shell", argv=("sh", "-c", "exit 9"), protocol="command")
    assert (await agents(shell).choose(("shell", "mechanic"))).name == "shell"


async def test_where_none_works_every_reason_is_told(agents) -> None:
    with pytest.raises(NoUsableAgent) as caught:
        await agents(Launch(name="ghost", argv=("no-such-agent",))).choose(("ghost", "typo"))
    assert "ghost: no-such-agent is not on PATH" in caught.value.message
    assert "typo: not known" in caught.value.message
    assert "--agent" in caught.value.hint


async def test_agents_are_made_by_protocol(agents) -> None:
    made = agents(Launch(name="a", argv=("a",)), Launch(name="c", argv=("c",), protocol="command"))
    assert isinstance(made.make("a"), AcpAgent)
    assert isinstance(made.make("c"), CommandAgent)
    with pytest.raises(NoUsableAgent, match="no agent 'x'"):
        made.make("x")


async def test_what_holds_an_agent_is_told_for_those_with_a_process(agents) -> None:
    known = agents(
        Launch(name="own", argv=("true",)),
        Launch(name="asked", argv=("-",), protocol="model", model="openai:x"),
    )
    assert await known.held_by("own") == "none, by setting"
    assert [await known.held_by(name) for name in ("asked", "rules")] == ["", ""]


async def test_a_named_agent_without_a_login_is_refused_in_its_own_words(agents, tmp_path: Path) -> None:
    shut = _acp(tmp_path, "shut", on={"session/new": [{"fail": "auth"}]})
    with pytest.raises(NoUsableAgent) as refused:
        await agents(shut).require("shut")
    assert refused.value.message == "shut: Authentication required"
    assert refused.value.hint.startswith("log in to shut; then run")


async def test_a_variable_that_its_configuration_names_is_offered_to_an_agent_that_is_refused(
    agents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "config.json").write_text('{"envKey": "CORP_KEY"}')
    rule = NamesVariables(files=("./config.json",), pattern='"envKey": "(\\w+)"')
    shut = _acp(tmp_path, "shut", on={"session/new": [{"fail": "auth"}]})
    shut = shut.model_copy(update={"names_variables": (rule,)})
    monkeypatch.setenv("CORP_KEY", "k")
    with pytest.raises(NoUsableAgent, match=r"^shut: Authentication required\n") as refused:
        await agents(shut).require("shut")
    assert "names CORP_KEY, which is not passed to it; pass it by the settings: " in refused.value.hint
    assert '[agent.shut] pass_environment = ["CORP_KEY"]' in refused.value.hint


@pytest.mark.parametrize("protocol", ["acp", "command"])
async def test_a_command_that_knows_of_no_login_refuses_where_a_session_opens(
    protocol: str, agents, tmp_path: Path
) -> None:
    asked = ("sh", "-c", "echo Not logged in; exit 1")
    agent = _acp(tmp_path, "open").model_copy(update={"login_argv": asked, "protocol": protocol})
    with pytest.raises(NoUsableAgent, match=r"^open: Not logged in\n"):
        await agents(agent).require("open")
    logged_in = agent.model_copy(update={"login_argv": ("sh", "-c", "echo Logged in")})
    await agents(logged_in).require("open")
    silent = agent.model_copy(update={"login_argv": ("sh", "-c", "exit 1")})
    await agents(silent).require("open")


async def test_what_passes_by_itself_is_left_to_the_run(agents, tmp_path: Path) -> None:
    await agents(_acp(tmp_path, "busy", on={"session/new": [{"fail": "rate_limit"}]})).require("busy")


async def test_a_named_agent_that_is_missing_is_refused_with_the_way_to_get_it(agents) -> None:
    ghost = Launch(name="ghost", argv=("no-such-agent",), install="npm install -g ghost")
    with pytest.raises(NoUsableAgent, match=r"^ghost: no-such-agent is not on PATH\n") as refused:
        await agents(ghost).require("ghost")
    assert refused.value.hint.startswith("npm install -g ghost")
