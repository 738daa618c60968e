"""The agent's side of `setpoint_check`: a command, and a server of the Model Context Protocol with one tool.

It runs in the agent's sandbox as a file, `python -I -S client.py [mcp] FOLDER SECONDS`, with the standard
library alone. It asks by an empty file in the folder and reads the answer from another: that passes every
sandbox that lets the agent write to its work copy, also those without a network.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import time

_POLL_S = 0.1
_MARGIN_S = 8.0
_NAME = "setpoint_check"
_TOLD = (
    "Shows what Setpoint's fast checks say of the files as they are now: static checks, and the tests that "
    "your change can reach. It is advice: Setpoint measures again, and more, when your turn has ended."
)
_NOBODY = "Setpoint does not answer. End your turn when your work is done; Setpoint measures it then.\n"


def ask(folder: str, seconds: float) -> tuple[str, bool]:
    """Ask, and return the answer and whether there was one."""
    token = secrets.token_hex(8)
    question, answer = f"{folder}/ask-{token}", f"{folder}/answer-{token}"
    try:
        os.close(os.open(question, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
        until = time.monotonic() + seconds + _MARGIN_S
        while time.monotonic() < until:
            if os.path.exists(answer):  # noqa: PTH110 - pathlib costs time
                with open(answer, encoding="utf-8") as file:  # noqa: PTH123 - as above
                    text = file.read()
                os.unlink(answer)  # noqa: PTH108 - as above
                return text, True
            time.sleep(_POLL_S)
        os.unlink(question)  # noqa: PTH108 - as above
    except OSError:
        pass
    return _NOBODY, False


def serve(folder: str, seconds: float) -> None:
    """Answer the messages of an agent on standard input until it ends."""
    for line in sys.stdin:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if not isinstance(message, dict) or "id" not in message or "method" not in message:
            continue
        reply = {"jsonrpc": "2.0", "id": message["id"], **_answered(message, folder, seconds)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


def _answered(message: dict[str, object], folder: str, seconds: float) -> dict[str, object]:
    parameters = message.get("params")
    given = parameters if isinstance(parameters, dict) else {}
    method = message["method"]
    if method == "initialize":
        version = given.get("protocolVersion", "2025-06-18")
        about = {"name": "setpoint", "title": "Setpoint", "version": "1"}
        return {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}}
    if method == "ping":
        return {"result": {}}
    if method == "tools/list":
        schema = {"type": "object", "properties": {}, "additionalProperties": False}
        hints = {"readOnlyHint": True, "openWorldHint": False}
        tool = {"name": _NAME, "description": _TOLD, "inputSchema": schema, "annotations": hints}
        return {"result": {"tools": [tool]}}
    if method == "tools/call" and given.get("name") == _NAME:
        text, heard = ask(folder, seconds)
        return {"result": {"content": [{"type": "text", "text": text}], "isError": not heard}}
    return {"error": {"code": -32601, "message": f"there is no method or tool {method}"}}


def main() -> int:
    """Ask once and print the answer, or serve."""
    words = sys.argv[1:]
    if words[:1] == ["mcp"]:
        serve(words[1], float(words[2]))
        return 0
    if len(words) > 2:  # noqa: PLR2004 - the folder and the seconds, which the command itself gives
        sys.stderr.write(f"{_NAME} takes no arguments: it looks at the work copy as it is\n")
        return 2
    text, heard = ask(words[0], float(words[1]))
    sys.stdout.write(text)
    return 0 if heard else 3


if __name__ == "__main__":
    sys.exit(main())
