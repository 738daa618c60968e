"""`setpoint mcp`: serve Setpoint's tools to your own agent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from setpoint.model.evaluation import Evaluation
    from setpoint.model.events import Body


def mcp() -> None:
    """Serve Setpoint's tools to your own agent over MCP.

    Agents start this themselves. It speaks the protocol on standard input and output until its input ends.
    """
    from setpoint.errors import UsageError

    try:
        from setpoint.mcp.server import serve
        from setpoint.mcp.session import Wording
    except ModuleNotFoundError as error:
        message = f"the MCP server needs '{error.name}', which is not installed"
        raise UsageError(message, hint="pip install 'setpoint[mcp]'") from None
    if sys.stdin.isatty():
        say("waiting for an agent on standard input; end with Ctrl-D", err=True)
        say("hint: claude mcp add setpoint -- setpoint mcp", err=True)
    serve(Path.cwd(), Wording(verdict=_verdict, line=_line))


def _verdict(evaluation: Evaluation, fast: bool) -> str:
    from setpoint.cli.render.check_text import check_text

    return check_text(evaluation, fast=fast)


def _line(body: Body) -> str:
    from setpoint.cli.render.event_lines import line

    return line(body).text
