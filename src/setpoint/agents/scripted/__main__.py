"""An agent that follows a script: `python -m setpoint.agents.scripted SCRIPT.json` speaks ACP on stdio.

It is a real process behind the real protocol, without a model and without a key, so that runs, plug-ins and
faults can be tried through the same path as any agent. It needs only the standard library and starts at once.

The script is an object with these keys, all optional:

- `prompts`: a list; element n is the list of steps played for prompt n. Beyond its end it says it is done.
- `counter`: a file, from the script's folder, that counts the prompts, so that a new process continues where
  the last one ended.
- `on`: steps played before a method is answered, for example `{"initialize": [...], "session/new": [...]}`.
- `name`, `version`: how it presents itself; `can`: its capabilities; `model`: the model it says it uses, or
  `options`: all that its sessions let choose.
- `past`: steps played while a session is loaded, as agents do that tell all of it again.

A step is an object; its first key says what is done. Paths start from the session's folder.

`{"write": PATH, "text": T}`, `append`, `delete`
    changes a file and reports it as a tool call; `"ask": true` asks first, with `"unannounced": true`
    without a word before; `"silent": true` reports nothing
`{"shell": COMMAND}`
    runs a command, which can read the prompt from its standard input, and reports it with its output
`{"call": {name, kind, title, ok, input, output, files}, "times": N}`
    reports a tool call and does nothing
`{"say": T, "times": N}`, `{"think": T}`
    sends text
`{"usage": {"input": N, "output": N, "cached": N}}`
    sets the token counts of the answer to this prompt
`{"cost": USD}`
    adds to the session's cost and reports it
`{"tokens": {"input": N, "output": N, "cached": N}}`
    adds to the session's tokens and reports them, as agents do that tell no cost
`{"sleep": S}`, `{"hang": HOW}`
    waits; cancelling ends it, and only SIGKILL ends a hang that is `deaf`
`{"stderr": BYTES, "text": T}`, `{"garbage": LINES, "text": T}`, `{"raw": OBJECT}`
    floods stderr, sends lines that are not messages, sends any message
`{"news": OBJECT}`, `{"linger": OBJECT}`
    sends any update of the session; at once, or only when the prompt is cancelled
`{"daemon": S}`
    leaves a process behind that sleeps in a session of its own
`{"die": CODE, "text": T}`
    ends the process at once
`{"fail": HOW}`
    answers the prompt with an error: `auth`, `rate_limit`, `model`, or `{code, message, data}`
`{"expect": T}`
    dies with code 9 if the prompt does not hold the text
`{"stop": REASON}`
    sets the stop reason of the answer
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from setpoint.agents.scripted.wire import FAILURES, Cancelled, Failed, Message, Wire

_CHUNK = b"e" * 65536
_EXPECTATION_FAILED = 9


class Session:
    """One conversation: where it works and what it has cost."""

    def __init__(self, cwd: str) -> None:
        """Open it in a folder."""
        self.id = uuid.uuid4().hex
        self.cwd = Path(cwd)
        self.cost = 0.0
        self.tokens: dict[str, int] = {}
        self.calls = 0


class Turn:
    """Plays the steps of one prompt."""

    def __init__(self, wire: Wire, session: Session, prompt: str) -> None:
        """Begin with nothing done."""
        self.wire = wire
        self.session = session
        self.prompt = prompt
        self.answer: Message = {"stopReason": "end_turn"}

    def play(self, steps: list[Message]) -> Message:
        """Play all steps and return the answer to the prompt."""
        for step in steps:
            word = next(iter(step))
            act: Callable[[Message], None] | None = getattr(self, f"do_{word}", None)
            if act is None:
                raise Failed(
                    {"code": -32602, "message": f"the script has a step that does not exist: {word}"}
                )
            try:
                act(step)
            except Cancelled:
                raise Cancelled(self.answer) from None
            if self.wire.cancelled.is_set():
                raise Cancelled(self.answer)
        return self.answer

    def do_write(self, step: Message) -> None:
        """Put a text into a file."""
        self._edit(step, "write", lambda path: path.write_text(step.get("text", ""), encoding="utf-8"))

    def do_append(self, step: Message) -> None:
        """Put a text at the end of a file."""

        def append(path: Path) -> None:
            with path.open("a", encoding="utf-8") as file:
                file.write(step.get("text", ""))

        self._edit(step, "append", append)

    def do_delete(self, step: Message) -> None:
        """Take a file away."""
        self._edit(step, "delete", Path.unlink)

    def do_shell(self, step: Message) -> None:
        """Run a command in the session's folder."""
        command = step["shell"]
        call = self._call({"kind": "execute", "title": command, "rawInput": {"command": command}})
        done = subprocess.run(  # noqa: S602 - whoever writes the script says what is run
            command,
            shell=True,
            cwd=self.session.cwd,
            capture_output=True,
            text=True,
            check=False,
            input=self.prompt,
        )
        output = {"exit_code": done.returncode, "output": done.stdout + done.stderr}
        status = "failed" if done.returncode else "completed"
        self._update({"toolCallId": call, "status": status, "rawOutput": output})

    def do_call(self, step: Message) -> None:
        """Report a tool call that does nothing."""
        told = step["call"]
        for _ in range(step.get("times", 1)):
            call = self._call(
                {
                    "kind": told.get("kind", "other"),
                    "title": told.get("title", told.get("name", "call")),
                    "rawInput": told.get("input"),
                    "locations": [{"path": path} for path in told.get("files", [])],
                    "_meta": {"scripted": {"tool": told.get("name", "call")}},
                }
            )
            if told.get("ok") is not None:
                status = "completed" if told["ok"] else "failed"
                self._update({"toolCallId": call, "status": status, "rawOutput": told.get("output")})

    def do_say(self, step: Message) -> None:
        """Send a piece of the answer."""
        self._tell("agent_message_chunk", step["say"] * step.get("times", 1))

    def do_think(self, step: Message) -> None:
        """Send a thought."""
        self._tell("agent_thought_chunk", step["think"])

    def do_usage(self, step: Message) -> None:
        """Return token counts with the answer."""
        told = step["usage"]
        counts = {"inputTokens": told.get("input", 0), "outputTokens": told.get("output", 0)}
        cached = {"cachedReadTokens": told["cached"]} if "cached" in told else {}
        self.answer["usage"] = {**counts, **cached, "totalTokens": sum(counts.values())}

    def do_cost(self, step: Message) -> None:
        """Report the cost of the session so far."""
        self.session.cost += step["cost"]
        cost = {"amount": self.session.cost, "currency": step.get("currency", "USD")}
        self._notify({"sessionUpdate": "usage_update", "used": 1000, "size": 200_000, "cost": cost})

    def do_tokens(self, step: Message) -> None:
        """Report the tokens that the session has used so far."""
        for name, key in (("input", "inputTokens"), ("output", "outputTokens"), ("cached", "cachedTokens")):
            self.session.tokens[key] = self.session.tokens.get(key, 0) + step["tokens"].get(name, 0)
        told = {"scripted": {"tokens": dict(self.session.tokens)}}
        self._notify({"sessionUpdate": "usage_update", "used": 1000, "size": 200_000, "_meta": told})

    def do_sleep(self, step: Message) -> None:
        """Wait, or be cancelled."""
        if self.wire.cancelled.wait(step["sleep"]):
            raise Cancelled

    def do_hang(self, step: Message) -> None:
        """Wait until the process is killed."""
        if step["hang"] != "deaf":
            self.wire.cancelled.wait()
            raise Cancelled
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while True:
            time.sleep(60)

    def do_stderr(self, step: Message) -> None:
        """Flood stderr."""
        for _ in range(0, step["stderr"], len(_CHUNK)):
            sys.stderr.buffer.write(_CHUNK)
        sys.stderr.buffer.write(step.get("text", "").encode())
        sys.stderr.flush()

    def do_garbage(self, step: Message) -> None:
        """Send lines that are not messages."""
        text = step.get("text", "this is not a message")
        self.wire.lines((text + "\n").encode() * step["garbage"])

    def do_raw(self, step: Message) -> None:
        """Send any message."""
        self.wire.send(step["raw"])

    def do_news(self, step: Message) -> None:
        """Send any update of the session."""
        self._notify(step["news"])

    def do_linger(self, step: Message) -> None:
        """Wait to be cancelled, and send an update all the same."""
        self.wire.cancelled.wait()
        self._notify(step["linger"])

    def do_daemon(self, step: Message) -> None:
        """Leave a process behind."""
        subprocess.Popen(
            ["sleep", str(step["daemon"])],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def do_die(self, step: Message) -> None:
        """End at once, without a message to the client."""
        sys.stderr.write(step.get("text", "the script ends the agent here\n"))
        sys.stderr.flush()
        os._exit(step["die"])

    def do_fail(self, step: Message) -> None:
        """Answer with an error."""
        told = step["fail"]
        raise Failed(FAILURES[told] if isinstance(told, str) else told)

    def do_expect(self, step: Message) -> None:
        """Die unless the prompt holds a text."""
        if step["expect"] not in self.prompt:
            sys.stderr.write(f"the prompt lacks {step['expect']!r}\n")
            sys.stderr.flush()
            os._exit(_EXPECTATION_FAILED)

    def do_stop(self, step: Message) -> None:
        """Set the stop reason."""
        self.answer["stopReason"] = step["stop"]

    def _edit(self, step: Message, word: str, change: Callable[[Path], object]) -> None:
        path = self.session.cwd / step[word]
        if word != "delete":
            path.parent.mkdir(parents=True, exist_ok=True)
        if step.get("silent"):
            change(path)
            return
        told = {
            "kind": "delete" if word == "delete" else "edit",
            "title": f"{word} {step[word]}",
            "rawInput": {"path": str(path), "text": step.get("text", "")},
            "locations": [{"path": str(path)}],
        }
        if step.get("unannounced"):
            self.session.calls += 1
            call = f"call-{self.session.calls}"
        else:
            call = self._call({**told, "_meta": {"scripted": {"tool": word}}})
        allowed = not step.get("ask") or self._allowed(call, told)
        if allowed:
            change(path)
        self._update({"toolCallId": call, "status": "completed" if allowed else "failed"})

    def _allowed(self, call: str, told: Message) -> bool:
        # The identifiers mean nothing, as with real agents; only the kinds say which option is which.
        options = (
            ("a1", "Always", "allow_always"),
            ("a2", "Once", "allow_once"),
            ("r1", "No", "reject_once"),
        )
        asked = {
            "sessionId": self.session.id,
            "toolCall": {"toolCallId": call, **told},
            "options": [{"optionId": option, "name": name, "kind": kind} for option, name, kind in options],
        }
        outcome = self.wire.ask("session/request_permission", asked).get("outcome", {})
        return outcome.get("outcome") == "selected" and outcome.get("optionId") in ("a1", "a2")

    def _call(self, told: Message) -> str:
        self.session.calls += 1
        call = f"call-{self.session.calls}"
        self._notify({"sessionUpdate": "tool_call", "toolCallId": call, "status": "in_progress", **told})
        return call

    def _update(self, told: Message) -> None:
        self._notify({"sessionUpdate": "tool_call_update", **told})

    def _tell(self, update: str, text: str) -> None:
        self._notify({"sessionUpdate": update, "content": {"type": "text", "text": text}})

    def _notify(self, update: Message) -> None:
        self.wire.send(
            {"method": "session/update", "params": {"sessionId": self.session.id, "update": update}}
        )


class ScriptedProcess:
    """Answers the client's requests as the script says."""

    def __init__(self, script: Message, folder: Path, wire: Wire) -> None:
        """Take the script; `folder` is where its relative paths start."""
        self.script = script
        self.wire = wire
        self.sessions: dict[str, Session] = {}
        self._counter = folder / script["counter"] if "counter" in script else None
        self._played = 0

    def serve(self) -> None:
        """Answer requests until the client closes the stream."""
        while (request := self.wire.requests.get()) is not None:
            self.wire.cancelled.clear()
            try:
                result = self._answer(request["method"], request.get("params") or {})
            except Cancelled as cancelled:
                result = {**cancelled.answer, "stopReason": "cancelled"}
            except Failed as failure:
                self.wire.send({"id": request.get("id"), "error": failure.error})
                continue
            if "id" in request:
                self.wire.send({"id": request["id"], "result": result})

    def _answer(self, method: str, params: Message) -> Message:
        before = self.script.get("on", {}).get(method)
        if before:
            Turn(self.wire, Session("."), "").play(before)
        if method == "initialize":
            about = {"name": self.script.get("name", "scripted"), "version": self.script.get("version", "1")}
            return {
                "protocolVersion": params.get("protocolVersion", 1),
                "agentInfo": about,
                "agentCapabilities": self.script.get("can", {}),
            }
        if method in ("session/new", "session/load", "session/resume"):
            return self._open(method, params)
        if method == "session/set_config_option":
            return {"configOptions": self.script.get("options", [])}
        if method == "session/prompt":
            prompt = "\n".join(block.get("text", "") for block in params["prompt"])
            return Turn(self.wire, self.sessions[params["sessionId"]], prompt).play(self._next())
        raise Failed({"code": -32601, "message": "Method not found", "data": {"method": method}})

    def _open(self, method: str, params: Message) -> Message:
        session = Session(params["cwd"])
        session.id = params.get("sessionId", session.id)
        self.sessions[session.id] = session
        if method == "session/load":
            Turn(self.wire, session, "").play(self.script.get("past", []))
        return {**self._options(), **({"sessionId": session.id} if method == "session/new" else {})}

    def _options(self) -> Message:
        model = self.script.get("model")
        if not model:
            return {"configOptions": self.script["options"]} if "options" in self.script else {}
        choices = [{"value": model, "name": model}]
        option = {"id": "model", "name": "Model", "category": "model", "type": "select"}
        return {"configOptions": [{**option, "currentValue": model, "options": choices}]}

    def _next(self) -> list[Message]:
        if self._counter is not None and self._counter.exists():
            self._played = int(self._counter.read_text("utf-8"))
        prompts: list[list[Message]] = self.script.get("prompts", [])
        left = prompts[self._played :] or [[{"say": "Nothing left to do, all is done."}]]
        self._played += 1
        if self._counter is not None:
            written = self._counter.with_name(f"{self._counter.name}.{os.getpid()}")
            written.write_text(str(self._played), encoding="utf-8")
            written.replace(self._counter)  # the file contains a number whenever the process is killed
        return left[0]


def main() -> None:
    """Play the script named on the command line."""
    path = Path(sys.argv[1])
    script = json.loads(path.read_text("utf-8"))
    ScriptedProcess(script, path.parent, Wire(sys.stdin.buffer, sys.stdout.buffer)).serve()


if __name__ == "__main__":
    main()
