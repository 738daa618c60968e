"""The scripted model plays its steps in every dialect, and its provider fails as the scenario says."""

import json
import subprocess
import sys
import time
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

import pytest

from setpoint.errors import SettingsError
from setpoint.testing.model_server import (
    Conversation,
    Fault,
    Read,
    Say,
    Scenario,
    Shell,
    Use,
    Write,
    scripted_model,
)

SCHEMA = {"properties": {"path": {"type": "string"}}}
ANTHROPIC = "/v1/messages"
CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"
GEMINI = "/v1beta/models/gemini:generateContent"
PATHS = (ANTHROPIC, CHAT, RESPONSES, GEMINI)


def ask(model, path, body):
    """Post a request; gives status, headers and text."""
    connection = HTTPConnection(urlsplit(model.url).netloc, timeout=20)
    try:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


def request(path, *, answered=0, text="Fix it.", stream=False):
    """Write a request of a conversation in which so many calls were answered; it offers the tool `read`."""
    if path == ANTHROPIC:
        result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x"}]}
        call = {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "1", "name": "read", "input": {}}],
        }
        messages = [{"role": "user", "content": text}, *[call, result] * answered]
        tools = [{"name": "read", "input_schema": SCHEMA}]
        return {"model": "m", "messages": messages, "tools": tools, "stream": stream}
    if path == CHAT:
        call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
        messages = [{"role": "user", "content": text}, *[call, {"role": "tool", "content": "x"}] * answered]
        tools = [{"type": "function", "function": {"name": "read", "parameters": SCHEMA}}]
        return {"model": "m", "messages": messages, "tools": tools, "stream": stream}
    if path == RESPONSES:
        turn = [{"type": "function_call", "call_id": "1"}, {"type": "function_call_output", "call_id": "1"}]
        entries = [{"type": "message", "role": "user", "content": text}, *turn * answered]
        tools = [{"type": "function", "name": "read", "parameters": SCHEMA}]
        return {"model": "m", "input": entries, "tools": tools, "stream": stream}
    contents = [{"role": "user", "parts": [{"text": text}]}]
    for number in range(answered):
        contents.append({"role": "model", "parts": [{"functionCall": {"name": "read"}}]})
        response = {"functionResponse": {"name": "read", "id": str(number)}}
        contents.append({"role": "user", "parts": [response]})
    return {
        "contents": contents,
        "tools": [{"functionDeclarations": [{"name": "read", "parameters": SCHEMA}]}],
    }


@pytest.mark.parametrize("path", PATHS)
def test_steps_follow_from_the_conversation(path):
    scenario = Scenario(
        steps=(Read(read="calc.py"), Say(say="Finished.")),
        conversations=(Conversation(when="MARK-7", steps=(Say(say="I am the subagent."),)),),
    )
    with scripted_model(scenario) as model:
        first = ask(model, path, request(path))
        second = ask(model, path, request(path, answered=1))
        other = ask(model, path, request(path, text="MARK-7: look"))
    assert "calc.py" in first[2]
    assert "read" in first[2]
    assert "Finished." in second[2]
    assert "I am the subagent." in other[2]
    assert [(asked.step, asked.tools) for asked in model.asked] == [
        (0, ("read",)),
        (1, ("read",)),
        (0, ("read",)),
    ]


def test_a_tool_in_a_namespace_is_called_in_it():
    inner = {"type": "function", "name": "check", "parameters": SCHEMA}
    body = request(RESPONSES)
    body["tools"].append({"type": "namespace", "name": "mcp__setpoint", "tools": [inner]})
    steps = (Use(use=("mcp__setpoint__check",), arguments={"path": "calc.py"}),)
    with scripted_model(Scenario(steps=steps)) as model:
        (entry,) = json.loads(ask(model, RESPONSES, body)[2])["output"]

    assert model.asked[0].tools == ("read", "mcp__setpoint__check")
    assert (entry["namespace"], entry["name"]) == ("mcp__setpoint", "check")
    assert json.loads(entry["arguments"]) == {"path": "calc.py"}


