"""An agent that suggests something with a tool of `setpoint mcp`; prints the suggestion's id."""

import json
import os
import subprocess

CLIENT = {"name": "claude", "version": "1"}
HELLO = {
    "protocolVersion": "2025-03-26",
    "capabilities": {},
    "clientInfo": {"name": "claude", "version": "1"},
}
WORDS = {
    "action": "comment",
    "text": f"totals are in cents {os.getpid()}",
    "place": "src/corner_shop/basket.py:41",
}
MESSAGES = (
    {"id": 1, "method": "initialize", "params": HELLO},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": {"name": "record_feedback", "arguments": WORDS}},
)
with subprocess.Popen(
    ["setpoint", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
) as server:
    for message in MESSAGES:
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()
    answer = next(line for line in server.stdout if json.loads(line).get("id") == MESSAGES[-1]["id"])
    server.stdin.close()
print(answer.partition("Recorded as ")[2].partition(" ")[0])
