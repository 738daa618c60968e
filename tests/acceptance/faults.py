"""What an agent can do wrong, what Setpoint makes of it, and the words for it in the docs."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acceptance.conftest import RIGHT

FIX = {"write": "calc.py", "text": RIGHT}
NAP = "4747"
"""Seconds that a daemon would sleep; with a number behind it, its mark in the process table."""
NO_OUTPUT = ">/dev/null 2>&1 </dev/null"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that goes wrong."""

    name: str
    words: str
    """For the docs."""
    steps: tuple[dict[str, Any], ...] = ()
    """What an agent over the protocol does, in its first prompt."""
    on: dict[str, Any] = field(default_factory=dict)
    """What it does before that."""
    shell: str = ""
    """What a plain command does instead."""
    argv: tuple[str, ...] = ()
    kind: str = ""
    """The breakage; empty: the attempt counts, and the checks decide."""
    bounds: dict[str, str] = field(default_factory=dict)
    refused: str = ""
    """How Setpoint refuses a run with it; empty: the run begins."""

    @property
    def protocol(self) -> str:
        return "command" if self.shell or self.argv else "acp"

    @property
    def exit_code(self) -> int:
        return 3 if self.kind else 0

    @property
    def ending(self) -> str:
        return "broken_agent" if self.kind else "verified"

    def settings(self, folder: Path, number: int) -> str:
        """Give the agent's table of the settings, after writing its script."""
        nap = f"{NAP}{number:02}"
        if self.protocol == "acp":
            script = folder / f"{self.name.replace(' ', '-')}.json"
            prompts = [list(self.steps), [{"say": "done"}]]
            text = json.dumps({"prompts": prompts, "on": self.on}).replace("NAP", nap)
            script.write_text(text, encoding="utf-8")
            argv = [sys.executable, "-m", "setpoint.agents.scripted", str(script)]
        else:
            argv = list(self.argv) or ["sh", "-c", self.shell.replace("NAP", nap)]
        name = self.name.replace(" ", "-")
        return f'[agent.{name}]\nprotocol = "{self.protocol}"\ncommand = {json.dumps(argv)}\n'

    def row(self) -> str:
        """Give the row of the docs' table."""
        became = f"`{self.kind}`" if self.kind else "a normal attempt"
        became += ", before the run begins" if self.refused else ""
        return f"| {self.words} | {self.protocol} | {became} | {self.exit_code} |"


SHORT = {"SETPOINT_AGENTS__WALL_S": "4"}
SILENT = {"SETPOINT_AGENTS__IDLE_S": "3"}
ESCAPES = (
    "cd ~/../project; echo x > calc.py; echo x > new; rm -rf .setpoint/snapshots/*.git .setpoint/artifacts; "
    "cd - >/dev/null; rm -rf ../../../repositories/*.git; echo x > ~/.profile"
)
FORKS = f"setsid sleep NAP {NO_OUTPUT} & (setsid sh -c 'sleep NAP & sleep NAP' {NO_OUTPUT} &)"
MEND = "printf 'def add(a, b):\\n    return a + b\\n' > calc.py"
OUTSIDE = {"write": "../outside.py", "text": "x", "ask": True}

FAULTS = (
    Fault(name="dies", words="ends in the middle of its work", steps=({"die": 7},), kind="crash"),
    Fault(name="is killed", words="is killed by a signal", steps=({"shell": "kill -9 $PPID"},), kind="crash"),
    Fault(
        name="hangs",
        words="hangs",
        steps=({"daemon": "NAP"}, {"hang": "politely"}),
        kind="timeout",
        bounds=SHORT,
    ),
    Fault(
        name="ignores cancel",
        words="hangs, ignores cancelling and SIGTERM",
        steps=({"daemon": "NAP"}, {"hang": "deaf"}),
        kind="timeout",
        bounds=SHORT,
    ),
    Fault(
        name="falls silent",
        words="gives no sign of life",
        steps=({"say": "hm"}, {"sleep": 60}),
        kind="idle",
        bounds=SILENT,
    ),
    Fault(name="floods", words="floods its output", steps=({"garbage": 100_000},), kind="protocol"),
    Fault(
        name="floods stderr",
        words="floods its error output, and works",
        steps=({"stderr": 20_000_000}, FIX),
    ),
    Fault(
        name="chatters",
        words="writes lines that are not messages, and works",
        steps=({"garbage": 50}, {"garbage": 50, "text": '{"jsonrpc":'}, FIX),
    ),
    Fault(
        name="wrong answer",
        words="answers with JSON that the protocol does not know",
        steps=({"stop": "because"},),
        kind="protocol",
    ),
    Fault(
        name="no login",
        words="requires a login",
        on={"session/new": [{"fail": "auth"}]},
        kind="auth",
        refused="no-login: Authentication required",
    ),
    Fault(
        name="refused key",
        words="gets 401 from its model",
        steps=({"fail": {"code": -32603, "message": "Internal error", "data": {"status": 401}}},),
        kind="auth",
    ),
    Fault(name="rate limit", words="meets a rate limit", steps=({"fail": "rate_limit"},), kind="rate_limit"),
    Fault(
        name="no model",
        words="gets 503 from its model",
        steps=({"fail": "model"},),
        kind="overload",
    ),
    Fault(
        name="is denied",
        words="requests permission to change a file outside the work copy, is denied, and works",
        steps=(OUTSIDE, FIX),
    ),
    Fault(
        name="escapes",
        words="writes to your tree, to your home and to Setpoint's state, is refused, and works",
        steps=({"shell": ESCAPES}, FIX),
    ),
    Fault(
        name="forks",
        words="leaves daemons behind that forked twice into sessions of their own, and works",
        steps=({"shell": FORKS}, {"daemon": "NAP"}, FIX),
    ),
    Fault(name="command dies", words="ends with an error and prints nothing", shell="exit 7", kind="crash"),
    Fault(name="command is killed", words="is killed by a signal", shell="kill -9 $$", kind="crash"),
    Fault(
        name="command hangs",
        words="hangs, ignores SIGTERM, with a daemon",
        shell=f"{FORKS}; trap '' TERM; while :; do sleep 1; done",
        kind="timeout",
        bounds=SHORT,
    ),
    Fault(
        name="command is silent", words="gives no sign of life", shell="sleep NAP", kind="idle", bounds=SILENT
    ),
    Fault(
        name="command floods",
        words="floods both outputs, and works",
        shell=f"head -c 20000000 /dev/zero; head -c 20000000 /dev/zero >&2; {MEND}",
    ),
    Fault(
        name="command escapes",
        words="writes to your tree, to your home and to Setpoint's state, is refused, forks daemons, works",
        shell=f"{ESCAPES}; {FORKS}; {MEND}; echo done",
    ),
    Fault(
        name="is missing",
        words="is not installed",
        argv=("no-such-agent",),
        kind="missing",
        refused="is not on PATH",
    ),
)