@pytest.mark.parametrize(
    ("path", "overflow", "limit"),
    [
        (ANTHROPIC, "prompt is too long", "anthropic-ratelimit-unified-reset"),
        (CHAT, "context_length_exceeded", "x-ratelimit-reset-requests"),
        (RESPONSES, "context_length_exceeded", "resets_in_seconds"),
        (GEMINI, "exceeds the maximum number of tokens", "retryDelay"),
    ],
)
def test_a_provider_fails_in_its_own_words(path, overflow, limit):
    faults = (
        Fault(kind="overflow", times=1),
        Fault(kind="status", status=429, retry_after_s=7, resets_in_s=30, times=1),
        Fault(kind="status", status=401, step=1, and_later=True),
    )
    with scripted_model(Scenario(faults=faults)) as model:
        long, limited, fine = (ask(model, path, request(path)) for _ in range(3))
        refused = ask(model, path, request(path, answered=3))
        model.heal()
        healed = ask(model, path, request(path, answered=3))
    assert long[0] == 400
    assert overflow in long[2]
    headers = {name.lower(): value for name, value in limited[1].items()}
    assert (limited[0], headers["retry-after"]) == (429, "7")
    assert limit in limited[2] or limit in headers
    assert [each[0] for each in (fine, refused, healed)] == [200, 401, 200]
    assert [asked.fault for asked in model.asked] == ["overflow", "status", "", "status", ""]


def test_streams_are_cut_and_connections_dropped():
    faults = (
        Fault(kind="cut", after=2, times=1),
        Fault(kind="cut", after_bytes=10, times=1),
        Fault(kind="drop", times=1),
        Fault(kind="hang", seconds=0.1, times=1),
        Fault(kind="down", seconds=0.3, times=1),
    )
    body = request(ANTHROPIC, stream=True)
    with scripted_model(Scenario(faults=faults)) as model:
        kept = []
        for _ in faults:
            with pytest.raises((HTTPException, OSError)) as lost:
                ask(model, ANTHROPIC, body)
            kept.append(getattr(lost.value, "partial", b""))
        deadline = time.monotonic() + 20
        while (whole := answered(model, body)) is None and time.monotonic() < deadline:
            time.sleep(0.05)
    assert (kept[0].count(b"event:"), len(kept[1]), kept[2:]) == (2, 10, [b""] * 3)
    assert whole is not None
    assert "message_stop" in whole


def answered(model, body):
    try:
        return ask(model, ANTHROPIC, body)[2]
    except OSError:
        return None


def test_a_fault_lasts_for_its_time_and_spares_requests_on_the_side():
    faults = (Fault(kind="overflow", lasts_s=0.3, and_later=True),)
    aside = {"model": "m", "messages": [{"role": "user", "content": "title?"}]}
    with scripted_model(Scenario(faults=faults, without_tools="A title")) as model:
        first = ask(model, CHAT, request(CHAT))
        title = ask(model, CHAT, aside)
        time.sleep(0.4)
        later = ask(model, CHAT, request(CHAT))
    assert [each[0] for each in (first, title, later)] == [400, 200, 200]
    assert "A title" in title[2]


def test_a_scenario_is_read_from_a_file_and_served_while_a_command_runs(tmp_path):
    path = tmp_path / "scenario.toml"
    path.write_text(
        """
steps = [
    { read = "calc.py" },
    { write = "calc.py", text = "x" },
    { shell = "ls" },
    { use = ["Task"], arguments = { prompt = "look" } },
    { say = "Done." },
]
[[faults]]
kind = "status"
status = 529
lasts_s = 4
"""
    )
    steps = (Read(read="calc.py"), Write(write="calc.py", text="x"), Shell(shell="ls"))
    fault = Fault(kind="status", status=529, lasts_s=4)
    more = (Use(use=("Task",), arguments={"prompt": "look"}), Say(say="Done."))
    assert Scenario.read(path) == Scenario(steps=(*steps, *more), faults=(fault,))
    code = "import os, urllib.request as u; u.urlopen(os.environ['SCRIPTED_MODEL_URL'] + '/v1/models')"
    argv = [sys.executable, "-m", "setpoint.testing.model_server", path, "--", sys.executable, "-c", code]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.startswith("http://127.0.0.1:")) == (0, True), done.stderr
    path.write_text("[[faults]]\nkind = 'cut'\n")
    with pytest.raises(SettingsError, match="after_bytes"):
        Scenario.read(path)
