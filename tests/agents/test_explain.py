from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from setpoint.agents import breakage
from setpoint.agents.acp.agent import AcpAgent, Patience
from setpoint.agents.explain import explained, lacking
from setpoint.agents.launch import Launch
from setpoint.agents.probing import probe
from setpoint.model.attempt import Breakage, BreakageKind
from setpoint.system.files.artifacts import Artifacts

OTHER_VERSION = {"raw": {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 7}}}


@pytest.mark.parametrize(
    ("on", "fault", "words", "hint"),
    [
        (
            {"session/new": [{"fail": "auth"}]},
            "not_logged_in",
            "not logged in",
            "log in to own; then: setpoint",
        ),
        (
            {"initialize": [OTHER_VERSION]},
            "protocol",
            "version 7 of the protocol",
            "setpoint agents setup own",
        ),
        ({"initialize": [{"die": 4, "text": "no disk"}]}, "crash", "no disk", "by hand in an empty folder"),
        ({"initialize": [{"hang": "x"}]}, "timeout", "not ready after 1 s", "may wait for a login"),
    ],
)
async def test_a_failure_to_open_a_session_is_explained(
    on: dict, fault: str, words: str, hint: str, tmp_path: Path, artifacts: Artifacts
) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"on": on}))
    argv = (sys.executable, "-m", "setpoint.agents.scripted", str(script))
    launch = Launch(name="own", argv=argv, login="log in to own", npm="own@1.0.0")
    patience = Patience(open_s=1.0 if fault == "timeout" else 60.0, cancel_s=0.1, grace_s=0.1)
    agent = AcpAgent(launch, artifacts=artifacts, scratch=tmp_path / "scratch", patience=patience)
    broken = await agent.try_out(tmp_path)
    assert isinstance(broken, Breakage)
    why = explained(launch, broken)
    assert why.fault == fault
    assert words in why.what
    assert hint in why.hint


def test_a_refused_permission_is_not_taken_for_a_missing_login() -> None:
    launch = Launch(name="own", argv=("own",), login="log in to own")
    by_status = breakage.of_error(launch, -32603, "refused", {"status": 403})
    by_name = breakage.of_error(launch, -32603, "refused", {"error": {"type": "permission_error"}})
    expired = breakage.of_error(launch, -32603, "refused", {"status": 401})
    assert [explained(launch, each).fault for each in (by_status, by_name, expired)] == [
        "no_permission",
        "no_permission",
        "not_logged_in",
    ]
    assert "choose another model under [agent.own]" in explained(launch, by_status).hint


@pytest.mark.parametrize("kind", list(BreakageKind))
def test_every_breakage_has_words_and_a_way_out(kind: BreakageKind) -> None:
    why = explained(Launch(name="own", argv=("own",)), Breakage(kind=kind, message="own broke"))
    assert why.what.endswith(": own broke")
    assert why.hint


async def test_what_is_missing_comes_with_the_command_that_installs_it() -> None:
    launch = Launch(name="own", argv=("no-such-agent",), npm="own@1.0.0")
    why = lacking(launch, await probe(launch))
    assert (why.fault, why.what, why.hint) == (
        "not_installed",
        "no-such-agent is not on PATH",
        "setpoint agents setup own",
    )
