"""The error that an agent keeps in its own record of a session."""

import json
import sys
from pathlib import Path

import pytest

from setpoint.agents.acp.error_record import error_of
from setpoint.agents.launch import Launch
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.model.config.sandbox import Means, SandboxSettings
from setpoint.system.processes import Command

ERROR = {"name": "APIError", "data": {"statusCode": 401}}
FAILED = {"messages": [{"info": {"role": "user"}}, {"info": {"error": ERROR}}]}
WENT_ON = {"messages": [{"info": {"error": ERROR}}, {"info": {"role": "assistant"}}]}
PRINTS = {
    "the last message failed": (json.dumps(FAILED), ERROR),
    "an earlier one failed": (json.dumps(WENT_ON), None),
    "no JSON": ("Exporting", None),
    "another shape": ("[]", None),
}


@pytest.mark.parametrize("case", PRINTS)
async def test_the_error_of_the_last_message_counts(case: str, tmp_path: Path) -> None:
    printed, wanted = PRINTS[case]
    script = f"import sys; sys.exit(1) if sys.argv[1] != 'ses_1' else print({printed!r})"
    launch = Launch(name="any", argv=("any",), errors_argv=(sys.executable, "-c", script, "{session}"))
    sandbox = Sandbox(SandboxSettings(agents=Means.NONE))
    command = Command(argv=("any",), cwd=tmp_path, timeout_s=60)
    assert await error_of(launch, sandbox, command, "ses_1") == wanted
    assert await error_of(launch, sandbox, command, "ses_2") is None
